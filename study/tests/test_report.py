"""The report: everything is in it and escaped, nothing is fetched, every picture is whole, equal files give equal pages."""

import base64
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import sample
from support import STUDY

sys.path.insert(0, str(STUDY))

from reporting import form, page, pictures

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr", "col"}


class Parsed(html.parser.HTMLParser):
    """A page: its elements with the words inside them. An end without its beginning is an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        element = (tag, dict(attrs), [])
        assert len(element[1]) == len(attrs), f"an attribute twice: {tag} {attrs}"
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> ends {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        self.words.append(data)
        for element in self.open:
            element[2].append(data)

    def all(self, tag, class_=None):
        """Attributes and words of all elements of this name."""
        for name, attributes, words in self.elements:
            if name == tag and (class_ is None or class_ in attributes.get("class", "").split()):
                yield attributes, squeezed("".join(words))

    @property
    def text(self):
        return squeezed("".join(self.words))


def squeezed(text):
    return " ".join(text.split())


def page_of(value):
    """The page of a study that is given as JSON has it."""
    return page.page(form.parse(json.loads(json.dumps(value))))


def svgs(text):
    """The pictures that a page holds."""
    return [base64.b64decode(of).decode() for of in re.findall(r'src="data:image/svg[+]xml;base64,([^"]*)"', text)]


class TheWholePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = sample.full()
        cls.html = page_of(cls.study)
        cls.parsed = Parsed(cls.html)

    def test_every_text_is_there_and_none_is_markup(self):
        names = "cpu feature frequency backend version claim another third here title table column row word method still changed"
        for name in [*names.split(), "missing", "failed"]:
            self.assertIn(sample.text(name), self.parsed.text, name)
        tags = {tag for tag, _, _ in self.parsed.elements}
        self.assertFalse(tags & {"b", "script", "iframe", "link", "object", "base", "form"}, tags)

    def test_it_needs_no_network(self):
        without_papers = self.html
        # To be followed by the reader, not fetched by the page.
        papers = re.findall(r'<a href="(https://[^"]*)">', self.html)
        self.assertEqual(len(papers), 5)
        for address in papers:
            without_papers = without_papers.replace(f'<a href="{address}">', "")
        for what in ("http", "@import", "//"):
            self.assertEqual(without_papers.count(what), 0, what)
        for tag, attributes, _ in self.parsed.elements:
            self.assertFalse({"srcset", "action", "data"} & set(attributes), tag)
            self.assertTrue(attributes.get("src", "data:").startswith("data:"), tag)
            self.assertTrue(tag == "a" or attributes.get("href", "#").startswith("#"), attributes)
        for address in re.findall(r"""url\(([^)]*)\)|href="([^"]*)\"""", " ".join(svgs(self.html))):
            self.assertTrue("".join(address).startswith("#"), address)

    def test_every_link_leads_somewhere_and_no_name_is_there_twice(self):
        ids = [attributes["id"] for _, attributes, _ in self.parsed.elements if "id" in attributes]
        self.assertEqual(len(ids), len(set(ids)))
        links = [attributes["href"][1:] for _, attributes, _ in self.parsed.elements if attributes.get("href", "").startswith("#")]
        for _, attributes, _ in self.parsed.elements:
            links += attributes.get("aria-labelledby", "").split() + attributes.get("aria-describedby", "").split()
        self.assertGreater(len(links), 20)
        self.assertEqual(set(links) - set(ids), set())

    def test_every_picture_is_well_formed_and_says_what_it_is(self):
        drawn = svgs(self.html)
        plots = [plot for figure in self.study["figures"] for plot in figure["plots"]]
        self.assertEqual((len(drawn), len(plots)), (12, 12))
        for text, plot, (image, _) in zip(drawn, plots, self.parsed.all("img")):
            svg = ElementTree.fromstring(text)
            self.assertTrue(squeezed(image["alt"]).startswith(sample.text(plot["kind"])))
            words = squeezed(" ".join(" ".join(element.itertext()) for element in svg.iter("{http://www.w3.org/2000/svg}text")))
            for label in ("x_label", "y_label", "title"):
                self.assertIn(squeezed(plot.get(label, "")), words)
            for one in plot["series"]:
                self.assertIn(one["name"], words)
                self.assertIn(one["name"], image["alt"])
            for category in plot.get("categories", []):
                self.assertIn(category, words)
            self.assertIn(sample.text("cpu"), words)

    def test_powers_of_two_are_bytes_where_the_label_says_so(self):
        words = svgs(self.html)[1]
        for tick in ("2 KiB", "128 KiB"):
            self.assertIn(f">{tick}<", words)

    def test_series_of_the_paper_say_so(self):
        self.assertIn("OpenSSL 1.0.1 (paper)", svgs(self.html)[0])

    def test_numbers_have_their_digits_and_stand_to_the_right(self):
        cells = [(attributes.get("class"), words) for attributes, words in self.parsed.all("td")]
        self.assertIn(("number", "3.14"), cells)
        self.assertIn(("number", "1000000"), cells)
        self.assertIn(("number", "-"), cells, "what is absent, in a column of numbers")
        self.assertIn((None, "plain"), cells)

    def test_every_heading_of_a_table_says_what_it_is_over(self):
        for attributes, words in self.parsed.all("th"):
            self.assertIn(attributes.get("scope"), ("row", "col", "rowgroup"), words)

    def test_every_table_is_followed_by_its_machine(self):
        lines = list(self.parsed.all("p", "machine"))
        self.assertEqual(len(lines), len(list(self.parsed.all("table"))))
        parts = [sample.text("cpu"), "2026-01-31", "time-stamp counter 2.000 GHz, core 3.500 GHz"]
        parts += ["manyhash 0.1.0, cost table zen", "instruction sets, backends, versions: the machine"]
        for _, words in lines:
            for part in parts:
                self.assertIn(part, words)
        self.assertEqual(len(re.findall(r'</div>\s*<p class="machine">', self.html)), len(lines))

    def test_the_machine_is_there_with_all_that_tables_leave_out(self):
        machine = next(words for attributes, words in self.parsed.all("section") if attributes["aria-labelledby"] == "machine")
        for part in (sample.text("feature"), "portable avx2", sample.text("backend"), sample.text("version"), sample.text("frequency")):
            self.assertIn(part, machine)

    def test_results_come_first_and_words_and_the_machine_last(self):
        at = [self.html.index(f'id="{name}"') for name in ("claims", "contents", "figure-1", "reading", "words", "machine")]
        self.assertEqual(at, sorted(at))
        words = [words for _, words in self.parsed.all("dt")]
        for word in ("n-SMS", "S-HASH, Algorithm 1", "DIVERSE, UNIFORM", "j-lanes, wrapping", "BB1 to BB4", "C/B, TSC, MB/s"):
            self.assertIn(word, words)

    def test_claims_are_counted_and_our_goals_apart_from_the_papers(self):
        rows = re.findall(r'<tr><th scope="row">([^<]*)</th>((?:<td class="number">\d+</td>)+)</tr>', self.html)
        counts = {name: [int(number) for number in re.findall(r"\d+", cells)] for name, cells in rows}
        self.assertEqual(counts["Aciicmez 2004"], [1, 1, 0, 2])
        self.assertEqual(counts["Gueron 2013"], [0, 0, 0, 0])
        self.assertEqual(counts["Somebody 1999"], [1, 1, 0, 2], "a paper that is none of the three")
        self.assertEqual(counts["the papers together"], [3, 3, 0, 6])
        self.assertEqual(counts["our goals"], [0, 0, 3, 3])
        groups = [words for attributes, words in self.parsed.all("th") if attributes["scope"] == "rowgroup"]
        self.assertEqual(groups, ["Gueron & Krasnov 2012", "Aciicmez 2004", "Somebody 1999", "Our goals"])

    def test_only_what_is_wider_than_the_page_takes_part_in_the_keyboards_round(self):
        self.assertEqual([attributes for _, attributes, _ in self.parsed.elements if "tabindex" in attributes], [])
        wide = {"title": "wide", "columns": ["name", *(f"column{n:010}" for n in range(10))], "rows": []}
        (stop,) = [at for _, at, _ in Parsed(page_of(sample.study(sample.figure(tables=[wide])))).elements if "tabindex" in at]
        self.assertEqual((stop["role"], stop["aria-label"]), ("group", "wide"))

    def test_verdicts_are_words_and_signs(self):
        verdicts = [words for _, words in self.parsed.all("span", "verdict")]
        self.assertEqual(len(verdicts), 18, "once in the summary, once at the figure")
        self.assertEqual(set(verdicts), {"✓ holds", "✗ does not hold", "– not measured"})
        self.assertIn("our goal", self.parsed.text)

    def test_every_figure_says_how_to_make_it_alone(self):
        for figure in self.study["figures"]:
            self.assertIn(f"cd study && cargo run --release -- {figure['id']}", self.parsed.text)
            self.assertIn(f"make study FIGURES={figure['id']}", self.parsed.text)
        self.assertIn("Took 61.2 s", self.parsed.text)

    def test_a_failed_figure_is_there_and_says_why(self):
        (failed,) = [words for _, words in self.parsed.all("p", "failed")]
        self.assertIn(sample.text("failed"), failed)
        contents = next(words for _, words in self.parsed.all("nav"))
        self.assertIn("(failed)", contents)
        self.assertIn("(parts are missing)", contents)

    def test_it_warns_of_failed_figures_and_of_nothing_else(self):
        (warning,) = [words for _, words in self.parsed.all("p", "warning")]
        self.assertIn("1 of 4 figures failed", warning)
        self.assertTrue(warning.endswith("not counted here: 2013-1."), warning)
        two = Parsed(page_of(sample.study(sample.failed("a"), sample.failed("b"))))
        self.assertTrue(next(two.all("p", "warning"))[1].endswith(": a, b."))
        self.assertEqual(list(Parsed(page_of(sample.study(sample.figure()))).all("p", "warning")), [])

    def test_it_names_its_language_and_the_three_papers(self):
        self.assertEqual(next(self.parsed.all("html"))[0]["lang"], "en")
        for name in ("Acıiçmez", "Krasnov", "j-Lanes", "10.4236/jis.2012.34039", "10.4236/jis.2013.41002", "Oregon State University"):
            self.assertIn(name, self.parsed.text)


class OtherStudies(unittest.TestCase):
    def test_an_empty_one_says_so(self):
        parsed = Parsed(page_of(sample.study()))
        self.assertIn("No figure was measured", parsed.text)
        self.assertEqual(svgs(page_of(sample.study())), [])

    def test_a_quick_one_says_that_it_means_nothing_above_and_under_every_table(self):
        text = page_of(sample.study(sample.figure(), quick=True))
        (warning,) = [words for _, words in Parsed(text).all("p", "warning")]
        self.assertIn("mean nothing", warning)
        for _, words in Parsed(text).all("p", "machine"):
            self.assertIn("mean nothing", words)
        for svg in svgs(text):
            self.assertIn("mean nothing", svg)

    def test_what_the_machine_does_not_know_is_no_error(self):
        study = sample.study()
        study["machine"] |= dict.fromkeys(["pinned_to", "huge_pages", "tsc_ghz", "clock_ghz"])
        study["machine"] |= {"features": [], "backends": [], "versions": []}
        self.assertIn("none that matter here", Parsed(page_of(study)).text)

    def test_plots_without_values_are_drawn(self):
        empty = [
            sample.bars() | {"categories": [], "series": []},
            sample.bars() | {"series": [{"name": "x", "source": "ours", "values": [None, None]}]},
            sample.lines() | {"series": []},
            sample.lines() | {"series": [{"name": "x", "source": "ours", "points": [[0, 1], [-1, 2]]}]},
            sample.lines(False) | {"series": [{"name": "x", "source": "ours", "points": [[None, 1]]}]},
            sample.steps() | {"series": []},
            sample.steps() | {"series": [{"name": "x", "source": "peer", "points": []}]},
        ]
        drawn = svgs(page_of(sample.study(sample.figure(plots=empty))))
        self.assertEqual(len(drawn), len(empty))
        for svg in drawn:
            ElementTree.fromstring(svg)
            self.assertIn("no values", svg)

    def test_a_series_without_values_says_so_and_takes_no_room(self):
        series = [{"name": name, "source": "ours", "values": of} for name, of in {"there": [1, 2], "absent": [None, None]}.items()]
        groups = pictures.in_groups(form.parse(sample.bars() | {"series": series}))
        self.assertEqual([[value for value, _ in there] for there in groups], [[1], [2]])
        lines = sample.lines()
        lines["series"] = [{"name": "absent", "source": "peer", "points": [[1, None]]}, *lines["series"]]
        for plot in (sample.bars() | {"series": series}, lines):
            (svg,) = svgs(page_of(sample.study(sample.figure(plots=[plot]))))
            self.assertIn(">absent (no values)<", svg)
            self.assertNotIn(">there (no values)<", svg)

    def test_the_lines_of_a_name_are_of_equal_lengths(self):
        self.assertEqual(pictures.balanced("as many as variables (5, 8)", 26), ["as many as", "variables (5, 8)"])
        self.assertEqual(pictures.balanced("", 10), [])
        self.assertEqual(pictures.balanced("unbreakable", 4), ["unbreakable"])

    def test_many_bars_lie_below_each_other_and_none_is_lost(self):
        values = {f"series {n}": [100.5 + 20 * n + category for category in range(9)] for n in range(9)}
        series = [{"name": name, "source": "ours", "values": of} for name, of in values.items()]
        plot = sample.bars() | {"categories": [f"category {n}" for n in range(9)], "series": series}
        (svg,) = svgs(page_of(sample.study(sample.figure(plots=[plot]))))
        for of in values.values():
            for value in of:
                self.assertIn(f">{value:.0f}<", svg)

    def test_control_characters_of_a_message_do_not_break_the_page(self):
        failed = sample.failed() | {"failed": "\x1b[31mred\x00 \ud800"}
        text = page_of(sample.study(failed, sample.figure("x", plots=[sample.bars() | {"title": "a\x01b"}])))
        text.encode()
        ElementTree.fromstring(svgs(text)[0])
        self.assertIn("red", Parsed(text).text)


class Grey(unittest.TestCase):
    """What a reader of a print in grey has."""

    @staticmethod
    def luminance(colour):
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    def test_the_papers_bars_are_lightest_and_ours_darkest(self):
        shades = {source: [self.luminance(shade) for shade in of[0]] for source, of in pictures.BARS.items()}
        self.assertGreater(min(shades["paper"]), max(shades["peer"]) + 10)
        self.assertGreater(min(shades["peer"]), max(shades["ours"]) + 40)
        self.assertNotIn("", pictures.BARS["paper"][1])

    def test_hatches_are_lines(self):
        for _, hatches, _ in pictures.BARS.values():
            self.assertLessEqual(set("".join(hatches)), set("/\\|-+x"), "a pattern of circles has a quarter of a megabyte")

    def test_twelve_series_of_a_source_differ(self):
        for shades, hatches, _ in pictures.BARS.values():
            self.assertEqual(len({(shades[n % len(shades)], hatches[n % len(hatches)]) for n in range(12)}), 12)
        for _, dashes, markers in pictures.LINES.values():
            self.assertEqual(len({(dashes[n % len(dashes)], markers[n % len(markers)]) for n in range(12)}), 12)


class TheCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, *arguments, **environment):
        command = [sys.executable, STUDY / "report.py", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)

    def write(self, value, name="study.json"):
        path = self.folder / name
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    def test_equal_files_give_equal_pages(self):
        path = self.write(sample.full())
        pages = []
        for seed in ("1", "2"):
            done = self.report(path, PYTHONHASHSEED=seed)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{self.folder / 'report.html'}\n", ""))
            pages.append((self.folder / "report.html").read_bytes())
        self.assertEqual(*pages)
        self.assertEqual(sorted(os.listdir(self.folder)), ["report.html", "study.json"])

    def test_a_file_of_another_name_makes_a_page_of_its_name(self):
        self.assertEqual(self.report(self.write(sample.study(), "quick.json")).returncode, 0)
        self.assertEqual(self.report(self.folder / "quick.json", "--out", self.folder / "there.html").returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["quick.html", "quick.json", "there.html"])

    def test_a_bad_file_is_one_line_with_the_reason_and_leaves_the_page_before(self):
        whole = sample.study(sample.figure())
        without = [{name: value for name, value in sample.figure().items() if name != left_out} for left_out in ("claims", "plots")]
        bad = [
            ("{", "not JSON"),
            ("[" * 100_000, "not JSON"),
            ("[]", "the whole file is not an object"),
            (whole | {"figures": whole["figures"] * 2}, "2012-2: there twice"),
            (sample.study(sample.figure(seconds="long")), "of another version"),
            (sample.study(sample.figure(plots=[sample.bars() | {"title": None}])), "of another version"),
            *((sample.study(figure), "of another version") for figure in without),
            ('{"cells": []}', "no attribute 'figures'; this file is of another version"),
            ("", "empty"),
        ]
        (self.folder / "report.html").write_text("the page before")
        for value, said in bad:
            with self.subTest(said):
                path = self.write(value)
                with self.assertRaises(form.FormError) as raised:
                    page.page(form.read(path))
                self.assertIn(said, str(raised.exception))
                self.assertEqual(len(str(raised.exception).splitlines()), 1)
        done = self.report(path)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn(f"{path}: {bad[-1][1]}", done.stderr)
        self.assertEqual((self.folder / "report.html").read_text(), "the page before")

    def test_bytes_that_are_no_text_are_not_json(self):
        path = self.folder / "study.json"
        path.write_bytes(b"\xff\xfe{}")
        self.assertRaisesRegex(form.FormError, "not JSON", form.read, path)

    def test_no_file_no_folder_and_the_file_itself_are_errors(self):
        path = self.write(sample.study())
        for arguments in ([self.folder / "none.json"], [path, "--out", self.folder / "none" / "page.html"], [path, "--out", path]):
            done = self.report(*arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertTrue(done.stderr.startswith("report.py: "))
        self.assertEqual(os.listdir(self.folder), ["study.json"])


if __name__ == "__main__":
    unittest.main()

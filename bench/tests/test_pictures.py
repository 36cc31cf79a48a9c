"""`pictures.py` on reports with few, known figures: what is drawn, and that it can be read in the dark."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import pictures
import style


def row(peer, ns, standing="peer"):
    return {"peer": peer, "standing": standing, "judged_ns": ns, "by_quiet": True}


def report(cells):
    return {"machine": {"cpu": "AMD EPYC, family 26 model 2", "date": "2026-01-01"}, "quick": False, "cells": cells}


def cell(workload, ours, theirs, **more):
    rows = [row("manyhash", ours, "ours"), row("sha2", theirs), row("isa-l", 2 * theirs), row("blake3", 1, "other-digest")]
    return {"algorithm": "SHA-256", "workload": workload, "placement": "aligned", "description": f"the messages of {workload}", "messages": 4,
            "bytes": 1000, "rows": rows} | more


def drawn(draw, cells):
    """Returns a picture as it is saved, and the figure."""
    figure = draw(report(cells), "SHA-256", cells)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.svg"
        style.save(figure, path)
        text = path.read_text()
    pictures.plt.close(figure)
    return text, figure


class Pictures(unittest.TestCase):
    def test_five_workloads_and_their_ratios_are_drawn_the_greatest_first(self):
        cells = [cell(name, 100, 100 + 10 * index) for index, name in enumerate(["a", "b", "bs", "c", "d", "e", "f", "g", "gs", "i", "j", "k"])]
        # Of these one loses, and is drawn all the same.
        cells[0] = cell("a", 100, 82)
        text, figure = drawn(pictures.workloads, cells)
        panels = [axis.get_title(loc="left") for axis in figure.axes if axis.get_visible()]
        self.assertEqual(panels, [*(f"the messages of {name}" for name in "kjgfa"), "times as fast as the best other"])
        self.assertEqual(re.findall(r">(\d\.\d\d)<", text)[-5:], ["2.10", "2.00", "1.70", "1.60", "0.82"])
        names = [[label.get_text() for label in axis.get_yticklabels()] for axis in figure.axes[:5]]
        self.assertEqual(names, [["manyhash", "sha2", "isa-l"]] * 4 + [["sha2", "manyhash", "isa-l"]])

    def test_curves_have_ratios_below(self):
        lengths = [cell("length", 100, 100 * factor, bytes=1000 * size) for size, factor in ((1, 0.5), (4, 1), (16, 2))]
        _, figure = drawn(pictures.length, lengths)
        self.assertEqual([round(value, 2) for value in figure.axes[1].lines[0].get_ydata()], [0.5, 1, 2])
        batches = [cell(f"batch {size}", 100, 150, messages=messages) for size in ("64 B", "1 KiB") for messages in (1, 8, 64)]
        _, figure = drawn(pictures.batch, batches)
        self.assertEqual(len(figure.axes), 4)

    def test_the_speed_of_records_is_linear_from_zero_and_has_ticks(self):
        cells = []
        for connections in (1, 16, 256):
            rows = [row("jobs", 500, "ours"), row("openssl EVP_MAC", 2000)]
            times = {"median_ns": 70_000, "p99_ns": 90_000}
            latencies = [{"peer": one["peer"], "since_fed": times, "since_arrival": times} for one in rows]
            cells.append(cell("records", 1, 1, connections=connections, rows=rows, latencies=latencies))
        _, figure = drawn(pictures.records, cells)
        speed = figure.axes[0]
        self.assertEqual((speed.get_yscale(), speed.get_ylim()[0]), ("linear", 0))
        self.assertGreater(len([tick for tick in speed.get_yticks() if tick <= speed.get_ylim()[1]]), 3)

    def test_every_colour_has_one_for_the_dark_and_cpus_have_names(self):
        text, _ = drawn(pictures.workloads, [cell("k", 100, 200)])
        self.assertIn("AMD EPYC 9005 (Turin, Zen 5), 2026-01-01", text)
        light, rules = text.split("@media(prefers-color-scheme:dark){", 1)
        body = rules.split("</style>", 1)[1]
        for colour in set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", light + body)):
            self.assertIn(f"{colour}\"]{{", rules, f"{colour} has none in style.py")
        self.assertEqual(style.cpu_name("AMD Ryzen 9 9950X"), "AMD Ryzen 9 9950X")


if __name__ == "__main__":
    unittest.main()

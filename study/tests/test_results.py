"""The table of claims by machine in README.md is that of the files in results/, and STUDY.md has no number of a run that they do not have.

MANYHASH_RECORD_RESULTS=1 writes the table instead.
"""

import json
import os
import re
import unittest
from collections import Counter

from support import STUDY

README = STUDY / "README.md"
MARKED = re.compile(r"(<!-- claims by machine -->\n)(.*?)(<!-- end of claims -->)", re.DOTALL)
SIGNS = {"holds": "holds", "does-not": "does not", "not-measured": "-"}


def results():
    """Every machine's results, by the name of the file."""
    return {path.stem: json.loads(path.read_text()) for path in sorted((STUDY / "results").glob("*.json"))}


def table(studies):
    """Machines as columns; how many claims hold, and then every claim, those of the papers first."""
    names = list(studies)
    lines = [f"| claims that hold | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    for title, is_goal in (("of the papers", False), ("goals of ours", True)):
        cells = []
        for study in studies.values():
            verdicts = Counter(c["verdict"] for f in study["figures"] for c in f["claims"] if (c["place"] == "goal") == is_goal)
            cells.append(f"{verdicts['holds']}, {verdicts['does-not']} do not, {verdicts['not-measured']} not measured")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    lines += ["", f"| figure | claim | {' | '.join(names)} |", "|---" * (2 + len(names)) + "|"]
    claims = {}
    for name, study in studies.items():
        for figure in study["figures"]:
            for claim in figure["claims"]:
                text = ("Goal: " if claim["place"] == "goal" else "") + claim["text"].replace("|", "\\|")
                claims.setdefault((figure["id"], text), {})[name] = SIGNS[claim["verdict"]]
    lines += [f"| {figure} | {text} | {' | '.join(found.get(name, '-') for name in names)} |" for (figure, text), found in claims.items()]
    return "\n".join(lines) + "\n"


class Results(unittest.TestCase):
    def test_the_readmes_table_is_theirs(self):
        studies = results()
        text = README.read_text()
        self.assertRegex(text, MARKED)
        made = table(studies) if studies else "No results are kept yet.\n"
        if os.environ.get("MANYHASH_RECORD_RESULTS"):
            README.write_text(MARKED.sub(lambda found: found[1] + made + found[3], text))
            return
        self.assertEqual(MARKED.search(text)[2], made)

    def test_they_are_whole_runs_and_each_has_its_page(self):
        for name, study in results().items():
            self.assertFalse(study["quick"], name)
            self.assertEqual([figure["id"] for figure in study["figures"] if figure["failed"]], [], name)
            self.assertTrue((STUDY / f"results/{name}.html").exists(), name)


if __name__ == "__main__":
    unittest.main()

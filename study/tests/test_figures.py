"""The list of figures in README.md is the program's.

MANYHASH_RECORD_FIGURES=1 writes the program's list to README.md instead.
"""

import os
import re
import subprocess
import unittest

from support import STUDY, program

LIST = re.compile(r"(?<=<!-- manyhash-study --list -->\n```text\n).*?(?=```\n)", re.DOTALL)


class TheListInTheReadme(unittest.TestCase):
    def test_it_is_the_programs(self):
        listed = subprocess.run([program(self), "--list"], check=True, capture_output=True, text=True).stdout
        listed = "".join(line.rstrip() + "\n" for line in listed.splitlines())
        path = STUDY / "README.md"
        text = path.read_text(encoding="utf-8")
        self.assertEqual(len(LIST.findall(text)), 1, "README.md has one such list")
        if os.environ.get("MANYHASH_RECORD_FIGURES"):
            path.write_text(LIST.sub(lambda _: listed, text), encoding="utf-8")
        else:
            self.assertEqual(LIST.search(text).group(), listed, "MANYHASH_RECORD_FIGURES=1 records it")


if __name__ == "__main__":
    unittest.main()

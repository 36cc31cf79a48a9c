"""The specification of j-lanes: its reference in Python computes its tables, hashlib's digests, and the vectors that the engine is tested with."""

import hashlib
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "spec"))
import j_lanes


def pattern(length):
    return bytes((131 * i + 17 * (i >> 8) + 5 * (i >> 16) + 7) % 256 for i in range(length))


class Specification(unittest.TestCase):
    text = (ROOT / "spec/j-lanes.md").read_text()

    def test_sha256_is_hashlibs(self):
        for length in (0, 1, 55, 56, 64, 119, 120, 300):
            self.assertEqual(j_lanes.sha256(pattern(length)), hashlib.sha256(pattern(length)).digest())

    def test_initial_values_are_those_printed(self):
        printed = re.findall(r"^ ?(\d+) (lane|wrap) ([0-9a-f ]{71})$", self.text, re.MULTILINE)
        self.assertEqual(len(printed), 8)
        for j, role, words in printed:
            derived = j_lanes.derived(f"SHA-256/j-lanes/{j}/{role}")
            self.assertEqual(" ".join(f"{word:08x}" for word in derived), words)

    def test_vectors_are_those_printed(self):
        printed = re.findall(r"^ *(\d+) +(\d+) (plain|separated) +([0-9a-f]{64})$", self.text, re.MULTILINE)
        self.assertEqual(len(printed), 54)
        for length, j, kind, digest in printed:
            self.assertEqual(j_lanes.j_lanes(pattern(int(length)), int(j), kind == "separated").hex(), digest)

    def test_the_engines_vectors_are_its_own(self):
        form = r"^j-lanes algorithm=SHA-256 lanes=(\d+)( separated=yes)? bytes=(\d+) digest=([0-9a-f]{64})$"
        vectors = re.findall(form, (ROOT / "vectors/tree-modes.txt").read_text(), re.MULTILINE)
        compared = [vector for vector in vectors if int(vector[2]) < 3000]
        self.assertGreater(len(compared), 100)
        self.assertTrue(any(separated for _, separated, *_ in compared))
        for j, separated, length, digest in compared:
            self.assertEqual(j_lanes.j_lanes(pattern(int(length)), int(j), bool(separated)).hex(), digest)

    def test_the_reference_has_forty_lines(self):
        code = (ROOT / "spec/j_lanes.py").read_text().splitlines()
        self.assertLessEqual(sum(bool(line.strip()) for line in code), 40)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs every command of README.md and the guide, and compares what it prints with what they say. Seconds; only the standard library.

    docs/test_guide.py --manyhash target/debug/manyhash [PAGE...]

The blocks of commands (sh) of a page run one after the other in one new folder, with `manyhash` in the search path. A block of
text right after them is what they print, both streams, where `...` stands for anything in a line, and alone for any lines. Comments of
Markdown before a block say what differs from a plain run:

    <!-- first: COMMANDS -->          runs before, in the same folder, and is not to be seen
    <!-- exit 1 -->                   the code that the block ends with; 0 if nothing is said
    <!-- needs /var/lib/dpkg/info -->  where this is missing, the page from here on is SKIPPED, which fails with CI=true
    <!-- in the test: A => B -->      B runs in place of A, which would take long
    <!-- numbers differ -->           numbers and their units in what is printed may be others

Blocks of Python of a page are one program, whose folder is that of the commands. They run if `--python` names an interpreter that has the
package, as `make test-python` does; otherwise they are counted as skipped.

`--record` writes what is printed into the pages instead of comparing it. Look at the difference before you commit it.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent
BLOCK = re.compile(r"^<!-- (first:|exit|needs|in the test:|numbers) (.*?) -->$|^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def matches(printed, expected, numbers_differ=False):
    """Says whether the text is as the guide has it."""
    if numbers_differ:
        # Slimmed systems lack files, so a count of them counts as a number, too.
        printed, expected = (re.sub(r"(, [\d,]+ passed over)|[\d,.]*\d( [kMGT]?B\b)?", lambda found: "" if found[1] else "N", text) for text in (printed, expected))
    lines = [r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n" for line in expected.splitlines()]
    return re.fullmatch("".join(lines), printed) is not None


def run(page, environment, python, is_recorded, seconds):
    """Runs the commands of a page, and yields what is wrong."""
    text = new = page.read_text()
    if page.name != "index.md" and "\n```text\n" not in text:
        yield f"{page.name}: no command of it prints anything"
    printed, numbers_differ, program, said = None, False, "", {"in the test:": []}
    with tempfile.TemporaryDirectory() as folder:
        for found in BLOCK.finditer(text):
            kind, value, language, code = found.groups()
            where = f"{page.name}:{text.count(chr(10), 0, found.start()) + 1}"
            if kind == "needs" and not pathlib.Path(value).exists():
                print(f"SKIPPED: {where}: there is no {value}", file=sys.stderr)
                if os.environ.get("CI") == "true":
                    yield f"{where}: skipped"
                return
            if kind == "first:":
                subprocess.run(["bash", "-euc", value], cwd=folder, env=environment, check=True)
            elif kind == "in the test:":
                said[kind].append(value.split(" => "))
            elif kind:
                said[kind] = value
            elif language == "python" and not python:
                print(f"SKIPPED: {where}: Python, see make test-python", file=sys.stderr)
                printed = None
            elif language in ("sh", "python"):
                kind_of, ran = language, code
                for long, short in said["in the test:"]:
                    if long not in code:
                        yield f"{where}: {long!r} is not in the block"
                    code = code.replace(long, short)
                command = ["bash", "-euo", "pipefail", "-c", code]
                if language == "python":
                    # What the blocks before printed is dropped; they run again.
                    before = f"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    exec({program!r}, globals())\n"
                    command, program = [python, "-c", before + code], program + code
                done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
                printed, numbers_differ = done.stdout.decode(errors="replace"), "numbers" in said
                if done.returncode != int(said.get("exit", 0)):
                    yield f"{where}: ends with {done.returncode}:\n{printed}"
                said = {"in the test:": []}
            elif language == "text" and printed is not None:
                if is_recorded:
                    new = new.replace(f"```{kind_of}\n{ran}```\n```text\n{code}```", f"```{kind_of}\n{ran}```\n```text\n{printed}```", 1)
                elif not matches(printed, code, numbers_differ):
                    yield f"{where}: it prints something else:\n{printed}"
                printed = None
    if new != text:
        page.write_text(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--manyhash", required=True, type=pathlib.Path)
    parser.add_argument("--python", type=os.path.abspath, help="an interpreter that has the package")
    parser.add_argument("--seconds", type=int, default=300, help="no block may take longer")
    parser.add_argument("--record", action="store_true", help="write what is printed into the pages")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="README.md and all of the guide, if none is named")
    arguments = parser.parse_args()
    pages = arguments.pages or [DOCS.parent / "README.md", *sorted((DOCS / "guide").glob("*.md"))]
    assert matches("a 12 s\nb\nc\n", "a ... s\n...\nc\n") and not matches("a\nb\n", "a\n")
    assert matches("1,045 files (3.5 kB)\n", "2 files (7 B)\n", True) and not matches("2 files OK\n", "2 files\n", True)
    assert matches("1 files OK, 1,234 passed over (3 B)\n", "2 files OK (7 B)\n", True)
    with tempfile.TemporaryDirectory() as tools:
        (pathlib.Path(tools) / "manyhash").symlink_to(arguments.manyhash.resolve(strict=True))
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MANYHASH_")}
        environment = {**plain, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        complaints = [complaint for page in pages for complaint in run(page, environment, arguments.python, arguments.record, arguments.seconds)]
    blocks = sum(len(re.findall("^```(?:sh|python)$", page.read_text(), re.MULTILINE)) for page in pages)
    print(*complaints, sep="\n", end="\n" if complaints else "", file=sys.stderr)
    print(f"{len(pages)} pages, {blocks} blocks: {len(complaints)} complaints")
    sys.exit(bool(complaints) or not blocks)


main()

"""Runs every block of docs/recipes.md, a section at a time, as its first paragraph says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from adapter_reference import engine

for needed in ("pyarrow", "polars", "pandas", "duckdb", "datafusion"):
    engine(needed)

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
PICTURES = PAGE.parent.parent / "bench" / "pictures.py"
SETUP = "Setup"


def blocks() -> Iterator[tuple[str, str, int, str]]:
    """Section, language, line where the code begins and the code, of each block."""
    section, language, begin, code = "", None, 0, []
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, begin, code = line[3:], number, []
            else:
                yield section, language, begin, "\n".join(code)
                language = None
        elif language is not None:
            code.append(line)
        elif line.startswith("## "):
            section = line[3:]
    assert language is None, f"{PAGE.name}:{begin}: this block has no end"


BLOCKS = list(blocks())


def run(section: str, names: dict[str, object]) -> None:
    for of, language, begin, code in BLOCKS:
        if of == section and language == "python":
            # Empty lines before it give tracebacks the page's line.
            exec(compile("\n" * begin + code, str(PAGE), "exec"), names)
        elif of == section:
            # `manyhash` is the one of this environment.
            path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
            done = subprocess.run(["sh", "-ec", code], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{PAGE.name}:{begin}: {done}"


@pytest.mark.parametrize("section", [section for section in dict.fromkeys(block[0] for block in BLOCKS) if section != SETUP])
def test_a_sections_blocks_run_after_the_setup(section, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PSEUDONYM_KEY", "")
    names: dict[str, object] = {"__name__": "recipes"}
    run(SETUP, names)
    run(section, names)


def test_every_block_is_of_a_language_that_runs_here():
    languages = [language for _, language, _, _ in BLOCKS]
    assert languages.count("python") > 15 and set(languages) == {"python", "sh"}


def test_commands_are_in_blocks_so_that_they_run():
    outside = re.sub(r"```.*?```", "", PAGE.read_text(), flags=re.DOTALL)
    assert re.findall(r"`manyhash \w[^`]*`", outside) == []


def test_links_of_the_page_lead_somewhere():
    text = PAGE.read_text()
    anchors = {re.sub(r"[^\w -]", "", line[3:].lower()).replace(" ", "-") for line in text.splitlines() if line.startswith("## ")}
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert targets
    for target in targets:
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif target.startswith("../bench/pictures/"):
            # They are drawn of a whole benchmark, which no test runs.
            assert f"\ndef {Path(target).stem.removeprefix('columns-')}(report" in PICTURES.read_text(), target
        else:
            assert (PAGE.parent / target).exists(), target

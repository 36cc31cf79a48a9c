"""What the tests themselves rely on: what cannot run is skipped and says so, but fails under CI;
and CI installs all that they need.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
BENCH = TESTS.parent / "bench"
# These import by name, as `engine("polars")`.
IMPORTING = {"engine", "module"}


@pytest.mark.parametrize(
    ("missing", "chosen", "skipped"),
    [("pyarrow", "", 3), ("polars", "polars_and_pyarrow_agree or other_libraries", 2), ("numpy", "two_gigabytes", 1)],
)
def test_what_cannot_be_imported_is_skipped_but_fails_under_ci(tmp_path: Path, missing: str, chosen: str, skipped: int) -> None:
    (tmp_path / "without.py").write_text(f"import sys\nsys.modules[{missing!r}] = None\n")
    command = [sys.executable, "-m", "pytest", "-p", "without", "-p", "no:cacheprovider", "-rs", "-k", chosen, str(TESTS / "arrow")]
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert f"{skipped} skipped" in done.stdout
    assert f"SKIPPED: {missing} cannot be imported" in done.stdout
    assert not re.search(r"\d (passed|failed|error)", done.stdout)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment | {"CI": "true"})
    assert done.returncode != 0
    assert f"skipped under CI: {missing} cannot be imported" in done.stdout


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPORTING:
            yield from (name.value for name in node.args if isinstance(name, ast.Constant))


def test_requirements_have_all_that_tests_and_the_scripts_they_run_import() -> None:
    required = {line.partition("==")[0] for line in (TESTS / "requirements.txt").read_text().splitlines()}
    files = [*TESTS.rglob("*.py"), *BENCH.glob("*.py")]
    # Of the folder that all benchmarks share there is the style of pictures.
    ours = {file.stem for file in [*files, *(BENCH.parents[2] / "bench").glob("*.py")]} | {"manyhash"}
    missing = {
        f"{name} ({file.name})"
        for file in files
        for name in imported(file)
        if name.partition(".")[0] not in ours | sys.stdlib_module_names
        # arro3.core is of arro3-core, and pyspark.sql of pyspark.
        if not any(re.fullmatch(rf"{project}(-.*)?", re.sub("[._]", "-", name)) for project in required)
    }
    assert not missing


def test_no_test_is_skipped_but_by_support() -> None:
    files = [file for folder in ("arrow", "core", "typing") for file in (TESTS / folder).glob("*.py")]
    skipping = re.compile(r"\bpytest\.(importorskip|skip|mark\.skip)")
    assert [file.name for file in files if file.name != Path(__file__).name and skipping.search(file.read_text())] == []

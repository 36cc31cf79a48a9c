"""The types that the package declares, by the type checkers that people use, and by what is there
at run time.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import support

import manyhash
from manyhash import _manyhash

PACKAGE = Path(manyhash.__file__).parent
TESTS = Path(__file__).parents[1]
TYPING = TESTS / "typing"
# What needs no engine. PyArrow and py4j have no types, so that modules that use them cannot be
# strict to pyright, which refuses unknown types.
STRICT = ("__init__.py", "__main__.py", "_algorithms.pyi", "_column_methods.py", "_manyhash.pyi", "arrow.py", "tree.py")


def copied(files: tuple[Path, ...], folder: Path) -> list[str]:
    """The files in a folder of their own: type checkers look at what is installed with other eyes.
    """
    places = [folder / (file.relative_to(PACKAGE.parent) if PACKAGE in file.parents else file.name) for file in files]
    for file, place in zip(files, places, strict=True):
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return [str(place) for place in places]


def refused_by_mypy(*files: Path, folder: Path) -> dict[str, set[int]]:
    # It says which libraries have no types.
    settings = TESTS.parent / "pyproject.toml"
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file", str(settings), *copied(files, folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    lines: dict[str, set[int]] = {}
    for name, line in re.findall(r"^([^:\n]+):(\d+): error:", done.stdout, re.MULTILINE):
        lines.setdefault(Path(name).name, set()).add(int(line))
    return lines


def refused_by_pyright(*files: Path, folder: Path, mode: str = "strict") -> dict[str, set[int]]:
    copied(files, folder)
    settings = folder / "pyrightconfig.json"
    settings.write_text(json.dumps({"typeCheckingMode": mode, "include": ["."]}))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "--project", str(settings)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    assert found["summary"]["filesAnalyzed"] == len(files)
    lines: dict[str, set[int]] = {}
    for error in found["generalDiagnostics"]:
        if error["severity"] == "error":
            lines.setdefault(Path(error["file"]).name, set()).add(error["range"]["start"]["line"] + 1)
    return lines


@pytest.mark.parametrize("refused", [refused_by_mypy, refused_by_pyright])
def test_right_calls_are_accepted_and_wrong_ones_refused(refused: object, tmp_path: Path) -> None:
    assert callable(refused)
    wrong = TYPING / "wrong.py"
    marked = {number for number, line in enumerate(wrong.read_text().splitlines(), 1) if line.endswith("# wrong")}
    assert len(marked) > 10
    assert refused(TYPING / "right.py", wrong, folder=tmp_path) == {"wrong.py": marked}


def modules() -> list[Path]:
    """All of them; where there is a stub, type checkers look at nothing else."""
    stubs = set(PACKAGE.rglob("*.pyi"))
    found = stubs | {path for path in PACKAGE.rglob("*.py") if path.with_suffix(".pyi") not in stubs}
    assert {"polars.py", "pandas.py", "duckdb.py", "datafusion.py", "files.py"} <= {path.name for path in found}
    return sorted(found)


def test_the_whole_package_is_strictly_typed_to_mypy(tmp_path: Path) -> None:
    assert refused_by_mypy(*modules(), folder=tmp_path) == {}


def test_the_whole_package_is_typed_to_pyright(tmp_path: Path) -> None:
    assert refused_by_pyright(*modules(), folder=tmp_path, mode="standard") == {}


def test_what_needs_no_engine_is_strictly_typed_to_pyright(tmp_path: Path) -> None:
    assert refused_by_pyright(*(PACKAGE / name for name in STRICT), folder=tmp_path) == {}


def test_the_stub_declares_what_is_there_and_nothing_else() -> None:
    stub = ast.parse((PACKAGE / "_manyhash.pyi").read_text())
    defined = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    defined |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    types_alone = {"Data", "_Messages", "_Several", "_Algorithm", "_Shake", "_Kmac", "_Blake2"}
    there = {name for name in dir(_manyhash) if not name.startswith("__") or name == "__version__"}
    assert defined - types_alone == there - set(manyhash.algorithms) | set(support.WITH_PARAMETERS)


def stub_of_the_algorithms() -> str:
    constructors = [f'def {name}(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...' for name in support.WITHOUT_PARAMETERS]
    imported = ", ".join(["Data", "Hash", *(f"{name} as {name}" for name in support.WITH_PARAMETERS)])
    lines = [
        "# Written by a test: MANYHASH_RECORD_STUB=1 pytest tests/core/test_typing.py",
        "from typing import Generic, Literal, TypeAlias, TypeVar",
        "",
        "from manyhash._column_methods import DigestMethod",
        f"from manyhash._manyhash import {imported}",
        "",
        "AlgorithmName: TypeAlias = Literal[",
        *(f'    "{name}",' for name in manyhash.algorithms),
        "]",
        'Column = TypeVar("Column")',
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in manyhash.algorithms),
        "]",
        "",
        *constructors,
        "",
        "class AlgorithmMethods(Generic[Column]):",
        *(f"    {name}: DigestMethod[Column]" for name in manyhash.algorithms),
        "",
    ]
    return "\n".join(lines)


def test_the_stub_of_the_algorithms_is_as_written() -> None:
    stub = Path("python/manyhash/_algorithms.pyi")
    if os.environ.get("MANYHASH_RECORD_STUB"):
        (TESTS.parent / stub).write_text(stub_of_the_algorithms())
    assert (TESTS.parent / stub).read_text() == stub_of_the_algorithms(), "record it: MANYHASH_RECORD_STUB=1"


def test_everything_public_is_documented() -> None:
    assert (PACKAGE / "py.typed").exists()
    for name in set(manyhash.__all__) - {"AlgorithmName", "__version__", "algorithms"}:
        assert getattr(manyhash, name).__doc__, name
    for name in manyhash.tree.__all__:
        assert getattr(manyhash.tree, name).__doc__, name

"""What tests have in common."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
from types import ModuleType
from typing import Any, NoReturn

import manyhash
import pytest

# The algorithms that Python's hashlib has too. Its OpenSSL may be built without SM3, and it has none of
# those in `test_not_in_hashlib.py`, which are compared with published digests.
IN_HASHLIB = [name for name in manyhash.algorithms if name in hashlib.algorithms_available]
# Those with an HMAC: BLAKE2 takes keys by itself.
WITH_HMAC = [name for name in IN_HASHLIB if not name.startswith("blake2")]
# The algorithms whose constructors have more arguments than data, as hashlib's have.
WITH_PARAMETERS = ["blake2b", "blake2s", "blake3"]
WITHOUT_PARAMETERS = [name for name in manyhash.algorithms if name not in WITH_PARAMETERS]


def arrow_types(*names: str) -> list[Any]:
    """The types of PyArrow of these names, without those that an old PyArrow lacks."""
    pyarrow = module("pyarrow")
    return [getattr(pyarrow, name)() for name in names if hasattr(pyarrow, name)]


def skipped(reason: str) -> NoReturn:
    """Says that a test cannot run, which is a failure under CI."""
    if os.environ.get("CI"):
        pytest.fail(f"skipped under CI: {reason}")
    print(f"SKIPPED: {reason}")
    pytest.skip(f"SKIPPED: {reason}", allow_module_level=True)


def module(name: str) -> ModuleType:
    """Imports what a test, or a file of tests, compares with."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        skipped(f"{name} cannot be imported: {error}")


def tool(name: str) -> str:
    """The path of a real tool to compare with, also where only root has it in PATH."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        skipped(f"no {name} on this machine")
    return path

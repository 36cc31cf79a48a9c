"""What every adapter's digests are compared with: Python's hashlib and hmac, one row after the other."""

from __future__ import annotations

import base64
import hashlib
import hmac
import importlib
import os
from collections.abc import Iterable
from types import ModuleType

import pytest

ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_224", "sha512_256")
OUTPUTS = ("binary", "hex", "base64")
KEY = b"not a secret, a test's key that is longer than one block of SHA-256: " * 2
# Text of every length around the blocks of SHA-256 and SHA-512, of one to four bytes a character, twice the same, missing and empty.
TEXTS: list[str | None] = [
    None,
    "",
    "a",
    "a",
    "\0",
    "Grüße",
    "日本語",
    "\U0001f980",
    *("x" * n for n in range(50, 70)),
    "y" * 111,
    "z" * 300,
    None,
]
BYTES: list[bytes | None] = [None if text is None else b"\xff\xfe" + text.encode() for text in TEXTS]


def engine(name: str) -> ModuleType:
    """Imports what a file's tests run on. Without it they are skipped, but not in CI."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"SKIPPED: {name} is not installed: {error}", allow_module_level=True)


def digest(
    message: bytes | str,
    algorithm: str = "sha256",
    output: str = "binary",
    key: bytes | None = None,
    prefix: bytes | None = None,
    truncate: int | None = None,
) -> bytes | str:
    """One message's digest, as `manyhash.arrow.hash` has it in `output`."""
    message = (prefix or b"") + (message.encode() if isinstance(message, str) else message)
    whole = hashlib.new(algorithm, message).digest() if key is None else hmac.digest(key, message, algorithm)
    kept = whole[:truncate]
    return {"binary": kept, "hex": kept.hex(), "base64": base64.b64encode(kept).decode()}[output]


def digests(values: Iterable[str | bytes | None], *arguments: object, **options: object) -> list[bytes | str | None]:
    """The same for a column: None stays None."""
    return [None if value is None else digest(value, *arguments, **options) for value in values]  # type: ignore[arg-type]

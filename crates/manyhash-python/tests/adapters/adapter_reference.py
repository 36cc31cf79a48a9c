"""What every adapter's digests are compared with: Python's hashlib and hmac, one row after the
other.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import hashlib
import hmac
import importlib
import os
import struct
from collections.abc import Iterable
from types import ModuleType

import pytest

OUTPUTS = ("binary", "hex", "base64")
KEY = b"not a secret, a test's key that is longer than one block of SHA-256: " * 2
# Text of every length around the blocks of SHA-256 and SHA-512, of one to four bytes a character,
# twice the same, missing and empty.
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


def row_message(values: Iterable[object]) -> bytes:
    """A row as `hash_rows` encodes it, written from crates/manyhash-arrow/ENCODING.md."""
    encoded = [_value(value) for value in values]
    return b"\x01" + _length(len(encoded)) + b"".join(encoded)


def _length(number: int) -> bytes:
    digits = []
    while number >= 0x80:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


def _value(value: object) -> bytes:
    match value:
        case None:
            return b"\x00"
        case str():
            return b"\x01" + _length(len(value.encode())) + value.encode()
        case bytes():
            return b"\x02" + _length(len(value)) + value
        case bool():
            return b"\x04" if value else b"\x03"
        case int():
            return b"\x05" + struct.pack("<q", value) if value < 1 << 63 else b"\x06" + struct.pack("<Q", value)
        case float():
            return b"\x07" + struct.pack("<d", value)
        case decimal.Decimal():
            sign, digits, exponent = value.normalize().as_tuple()
            assert isinstance(exponent, int)
            integer = int("".join(map(str, digits))) * (-1 if sign else 1)
            return b"\x08" + struct.pack("<b", -exponent) + integer.to_bytes(16, "little", signed=True)
        case datetime.datetime():
            micros = (value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
            return b"\x0b" + struct.pack("<qI", micros // 10**6, micros % 10**6 * 1000)
        case datetime.date():
            return b"\x09" + struct.pack("<q", (value - datetime.date(1970, 1, 1)).days)
        case datetime.time():
            micros = ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond
            return b"\x0a" + struct.pack("<q", micros * 1000)
    raise TypeError(type(value).__name__)

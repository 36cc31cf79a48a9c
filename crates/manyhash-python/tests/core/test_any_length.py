"""Digests of any length: beside hashlib, the authors' known answers, and published digests."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import manyhash
from manyhash import blake2_many, blake3_many, kmac_many, shake_many

VECTORS = Path(__file__).resolve().parents[4] / "vectors"
KEY = b"whats the Elvish word for friend"
CONTEXT = "BLAKE3 2019-12-27 16:29:52 test vectors context"


def ragged(count: int, most: int = 2000) -> list[bytes]:
    generator = random.Random(count)
    return [generator.randbytes(generator.randrange(most)) for _ in range(count)]


def pattern(length: int) -> bytes:
    return (bytes(range(251)) * (length // 251 + 1))[:length]


@pytest.mark.parametrize("name", ["shake128", "SHAKE-256"])
@pytest.mark.parametrize("length", [1, 32, 64, 65, 137, 1000])
def test_shake_is_that_of_hashlib(name: str, length: int) -> None:
    function = hashlib.shake_128 if "128" in name else hashlib.shake_256
    for messages in ([], [b""], ragged(50)):
        right = [function(message).digest(length) for message in messages]
        assert shake_many(messages, name, length) == right
        assert shake_many(messages, name, length, output="hex", threads=3) == [digest.hex() for digest in right]
        assert shake_many(messages, name, length, output="bytes", threads=0) == b"".join(right)
        array = shake_many(iter(messages), name, length, output="numpy")
        assert array.shape == (len(messages), length) and array.tobytes() == b"".join(right)


@pytest.mark.parametrize("function", ["blake2b", "blake2s"])
def test_blake2_is_that_of_hashlib(function: str) -> None:
    of_hashlib = getattr(hashlib, function)
    messages = ragged(40)
    for parameters in (
        {},
        {"digest_size": 1},
        {"digest_size": 20, "key": b"key"},
        {"key": b"k" * (32 if function == "blake2s" else 64), "salt": b"salt", "person": b"a person"},
    ):
        right = [of_hashlib(message, **parameters).digest() for message in messages]
        many: Any = blake2_many
        assert many(messages, function, **parameters) == right
        assert many(messages, function.upper(), output="hex", threads=2, **parameters) == [digest.hex() for digest in right]


def test_blake3_is_that_of_its_authors() -> None:
    cases = [line.split() for line in (VECTORS / "blake3" / "known-answers.txt").read_text().splitlines()]
    messages = [pattern(int(case[0])) for case in cases]
    length = len(cases[0][1]) // 2
    modes: list[dict[str, Any]] = [{}, {"key": KEY}, {"context": CONTEXT}]
    for column, mode in enumerate(modes, 1):
        many: Any = blake3_many
        assert many(messages, length=length, output="hex", **mode) == [case[column] for case in cases]
        assert many(messages, output="hex", threads=3, **mode) == [case[column][:64] for case in cases]
    data = b"".join(messages)
    offsets = numpy.cumsum([0, *map(len, messages)])
    assert blake3_many(data, offsets=offsets, output="hex") == [case[1][:64] for case in cases]


def test_keccaks_other_functions_are_those_of_pycryptodome() -> None:
    text = (VECTORS / "pycryptodome" / "sponges.txt").read_text().strip()
    seen = set()
    for record in text.split("\n\n"):
        field = dict(line.split(" =", 1) for line in record.splitlines())
        function, message = field["function"].strip(), pattern(int(field["message_bytes"]))
        right, custom = bytes.fromhex(field["output"]), pattern(int(field.get("customization_bytes", 0)))
        if function.startswith("KMAC"):
            found = kmac_many([message], function, key=pattern(int(field["key_bytes"])), length=len(right), customization=custom)
        elif function.startswith("TurboSHAKE"):
            if int(field["domain"]) != 0x1F:
                continue
            found = shake_many([message], function, len(right))
        else:
            found = shake_many([message], function.removeprefix("c"), len(right), customization=custom)
        assert found == [right], record
        seen.add(function)
    assert len(seen) == 7


def test_more_output_than_a_chunk_keeps_its_order() -> None:
    messages = [b"%d" % i for i in range(100)]
    right = [hashlib.shake_128(message).digest(400_000) for message in messages]
    assert shake_many(iter(messages), "shake128", 400_000, threads=2) == right


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: shake_many([b""], "shake128", 0), "length is 0: it must be at least 1"),
        (lambda: shake_many([b""], "shake128", -1), "length is -1: it must not be negative"),
        (lambda: shake_many([b""], "shake128", 2**70), "length is out of range"),
        (lambda: shake_many([b""], "shake128", 2**62), "length is 4611686018427387904"),
        (lambda: shake_many([b""], "shake129", 1), "unknown function 'shake129'|unknown function \"shake129\""),
        (lambda: shake_many([b""], "turboshake128", 1, customization=b"c"), "customization: turboshake128 has none"),
        (lambda: kmac_many([b""], "hmac", key=b"key"), "unknown function"),
        (lambda: kmac_many([b""], key=b"key", length=0), "length is 0"),
        (lambda: blake2_many([b""], "blake2x"), "unknown function"),
        (lambda: blake2_many([b""], "blake2b", digest_size=65), "digest_size is 65; it must be 1 to 64"),
        (lambda: blake2_many([b""], "blake2s", digest_size=0), "digest_size is 0; it must be 1 to 32"),
        (lambda: blake2_many([b""], "blake2s", key=b"k" * 33), "the length of key is 33; it must be 0 to 32"),
        (lambda: blake2_many([b""], "blake2b", salt=b"s" * 17), "the length of salt is 17; it must be 0 to 16"),
        (lambda: blake2_many([b""], "blake2b", person=b"p" * 17), "the length of person is 17; it must be 0 to 16"),
        (lambda: blake3_many([b""], key=b"short"), "key has 5 bytes: it must have 32"),
        (lambda: blake3_many([b""], key=KEY, context="c"), "key and context: only one of them may be given"),
        (lambda: blake3_many([b""], length=0), "length is 0"),
        (lambda: blake3_many([b""], threads=-1), "threads is -1"),
    ],
)
def test_what_is_wrong_is_named(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_types_are_checked() -> None:
    wrong: Any = "text"
    with pytest.raises(TypeError, match="key is str"):
        blake3_many([b""], key=wrong)
    with pytest.raises(TypeError, match="customization is str"):
        shake_many([b""], "shake128", 32, customization=wrong)
    with pytest.raises(TypeError, match="messages is int"):
        shake_many(5, "shake128", 32)  # type: ignore[call-overload]
    assert set(manyhash.__all__) >= {"shake_many", "kmac_many", "blake2_many", "blake3_many"}


@pytest.mark.parametrize("output", ["list", "hex", "bytes", "numpy"])
@pytest.mark.parametrize("length", [2**46, 2**62])
def test_more_output_than_there_is_memory_for_is_an_error(output: Any, length: int) -> None:
    with pytest.raises((ValueError, MemoryError), match="memory"):
        manyhash.shake_many([b"a"], "shake128", length, output=output)
    with pytest.raises((ValueError, MemoryError), match="memory"):
        manyhash.blake3_many([b"a"], length=length, output=output)

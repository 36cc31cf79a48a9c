"""Columns of every type and maker against hashlib, value by value."""

from __future__ import annotations

import base64
import hashlib
import hmac
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from support import IN_HASHLIB, arrow_types, module

import manyhash
import manyhash.arrow

pa = module("pyarrow")

TEXTS = [None if i % 7 == 3 else "äb" * (i % 40) + str(i) for i in range(5000)]
BYTES = [None if text is None else text.encode() for text in TEXTS]


def expected(algorithm: str, values: list[bytes | None]) -> list[bytes | None]:
    return [None if value is None else hashlib.new(algorithm, value).digest() for value in values]


def values(result: Any) -> list[Any]:
    """The values of an array or a chunked array, through the interface that it exports."""
    array = pa.array(result) if hasattr(result, "__arrow_c_array__") else pa.chunked_array(result)
    return array.to_pylist()


@pytest.mark.parametrize("algorithm", IN_HASHLIB)
@pytest.mark.parametrize(
    "column",
    [
        *(pa.array(TEXTS, kind) for kind in arrow_types("string", "large_string", "string_view")),
        *(pa.array(BYTES, kind) for kind in arrow_types("binary", "large_binary", "binary_view")),
    ],
    ids=lambda column: str(column.type),
)
def test_digests_are_those_of_hashlib(algorithm: str, column: pa.Array) -> None:
    result = manyhash.arrow.hash(column, algorithm)
    assert pa.array(result).type == pa.binary(hashlib.new(algorithm).digest_size)
    assert values(result) == expected(algorithm, BYTES)
    assert values(manyhash.arrow.hash(column.slice(100, 333), algorithm)) == expected(algorithm, BYTES[100:433])


def test_any_spelling_of_an_algorithm_will_do() -> None:
    column = pa.array(["a"])
    for name in ("SHA-512/256", "sha512_256", "Sha512-256"):
        assert values(manyhash.arrow.hash(column, name)) == expected("sha512_256", [b"a"])


def test_values_of_fixed_size_are_hashed_whole() -> None:
    rows = [bytes([i]) * 16 if i % 5 else None for i in range(100)]
    assert values(manyhash.arrow.hash(pa.array(rows, pa.binary(16)))) == expected("sha256", rows)


def test_a_dictionary_keeps_its_keys() -> None:
    column = pa.array(["a", "b", None, "a"]).dictionary_encode()
    result = pa.array(manyhash.arrow.hash(column))
    assert result.type == pa.dictionary(pa.int32(), pa.binary(32))
    assert result.indices == column.indices
    assert result.to_pylist() == expected("sha256", [b"a", b"b", None, b"a"])


def test_a_chunked_column_gives_chunks_of_the_same_lengths() -> None:
    column = pa.chunked_array([TEXTS[:10], [], TEXTS[10:3000], TEXTS[3000:]], pa.string())
    for threads in (1, 3, 0):
        result = manyhash.arrow.hash(column, threads=threads)
        assert not hasattr(result, "__arrow_c_array__")
        digests = pa.chunked_array(result)
        assert [len(chunk) for chunk in digests.chunks] == [10, 0, 2990, 2000]
        assert digests.to_pylist() == expected("sha256", BYTES)


def test_what_comes_out_can_go_in() -> None:
    once = manyhash.arrow.hash(pa.array(["a"]))
    assert values(manyhash.arrow.hash(once)) == expected("sha256", expected("sha256", [b"a"]))


@pytest.mark.parametrize(
    ("output", "write"),
    [("binary", bytes), ("hex", bytes.hex), ("base64", lambda digest: base64.b64encode(digest).decode())],
)
@pytest.mark.parametrize("truncate", [None, 1, 10, 20])
@pytest.mark.parametrize("layout", ["fixed", "offsets", "view"])
def test_digests_are_written_as_asked_for(output: Any, write: Callable[[bytes], Any], truncate: int | None, layout: Any) -> None:
    result = manyhash.arrow.hash(pa.array(TEXTS), "sha1", output, truncate=truncate, layout=layout)
    assert values(result) == [None if digest is None else write(digest[:truncate]) for digest in expected("sha1", BYTES)]


def test_types_of_each_layout() -> None:
    types = {
        ("binary", "fixed"): pa.binary(32),
        ("binary", "offsets"): pa.binary(),
        ("hex", "fixed"): pa.string(),
        ("hex", "offsets"): pa.string(),
    }
    types.update((("binary", "view"), kind) for kind in arrow_types("binary_view"))
    types.update((("base64", "view"), kind) for kind in arrow_types("string_view"))
    for (output, layout), data_type in types.items():
        for rows in ([], ["a"], [None]):
            result = manyhash.arrow.hash(pa.array(rows, pa.string()), "sha256", output, layout=layout)  # type: ignore[call-overload]
            assert pa.array(result).type == data_type


@pytest.mark.parametrize("key", [b"", b"secret", bytearray(b"k" * 64), memoryview(b"long" * 100)])
def test_a_key_makes_hmac(key: bytes) -> None:
    for algorithm in ("sha256", "sha512"):
        tags = [None if value is None else hmac.digest(bytes(key), value, algorithm) for value in BYTES]
        assert values(manyhash.arrow.hash(pa.array(TEXTS), algorithm, key=key)) == tags


@pytest.mark.parametrize("length", [0, 4, 63, 64, 65, 200])
def test_a_prefix_comes_before_every_value(length: int) -> None:
    prefix = bytes(range(length))
    prefixed = [None if value is None else prefix + value for value in BYTES]
    assert values(manyhash.arrow.hash(pa.array(TEXTS), prefix=prefix)) == expected("sha256", prefixed)
    tags = [None if value is None else hmac.digest(b"key", value, "sha256") for value in prefixed]
    assert values(manyhash.arrow.hash(pa.array(TEXTS), key=b"key", prefix=prefix)) == tags


def test_no_rows_and_all_nulls() -> None:
    assert values(manyhash.arrow.hash(pa.array([], pa.string()))) == []
    for kind in arrow_types("string", "string_view"):
        assert values(manyhash.arrow.hash(pa.array([None] * 100, kind))) == [None] * 100
    assert values(manyhash.arrow.hash(pa.nulls(3))) == [None] * 3
    assert values(manyhash.arrow.hash(pa.chunked_array([], pa.string()))) == []


def test_columns_of_other_libraries() -> None:
    polars = module("polars")
    duckdb = module("duckdb")
    pandas = module("pandas")
    assert values(manyhash.arrow.hash(polars.Series(TEXTS))) == expected("sha256", BYTES)
    assert values(manyhash.arrow.hash(pandas.Series(TEXTS, dtype="string[pyarrow]"))) == expected("sha256", BYTES)
    table = duckdb.sql("select 'a' || range as text from range(3000)").to_arrow_table()
    assert values(manyhash.arrow.hash(table["text"])) == expected("sha256", [f"a{i}".encode() for i in range(3000)])


def test_pyarrow_is_not_needed() -> None:
    code = """
import sys
sys.modules["pyarrow"] = None
from arro3.core import Array, DataType
import manyhash.arrow
column = Array(["a", None], DataType.string())
digests = manyhash.arrow.hash(column, output="hex")
print(digests[0].as_py(), digests[1].as_py())
"""
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed == hashlib.sha256(b"a").hexdigest() + " None\n"


def test_a_column_of_more_than_two_gigabytes() -> None:
    numpy = module("numpy")
    zeros = numpy.zeros((1 << 31) + 100, numpy.uint8)
    offsets = pa.py_buffer(numpy.array([0, (1 << 31) + 7, (1 << 31) + 7, (1 << 31) + 100]))
    column = pa.Array.from_buffers(pa.large_binary(), 3, [None, offsets, pa.py_buffer(zeros)])
    large = hashlib.sha256(zeros[: (1 << 31) + 7]).digest()
    assert values(manyhash.arrow.hash(column)) == [large, *expected("sha256", [b"", bytes(93)])]


def test_the_interpreter_is_free_while_a_column_is_hashed() -> None:
    import threading

    column = pa.array(["x" * 1000] * 200_000)
    done = threading.Event()
    turns = 0

    def hash_it() -> None:
        manyhash.arrow.hash(column)
        done.set()

    thread = threading.Thread(target=hash_it)
    thread.start()
    while not done.is_set():
        turns += 1
        done.wait(0.0005)
    thread.join()
    assert turns > 5

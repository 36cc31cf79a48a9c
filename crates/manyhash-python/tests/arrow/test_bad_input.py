"""What is no column, what breaks the rules, and arguments that make no sense."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest
from hostile import HostileArray
from support import module, skipped

import manyhash.arrow

pa = module("pyarrow")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2]),
        pa.array([1.5]),
        pa.array([True]),
        pa.array([["a"]]),
        pa.array([1, 1]).dictionary_encode(),
        pa.chunked_array([[1]]),
        pa.table({"a": ["b"]}),
    ],
    ids=lambda column: str(getattr(column, "type", "table")),
)
def test_other_types_are_an_error_that_names_the_type_and_the_cast(column: Any) -> None:
    with pytest.raises(TypeError, match=r"a column of (Int64|Float64|Boolean|List|Struct).*cast"):
        manyhash.arrow.hash(column)


@pytest.mark.parametrize("column", [["a", "b"], "text", b"bytes", None, 1])
def test_what_is_no_arrow_data_is_an_error_that_says_what_would_do(column: Any) -> None:
    with pytest.raises(TypeError, match=r"__arrow_c_array__ or __arrow_c_stream__, and not \w+; for lists there is manyhash.hash_many"):
        manyhash.arrow.hash(column)
    with pytest.raises(TypeError, match="table must be a table"):
        manyhash.arrow.hash_rows(column)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"algorithm": "sha257"}, ValueError, "unknown algorithm \"sha257\"; these would do: md5, sha1"),
        ({"output": "octal"}, ValueError, "unknown output \"octal\"; these would do: binary, hex, base64"),
        ({"layout": "flat"}, ValueError, "unknown layout"),
        ({"truncate": 0}, ValueError, "1 to 32"),
        ({"truncate": 33}, ValueError, "1 to 32"),
        ({"truncate": -1}, ValueError, "1 to 32"),
        ({"threads": -1}, ValueError, "threads is -1"),
        ({"key": "secret"}, TypeError, "key is str"),
        ({"prefix": 5}, TypeError, "prefix is int"),
    ],
)
def test_arguments_that_make_no_sense(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        manyhash.arrow.hash(pa.array(["a"]), **arguments)


def offsets(*given: int, width: str = "i") -> bytes:
    return struct.pack(f"<{len(given)}{width}", *given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, 9, 4), "row 0: its offsets"),
        ((0, 3, 2, 4), "row 1: its offsets"),
        ((-1, 2, 4), "row 0: its offsets"),
        ((2, 1, 4), "row 0: its offsets"),
        ((0, 2, -4), "its last offset is negative"),
        ((-(1 << 31), (1 << 31) - 1, 4), "row 0: its offsets"),
    ],
)
def test_offsets_out_of_range_are_never_followed(given: tuple[int, ...], message: str) -> None:
    for data_type, width in ((b"u", "i"), (b"z", "i"), (b"U", "q"), (b"Z", "q")):
        column = HostileArray(data_type, len(given) - 1, [None, offsets(*given, width=width), b"abcd"])
        with pytest.raises(ValueError, match=message):
            manyhash.arrow.hash(column)


def test_offsets_out_of_range_of_a_table_are_never_followed() -> None:
    column = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(offsets(0, 9, 4)), pa.py_buffer(b"abcd")])
    with pytest.raises(ValueError, match="row 0: its offsets"):
        manyhash.arrow.hash_rows(pa.record_batch([column], names=["a"]))


@pytest.mark.parametrize("length", [-1, 1 << 62])
@pytest.mark.parametrize(
    ("data_type", "buffers"),
    [
        (b"u", [None, offsets(0, 1), b"a"]),
        (b"Z", [None, offsets(0, 1, width="q"), b"a"]),
        (b"vu", [None, b"", b""]),
        (b"n", []),
        (b"w:0", [None, b""]),
    ],
)
def test_impossible_lengths_are_an_error(data_type: bytes, buffers: list[bytes | None], length: int) -> None:
    with pytest.raises((ValueError, TypeError, MemoryError)):
        manyhash.arrow.hash(HostileArray(data_type, length, buffers))


def test_a_missing_buffer_is_an_error() -> None:
    for data_type, buffers in ((b"u", [None, None, None]), (b"u", [None]), (b"w:4", [None, None]), (b"vu", [None, None])):
        with pytest.raises((ValueError, TypeError)):
            manyhash.arrow.hash(HostileArray(data_type, 2, buffers))


def test_views_out_of_range_are_never_followed() -> None:
    view = struct.pack("<i4sii", 20, b"aaaa", 0, 90)
    if not hasattr(pa, "string_view"):
        skipped("this PyArrow has no views")
    column = pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(view), pa.py_buffer(b"a" * 100)])
    with pytest.raises(ValueError, match="row 0: its offsets, view or key"):
        manyhash.arrow.hash(column)


def test_keys_out_of_range_are_never_followed() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), pa.array(["a", "b"]), safe=False)
    with pytest.raises(ValueError, match="row 1: its offsets, view or key"):
        manyhash.arrow.hash(column)


def test_a_chunk_that_breaks_the_rules_is_named() -> None:
    good = pa.array(["a"])
    bad = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(offsets(0, 3, 2)), pa.py_buffer(b"ab")])
    for threads in (1, 2):
        with pytest.raises(ValueError, match="chunk 1: row 0"):
            manyhash.arrow.hash(pa.chunked_array([good, bad, good]), threads=threads)


def test_an_exception_of_whoever_makes_the_stream_is_passed_on() -> None:
    schema = pa.schema({"a": pa.string()})

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([pa.array(["a"])], schema=schema)
        raise RuntimeError("the source broke off")

    with pytest.raises(RuntimeError, match="the source broke off"):
        manyhash.arrow.hash_rows(pa.RecordBatchReader.from_batches(schema, batches()))


def test_whoever_lies_about_exporting_is_told_so() -> None:
    class Liar:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return 1, 2

    class Thrower:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise OSError("the connection is gone")

    with pytest.raises((TypeError, ValueError)):
        manyhash.arrow.hash(Liar())
    with pytest.raises(OSError, match="the connection is gone"):
        manyhash.arrow.hash(Thrower())


def test_a_backend_that_cannot_be_used_is_an_error_and_no_panic(monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess
    import sys

    code = "import pyarrow as pa, manyhash.arrow\ntry: manyhash.arrow.hash(pa.array(['a']))\nexcept RuntimeError as error: print(error)"
    monkeypatch.setenv("MANYHASH_BACKEND", "abacus")
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "MANYHASH_BACKEND" in printed and "abacus" in printed


def test_control_c_stops_a_stream() -> None:
    import subprocess
    import sys

    code = """
import itertools, os, signal, sys, threading
import pyarrow as pa, manyhash.arrow
# Where tests run in the background, it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
batch = pa.record_batch({"a": ["x" * 1000] * 100})
endless = pa.RecordBatchReader.from_batches(batch.schema, itertools.repeat(batch))
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    manyhash.arrow.hash_rows(endless)
except KeyboardInterrupt:
    sys.exit(42)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 42

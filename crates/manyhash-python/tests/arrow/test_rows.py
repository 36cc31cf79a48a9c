"""Digests of rows against the encoding of ENCODING.md, written once more in Python."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import hmac
import struct
from typing import Any

import pytest
from support import arrow_types, module

import manyhash.arrow

pa = module("pyarrow")


def leb128(number: int) -> bytes:
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(encoded) + bytes([number])


def moment(tag: int, since: datetime.timedelta) -> bytes:
    return struct.pack("<BqI", tag, since.days * 86400 + since.seconds, since.microseconds * 1000)


def encode_value(value: Any) -> bytes:
    match value:
        case None:
            return b"\0"
        case str():
            return b"\1" + leb128(len(value.encode())) + value.encode()
        case bytes():
            return b"\2" + leb128(len(value)) + value
        case bool():
            return b"\4" if value else b"\3"
        case int():
            return struct.pack("<Bq", 5, value) if value < 1 << 63 else struct.pack("<BQ", 6, value)
        case float():
            return struct.pack("<Bd", 7, value + 0.0) if value == value else b"\7" + bytes(6) + b"\xf8\x7f"
        case decimal.Decimal():
            sign, digits, exponent = value.normalize(decimal.Context(prec=60)).as_tuple()
            integer = int("".join(map(str, digits))) * (-1 if sign else 1)
            assert isinstance(exponent, int)
            scale = -exponent if integer else 0
            return struct.pack("<Bb", 8, scale) + integer.to_bytes(16, "little", signed=True)
        case datetime.datetime() if value.tzinfo is None:
            return moment(11, value - datetime.datetime(1970, 1, 1))
        case datetime.datetime():
            return moment(12, value - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC))
        case datetime.date():
            return struct.pack("<Bq", 9, (value - datetime.date(1970, 1, 1)).days)
        case datetime.time():
            seconds = value.hour * 3600 + value.minute * 60 + value.second
            return struct.pack("<Bq", 10, seconds * 10**9 + value.microsecond * 1000)
        case datetime.timedelta():
            return moment(13, value)
    raise TypeError(type(value))


def encode(row: list[Any]) -> bytes:
    return b"\1" + leb128(len(row)) + b"".join(map(encode_value, row))


def expected(table: pa.Table) -> list[bytes]:
    return [hashlib.sha256(encode(list(row.values()))).digest() for row in table.to_pylist()]


def digests(table: Any, **arguments: Any) -> list[bytes]:
    result = manyhash.arrow.hash_rows(table, **arguments)
    array = pa.array(result) if hasattr(result, "__arrow_c_array__") else pa.chunked_array(result)
    return array.to_pylist()


def table(rows: int = 200) -> pa.Table:
    """Every type, with nulls here and there."""

    def column(values: list[Any], data_type: pa.DataType, step: int) -> pa.Array:
        return pa.array([None if i % step == 0 else values[i % len(values)] for i in range(rows)], data_type)

    utc = datetime.UTC
    return pa.table(
        {
            "text": column(["", "a", "äöü" * 50, "x" * 20000], pa.string(), 5),
            "large_text": column(["", "b"], pa.large_string(), 7),
            **{"text_view": column(["short", "longer than a view is"], kind, 3) for kind in arrow_types("string_view")},
            "binary": column([b"", b"\xff\0"], pa.binary(), 4),
            "fixed": column([b"1234", b"\0\0\0\0"], pa.binary(4), 11),
            "dictionary": column(["red", "green", ""], pa.string(), 6).dictionary_encode(),
            "flag": column([True, False], pa.bool_(), 5),
            "int8": column([-128, 127], pa.int8(), 9),
            "int64": column([-(1 << 63), (1 << 63) - 1, 0], pa.int64(), 8),
            "uint64": column([0, (1 << 64) - 1], pa.uint64(), 7),
            "float": column([0.5, -0.0, float("nan"), float("inf")], pa.float32(), 6),
            "double": column([0.1, -0.0, float("nan"), 1e300], pa.float64(), 5),
            "decimal": column([decimal.Decimal("1.50"), decimal.Decimal("-200.00"), decimal.Decimal(0)], pa.decimal128(20, 2), 4),
            "date": column([datetime.date(1969, 12, 31), datetime.date(2026, 11, 22)], pa.date32(), 7),
            "date64": column([datetime.date(1969, 12, 31), datetime.date(2026, 11, 22)], pa.date64(), 5),
            "time": column([datetime.time(23, 59, 59, 999999), datetime.time()], pa.time64("us"), 6),
            "timestamp": column([datetime.datetime(1969, 12, 31, 23, 59, 59, 1), datetime.datetime(2026, 1, 1)], pa.timestamp("us"), 4),
            "instant": column([datetime.datetime(2026, 7, 1, tzinfo=utc)], pa.timestamp("ms", "Europe/Berlin"), 3),
            "duration": column([datetime.timedelta(days=-1, microseconds=1)], pa.duration("us"), 3),
            "nothing": pa.nulls(rows),
        }
    )


def test_digests_are_those_of_the_specified_encoding() -> None:
    assert digests(table()) == expected(table())


def test_chunks_slices_batches_and_threads_change_nothing() -> None:
    whole = digests(table())
    pieces = pa.concat_tables([table()[:3], table()[3:3], table()[3:150], table()[150:]])
    assert digests(pieces) == whole
    assert digests(pieces, threads=3) == whole
    assert digests(table()[50:60]) == whole[50:60]
    batch = table().to_batches()[0]
    result = manyhash.arrow.hash_rows(batch)
    assert hasattr(result, "__arrow_c_array__")
    assert pa.array(result).to_pylist() == whole


def test_columns_are_chosen_by_name_and_taken_in_the_order_asked_for() -> None:
    given = pa.table({"a": ["1", "2"], "b": ["3", "4"], "c": [5, 6]})
    assert digests(given, columns=["b", "a"]) == expected(given.select(["b", "a"]))
    assert digests(given, columns=("c",)) == expected(given.select(["c"]))
    assert digests(given, columns=[]) == [hashlib.sha256(b"\1\0").digest()] * 2
    assert digests(given) == digests(given.rename_columns(["x", "y", "z"]))


def test_what_could_be_mistaken_is_told_apart() -> None:
    rows = pa.table({"a": ["ab", "a", "", None, "a\1\1b"], "b": ["c", "bc", None, "", ""]})
    assert len(set(digests(rows))) == 5


def test_polars_and_pyarrow_agree() -> None:
    polars = module("polars")
    columns = ["text", "large_text", "binary", "dictionary", "flag", "int8", "int64", "uint64", "double", "decimal", "date", "time", "timestamp"]
    frame = polars.from_arrow(table().select(columns))
    assert digests(frame) == digests(table(), columns=columns)


def test_keys_prefixes_and_outputs_are_as_for_columns() -> None:
    given = table().select(["text", "int8"])
    messages = [encode(list(row.values())) for row in given.to_pylist()]
    assert digests(given, key=b"key") == [hmac.digest(b"key", message, "sha256") for message in messages]
    assert digests(given, prefix=b"p" * 70, algorithm="sha1") == [hashlib.sha1(b"p" * 70 + message).digest() for message in messages]
    hexadecimal = digests(given, output="hex", truncate=4, layout="view")
    assert hexadecimal == [hashlib.sha256(message).hexdigest()[:8] for message in messages]


def test_tables_that_cannot_be_hashed_say_which_column() -> None:
    lists = pa.table({"id": [1], "tags": [["a"]]})
    with pytest.raises(TypeError, match=r'column "tags": values of List.*cast'):
        manyhash.arrow.hash_rows(lists)
    assert len(digests(lists, columns=["id"])) == 1
    with pytest.raises(KeyError, match='no column "name"; it has: id, tags'):
        manyhash.arrow.hash_rows(lists, ["name"])
    with pytest.raises(TypeError, match="list of names, not one name"):
        manyhash.arrow.hash_rows(lists, "id")  # type: ignore[call-overload]
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(ValueError, match='more than one column "a"'):
        manyhash.arrow.hash_rows(twice, ["a"])
    assert len(digests(twice)) == 1
    with pytest.raises(TypeError, match=r"Int64 and not a table.*hash\(\)"):
        manyhash.arrow.hash_rows(pa.array([1]))
    with pytest.raises(ValueError, match="row 1: the whole row is null"):
        manyhash.arrow.hash_rows(pa.array([{"a": 1}, None], pa.struct({"a": pa.int64()})))
    with pytest.raises(ValueError, match="row 0: the date is not a whole day"):
        manyhash.arrow.hash_rows(pa.table({"date": pa.array([1], pa.int64()).cast(pa.timestamp("ms")).view(pa.date64())}))

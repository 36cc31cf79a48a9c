"""Digests in DuckDB's SQL: `register(connection)` adds functions for every algorithm.

    manyhash.duckdb.register(connection)
    connection.sql("SELECT manyhash_sha256(email) FROM users")

`manyhash_sha256(x)` gives a BLOB and `manyhash_sha256_hex(x)` a VARCHAR, of a VARCHAR, BLOB or ENUM; NULL stays NULL. Of other types DuckDB
raises InvalidInputException, which names the type: `CAST(x AS VARCHAR)` is yours to write. `manyhash_sha256_rows(a, b, ...)`, of one column
or more, is `manyhash.arrow.hash_rows`: one digest a row, the same in every engine, never NULL; with `_hex` at the end it is VARCHAR too.

Functions are for the database that the connection is open on, its cursors included, and go with it. They keep no state, so DuckDB may call
them from all its threads, with a vector of 2,048 rows each time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

try:
    import duckdb
    import pyarrow as pa
    from duckdb.func import FunctionNullHandling, PythonUDFType
except ImportError as error:
    from manyhash._column_digest import missing_engine

    raise missing_engine("duckdb", error) from error

from manyhash._column_digest import ColumnDigest, Layout, Output, named_algorithms

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["register"]

# DuckDB takes BLOBs in longer from FixedSizeBinary: 26 ns a row more, where a function took 79.
_LAYOUT: Layout = "offsets"
_SQL_TYPE: dict[Output, str] = {"binary": "BLOB", "hex": "VARCHAR"}


def register(
    connection: duckdb.DuckDBPyConnection,
    algorithms: str | Iterable[str] | None = None,
    *,
    name: str | None = None,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
) -> list[str]:
    """Adds the functions to a connection and returns their names: `manyhash_ALGORITHM`, and with `_hex`, `_rows`, `_rows_hex` after it.

    With `key` they are HMACs under it, which SQL never sees; `prefix` and `truncate` are those of `manyhash.arrow.hash`. Functions that are
    not the plain digests need a `name` to go by in place of `manyhash_ALGORITHM`, and are of one algorithm, SHA-256 unless given.
    Registering a name again replaces what this connection had registered.
    """
    names = named_algorithms(algorithms, name, key=key, prefix=prefix, truncate=truncate)
    # All are made before the first is registered: a wrong argument leaves the connection as it was.
    functions: dict[str, tuple[Callable[..., Any], str]] = {}
    for first, algorithm in names.items():
        for output, sql_type in _SQL_TYPE.items():
            digest = ColumnDigest(algorithm, output, key, prefix, truncate)
            last = "" if output == "binary" else f"_{output}"
            of_column, of_rows = first + last, f"{first}_rows{last}"
            functions[of_column] = (_of_column(digest, of_column), sql_type)
            functions[of_rows] = (_of_rows(digest, of_rows), sql_type)
    for function_name, (function, sql_type) in functions.items():
        with contextlib.suppress(duckdb.InvalidInputException):
            connection.remove_function(function_name)
        # SPECIAL: functions are handed NULLs, and say what becomes of them; DuckDB need not take the NULLs out of every vector first.
        connection.create_function(
            function_name, function, None, sql_type, type=PythonUDFType.ARROW, null_handling=FunctionNullHandling.SPECIAL
        )
    return list(functions)


def _of_column(digest: ColumnDigest, name: str) -> Callable[..., Any]:
    # A parameter without an annotation is of type ANY to DuckDB.
    def of_column(column):  # type: ignore[no-untyped-def]
        try:
            return pa.array(digest.of_column(_array(column), _LAYOUT))
        except TypeError as error:
            raise TypeError(f"{name}: {error}; in SQL, CAST(... AS VARCHAR)") from None

    return of_column


def _of_rows(digest: ColumnDigest, name: str) -> Callable[..., Any]:
    # DuckDB asks for one argument at least.
    def of_rows(*columns):  # type: ignore[no-untyped-def]
        batch = pa.RecordBatch.from_arrays([_array(column) for column in columns], [f"argument {i}" for i in range(1, len(columns) + 1)])
        try:
            return pa.array(digest.of_rows(batch, _LAYOUT))
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None

    return of_rows


def _array(column: pa.ChunkedArray) -> pa.Array:
    """DuckDB's vectors come as chunked arrays, of one chunk."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()

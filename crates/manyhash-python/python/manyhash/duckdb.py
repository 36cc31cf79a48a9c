"""Digests in DuckDB's SQL: `register(connection)` adds functions for every algorithm.

    manyhash.duckdb.register(connection)
    connection.sql("SELECT manyhash_sha256(email) FROM users")

`manyhash_sha256(x)` gives a BLOB and `manyhash_sha256_hex(x)` a VARCHAR, of a VARCHAR, BLOB or
ENUM; NULL stays NULL. Of other types DuckDB raises InvalidInputException, which names the type:
`CAST(x AS VARCHAR)` is yours to write. `manyhash_sha256_rows(a, b, ...)`, of one column or more, is
`manyhash.arrow.hash_rows`: one digest a row, the same in every engine, never NULL; with `_hex` at
the end it is VARCHAR too.

DuckDB hands these functions Arrow columns, which do not tell all of its types apart. Cast these
yourself:

- TIMETZ arrives as TIME, without its offset: '01:00:00+02' and '01:00:00+00' would have one digest.
  `CAST(x AS VARCHAR)`.
- UHUGEINT arrives as HUGEINT: 2^128-1 would have the digest of -1. `CAST(x AS VARCHAR)`.
- HUGEINT, and `sum` of integers is one, arrives as a decimal: `CAST(x AS BIGINT)` gives the digest
  that integers have.
- BIT arrives as the bytes that DuckDB keeps it in. `CAST(x AS VARCHAR)`.
- BIGNUM, and whatever else Arrow has no type for, is refused.

Functions are for the database that the connection is open on: all connections to it and their
cursors have them, also when the one that registered them is closed. Only that one can replace them.
They keep no state, so DuckDB may call them from all its threads, with a vector of 2,048 rows each
time. A function, and the key bound to it, stays in memory until the process ends: DuckDB does not
tell when it is done with it.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

try:
    import duckdb
    import pyarrow as pa

    _functional: Any
    try:
        _functional = importlib.import_module("duckdb.func")
    except ModuleNotFoundError:
        # Its name before DuckDB 1.4.
        _functional = importlib.import_module("duckdb.functional")
except ImportError as error:
    from manyhash._column_digest import missing_engine

    raise missing_engine("duckdb", error) from error

from manyhash._column_digest import ColumnDigest, Layout, Output, named_algorithms

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["register"]

# DuckDB takes longer to read BLOBs from FixedSizeBinary: 26 ns a row more, where a function took
# 79.
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
    """Adds the functions to a connection and returns their names: `manyhash_ALGORITHM`, and with
    `_hex`, `_rows`, `_rows_hex` after it.

    With `key` they are HMACs under it, which SQL never sees; `prefix` and `truncate` are those of
    `manyhash.arrow.hash`. Functions that are not the plain digests need a `name` to go by in place
    of `manyhash_ALGORITHM`, and are of one algorithm, SHA-256 unless given. Registering a name
    again replaces what this connection had registered. duckdb.CatalogException if another
    connection to the database has registered one of the names: nothing is added then, and the
    functions are there for this connection too.
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
    _add(connection, functions)
    return list(functions)


def _add(connection: duckdb.DuckDBPyConnection, functions: dict[str, tuple[Callable[..., Any], str]]) -> None:
    """Adds all functions, or none and raises."""
    added: list[str] = []
    replaced: list[str] = []
    for name, (function, sql_type) in functions.items():
        try:
            _create(connection, name, function, sql_type)
            added.append(name)
        except duckdb.NotImplementedException:
            # This connection has the function ("is already created").
            replaced.append(name)
        except duckdb.CatalogException as error:
            for other in added:
                connection.remove_function(other)
            raise duckdb.CatalogException(
                f"{name} is registered by another connection to this database, which alone can replace it; "
                f"this connection can call it already. For another key, register under another name ({error})"
            ) from None
    for name in replaced:
        function, sql_type = functions[name]
        try:
            connection.remove_function(name)
            creator = connection
        except duckdb.CatalogException:
            # The function was registered in a transaction that was rolled back: the database has no
            # such function, but this connection believes that it has, and neither removes it nor
            # creates it. A cursor has beliefs of its own.
            creator = connection.cursor()
        _create(creator, name, function, sql_type)


def _create(connection: duckdb.DuckDBPyConnection, name: str, function: Callable[..., Any], sql_type: str) -> None:
    # With SPECIAL, functions are handed NULLs and say what becomes of them, so that DuckDB need not
    # take the NULLs out of every vector first.
    kind, nulls = _functional.PythonUDFType.ARROW, _functional.FunctionNullHandling.SPECIAL
    connection.create_function(name, function, None, sql_type, type=kind, null_handling=nulls)


# A database keeps its functions longer than the connection that registered them, but only that
# connection keeps the Python object alive: after it was closed a call would crash. These caches
# keep every function, once however often it is registered.
@functools.cache
def _of_column(digest: ColumnDigest, name: str) -> Callable[..., Any]:
    # A parameter without an annotation is of type ANY to DuckDB.
    def of_column(column):  # type: ignore[no-untyped-def]
        try:
            return pa.array(digest.of_column(_array(column, 1), _LAYOUT))
        except TypeError as error:
            raise TypeError(f"{name}: {error}; in SQL, CAST(... AS VARCHAR)") from None

    return of_column


@functools.cache
def _of_rows(digest: ColumnDigest, name: str) -> Callable[..., Any]:
    # DuckDB asks for one argument at least.
    def of_rows(*columns):  # type: ignore[no-untyped-def]
        try:
            arrays = [_array(column, i) for i, column in enumerate(columns, 1)]
            batch = pa.RecordBatch.from_arrays(arrays, [f"argument {i}" for i in range(1, len(columns) + 1)])
            return pa.array(digest.of_rows(batch, _LAYOUT))
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None

    return of_rows


def _array(column: pa.ChunkedArray, place: int) -> pa.Array:
    """A vector of DuckDB, which comes as a chunked array of one chunk, as an array. A TypeError if
    Arrow lacks its type.
    """
    if isinstance(column.type, pa.BaseExtensionType):
        # DuckDB alone knows how it stores such values, and different values of different types may
        # be stored alike.
        kind = getattr(column.type, "type_name", column.type.extension_name)
        raise TypeError(f"argument {place} is of DuckDB's type {kind.upper()}, which Arrow lacks: CAST(... AS VARCHAR)")
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()

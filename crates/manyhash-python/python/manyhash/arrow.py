"""Digests of Arrow columns and rows of any library: PyArrow, Polars, DuckDB, pandas, arro3,
nanoarrow.

Columns and tables are taken and given through Arrow's PyCapsule interface, so none of these
libraries is needed, and a column is hashed where it lies.

>>> import pyarrow as pa
>>> import manyhash.arrow
>>> digests = manyhash.arrow.hash(pa.array(["Ada", None, "Grace"]))
>>> pa.array(digests).to_pylist()[0].hex()[:8]
'99a563ab'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack, overload

from manyhash import _manyhash
from manyhash._algorithms import AlgorithmName
from manyhash._progress import Progress, Told

if TYPE_CHECKING:
    from arro3.core import Array, ChunkedArray
    from typing_extensions import Buffer

__all__ = ["ArrowArray", "ArrowStream", "ColumnOptions", "Layout", "Options", "Output", "hash", "hash_rows"]

Output = Literal["binary", "hex", "base64"]
"""How a digest is written: its bytes, lower-case hexadecimal digits, or base64 with padding."""

Layout = Literal["fixed", "offsets", "view"]
"""How a column is laid out: FixedSizeBinary, Binary or BinaryView; as text Utf8, Utf8 or Utf8View.
"""


class Options(TypedDict, total=False):
    """What digests have besides an algorithm and an output, in every engine; `hash` says what each does."""

    key: Buffer | None
    prefix: Buffer | None
    truncate: int | None
    threads: int


class ColumnOptions(Options, total=False):
    """The options of a column whose layout can be chosen, and that is hashed at once."""

    layout: Layout
    progress: Progress


class ArrowArray(Protocol):
    """An object that is one array, or one record batch."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...


class ArrowStream(Protocol):
    """An object that is many arrays of one type: a chunked array, a table, a series."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


@overload
def hash(
    column: ArrowArray, algorithm: AlgorithmName | str = "sha256", output: Output = "binary", **options: Unpack[ColumnOptions]
) -> Array: ...


@overload
def hash(
    column: ArrowStream, algorithm: AlgorithmName | str = "sha256", output: Output = "binary", **options: Unpack[ColumnOptions]
) -> ChunkedArray: ...


def hash(
    column: ArrowArray | ArrowStream,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    *,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
    layout: Layout = "fixed",
    threads: int = 1,
    progress: Progress = None,
) -> Array | ChunkedArray:
    """The digest of each value of a column; null for null.

    column: a column of strings or binaries in any layout (Utf8, LargeUtf8, Utf8View, Binary,
        LargeBinary, BinaryView, FixedSizeBinary), or a dictionary of these, whose values are hashed
        once and whose keys are kept. Text is hashed as UTF-8.
    algorithm: one of `manyhash.algorithms`, in any spelling.
    output: "binary", "hex" or "base64".
    key: a secret, under which there are HMAC tags (RFC 2104) instead of plain digests.
    prefix: bytes before every value, such as a salt. Whole blocks of it are absorbed once.
    truncate: how many bytes of each digest to keep, its first ones, before it is written as text;
        None: all.
    layout: "fixed" unless the engine that takes the result lacks FixedSizeBinary.
    threads: how many hash; 0 is one for each CPU.
    progress: True draws a bar on stderr (where that is no terminal, a line every ten seconds). A
        function is called with the number of rows done (of a dictionary, of its values) and of
        bytes hashed so far, at most every 100 ms and at the end; a bar such as
        `tqdm(total=len(column))` is updated as often. An exception that it raises stops the work,
        as Ctrl-C does then within an array, too, and is raised.

    An array gives an array. A stream of arrays (a chunked array, a series) gives a chunked array
    with the same chunks; only those are cut whose text offsets of 32 bits could not count. Both are
    exported through the interface that the column came through. Of an extension type, the storage
    is hashed.

    Raises TypeError if the column is no Arrow data or has another type; ValueError if an argument
    is wrong or the column is malformed (offsets and views are checked, and nothing is read where
    they should not point); RuntimeError if the maker of a stream fails; MemoryError. Ctrl-C stops
    the work between two arrays of a stream.
    """
    told = Told(progress, "rows", _rows(column) if progress is True else None)
    try:
        return _manyhash.hash_column(
            column, algorithm, output, key=key, prefix=prefix, truncate=truncate, layout=layout, threads=threads, progress=told.callback
        )
    finally:
        told.close()


@overload
def hash_rows(
    table: ArrowArray,
    columns: Sequence[str] | None = None,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    **options: Unpack[ColumnOptions],
) -> Array: ...


@overload
def hash_rows(
    table: ArrowStream,
    columns: Sequence[str] | None = None,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    **options: Unpack[ColumnOptions],
) -> ChunkedArray: ...


def hash_rows(
    table: ArrowArray | ArrowStream,
    columns: Sequence[str] | None = None,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    *,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
    layout: Layout = "fixed",
    threads: int = 1,
    progress: Progress = None,
) -> Array | ChunkedArray:
    """The digest of each row of a table.

    A row is hashed as one message that is made of its values so that two rows have one digest
    exactly if they have the same values: ("ab", "c") differs from ("a", "bc"), and null from the
    empty string. Names of columns, chunks, slices, and how an engine lays out its strings and how
    wide it makes its integers change nothing. The encoding has a version and is specified byte by
    byte in ENCODING.md of the crate manyhash-arrow.

    table: a table, a record batch, a data frame; anything that exports a stream or an array of
        structs.
    columns: the names of the columns to hash, in this order; None: all.

    The other arguments, what is returned and what is raised are those of `hash`. Digests of rows
    are never null. A column of lists, structs or maps is a TypeError, and a name that the table
    lacks is a KeyError.
    """
    told = Told(progress, "rows", _rows(table) if progress is True else None)
    try:
        return _manyhash.hash_rows(
            table, columns, algorithm, output, key=key, prefix=prefix, truncate=truncate, layout=layout, threads=threads, progress=told.callback
        )
    finally:
        told.close()


def _rows(column: object) -> int | None:
    """The number of rows, if the object can say so without being read."""
    for name in ("num_rows", "height"):
        if isinstance(rows := getattr(column, name, None), int):
            return rows
    try:
        return len(column)  # type: ignore[arg-type]
    except TypeError:
        return None

"""Digests of pandas Series: importing this module gives every Series the accessor `manyhash`.

    import manyhash.pandas
    frame["email"].manyhash.sha256("hex", key=key)

One method for each name in `manyhash.algorithms`; `hash(series, algorithm, ...)` does the same, and `hash_rows(frame, ...)` is one digest
over several columns. Text and bytes are hashed, of any dtype that pandas has for them: `str`, `string`, ArrowDtype, categories of these,
and object with str or bytes in it. What pandas calls missing (None, NaN, pd.NA) stays missing.

Binary digests are of dtype `ArrowDtype(pa.binary())`: an object column would hold a Python object for each. Text is of the dtype that text
came in, `str` unless it was another. Dtypes of Arrow are hashed where they lie; object columns are copied to Arrow first, which costs more
than hashing them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

try:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
except ImportError as error:
    from manyhash._column_digest import missing_engine

    raise missing_engine("pandas", error) from error

from manyhash._column_digest import ColumnDigest, Output
from manyhash._column_methods import ColumnMethods

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["hash", "hash_rows"]

# Digests in `pa.binary()` lie one after the other, less than 2 GiB of them: columns are hashed in pieces of so many rows, whose digests fit
# whatever they are, 128 bytes each as the hex of SHA-512.
_PIECE_ROWS = 1 << 23


def hash(
    series: pd.Series,
    algorithm: str = "sha256",
    output: Output = "binary",
    *,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
    threads: int = 1,
) -> pd.Series:
    """The digest of every row, under the same index and name; the arguments are those of `manyhash.arrow.hash`.

    TypeError for a Series of anything but text and bytes; in an object column it names the first row that is neither.
    """
    if not isinstance(series, pd.Series):
        raise TypeError(f"series is a {type(series).__name__} and no pandas Series")
    digest = ColumnDigest(algorithm, output, key, prefix, truncate, threads)
    return _series(_digests(series, digest), series, digest)


def hash_rows(
    frame: pd.DataFrame,
    columns: Sequence[Hashable] | None = None,
    algorithm: str = "sha256",
    output: Output = "binary",
    *,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
    threads: int = 1,
) -> pd.Series:
    """One digest over several columns for each row, under the frame's index, named "row_digest". Never missing.

    `columns`: names, in the order in which they are hashed; all unless given. The index is hashed only where it is made a column
    (`reset_index`). The encoding is that of `manyhash.arrow.hash_rows`, where a value that is missing is null: NaN of a float column too.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a {type(frame).__name__} and no pandas DataFrame")
    digest = ColumnDigest(algorithm, output, key, prefix, truncate, threads)
    chosen = frame if columns is None else frame[list(columns)]
    arrays = [_any_column(chosen.iloc[:, i]) for i in range(chosen.shape[1])]
    table = pa.Table.from_arrays(arrays, [str(name) for name in chosen.columns])
    pieces = [table.slice(start, _PIECE_ROWS) for start in range(0, max(len(table), 1), _PIECE_ROWS)]
    digests = [chunk for piece in pieces for chunk in pa.chunked_array(digest.of_rows(piece, "offsets")).chunks]
    return _series(pa.chunked_array(digests, _type(digest)), pd.Series(index=frame.index, name="row_digest", dtype=object), digest)


@pd.api.extensions.register_series_accessor("manyhash")
class SeriesMethods(ColumnMethods[pd.Series]):
    """`series.manyhash`."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def hash(self, algorithm: str = "sha256", output: Output = "binary", **options: Any) -> pd.Series:
        return hash(self._series, algorithm, output, **options)


def _digests(series: pd.Series, digest: ColumnDigest) -> pa.ChunkedArray:
    if isinstance(series.dtype, pd.CategoricalDtype):
        # Only the categories are hashed, whatever they are kept in.
        if series.cat.categories.empty:
            return pa.chunked_array([pa.nulls(len(series), _type(digest))])
        of_categories = _digests(pd.Series(series.cat.categories, name=series.name), digest)
        codes = series.cat.codes.to_numpy()
        pieces = [codes[start : start + _PIECE_ROWS] for start in range(0, len(codes), _PIECE_ROWS)]
        taken = [of_categories.take(pa.array(piece, mask=piece < 0)) for piece in pieces]
        return pa.chunked_array([chunk for piece in taken for chunk in piece.chunks], _type(digest))
    column = _arrow(series)
    if not _has_bytes(column.type):
        raise TypeError(
            f"series {series.name!r} has dtype {series.dtype}, and manyhash hashes text and bytes: "
            "cast it first, series.astype('str'), or take manyhash.pandas.hash_rows"
        )
    pieces = [chunk.slice(start, _PIECE_ROWS) for chunk in column.chunks for start in range(0, len(chunk), _PIECE_ROWS)]
    return pa.chunked_array([pa.array(digest.of_column(piece, "offsets")) for piece in pieces], _type(digest))


def _arrow(series: pd.Series) -> pa.ChunkedArray:
    """A column as Arrow has it; of object columns, those of str and bytes."""
    if series.dtype != object:
        array = pa.array(series, from_pandas=True)
    else:
        kind = pd.api.types.infer_dtype(series, skipna=True)
        values = series.to_numpy()
        types = {"string": pa.large_string(), "bytes": pa.large_binary(), "empty": pa.null()}
        try:
            array = pa.array(values, types[kind], from_pandas=True) if kind in types else _of_text_and_bytes(series)
        except (UnicodeEncodeError, pa.ArrowInvalid):
            # Some text is not Unicode. Which, is found by encoding one after the other.
            array = _of_text_and_bytes(series)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _of_text_and_bytes(series: pd.Series) -> pa.Array:
    """An object column of both, or of something else: an error then, that names the row."""
    values: list[bytes | None] = []
    for i, value in enumerate(series.to_numpy()):
        if isinstance(value, str):
            try:
                values.append(value.encode())
            except UnicodeEncodeError as error:
                reason = f"series {series.name!r}, row {series.index[i]!r}: text with a lone surrogate, which UTF-8 has no bytes for"
                raise UnicodeEncodeError(error.encoding, error.object, error.start, error.end, reason) from None
        elif isinstance(value, (bytes, bytearray, memoryview)):
            values.append(bytes(value))
        elif pd.api.types.is_scalar(value) and pd.isna(value):
            values.append(None)
        else:
            where = f"series {series.name!r}, row {series.index[i]!r}"
            raise TypeError(f"{where}: {type(value).__name__} is neither str nor bytes; cast the series first, series.astype('str')")
    return pa.array(values, pa.large_binary())


def _any_column(series: pd.Series) -> pa.ChunkedArray:
    """A column for `hash_rows`, which takes numbers, times and more."""
    try:
        if series.dtype != object or pd.api.types.infer_dtype(series, skipna=True) in ("string", "bytes", "empty"):
            return _arrow(series)
        return pa.chunked_array([pa.array(series.to_numpy(), from_pandas=True)])
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise TypeError(f"column {series.name!r} has values of several types, or of one that Arrow lacks: {error}") from None


def _series(digests: pa.ChunkedArray, of: pd.Series, digest: ColumnDigest) -> pd.Series:
    dtype: pd.ArrowDtype | pd.StringDtype
    if digest.output == "binary" or isinstance(of.dtype, pd.ArrowDtype):
        dtype = pd.ArrowDtype(digests.type)
    elif isinstance(of.dtype, pd.StringDtype):
        dtype = of.dtype
    else:
        dtype = pd.StringDtype(na_value=np.nan)
    return pd.Series(dtype.__from_arrow__(digests), index=of.index, name=of.name, copy=False)


def _type(digest: ColumnDigest) -> pa.DataType:
    return pa.binary() if digest.output == "binary" else pa.string()


def _has_bytes(kind: pa.DataType) -> bool:
    """Whether values are text or bytes; a column of nulls alone may have been."""
    if pa.types.is_dictionary(kind):
        return _has_bytes(kind.value_type)
    variable = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    binary = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(is_kind(kind) for is_kind in variable + binary)

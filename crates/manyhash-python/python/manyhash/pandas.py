"""Digests of pandas Series: importing this module gives every Series the accessor `manyhash`.

    import manyhash.pandas
    frame["email"].manyhash.sha256("hex", key=key)

One method for each name in `manyhash.algorithms`; `hash(series, algorithm, ...)` does the same, and
`hash_rows(frame, ...)` is one digest over several columns. Text and bytes are hashed, of any dtype
that pandas has for them: `str`, `string`, ArrowDtype, categories of these, and object with str or
bytes in it. What pandas calls missing (None, NaN, pd.NA) stays missing.

Binary digests are of dtype `ArrowDtype(pa.binary())`: an object column would hold a Python object
for each. Text is of the dtype that text came in, `str` unless it was another. Dtypes of Arrow are
hashed where they lie; object columns are copied to Arrow first, which costs more than hashing them.
"""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Hashable, Sequence
from typing import Unpack

try:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
except ImportError as error:
    from manyhash._column_digest import missing_engine

    raise missing_engine("pandas", error) from error

from manyhash._algorithms import AlgorithmName
from manyhash._column_digest import ColumnDigest, Output
from manyhash._column_methods import ColumnMethods
from manyhash.arrow import Options

__all__ = ["hash", "hash_rows"]

# Rows of a piece: columns are hashed in pieces, because digests in `pa.binary()` lie one after the
# other in less than 2 GiB. Digests of this number of rows fit, even if they have 128 bytes each, as
# SHA-512 in hexadecimal.
_PIECE_ROWS = 1 << 23

# What pandas infers for the values of an object column, where all are of one type: text and bytes,
# and what rows may have beside them.
_KINDS = {"string": pa.large_string(), "bytes": pa.large_binary(), "empty": pa.null()}
# PyArrow has views from version 16 on.
_WITH_BYTES = ("is_string", "is_large_string", "is_string_view", "is_binary", "is_large_binary", "is_binary_view", "is_fixed_size_binary", "is_null")
_KINDS_WITH_BYTES = [getattr(pa.types, name) for name in _WITH_BYTES if hasattr(pa.types, name)]
# Pandas 2.2 calls the dtype with NaN for what is missing, which is "str" from pandas 3 on, by another name.
_HAS_NA_VALUE = "na_value" in inspect.signature(pd.StringDtype).parameters
_OTHER_KINDS = ("integer", "floating", "boolean", "decimal", "date", "datetime", "datetime64", "time", "timedelta", "timedelta64")


def hash(
    series: pd.Series,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    **options: Unpack[Options],
) -> pd.Series:
    """The digest of every row, under the same index and name; the arguments are those of
    `manyhash.arrow.hash`.

    TypeError for a Series of anything but text and bytes; in an object column it names the first
    row that is neither.
    """
    if not isinstance(series, pd.Series):
        raise TypeError(f"series is a {type(series).__name__} and no pandas Series")
    digest = ColumnDigest(algorithm, output, **options)
    return _series(_digests(series, digest), series, digest)


def _chosen(frame: pd.DataFrame, names: list[Hashable]) -> pd.DataFrame:
    """The columns of these names, in this order. A list of bool would be taken for a choice of rows."""
    if not any(isinstance(name, (bool, np.bool_)) for name in names):
        return frame.loc[:, names]
    places = frame.columns.get_indexer_for(pd.Index(names, dtype=object))
    if (places < 0).any():
        raise KeyError(f"{[name for name, place in zip(names, places) if place < 0]} not in columns")
    return frame.iloc[:, places]


def hash_rows(
    frame: pd.DataFrame,
    columns: Sequence[Hashable] | None = None,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    **options: Unpack[Options],
) -> pd.Series:
    """One digest over several columns for each row, under the frame's index, named "row_digest".
    Never missing.

    `columns`: a list of names, in the order in which they are hashed; all unless given.

    The index is hashed only where it is made a column (`reset_index`). The options are those of
    `manyhash.arrow.hash`. The encoding is that of `manyhash.arrow.hash_rows`, where a value that is
    missing is null: NaN of a float column too. TypeError for a column of periods or intervals, a
    sparse one, and one of objects that are not all of one type.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame is a {type(frame).__name__} and no pandas DataFrame")
    digest = ColumnDigest(algorithm, output, **options)
    if isinstance(columns, (str, bytes)):
        raise TypeError(f"columns is a {type(columns).__name__}, not a list of names: [{columns!r}]")
    chosen = frame if columns is None else _chosen(frame, list(columns))
    arrays = [_any_column(chosen.iloc[:, i]) for i in range(chosen.shape[1])]
    starts = range(0, max(len(frame), 1), _PIECE_ROWS)
    if arrays:
        table = pa.Table.from_arrays(arrays, [str(name) for name in chosen.columns])
        pieces = [table.slice(start, _PIECE_ROWS) for start in starts]
    else:
        # A table without columns has no rows; structs without fields have as many as they are
        # given.
        pieces = [pa.StructArray.from_buffers(pa.struct([]), min(_PIECE_ROWS, len(frame) - start), [None]) for start in starts]
    # As arrays: PyArrow 14 exports these alone through Arrow's interface.
    batches = [batch for piece in pieces for batch in (piece.to_batches() if isinstance(piece, pa.Table) else [piece])]
    digests = [pa.array(digest.of_rows(batch, "offsets")) for batch in batches]
    return _series(pa.chunked_array(digests, _type(digest)), pd.Series(index=frame.index, name="row_digest", dtype=object), digest)


@pd.api.extensions.register_series_accessor("manyhash")
class SeriesMethods(ColumnMethods[pd.Series]):
    """The accessor `series.manyhash`."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def hash(self, algorithm: AlgorithmName | str = "sha256", output: Output = "binary", **options: Unpack[Options]) -> pd.Series:
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
    digests = [pa.array(digest.of_column(piece, "offsets")) for piece in pieces]
    # A dictionary of Arrow gives one of digests, and the result is of a plain dtype.
    return pa.chunked_array(
        [chunk.dictionary_decode() if isinstance(chunk, pa.DictionaryArray) else chunk for chunk in digests], _type(digest)
    )


def _arrow(series: pd.Series) -> pa.ChunkedArray:
    """A column as Arrow has it; of object columns, those of str and bytes."""
    if series.dtype == object:
        kind = pd.api.types.infer_dtype(series, skipna=True)
        try:
            array = pa.array(series.to_numpy(), _KINDS[kind], from_pandas=True) if kind in _KINDS else _of_text_and_bytes(series)
        except (UnicodeEncodeError, pa.ArrowInvalid):
            # Some text is not Unicode. Which, is found by encoding one after the other.
            array = _of_text_and_bytes(series)
    else:
        array = _of_dtype(series)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _of_dtype(series: pd.Series) -> pa.Array | pa.ChunkedArray:
    """A column of any dtype but object."""
    if isinstance(series.dtype, pd.SparseDtype):
        raise TypeError(f"series {series.name!r} has dtype {series.dtype}, which is sparse: series.sparse.to_dense() first")
    try:
        return pa.array(series, from_pandas=True)
    except UnicodeEncodeError:
        # This raises an error that names the row.
        _of_text_and_bytes(series)
        raise
    except pa.ArrowNotImplementedError as error:
        raise TypeError(f"series {series.name!r} has dtype {series.dtype}, which Arrow lacks: {error}") from None


def _of_text_and_bytes(series: pd.Series) -> pa.Array:
    """An object column of str and bytes. A TypeError names the row of anything else."""
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
    """A column for `hash_rows`, which takes numbers, times and more, but of one type: 1 as 1.0 or
    text as bytes would be another value.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        categories = _any_column(pd.Series(series.cat.categories, name=series.name)).combine_chunks()
        codes = series.cat.codes.to_numpy()
        return pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), categories)])
    if series.dtype != object:
        column = _arrow(series)
        if not isinstance(series.dtype, pd.ArrowDtype) and _is_extension(column.type):
            # Of a period Arrow stores a bare number, whatever its frequency.
            raise TypeError(
                f"column {series.name!r} has dtype {series.dtype}, which can't be part of a row's digest: cast it, astype('str')"
            )
        return column
    kind = pd.api.types.infer_dtype(series, skipna=True)
    types = {type(value) for value in series.to_numpy() if not (pd.api.types.is_scalar(value) and pd.isna(value))}
    if types and types <= {bytes, bytearray, memoryview}:
        kind = "bytes"
    names = " and ".join(sorted(each.__name__ for each in types))
    if kind not in _KINDS and kind not in _OTHER_KINDS:
        raise TypeError(f"column {series.name!r} has objects of {names} ({kind}): make them of one type first, series.astype('str'), say")
    if lost := _lost(series, kind):
        raise TypeError(f"column {series.name!r} has objects of {names} {lost}, which Arrow would drop: series.astype('str') first, say")
    try:
        return pa.chunked_array([pa.array(series.to_numpy(), _KINDS.get(kind), from_pandas=True)])
    except UnicodeEncodeError:
        # This raises an error that names the row.
        _of_text_and_bytes(series)
        raise
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise TypeError(f"column {series.name!r} has values ({kind}) that Arrow lacks a type for: {error}") from None


def _lost(series: pd.Series, kind: str) -> str | None:
    """What Arrow's conversion of such objects would silently leave out: different values would have
    one digest.
    """
    if kind not in ("date", "datetime", "time", "timedelta"):
        return None
    values = series.dropna()
    if kind == "date" and any(isinstance(value, datetime.datetime) for value in values):
        return "with times beside dates"
    if kind == "datetime" and len({value.tzinfo is None for value in values if isinstance(value, datetime.datetime)}) > 1:
        return "with a time zone beside some without"
    if kind == "time" and any(value.tzinfo is not None for value in values):
        return "with a time zone"
    if any(getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0) for value in values):
        return "with nanoseconds"
    return None


def _series(digests: pa.ChunkedArray, of: pd.Series, digest: ColumnDigest) -> pd.Series:
    dtype: pd.ArrowDtype | pd.StringDtype
    if digest.output == "binary" or isinstance(of.dtype, pd.ArrowDtype):
        dtype = pd.ArrowDtype(digests.type)
    elif isinstance(of.dtype, pd.StringDtype):
        dtype = of.dtype
    elif _HAS_NA_VALUE:
        dtype = pd.StringDtype(na_value=np.nan)
    else:
        dtype = pd.StringDtype("pyarrow_numpy")
    return pd.Series(dtype.__from_arrow__(digests), index=of.index, name=of.name, copy=False)


def _type(digest: ColumnDigest) -> pa.DataType:
    return pa.binary() if digest.output == "binary" else pa.string()


def _has_bytes(kind: pa.DataType) -> bool:
    """Whether values are text or bytes; a column of nulls alone may have been."""
    if pa.types.is_dictionary(kind):
        return _has_bytes(kind.value_type)
    return any(is_kind(kind) for is_kind in _KINDS_WITH_BYTES)


def _is_extension(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.BaseExtensionType) or (pa.types.is_dictionary(kind) and _is_extension(kind.value_type))

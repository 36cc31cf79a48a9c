"""Digests of Polars columns: importing this module gives expressions and series the namespace
`manyhash`.

    import manyhash.polars
    frame.with_columns(pl.col("email").manyhash.sha256("hex", key=key))

One method for each name in `manyhash.algorithms`, `.hash(algorithm, ...)`, and `hash_rows` for a
digest over several columns. They are elementwise to the optimizer, so they run lazily, in the
streaming engine a morsel at a time, and filters move past them.

A column of strings goes to the kernel as Polars has it, and digests come back in the layout Polars
has for binary columns: nothing is copied on either side. The query calls Python once for each
morsel, and the GIL is released meanwhile. A plugin in Rust would save that call, which costs
microseconds, but it would have to be built for one version of Polars, and this works with all of
them.

A query that is written down with `.meta.serialize()` or `.serialize()`, to run elsewhere, has the
key in it in clear text: keep it as you keep the key. What a query shows of itself (its repr,
`explain()`) has no key.

Type checkers do not know namespaces that are added at run time; `hash(expression, ...)` does the
same, and is typed.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import Any, Unpack

try:
    import polars as pl
except ImportError as error:
    from manyhash._column_digest import missing_engine

    raise missing_engine("polars", error) from error

from manyhash._algorithms import AlgorithmName
from manyhash._column_digest import ColumnDigest, Output
from manyhash._column_methods import ColumnMethods
from manyhash.arrow import Options

__all__ = ["hash", "hash_rows"]

# Polars has them from 1.18 and 1.35 on.
_WIDE: tuple[Any, ...] = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))


def _exports_categories() -> bool:
    """Whether Polars exports categories as the dictionary that it says they are: old versions give bare numbers."""
    try:
        ColumnDigest().of_column(pl.Series(["a"], dtype=pl.Categorical), "view")
    except RuntimeError:
        return False
    return True


_EXPORTS_CATEGORIES = _exports_categories()


def hash(
    column: pl.Expr | str,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    **options: Unpack[Options],
) -> pl.Expr:
    """The digest of every row of a column, as an expression: Binary, or String for "hex" and
    "base64". Null stays null.

    String, Binary, Categorical and Enum columns; for others a TypeError names the cast. A str is a
    column's name. `threads` is for one morsel: the streaming engine runs several of them at a time
    already. The options are those of `manyhash.arrow.hash`.
    """
    digest = ColumnDigest(algorithm, output, **options)
    expression = pl.col(column) if isinstance(column, str) else column
    return expression.map_batches(_OfColumn(digest), return_dtype=_dtype(digest), is_elementwise=True)


def hash_rows(
    *columns: pl.Expr | str,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    **options: Unpack[Options],
) -> pl.Expr:
    """One digest over several columns for each row, as an expression named "row_digest"; without
    columns, over all. Never null.

    The encoding is that of `manyhash.arrow.hash_rows`: other engines compute the same digests of
    the same rows.
    """
    digest = ColumnDigest(algorithm, output, **options)
    rows = pl.struct(*columns) if columns else pl.struct(pl.all())
    return rows.map_batches(_OfRows(digest), return_dtype=_dtype(digest), is_elementwise=True).alias("row_digest")


@pl.api.register_expr_namespace("manyhash")
class ExpressionMethods(ColumnMethods[pl.Expr]):
    """The namespace `manyhash` of expressions: `pl.col(...).manyhash`."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def hash(self, algorithm: AlgorithmName | str = "sha256", output: Output = "binary", **options: Unpack[Options]) -> pl.Expr:
        return hash(self._expression, algorithm, output, **options)


@pl.api.register_series_namespace("manyhash")
class SeriesMethods(ColumnMethods[pl.Series]):
    """The namespace `manyhash` of series: `pl.Series(...).manyhash`."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def hash(self, algorithm: AlgorithmName | str = "sha256", output: Output = "binary", **options: Unpack[Options]) -> pl.Series:
        return _OfColumn(ColumnDigest(algorithm, output, **options))(self._series)


class _OfColumn:
    """What a query calls with each morsel of a column. It is a class, so that a plan can be
    serialized, with its key; its repr has no key.
    """

    def __init__(self, digest: ColumnDigest) -> None:
        self.digest = digest

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.digest!r})"

    def __call__(self, series: pl.Series) -> pl.Series:
        digest, dtype = self.digest, series.dtype
        if not isinstance(dtype, (pl.String, pl.Binary, pl.Categorical, pl.Enum, pl.Null)):
            raise TypeError(
                f"column {series.name!r} has dtype {dtype}, and manyhash hashes String and Binary: cast it first, "
                f"pl.col({series.name!r}).cast(pl.String), or take manyhash.polars.hash_rows"
            )
        if isinstance(dtype, pl.Null):
            # Polars exports such a column with a buffer, which Arrow forbids.
            return series.cast(_dtype(digest))
        if isinstance(dtype, (pl.Categorical, pl.Enum)) and not _EXPORTS_CATEGORIES:
            series = series.cast(pl.String)
        elif isinstance(dtype, (pl.Categorical, pl.Enum)) and digest.output != "binary":
            # Only the categories are hashed. Polars would take a dictionary of texts for new
            # categories: it encodes digests itself.
            binary = replace(digest, output="binary").of_column(series, "view")
            return pl.Series(binary, dtype=pl.Binary).bin.encode(digest.output).alias(series.name)
        return pl.Series(digest.of_column(series, "view"), dtype=_dtype(digest)).alias(series.name)


class _OfRows(_OfColumn):
    """What a query calls with each morsel of a column of structs, which are hashed field by field.
    """

    def __call__(self, series: pl.Series) -> pl.Series:
        frame = series.struct.unnest()
        for name, dtype in frame.schema.items():
            wide = isinstance(dtype, _WIDE)
            if wide or dtype.is_nested() or isinstance(dtype, pl.Object):
                reason = "which Arrow lacks" if wide else "which can't be part of a row's digest"
                cast = "pl.Decimal(38, 0)" if wide else "pl.String"
                raise TypeError(f"column {name!r} has dtype {dtype}, {reason}: cast it first, pl.col({name!r}).cast({cast}), say")
        # Null is encoded alike in all types, and Polars exports a column of no type with a buffer,
        # which Arrow forbids.
        frame = frame.cast({pl.Null: pl.String})
        if not _EXPORTS_CATEGORIES:
            frame = frame.cast({pl.Categorical: pl.String, pl.Enum: pl.String})
        return pl.Series(self.digest.of_rows(frame, "view"), dtype=_dtype(self.digest)).alias(series.name)


def _dtype(digest: ColumnDigest) -> builtins.type[pl.DataType]:
    return pl.Binary if digest.output == "binary" else pl.String

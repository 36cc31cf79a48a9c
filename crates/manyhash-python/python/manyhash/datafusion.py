"""Digests in DataFusion: `register(context)` adds SQL functions for every algorithm, `udf(...)` is
one for expressions.

    manyhash.datafusion.register(context)
    context.sql("SELECT manyhash_sha256(email) FROM users")

A function of DataFusion's Python package has one exact input type, and DataFusion casts arguments
to it. `manyhash_sha256(x)` takes text; DataFusion gives it a number's decimal text, so what
`manyhash_sha256(1)` hashes is "1". Bytes are for `manyhash_sha256_of_binary(x)`, which takes
Binary, LargeBinary and BinaryView only: as text they would have to be UTF-8, and where they are not
a query fails with "non UTF-8 data". `_hex` at the end of both names gives text. Digests are Binary,
as those of DataFusion's own `sha256`, so the two compare and join.

A function over any type, without a call of Python for every batch, would be a plugin in Rust for
one version of DataFusion; this works with all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

try:
    import datafusion
    import pyarrow as pa
except ImportError as error:
    from manyhash._column_digest import missing_engine

    raise missing_engine("datafusion", error) from error

from manyhash._algorithms import AlgorithmName
from manyhash._column_digest import ColumnDigest, Output, named_algorithms

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["register", "rows_udf", "udf"]

_OUTPUTS: tuple[Output, ...] = ("binary", "hex")


def udf(
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    *,
    name: str | None = None,
    input_type: pa.DataType | None = None,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
) -> datafusion.ScalarUDF:
    """A function of one column: call it with an expression, or register it with
    `context.register_udf`. Null stays null.

    `input_type`: what DataFusion casts arguments to, any type that `manyhash.arrow.hash` takes;
        `pa.string_view()` unless given.
    `name`: what SQL calls it, `manyhash_ALGORITHM` unless given; with a key, a prefix or `truncate`
        it has to be given.
    """
    digest = ColumnDigest(algorithm, output, key, prefix, truncate)
    input_type = pa.string_view() if input_type is None else input_type
    # Types that cannot be hashed are found here, and not in a query.
    digest.of_column(pa.array([], input_type))
    [first] = named_algorithms(algorithm, name, key=key, prefix=prefix, truncate=truncate)
    return datafusion.udf(_OfColumn(digest), [input_type], _type(digest), "immutable", name or first + _ending(output))


def rows_udf(
    input_types: Sequence[pa.DataType],
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    *,
    name: str | None = None,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
) -> datafusion.ScalarUDF:
    """A function of several columns, of these types: one digest a row, `manyhash.arrow.hash_rows`,
    the same in every engine, never null.

    `table.schema().types`, say, are the types of all columns of a DataFrame. `name`:
    `manyhash_ALGORITHM_rows` unless given.
    """
    digest = ColumnDigest(algorithm, output, key, prefix, truncate)
    if not (input_types := list(input_types)):
        raise ValueError("input_types is empty: a function of rows needs at least one column")
    digest.of_rows(_batch([pa.array([], input_type) for input_type in input_types]))
    [first] = named_algorithms(algorithm, name, key=key, prefix=prefix, truncate=truncate)
    return datafusion.udf(_OfRows(digest), input_types, _type(digest), "immutable", name or f"{first}_rows{_ending(output)}")


def register(
    context: datafusion.SessionContext,
    algorithms: str | Iterable[str] | None = None,
    *,
    name: str | None = None,
    key: Buffer | None = None,
    prefix: Buffer | None = None,
    truncate: int | None = None,
) -> list[str]:
    """Adds `manyhash_ALGORITHM`, `_hex`, `_of_binary` and `_of_binary_hex` to a context, and
    returns the names. They replace functions of the same names.

    With `key` the functions are HMACs under it, which SQL never sees; `prefix` and `truncate` are
    those of `manyhash.arrow.hash`. Functions that are not the plain digests need a `name` in place
    of `manyhash_ALGORITHM`, and are of one algorithm, SHA-256 unless given.
    """
    names = named_algorithms(algorithms, name, key=key, prefix=prefix, truncate=truncate)
    # All are made before the first is registered: a wrong argument leaves the context as it was.
    functions = [
        udf(algorithm, output, name=f"{first}{source}{_ending(output)}", input_type=input_type, key=key, prefix=prefix, truncate=truncate)
        for first, algorithm in names.items()
        for source, input_type in (("", pa.string_view()), ("_of_binary", pa.binary_view()))
        for output in _OUTPUTS
    ]
    for function in functions:
        context.register_udf(function)
    return [function.name for function in functions]


class _OfColumn:
    """What a query calls with each batch of a column; its repr, which plans may show, has no key.
    """

    def __init__(self, digest: ColumnDigest) -> None:
        self.digest = digest

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.digest!r})"

    def __call__(self, column: pa.Array) -> pa.Array:
        digests = pa.array(self.digest.of_column(column, "offsets"))
        # A dictionary gives a dictionary, and the function promised a plain type.
        return digests.dictionary_decode() if isinstance(digests, pa.DictionaryArray) else digests


class _OfRows(_OfColumn):
    def __call__(self, *columns: pa.Array) -> pa.Array:
        return pa.array(self.digest.of_rows(_batch(columns), "offsets"))


def _batch(columns: Sequence[pa.Array]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns), [f"argument {i}" for i in range(1, len(columns) + 1)])


def _type(digest: ColumnDigest) -> pa.DataType:
    return pa.binary() if digest.output == "binary" else pa.string()


def _ending(output: Output) -> str:
    return "" if output == "binary" else f"_{output}"

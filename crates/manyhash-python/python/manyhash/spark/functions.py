"""Functions on columns: Arrow UDFs around manyhash.arrow, which hashes a batch of rows with one
call. Before PySpark 4.1 there are none, and columns go through pandas.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pyarrow as pa

import manyhash
import manyhash.arrow
from manyhash._algorithms import AlgorithmName

# PySpark's stubs want the kind of a function as an argument, which PySpark itself finds in annotations.
_arrow_udf: Any
try:
    from pyspark.sql.functions import arrow_udf as _arrow_udf
except ImportError:
    _arrow_udf = None

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

Output = Literal["binary", "hex", "base64"]
Bytes = bytes | bytearray | memoryview

# "offsets" is the one layout that Spark reads without another copy.
_SPARK_TYPES: dict[Output, str] = {"binary": "binary", "hex": "string", "base64": "string"}


class DigestFunction(Protocol):
    """The function of one algorithm."""

    def __call__(
        self,
        column: Column | str,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
    ) -> Column: ...


def hash(
    column: Column | str,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    *,
    key: Bytes | None = None,
    prefix: Bytes | None = None,
    truncate: int | None = None,
) -> Column:
    """A digest of each row of a string or binary column; null stays null.

    output: `binary`, or a string, `hex` (lower case, as Spark's own sha2) or `base64`.
    key: a secret, under which there are HMAC tags instead of plain digests.
    prefix: bytes that are hashed before each row.
    truncate: how many bytes of each digest to keep, its first ones.
    """
    name = manyhash.new(algorithm).name
    return _column_udf(f"manyhash_{name}", name, output, key, prefix, truncate)(column)


def hash_rows(
    *columns: Column | str,
    algorithm: AlgorithmName | str = "sha256",
    output: Output = "binary",
    key: Bytes | None = None,
    prefix: Bytes | None = None,
    truncate: int | None = None,
) -> Column:
    """A digest of each row of several columns, encoded as manyhash.arrow.hash_rows does: never
    null, and the same in all engines.

    It needs PySpark 4.1: before, columns come as those of pandas, where integers with nulls are
    floats, and would have other digests.
    """
    if not columns:
        raise ValueError("columns: at least one is needed")
    if _arrow_udf is None:
        raise NotImplementedError(
            "manyhash.spark.hash_rows needs pyspark 4.1 or later, for Arrow UDFs; before, frame.mapInArrow with manyhash.arrow.hash_rows"
        )
    name = manyhash.new(algorithm).name
    return _rows_udf(f"manyhash_{name}_rows", name, output, key, prefix, truncate)(*columns)


def algorithm_function(algorithm: str) -> DigestFunction:
    """The function `hash` bound to one algorithm."""

    def digest(
        column: Column | str,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
    ) -> Column:
        return hash(column, algorithm, output, key=key, prefix=prefix, truncate=truncate)

    digest.__name__ = digest.__qualname__ = algorithm
    digest.__module__ = "manyhash.spark"
    digest.__doc__ = f"A digest of each row, by {algorithm}: see `hash`."
    return digest


def register(
    spark: SparkSession,
    algorithms: Iterable[str] | None = None,
    *,
    name: str | None = None,
    key: Bytes | None = None,
    prefix: Bytes | None = None,
    truncate: int | None = None,
) -> list[str]:
    """Registers functions for SQL in this session, and returns their names.

    For each algorithm (None: all) there are `NAME_sha256(x)`, which gives binary,
    `NAME_sha256_hex(x)` and `NAME_sha256_base64(x)`, and `NAME_sha256_rows(x, y, ...)`, each with
    its `_hex` and `_base64`; before PySpark 4.1 no `_rows`. `name` is `manyhash` unless you say otherwise; with a key, a prefix or
    a length it has to be another, so that nobody takes one for a plain digest.
    """
    if name is None:
        for argument, value in (("key", key), ("prefix", prefix), ("truncate", truncate)):
            if value is not None:
                raise ValueError(f"name: with {argument}, functions need a name of their own, such as name='pseudonym'")
        name = "manyhash"
    if not name.isidentifier():
        raise ValueError(f"name: {name!r} cannot begin the name of an SQL function")
    chosen = [manyhash.new(algorithm).name for algorithm in (manyhash.algorithms if algorithms is None else algorithms)]
    names = []
    for algorithm in chosen:
        for rows, make in (("", _column_udf), ("_rows", _rows_udf)):
            if rows and _arrow_udf is None:
                continue
            for output in _SPARK_TYPES:
                function = f"{name}_{algorithm}{rows}" + ("" if output == "binary" else f"_{output}")
                spark.udf.register(function, make(function, algorithm, output, key, prefix, truncate))
                names.append(function)
    return names


def _options(
    algorithm: str, output: Output, key: Bytes | None, prefix: Bytes | None, truncate: int | None
) -> tuple[bytes | None, bytes | None, int | None]:
    """Checks arguments now, in the driver, rather than in the middle of a job."""
    if output not in _SPARK_TYPES:
        raise ValueError(f"output: {output!r} is none of {', '.join(_SPARK_TYPES)}")
    for name, value in (("key", key), ("prefix", prefix)):
        if value is not None and not isinstance(value, (bytes, bytearray, memoryview)):
            # The message never has the value, which may be a secret.
            raise TypeError(f"{name}: {type(value).__name__} is not bytes")
    if truncate is not None:
        digest_bytes = manyhash.new(algorithm).digest_size
        if isinstance(truncate, bool) or not isinstance(truncate, int):
            raise TypeError(f"truncate: {type(truncate).__name__} is not int")
        if not 1 <= truncate <= digest_bytes:
            raise ValueError(f"truncate: {truncate} is not from 1 to {digest_bytes}, the bytes of a digest of {algorithm}")
    return None if key is None else bytes(key), None if prefix is None else bytes(prefix), truncate


def _column_udf(
    name: str, algorithm: str, output: Output, key: Bytes | None, prefix: Bytes | None, truncate: int | None
) -> Callable[..., Column]:
    key, prefix, truncate = _options(algorithm, output, key, prefix, truncate)

    def digest(column: pa.Array) -> pa.Array:
        try:
            return pa.array(manyhash.arrow.hash(column, algorithm, output, key=key, prefix=prefix, truncate=truncate, layout="offsets"))
        except TypeError as error:
            raise TypeError(f"{name}: the column is {column.type}: {error}. In Spark: col.cast('string') or col.cast('binary')") from None

    return _named(digest, name, output)


def _rows_udf(
    name: str, algorithm: str, output: Output, key: Bytes | None, prefix: Bytes | None, truncate: int | None
) -> Callable[..., Column]:
    key, prefix, truncate = _options(algorithm, output, key, prefix, truncate)

    def digest(*columns: pa.Array) -> pa.Array:
        batch = pa.RecordBatch.from_arrays(list(columns), names=[f"column {number}" for number in range(1, len(columns) + 1)])
        try:
            return pa.array(
                manyhash.arrow.hash_rows(
                    batch,
                    None,
                    algorithm,
                    output,
                    key=key,
                    prefix=prefix,
                    truncate=truncate,
                    layout="offsets",
                )
            )
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None

    return _named(digest, name, output)


def _named(digest: Any, name: str, output: Output) -> Callable[..., Column]:
    """Gives a function its name, which is all that plans show of it: keys are in the closure only.
    """
    digest.__name__ = digest.__qualname__ = name
    function: Callable[..., Column] = _column_of_pandas(digest, output) if _arrow_udf is None else _arrow_udf(digest, _SPARK_TYPES[output])
    return function


def _column_of_pandas(digest: Any, output: Output) -> Any:
    """The function where Spark gives columns as Series of pandas, with None for null."""
    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    @functools.wraps(digest)
    def of_series(column: Any) -> Any:
        return digest(pa.Array.from_pandas(column)).to_pandas()

    # What this is a function of, which PySpark finds in annotations.
    of_series.__annotations__ = {"column": pd.Series, "return": pd.Series}
    of_series.__dict__.pop("__wrapped__")
    make: Any = pandas_udf
    return make(of_series, _SPARK_TYPES[output])

"""What the adapters to engines share: the digest of a column that is wanted. It is checked before a
query runs, and its key is never shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arro3.core import Array, DataType

import manyhash
from manyhash import arrow
from manyhash._algorithms import AlgorithmName
from manyhash.arrow import Layout, Output

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["ColumnDigest", "Layout", "Output", "missing_engine", "named_algorithms"]


@dataclass(frozen=True, slots=True)
class ColumnDigest:
    """The arguments of `manyhash.arrow.hash` but for the column. Engines show their functions, so
    the key is in no repr.
    """

    algorithm: AlgorithmName | str = "sha256"
    output: Output = "binary"
    key: Buffer | None = field(default=None, repr=False)
    prefix: Buffer | None = field(default=None, repr=False)
    truncate: int | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("key", "prefix"):
            if (value := getattr(self, name)) is not None:
                try:
                    # This is a copy, because a bytearray may change until the query runs.
                    object.__setattr__(self, name, bytes(memoryview(value)))
                except TypeError:
                    raise TypeError(f"{name} is a {type(value).__name__}, not bytes") from None
        # Hashing an empty column finds everything else that is wrong with the arguments here, where
        # they are given, and not in a query.
        self.of_column(Array([], type=DataType.string()))

    def of_column(self, column: Any, layout: Layout = "fixed") -> Any:
        """The digests of a column's rows: an `arro3` Array, or a ChunkedArray of a stream."""
        return arrow.hash(
            column,
            self.algorithm,
            self.output,
            key=self.key,
            prefix=self.prefix,
            truncate=self.truncate,
            threads=self.threads,
            layout=layout,
        )

    def of_rows(self, table: Any, layout: Layout = "fixed") -> Any:
        """A digest for each row of a table, over all its columns in their order."""
        return arrow.hash_rows(
            table,
            None,
            self.algorithm,
            self.output,
            key=self.key,
            prefix=self.prefix,
            truncate=self.truncate,
            threads=self.threads,
            layout=layout,
        )


def named_algorithms(algorithms: str | Iterable[str] | None, name: str | None, **bound: Any) -> dict[str, str]:
    """The names of SQL functions, `name` or `manyhash_ALGORITHM`, and the algorithm of each.
    Without `algorithms`, all algorithms.

    What is `bound` to functions (a key, say) makes them others than the plain digests, and asks for
    a name of their own.
    """
    if name is None:
        if given := [option for option, value in bound.items() if value is not None]:
            raise ValueError(f"functions with {' and '.join(given)} need a name of their own: name='pseudonym', say")
        chosen = manyhash.algorithms if algorithms is None else [algorithms] if isinstance(algorithms, str) else list(algorithms)
        return {f"manyhash_{manyhash.new(algorithm).name}": algorithm for algorithm in chosen}
    chosen = ["sha256"] if algorithms is None else [algorithms] if isinstance(algorithms, str) else list(algorithms)
    if len(chosen) != 1:
        raise ValueError(f"name={name!r} is for functions of one algorithm, not of {len(chosen)}")
    return {name: chosen[0]}


def missing_engine(module: str, error: ImportError) -> ImportError:
    """The error that says what to install when `manyhash.module` cannot import its engine."""
    text = f"manyhash.{module} cannot import {error.name or module}: pip install '.[{module}]' in a checkout of manyhash"
    return ImportError(text, name=error.name, path=error.path)

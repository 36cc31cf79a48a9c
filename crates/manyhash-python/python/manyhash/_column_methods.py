"""The methods of `column.manyhash` in engines that allow methods to be added: one for each
algorithm. The stub has their signatures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import manyhash

Column = TypeVar("Column")


class ColumnMethods(ABC, Generic[Column]):
    """`.hash(algorithm, ...)`, and for each name in `manyhash.algorithms` a method of that name:
    `.sha256(...)`.
    """

    @abstractmethod
    def hash(self, algorithm="sha256", output="binary", *, key=None, prefix=None, truncate=None, threads=1):  # type: ignore[no-untyped-def]
        """The digest of every row."""


def _method(algorithm: str) -> Any:
    def method(self, output="binary", *, key=None, prefix=None, truncate=None, threads=1):  # type: ignore[no-untyped-def]
        return self.hash(algorithm, output, key=key, prefix=prefix, truncate=truncate, threads=threads)

    method.__name__ = algorithm
    method.__qualname__ = f"ColumnMethods.{algorithm}"
    method.__doc__ = f"The {algorithm} digest of every row; the arguments are those of `manyhash.arrow.hash`."
    return method


for _algorithm in manyhash.algorithms:
    setattr(ColumnMethods, _algorithm, _method(_algorithm))

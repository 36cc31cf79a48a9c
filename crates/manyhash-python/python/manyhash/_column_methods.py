"""The methods of `column.manyhash` in engines that allow methods to be added: one for each
algorithm, and one for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, TypeVar, Unpack

from manyhash._algorithms import AlgorithmMethods, AlgorithmName
from manyhash.arrow import Options, Output

Column = TypeVar("Column")
Result = TypeVar("Result", covariant=True)


class DigestMethod(Protocol[Result]):
    """The method of one algorithm."""

    def __call__(self, output: Output = "binary", **options: Unpack[Options]) -> Result: ...


class ColumnMethods(AlgorithmMethods[Column], ABC):
    """`.hash(algorithm, ...)`, and for each name in `manyhash.algorithms` a method of that name:
    `.sha256(...)`.
    """

    @abstractmethod
    def hash(self, algorithm: AlgorithmName | str = "sha256", output: Output = "binary", **options: Unpack[Options]) -> Column:
        """The digest of every row."""

"""What there is one of for each of `manyhash.algorithms`: a constructor like hashlib's, and a method of columns.

The stub beside this file names them all for type checkers. A test writes it: see tests/core/test_typing.py.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from manyhash import _manyhash

__all__ = list(_manyhash.algorithms)
globals().update({name: getattr(_manyhash, name) for name in __all__})

AlgorithmName = Literal[_manyhash.algorithms]  # type: ignore[valid-type]
"""A name of `manyhash.algorithms`."""

Column = TypeVar("Column")


class AlgorithmMethods(Generic[Column]):
    """For each name in `manyhash.algorithms` a method of that name, for classes that have `.hash(algorithm, ...)`."""


def _method(algorithm: str) -> Any:
    def method(self: Any, output: str = "binary", **options: Any) -> Any:
        return self.hash(algorithm, output, **options)

    method.__name__ = algorithm
    method.__qualname__ = f"AlgorithmMethods.{algorithm}"
    method.__doc__ = f"The {algorithm} digest of every row; the arguments are those of `manyhash.arrow.hash`."
    return method


for _algorithm in __all__:
    setattr(AlgorithmMethods, _algorithm, _method(_algorithm))

"""manyhash in Apache Spark: digests of columns, and of all files below a path, in as many executors
as there are.

    import manyhash.spark as mhs

    frame.select(mhs.sha256("email", key=secret))              # binary; output="hex" is what sha2() gives
    frame.select(mhs.hash_rows("name", "born"))
    mhs.register(spark)                                        # SELECT manyhash_sha256_hex(email)
    mhs.write(mhs.manifest(spark, "s3a://lake/raw"), "s3a://lake/raw.manifest")

There is a function for each of `manyhash.algorithms`. `python -m manyhash.spark` makes and checks
manifests: see docs/spark.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import manyhash

try:
    import pyarrow as _pyarrow  # noqa: F401
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(f"manyhash.spark needs {error.name}: pip install '.[spark]' in a checkout of manyhash") from error

from manyhash.spark.functions import DigestFunction, algorithm_function, hash, hash_rows, register
from manyhash.spark.session import CONNECT as _CONNECT

if TYPE_CHECKING:
    from manyhash.spark.files import IncompleteTable as IncompleteTable
    from manyhash.spark.files import check as check
    from manyhash.spark.files import dups as dups
    from manyhash.spark.files import manifest as manifest
    from manyhash.spark.files import read_table as read_table
    from manyhash.spark.files import write as write

_FILES = ("IncompleteTable", "check", "dups", "manifest", "read_table", "write")

__all__ = ["hash", "hash_rows", "register", *manyhash.algorithms, *_FILES]


if TYPE_CHECKING:

    def __getattr__(name: str) -> DigestFunction: ...

else:

    def __getattr__(name: str) -> Any:
        if name in manyhash.algorithms:
            value = algorithm_function(name)
        elif name in _FILES:
            # Late, because clients of Spark Connect have no py4j.
            try:
                from manyhash.spark import files
            except ModuleNotFoundError as error:
                if error.name != "py4j":
                    raise
                raise NotImplementedError(f"manyhash.spark.{name} {_CONNECT}") from error
            value = getattr(files, name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

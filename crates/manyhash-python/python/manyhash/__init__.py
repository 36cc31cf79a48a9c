"""Hashes many messages at once: hashlib for lists, files and Arrow columns.

>>> import manyhash
>>> manyhash.hash_many("sha256", [b"one", b"two"], output="hex")[1][:16]
'3fc4ccfe745870e2'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

from manyhash import _algorithms, _manyhash, tree
from manyhash._algorithms import *
from manyhash._manyhash import (
    Hash,
    __version__,
    algorithms,
    hash_many,
    hmac_many,
    new,
    verify_many,
)

__all__ = [
    "Backend",
    "FileDigest",
    "Hash",
    "__version__",
    "algorithms",
    "backend",
    "file_digests",
    "hash_many",
    "hmac_many",
    "new",
    "tree",
    "verify_many",
]
__all__ += _algorithms.__all__


class FileDigest(NamedTuple):
    """A file's digest, or why it has none."""

    path: str
    """As it was given, of type str."""
    size: int | None
    """Bytes read; None if there is an error."""
    digest: bytes | None
    """None if there is an error."""
    error: str | None
    """Why the file could not be read, mostly in the system's words; None if it could."""


class Backend(NamedTuple):
    """What hashes."""

    name: str
    """An instruction set and a shape, such as avx512x2."""
    lanes: int
    """Messages that it advances together."""


def backend(algorithm: str = "sha256") -> Backend:
    """The backend that hashes many messages with an algorithm on this machine.

    The environment variable MANYHASH_BACKEND forces one. If it names one that cannot be used, a RuntimeError, here and from everything that
    hashes, lists those that can.
    """
    return Backend(*_manyhash.backend(algorithm))


def file_digests(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]],
    algorithm: str = "sha256",
    *,
    progress: Callable[[int, int], object] | None = None,
    threads: int = 0,
) -> list[FileDigest]:
    """The digest of each file, in the order of the paths; many files are hashed at once, and memory stays below 64 MiB.

    paths: of files. A fifo or a device is read to its end. What cannot be read, a folder too, has an error, and the others go on.
    progress: called with the files done with and the bytes read so far, at most every 100 ms and at the end. An exception that it raises
        stops the work, as Ctrl-C does, and is raised.
    threads: 0 is one a core.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths is one {type(paths).__name__}: it must be an iterable of paths")
    names = [_name(index, path) for index, path in enumerate(paths)]
    errors = [_encoding_error(name) for name in names]
    # No file has a zero byte in its name: what stands for a name that cannot be encoded has its row, and is counted, as other missing files.
    found = ["\0" if error else name for name, error in zip(names, errors, strict=True)]
    rows = _manyhash.file_digests(found, algorithm, progress, threads)
    return [
        FileDigest(name, None, None, error) if error else FileDigest(name, *row) for name, error, row in zip(names, errors, rows, strict=True)
    ]


def _name(index: int, path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"paths[{index}] is {type(path).__qualname__}: it must be str, bytes or os.PathLike") from None


def _encoding_error(name: str) -> str | None:
    """Why the system has no such name: it is not from the system, or the locale lacks its characters."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        return f"Invalid file name: {error}"
    return None

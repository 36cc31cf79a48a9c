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
    OutputHash,
    __version__,
    algorithms,
    blake2_many,
    blake3_many,
    hash_many,
    hmac_many,
    kmac_many,
    new,
    shake_128,
    shake_256,
    shake_many,
    verify_many,
)

__all__ = [
    "Backend",
    "FileDigest",
    "Hash",
    "OutputHash",
    "__version__",
    "algorithms",
    "backend",
    "blake2_many",
    "blake3_many",
    "file_digests",
    "hash_many",
    "hmac_many",
    "kmac_many",
    "new",
    "shake_128",
    "shake_256",
    "shake_many",
    "tree",
    "verify_many",
]
__all__ += _algorithms.__all__


class FileDigest(NamedTuple):
    """A file's digest, or why it has none."""

    path: str
    """The path as it was given, as str."""
    size: int | None
    """Bytes read; None if there is an error."""
    digest: bytes | None
    """The digest; None if there is an error."""
    error: str | None
    """Why the file could not be read, mostly in the system's words; None if it could."""


class Backend(NamedTuple):
    """The code that hashes many messages on this machine."""

    name: str
    """An instruction set and a shape, such as avx512x2."""
    lanes: int
    """How many messages it advances together."""


def backend(algorithm: str = "sha256") -> Backend:
    """The backend that hashes many messages with an algorithm on this machine.

    The environment variable MANYHASH_BACKEND forces a backend, and MANYHASH_WITHOUT=avx512,sha leaves
    out instruction sets. Both are read once. If one of them names what cannot be used, this function
    and everything that hashes raise a RuntimeError, which lists what can be.
    """
    return Backend(*_manyhash.backend(algorithm))


def file_digests(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]],
    algorithm: str = "sha256",
    *,
    progress: Callable[[int, int], object] | None = None,
    threads: int = 0,
) -> list[FileDigest]:
    """The digest of each file, in the order of the paths; many files are hashed at once, and memory
    stays below 64 MiB.

    paths: paths of files. A fifo or a device is read to its end. A folder, and whatever cannot be
        read, has an error, and the others go on.
    progress: called with the number of files done and of bytes read so far, at most every 100 ms
        and at the end. An exception that it raises stops the work, as Ctrl-C does, and is raised.
    threads: how many hash; 0 is one for each CPU.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths is one {type(paths).__name__}: it must be an iterable of paths")
    names = [_name(index, path) for index, path in enumerate(paths)]
    errors = [_encoding_error(name) for name in names]
    # A name that cannot be encoded has its row, and is counted, as that of another missing file: no
    # file has the name that stands for it, with a zero byte in it.
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
    """Why the system can have no file of that name, or None: the locale lacks the name's
    characters.
    """
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        return f"Invalid file name: {error}"
    return None

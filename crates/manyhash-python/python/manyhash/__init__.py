"""Hashes many messages at once: hashlib for lists, files and Arrow columns.

>>> import manyhash
>>> manyhash.hash_many([b"one", b"two"], output="hex")[1][:16]
'3fc4ccfe745870e2'
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from manyhash import _algorithms, _manyhash, tree
from manyhash._algorithms import *
from manyhash._algorithms import AlgorithmName
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
from manyhash._progress import Progress, Told

__all__ = [
    "AlgorithmName",
    "Backend",
    "FileDigest",
    "FileParts",
    "Hash",
    "OutputHash",
    "Progress",
    "__version__",
    "algorithms",
    "backend",
    "blake2_many",
    "blake3_many",
    "file_digests",
    "file_part_digests",
    "hash_file",
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

if TYPE_CHECKING:

    class Readable(Protocol):
        """A file that is open for reading bytes."""

        def read(self, size: int, /) -> bytes | None: ...



# The system has 128 KiB ready at least, and the interpreter is free for other threads while so many are hashed.
_PIECE_BYTES = 1 << 18


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


class FileParts(NamedTuple):
    """The digests of a file's parts, or why it has none."""

    path: str
    """The path as it was given, as str."""
    size: int | None
    """Bytes read; None if there is an error."""
    digests: list[bytes] | None
    """The digest of each part; None if there is an error."""
    error: str | None
    """Why the file could not be read, mostly in the system's words; None if it could."""


class Backend(NamedTuple):
    """The code that hashes many messages on this machine."""

    name: str
    """An instruction set and a shape, such as avx512x2."""
    lanes: int
    """How many messages it advances together."""


def backend(algorithm: AlgorithmName | str = "sha256") -> Backend:
    """The backend that hashes many messages with an algorithm on this machine.

    The environment variable MANYHASH_BACKEND forces a backend, and MANYHASH_WITHOUT=avx512,sha leaves
    out instruction sets. Both are read once. If one of them names what cannot be used, this function
    and everything that hashes raise a RuntimeError, which lists what can be.
    """
    return Backend(*_manyhash.backend(algorithm))


def file_digests(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]],
    algorithm: AlgorithmName | str = "sha256",
    *,
    progress: Progress = None,
    threads: int = 0,
) -> list[FileDigest]:
    """The digest of each file, in the order of the paths; many files are hashed at once, and memory
    stays below 64 MiB.

    paths: paths of files. A fifo or a device is read to its end. A folder, and whatever cannot be
        read, has an error, and the others go on.
    progress: True draws a bar on stderr (where that is no terminal, a line every ten seconds). A
        function is called with the number of files done and of bytes read so far, at most every
        100 ms and at the end; a bar such as `tqdm(total=len(paths))` is updated as often. An
        exception that it raises stops the work, as Ctrl-C does, and is raised.
    threads: how many hash; 0 is one for each CPU.
    """
    names, errors, found = _checked(paths)
    told = Told(progress, "files", len(found))
    try:
        rows = _manyhash.file_digests(found, algorithm, told.callback, threads)
    finally:
        told.close()
    return [
        FileDigest(name, None, None, error) if error else FileDigest(name, *row) for name, error, row in zip(names, errors, rows, strict=True)
    ]


def file_part_digests(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]],
    part_size: int,
    algorithm: AlgorithmName | str = "sha256",
    *,
    progress: Progress = None,
    threads: int = 0,
) -> list[FileParts]:
    """The digests of parts of each file, all of `part_size` bytes but for the last one, which may have
    fewer; an empty file has none. Parts of all files are hashed side by side, whatever their size, and
    memory stays below 64 MiB besides the digests.

    paths: paths of files. A fifo or a device, and whatever cannot be read or changes its size
        meanwhile, has an error, and the others go on.
    progress, threads: as in file_digests.
    """
    names, errors, found = _checked(paths)
    told = Told(progress, "files", len(found))
    try:
        rows = _manyhash.file_part_digests(found, part_size, algorithm, told.callback, threads)
    finally:
        told.close()
    return [
        FileParts(name, None, None, error) if error else FileParts(name, *row) for name, error, row in zip(names, errors, rows, strict=True)
    ]


def _checked(paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]]) -> tuple[list[str], list[str | None], list[str]]:
    """The names of paths, what is wrong with each as a name, and what stands for them meanwhile."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths is one {type(paths).__name__}: it must be an iterable of paths")
    names = [_name(index, path) for index, path in enumerate(paths)]
    errors = [_encoding_error(name) for name in names]
    # A name that cannot be encoded has its row, and is counted, as that of another missing file: no
    # file has the name that stands for it, with a zero byte in it.
    return names, errors, ["\0" if error else name for name, error in zip(names, errors, strict=True)]


def hash_file(file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | Readable, algorithm: AlgorithmName | str = "sha256") -> Hash:
    """An object like hashlib's for the content of one file: `hash_file("image.iso").hexdigest()`, as
    `hashlib.file_digest` gives for a file that is open. For many files there is `file_digests`.

    file: a path, or an object that is open for reading bytes, which is read from where it stands to
        its end, and stays open.

    Raises OSError if the file cannot be read, and BlockingIOError if one that does not block has no
    bytes yet.
    """
    hasher = new(algorithm)
    if isinstance(file, (str, bytes, os.PathLike)):
        with open(file, "rb", buffering=0) as opened:
            _update_from(hasher, opened)
        return hasher
    if not hasattr(file, "read"):
        raise TypeError(f"file is {type(file).__qualname__}: it must be a path, or an object that is open for reading bytes")
    _update_from(hasher, file)
    return hasher


def _update_from(hasher: Hash, file: Any) -> None:
    """Reads into the same bytes again and again if the file can do that."""
    if hasattr(file, "readinto"):
        room = memoryview(bytearray(_PIECE_BYTES))
        while size := _there(file.readinto(room)):
            hasher.update(room[:size])
        return
    while True:
        piece = _there(file.read(_PIECE_BYTES))
        if isinstance(piece, str):
            raise TypeError("file is open for reading text: it must be open for reading bytes, in mode 'rb'")
        if not piece:
            return
        hasher.update(piece)


def _there(read: Any) -> Any:
    if read is None:
        raise BlockingIOError("file does not block, and has no bytes yet")
    return read


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

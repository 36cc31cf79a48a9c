"""Digests of digests, so that one message has many that are hashed at once.

None of these is the digest of the message, whatever algorithm is under it. j_lanes, j_pointers and
files are definitions of their own; the others give byte for byte what fsverity, veritysetup,
BitTorrent clients and Amazon's tools give. TREE.md of the command says what each is.

data is a bytes-like object, mmap too. A wrong parameter is a ValueError that says what it may be.
The interpreter is free for other threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from manyhash import _manyhash
from manyhash._algorithms import AlgorithmName

if TYPE_CHECKING:
    from manyhash._manyhash import Data

__all__ = [
    "FileTree",
    "bittorrent_v2",
    "dm_verity",
    "files",
    "fs_verity",
    "glacier",
    "j_lanes",
    "j_pointers",
    "s3_composite",
]


class FileTree(NamedTuple):
    """The digests of a file that a torrent has."""

    pieces_root: bytes | None
    """`pieces root`; an empty file has none."""
    piece_layer: list[bytes]
    """`piece layers`: a digest a piece. A file of one piece or less has none."""


def j_lanes(data: Data, lanes: int = 16, algorithm: AlgorithmName | str = "sha256", *, separated: bool = False) -> bytes:
    """The j-lanes digest (Gueron 2013): words of data dealt out to lanes, 1 to 1024 of them.

    separated: with initial values of this mode alone, so that no message has the same digest in
        another mode.
    """
    return _manyhash.tree_j_lanes(data, lanes, algorithm, separated)


def j_pointers(data: Data, lanes: int = 16, algorithm: AlgorithmName | str = "sha256", *, separated: bool = False) -> bytes:
    """The j-pointers digest (Gueron 2013): data cut into 1 to 1024 ranges, each of whole blocks.
    separated is as in j_lanes.
    """
    return _manyhash.tree_j_pointers(data, lanes, algorithm, separated)


def files(digests: Iterable[Data], algorithm: AlgorithmName | str = "sha256") -> bytes:
    """The digest of a list of messages or files, from their digests in order, such as hash_many
    gives.
    """
    return _manyhash.tree_files(digests, algorithm)


def fs_verity(data: Data, algorithm: AlgorithmName | str = "sha256", *, block_size: int = 4096, salt: Data = b"") -> bytes:
    """The file digest of Linux' fs-verity, which `fsverity digest` prints.

    algorithm: sha256 or sha512.
    block_size: bytes, a power of two from 1024 to 65536.
    salt: 32 bytes at most.
    """
    return _manyhash.tree_fs_verity(data, algorithm, block_size, salt)


def dm_verity(
    data: Data,
    algorithm: AlgorithmName | str = "sha256",
    *,
    data_block_size: int = 4096,
    hash_block_size: int = 4096,
    salt: Data = b"",
    format: int = 1,  # noqa: A002 - as the standard has it
) -> bytes:
    """The root hash of a dm-verity device, which `veritysetup format` prints; a last block that is
    not full is filled with zeros.

    data_block_size, hash_block_size: bytes, powers of two from 512 to 524288.
    salt: 256 bytes at most.
    format: 1, or 0 for that of Chrome OS.
    """
    return _manyhash.tree_dm_verity(data, algorithm, data_block_size, hash_block_size, salt, format)


def bittorrent_v2(data: Data, piece_length: int) -> FileTree:
    """`pieces root` and `piece layers` of a file in a torrent (BEP 52).

    piece_length: bytes, a power of two from 16384.
    """
    return FileTree(*_manyhash.tree_bittorrent_v2(data, piece_length))


def s3_composite(data: Data, part_size: int = 8 << 20, algorithm: AlgorithmName | str = "sha256") -> bytes:
    """The composite checksum of an object that S3 got in parts, without the number of parts that S3
    shows after it.

    part_size: bytes of a part, all but the last: whoever uploads chooses it, and 8 MiB are the
        default of Amazon's tools.
    algorithm: with md5, that of an ETag, which S3 shows in hexadecimal; other checksums it shows in
        base64.
    """
    return _manyhash.tree_s3_composite(data, part_size, algorithm)


def glacier(data: Data) -> bytes:
    """The SHA-256 tree hash of an archive in S3 Glacier."""
    return _manyhash.tree_glacier(data)

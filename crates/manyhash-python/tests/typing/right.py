"""What type checkers must accept, with the types that they must see."""

from __future__ import annotations

import array
import io
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import assert_type

import numpy
from numpy.typing import NDArray

import manyhash
from manyhash import AlgorithmName, Backend, FileDigest, Hash, tree


def messages() -> Iterator[bytes]:
    yield b"one"


def objects(mapped: mmap.mmap) -> None:
    hasher = manyhash.sha256(b"data", usedforsecurity=False)
    assert_type(hasher, Hash)
    assert_type(manyhash.new("sha512", bytearray(b"x")), Hash)
    hasher.update(memoryview(b"x"))
    hasher.update(array.array("i", [1]))
    hasher.update(numpy.zeros(3))
    hasher.update(mapped)
    assert_type(hasher.copy(), Hash)
    assert_type(hasher.digest(), bytes)
    assert_type(hasher.hexdigest(), str)
    assert_type((hasher.name, hasher.digest_size, hasher.block_size), tuple[str, int, int])


def many(table: NDArray[numpy.uint8], offsets: NDArray[numpy.int64]) -> None:
    assert_type(manyhash.algorithms, tuple[str, ...])
    name: AlgorithmName = "sha3_256"
    assert_type(manyhash.hash_many([b"a", "b", bytearray()]), list[bytes])
    assert_type(manyhash.hash_many([b"a"], name), list[bytes])
    assert_type(manyhash.hash_many([b"a"], "SHA-256"), list[bytes])
    assert_type(manyhash.shake_many(messages(), "kt128", 32, output="hex"), list[str])
    assert_type(manyhash.kmac_many(messages(), key=b"key"), list[bytes])
    assert_type(manyhash.blake2_many(messages(), key=b"key", output="bytes"), bytes)
    assert_type(manyhash.hash_many(messages(), "sha256", output="list", threads=0), list[bytes])
    assert_type(manyhash.hash_many((b"a",), "sha256", output="hex"), list[str])
    assert_type(manyhash.hash_many(table, "sha256", output="bytes"), bytes)
    assert_type(manyhash.hash_many(b"abc", "sha256", offsets=offsets, output="numpy"), NDArray[numpy.uint8])
    assert_type(manyhash.hmac_many(["a"], key=b"key"), list[bytes])
    assert_type(manyhash.hmac_many(["a", "b"], "sha512", key=[b"key", bytearray(b"key")], output="bytes"), bytes)
    assert_type(manyhash.verify_many([b"a"], [b"tag"], key=b"key", threads=2), list[bool])
    assert_type(manyhash.verify_many(table, table, key=table), list[bool])
    assert_type(manyhash.backend(), Backend)
    assert_type(manyhash.backend("md5").lanes, int)


def files(path: Path) -> None:
    rows = manyhash.file_digests([path, "name", b"name"], "sha1", progress=lambda files, size: print(files + size))
    assert_type(rows, list[FileDigest])
    assert_type(manyhash.hash_file(path), Hash)
    assert_type(manyhash.hash_file("name", "blake3").hexdigest(), str)
    with path.open("rb") as file, path.open("rb", buffering=0) as unbuffered:
        assert_type(manyhash.hash_file(file, "sha512"), Hash)
        assert_type(manyhash.hash_file(unbuffered), Hash)
        assert_type(manyhash.hash_file(io.BytesIO()), Hash)
    assert_type(rows[0].path, str)
    assert_type(rows[0].size, int | None)
    assert_type(rows[0].digest, bytes | None)
    assert_type(rows[0].error, str | None)


def trees(mapped: mmap.mmap) -> None:
    assert_type(tree.j_lanes(mapped), bytes)
    assert_type(tree.j_pointers(b"", 8, "sha512", separated=True), bytes)
    assert_type(tree.files(manyhash.hash_many([b"a"], "sha256")), bytes)
    assert_type(tree.fs_verity(mapped, block_size=1024, salt=b"s"), bytes)
    assert_type(tree.dm_verity(mapped, "sha512", salt=b"s", format=0), bytes)
    assert_type(tree.s3_composite(mapped, 1 << 20, "md5"), bytes)
    assert_type(tree.glacier(mapped), bytes)
    assert_type(tree.bittorrent_v2(mapped, 1 << 20).pieces_root, bytes | None)
    assert_type(tree.bittorrent_v2(mapped, 1 << 20).piece_layer, list[bytes])

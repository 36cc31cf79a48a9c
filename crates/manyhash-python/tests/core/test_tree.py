"""`manyhash.tree` beside other makers: what the real tools print, and the definitions in terms of
hashlib.
"""

from __future__ import annotations

import hashlib
import mmap
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import IN_HASHLIB, tool

import manyhash
from manyhash import tree

SIZES = [0, 1, 100, 4095, 4096, 4097, 100_000, (1 << 20) + 17]


def content(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def digest(algorithm: str, data: bytes) -> bytes:
    return hashlib.new(algorithm, data).digest()


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
@pytest.mark.parametrize("block_size", [1024, 4096])
@pytest.mark.parametrize("salt", [b"", b"salt"])
def test_fs_verity_is_what_fsverity_prints(tmp_path: Path, algorithm: str, block_size: int, salt: bytes) -> None:
    path = tmp_path / "file"
    options = [f"--hash-alg={algorithm}", f"--block-size={block_size}", *([f"--salt={salt.hex()}"] if salt else [])]
    for size in SIZES:
        path.write_bytes(content(size))
        printed = subprocess.run([tool("fsverity"), "digest", "--compact", *options, path], capture_output=True, text=True, check=True)
        assert tree.fs_verity(content(size), algorithm, block_size=block_size, salt=salt).hex() == printed.stdout.strip()


@pytest.mark.parametrize("algorithm", ["sha256", "sha1", "sha512"])
@pytest.mark.parametrize("format_number", [0, 1])
def test_dm_verity_is_what_veritysetup_prints(tmp_path: Path, algorithm: str, format_number: int) -> None:
    data, hashes, salt = tmp_path / "data", tmp_path / "hashes", bytes(range(20))
    for blocks, data_block_size, hash_block_size in [(1, 4096, 4096), (300, 512, 1024), (1000, 1024, 512)]:
        data.write_bytes(content(blocks * data_block_size))
        hashes.unlink(missing_ok=True)
        command = [tool("veritysetup"), "format", f"--hash={algorithm}", f"--data-block-size={data_block_size}", f"--salt={salt.hex()}"]
        command += [f"--hash-block-size={hash_block_size}", f"--format={format_number}", str(data), str(hashes)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        root = re.search(r"Root hash:\s+([0-9a-f]+)", printed)
        ours = tree.dm_verity(
            data.read_bytes(), algorithm, data_block_size=data_block_size, hash_block_size=hash_block_size, salt=salt, format=format_number
        )
        assert root and ours.hex() == root[1]


def test_dm_verity_of_nothing_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="data is empty: dm-verity is of one block at least"):
        tree.dm_verity(b"")


def merkle(leaves: list[bytes], algorithm: str = "sha256") -> bytes:
    """The root of a binary tree, of which an odd one goes up as it is."""
    while len(leaves) > 1:
        pairs = [leaves[i : i + 2] for i in range(0, len(leaves), 2)]
        leaves = [digest(algorithm, pair[0] + pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return leaves[0]


@pytest.mark.parametrize("size", [*SIZES, 3 << 20, (5 << 20) + 1])
def test_glacier_is_a_tree_of_mebibytes(size: int) -> None:
    data = content(size)
    leaves = [digest("sha256", data[i : i + (1 << 20)]) for i in range(0, size, 1 << 20)]
    assert tree.glacier(data) == merkle(leaves or [digest("sha256", b"")])


@pytest.mark.parametrize("size", [*SIZES, 16384, 16385, 65536, 65537, 3 << 20])
@pytest.mark.parametrize("piece_length", [16384, 65536, 1 << 20])
def test_bittorrent_v2_is_as_bep_52_says(size: int, piece_length: int) -> None:
    data, zero = content(size), bytes(32)
    blocks = [digest("sha256", data[i : i + 16384]) for i in range(0, size, 16384)]
    leaves = blocks + [zero] * ((1 << (len(blocks) - 1).bit_length()) - len(blocks) if blocks else 0)
    found = tree.bittorrent_v2(data, piece_length)
    assert found.pieces_root == (merkle(leaves) if blocks else None)
    in_piece = piece_length // 16384
    padded = blocks + [zero] * (-len(blocks) % in_piece)
    pieces = [merkle(padded[i : i + in_piece]) for i in range(0, len(padded), in_piece)]
    assert found.piece_layer == (pieces if size > piece_length else [])


@pytest.mark.parametrize("algorithm", ["sha256", "md5", "sha1"])
@pytest.mark.parametrize("size", SIZES)
def test_s3_composite_is_the_digest_of_the_digests_of_parts(algorithm: str, size: int) -> None:
    data = content(size)
    for part_size in (1000, 4096, 8 << 20):
        parts = [data[i : i + part_size] for i in range(0, size, part_size)] or [b""]
        assert tree.s3_composite(data, part_size, algorithm) == digest(algorithm, b"".join(digest(algorithm, part) for part in parts))


def test_files_is_the_digest_of_digests() -> None:
    for count in (0, 1, 5, 1000):
        messages = [content(i % 50) for i in range(count)]
        right = digest("sha1", b"".join(digest("sha1", message) for message in messages))
        assert tree.files(manyhash.hash_many(messages, "sha1"), "sha1") == right
        assert tree.files(manyhash.hash_many(messages, "sha1", output="numpy"), "sha1") == right


@pytest.mark.parametrize("algorithm", IN_HASHLIB)
@pytest.mark.parametrize("lanes", [1, 2, 16, 33])
def test_lanes_and_pointers_are_as_defined(algorithm: str, lanes: int) -> None:
    word = 8 if algorithm.startswith(("sha384", "sha512", "sha3_", "blake2b")) else 4
    block = hashlib.new(algorithm).block_size
    for size in SIZES[:7]:
        data = content(size)
        words = [data[i : i + word] for i in range(0, size, word)]
        slices = [b"".join(words[lane::lanes]) for lane in range(lanes)]
        assert tree.j_lanes(data, lanes, algorithm) == digest(algorithm, b"".join(digest(algorithm, part) for part in slices))
        width = -(-size // lanes // block) * block if size % lanes == 0 else (size // lanes // block + 1) * block
        ranges = [data[lane * width : (lane + 1) * width] for lane in range(lanes)]
        assert tree.j_pointers(data, lanes, algorithm) == digest(algorithm, b"".join(digest(algorithm, part) for part in ranges))


def test_separated_digests_are_those_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content(100_000))
    for mode, function in (("j-lanes", tree.j_lanes), ("j-pointers", tree.j_pointers)):
        command = [sys.executable, "-m", "manyhash", "tree", mode, "--separated", "-l", "8", str(path)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        separated = function(path.read_bytes(), 8, separated=True)
        assert separated.hex() in printed
        assert separated != function(path.read_bytes(), 8)


def test_data_may_be_mapped(tmp_path: Path) -> None:
    data = content(3 << 20)
    path = tmp_path / "file"
    path.write_bytes(data)
    functions: list[Any] = [tree.j_lanes, tree.j_pointers, tree.fs_verity, tree.dm_verity, tree.s3_composite, tree.glacier]
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for function in functions:
            assert function(mapped) == function(data)
        assert tree.bittorrent_v2(mapped, 65536) == tree.bittorrent_v2(data, 65536)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tree.j_lanes(b"", 0), "0 lanes: it must be 1 to 1024"),
        (lambda: tree.j_pointers(b"", 1025), "1025 lanes"),
        (lambda: tree.j_lanes(b"", -1), "lanes is -1: it must not be negative"),
        (lambda: tree.fs_verity(b"", block_size=1000), "block size of 1000 bytes: it must be a power of two from 1024 to 65536"),
        (lambda: tree.fs_verity(b"", salt=bytes(33)), "salt of 33 bytes: it must be 32 at most"),
        (lambda: tree.fs_verity(b"", "sha1"), "fs-verity is of sha256 or sha512, not of sha1"),
        (lambda: tree.dm_verity(b"x", data_block_size=256), "data block size of 256 bytes"),
        (lambda: tree.dm_verity(b"x", hash_block_size=3000), "hash block size of 3000 bytes"),
        (lambda: tree.dm_verity(b"x", salt=bytes(257)), "salt of 257 bytes"),
        (lambda: tree.dm_verity(b"x", format=2), "format is 2: it must be 1, or 0"),
        (lambda: tree.dm_verity(b"x", format=-1), "format is -1: it must be 1, or 0"),
        (lambda: tree.dm_verity(b"x", format=1 << 32), "format is 4294967296: it must be 1, or 0"),
        (lambda: tree.dm_verity(b"x", format=1 << 70), "format is out of range"),
        (lambda: tree.dm_verity(b"x", data_block_size=1 << 70), "data_block_size is out of range"),
        (lambda: tree.dm_verity(b"x", hash_block_size=-(1 << 70)), "hash_block_size is out of range"),
        (lambda: tree.j_lanes(b"", 1 << 64), "lanes is out of range"),
        (lambda: tree.fs_verity(b"", block_size=1 << 64), "block_size is out of range"),
        (lambda: tree.s3_composite(b"", 1 << 64), "part_size is out of range"),
        (lambda: tree.bittorrent_v2(b"", 1 << 64), "piece_length is out of range"),
        (lambda: tree.bittorrent_v2(b"", 8192), "piece length of 8192 bytes"),
        (lambda: tree.bittorrent_v2(b"", -16384), "piece_length is -16384: it must not be negative"),
        (lambda: tree.s3_composite(b"", 0), "part_size is 0"),
        (lambda: tree.files([bytes(32), bytes(31)]), r"digests\[1\] has 31 bytes: those of SHA-256 have 32"),
        (lambda: tree.j_lanes(b"", 1, "crc32"), "unknown algorithm"),
    ],
)
def test_a_wrong_parameter_is_a_value_error_that_says_what_it_may_be(call: Any, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        call()


def test_what_has_no_bytes_is_a_type_error() -> None:
    wrong: Any
    for wrong in ("text", 5, None):
        with pytest.raises(TypeError, match="data is"):
            tree.glacier(wrong)

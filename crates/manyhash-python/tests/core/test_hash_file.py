"""`hash_file` beside `hashlib.file_digest`."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import random
from pathlib import Path
from typing import Any

import pytest
import support

import manyhash
from manyhash import hash_file

SIZES = [0, 1, 4095, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 3_000_000]


class Unbuffered:
    """What can be read and nothing else, as bodies of HTTP are, a little at a time."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def read(self, size: int) -> bytes:
        return self._content.read(min(size, 10_007))


@pytest.mark.parametrize("size", SIZES)
def test_a_file_has_the_digest_of_hashlib_however_it_is_given(size: int, tmp_path: Path) -> None:
    content = random.Random(size).randbytes(size)
    path = tmp_path / "content"
    path.write_bytes(content)
    with path.open("rb") as file:
        right = hashlib.file_digest(file, "sha256").hexdigest()
    for way in (path, str(path), os.fsencode(path), io.BytesIO(content), Unbuffered(content)):
        assert hash_file(way).hexdigest() == right
    (tmp_path / "content.gz").write_bytes(gzip.compress(content))
    with path.open("rb") as buffered, path.open("rb", buffering=0) as raw, gzip.open(tmp_path / "content.gz") as unpacked:
        for file in (buffered, raw, unpacked):
            assert hash_file(file).hexdigest() == right
            assert not file.closed


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
def test_every_algorithm_has_an_object_that_goes_on(algorithm: str, tmp_path: Path) -> None:
    path = tmp_path / "content"
    path.write_bytes(b"one")
    hasher = hash_file(path, algorithm)
    assert type(hasher) is type(manyhash.new(algorithm)) and hasher.name == algorithm
    hasher.update(b"two")
    assert hasher.digest() == hashlib.new(algorithm, b"onetwo").digest()


def test_an_open_file_is_read_from_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "content").write_bytes(b"one, two")
    with (tmp_path / "content").open("rb") as file:
        file.seek(5)
        assert hash_file(file).digest() == hashlib.sha256(b"two").digest()
        assert file.read() == b""


def test_what_cannot_be_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        hash_file(tmp_path / "missing")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        hash_file(tmp_path)
    wrong: Any
    for wrong in (5, None, [tmp_path]):
        with pytest.raises(TypeError, match=f"file is {type(wrong).__name__}: it must be a path, or an object that is open"):
            hash_file(wrong)
    for wrong in (io.StringIO("text"), (tmp_path / "text").open("w+")):
        with wrong, pytest.raises(TypeError, match="file is open for reading text: it must be open for reading bytes"):
            wrong.write("text")
            wrong.seek(0)
            hash_file(wrong)
    with pytest.raises(ValueError, match="unknown algorithm"):
        hash_file(tmp_path / "missing", "sha257")


def test_a_pipe_that_has_no_bytes_yet_is_no_empty_file() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with open(reading, "rb", buffering=0) as pipe, open(writing, "wb") as other, pytest.raises(BlockingIOError, match="no bytes yet"):
        hash_file(pipe)
        other.close()

"""OpenSSF model signing whose files and shards are hashed side by side.

>>> import model_signing
>>> from manyhash.model_signing import Config
>>> config = Config().use_shard_serialization(shard_size=1_000_000)
>>> signing = model_signing.signing.Config().set_hashing_config(config)

`Config` is `model_signing.hashing.Config`, with the same manifests, signatures and errors; verifying.Config
takes it too. It needs the package `model-signing`, 1.1 or later, and `pyopenssl`, which that forgets to ask
for. BLAKE3, which that package hashes with all cores, and a file that changes meanwhile are hashed as ever.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import model_signing.hashing
from model_signing._hashing import hashing, io

import manyhash

__all__ = ["Config"]

_ALGORITHMS = {"sha256": "sha256", "blake2": "blake2b"}
_GIT = [".git/", ".gitattributes", ".github/", ".gitignore"]


class Config(model_signing.hashing.Config):
    """`model_signing.hashing.Config`, hashed by manyhash."""

    def __init__(self) -> None:
        self._model = _Model([], [])
        super().__init__()  # type: ignore[no-untyped-call]

    def hash(self, model_path: Any, *, files_to_hash: Iterable[Any] | None = None) -> Any:
        """Hashes a model using the current configuration."""
        root = pathlib.Path(os.fsdecode(model_path))
        ignored = [root / path for path in [*self._ignored_paths, *(_GIT if self._ignore_git_paths else [])]]
        listed = itertools.chain([root], root.glob("**/*")) if files_to_hash is None else files_to_hash
        self._model = _Model(listed, ignored)
        try:
            return super().hash(root, files_to_hash=self._model.list_files())
        finally:
            self._model = _Model([], [])

    def _build_file_hasher_factory(
        self, hashing_algorithm: Any = "sha256", chunk_size: int = 1 << 20, max_workers: int | None = None
    ) -> Callable[[pathlib.Path], Any]:
        usual = super()._build_file_hasher_factory(hashing_algorithm, chunk_size, max_workers)
        name = _ALGORITHMS.get(hashing_algorithm)
        if name is None:
            return usual

        def hasher(path: pathlib.Path) -> Any:
            content = self._build_stream_hasher(hashing_algorithm)
            digests = lambda: self._model.file_digests(name, max_workers)  # noqa: E731
            return _File(path, content, chunk_size=chunk_size).of(digests)

        return hasher

    def _build_sharded_file_hasher_factory(
        self, hashing_algorithm: Any = "sha256", chunk_size: int = 1 << 20, shard_size: int = 1_000_000_000
    ) -> Callable[[pathlib.Path, int, int], Any]:
        usual = super()._build_sharded_file_hasher_factory(hashing_algorithm, chunk_size, shard_size)
        name = _ALGORITHMS.get(hashing_algorithm)
        if name is None:
            return usual

        def hasher(path: pathlib.Path, start: int, end: int) -> Any:
            content = self._build_stream_hasher(hashing_algorithm)
            shard = _Shard(path, content, start=start, end=end, chunk_size=chunk_size, shard_size=shard_size)
            return shard.of(lambda: self._model.shard_digests(name, shard_size))

        return hasher


class _Model:
    """The files of one call, and their digests, all of which are made when the first one is asked for."""

    def __init__(self, listed: Iterable[Any], ignored: list[pathlib.Path]) -> None:
        self._listed = listed
        self._ignored = ignored
        self._files: list[pathlib.Path] = []
        self._lock = threading.Lock()
        self._digests: dict[Any, Any] | None = None

    def list_files(self) -> Iterator[Any]:
        """What was listed; those that are hashed are noted on the way."""
        for path in self._listed:
            # This may raise an error, and the next one is not asked for.
            yield path
            if path.is_file() and not any(path.is_relative_to(ignored) for ignored in self._ignored):
                self._files.append(path)

    def file_digests(self, algorithm: str, threads: int | None) -> dict[Any, Any]:
        with self._lock:
            if self._digests is None:
                rows = manyhash.file_digests(self._files, algorithm, threads=threads or 0)
                self._digests = {path: row.digest for path, row in zip(self._files, rows, strict=True)}
            return self._digests

    def shard_digests(self, algorithm: str, shard_size: int) -> dict[Any, Any]:
        with self._lock:
            if self._digests is None:
                rows = manyhash.file_part_digests(self._files, shard_size, algorithm)
                # Of a file that cannot be read there is none.
                self._digests = {
                    (path, index * shard_size, min((index + 1) * shard_size, row.size or 0)): digest
                    for path, row in zip(self._files, rows, strict=True)
                    for index, digest in enumerate(row.digests or [])
                }
            return self._digests


class _File(io.SimpleFileHasher):
    """A file whose digest is known, or is made as ever if it is not."""

    def of(self, digests: Callable[[], dict[Any, Any]]) -> Any:
        self._digests = digests
        return self

    def _key(self) -> Any:
        return self._file

    def compute(self) -> Any:
        digest = self._digests().get(self._key())
        return super().compute() if digest is None else hashing.Digest(self.digest_name, digest)


class _Shard(_File, io.ShardedFileHasher):
    """A shard whose digest is known, or is made as ever if it is not."""

    def _key(self) -> Any:
        return (self._file, self._start, self._end)

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
from collections.abc import Iterable, Iterator
from typing import Any

import model_signing.hashing
from model_signing import manifest
from model_signing._hashing import hashing
from model_signing._serialization import serialization

import manyhash

__all__ = ["Config"]

_ALGORITHMS = {"sha256": "sha256", "blake2": "blake2b"}


class Config(model_signing.hashing.Config):
    """`model_signing.hashing.Config`, hashed by manyhash."""

    def hash(self, model_path: Any, *, files_to_hash: Iterable[Any] | None = None) -> Any:
        """Hashes a model using the current configuration."""
        return super().hash(os.fsdecode(model_path), files_to_hash=files_to_hash)

    def use_file_serialization(
        self, *, hashing_algorithm: Any = "sha256", max_workers: int | None = None, **others: Any
    ) -> Any:
        """`model_signing.hashing.Config.use_file_serialization`; `max_workers` is the number of threads."""
        super().use_file_serialization(hashing_algorithm=hashing_algorithm, max_workers=max_workers, **others)
        if hashing_algorithm in _ALGORITHMS:
            serializer: Any = _Files(self._serializer, _ALGORITHMS[hashing_algorithm], max_workers)
            self._serializer = serializer
        return self

    def use_shard_serialization(
        self, *, hashing_algorithm: Any = "sha256", max_workers: int | None = None, **others: Any
    ) -> Any:
        """`model_signing.hashing.Config.use_shard_serialization`; `max_workers` is the number of threads."""
        super().use_shard_serialization(hashing_algorithm=hashing_algorithm, max_workers=max_workers, **others)
        if hashing_algorithm in _ALGORITHMS:
            serializer: Any = _Shards(self._serializer, _ALGORITHMS[hashing_algorithm], max_workers)
            self._serializer = serializer
        return self


class _Serializer(serialization.Serializer):
    """A serializer whose digests are made by one call of manyhash, and all else by one of model-signing."""

    def __init__(self, usual: Any, algorithm: str, threads: int | None) -> None:
        self._usual = usual
        self._algorithm = algorithm
        # A number that is not one of workers is an error of model-signing's.
        self._threads = max(threads or 0, 0)

    def set_allow_symlinks(self, allow_symlinks: bool) -> None:
        self._allow_symlinks = allow_symlinks
        self._usual.set_allow_symlinks(allow_symlinks)

    def serialize(
        self,
        model_path: pathlib.Path,
        *,
        ignore_paths: Iterable[pathlib.Path] = frozenset(),
        files_to_hash: Iterable[Any] | None = None,
    ) -> Any:
        files = []
        for path in itertools.chain([model_path], model_path.glob("**/*")) if files_to_hash is None else files_to_hash:
            serialization.check_file_or_directory(path, allow_symlinks=self._allow_symlinks)
            if path.is_file() and not serialization.should_ignore(path, ignore_paths):
                files.append(path)
        # Files that cannot be read, or change meanwhile, are hashed as ever: the errors are those of model-signing.
        left: list[pathlib.Path] = []
        items = list(self._hash(model_path, files, left))
        result = self._usual.serialize(model_path, ignore_paths=ignore_paths, files_to_hash=left)
        result._item_to_digest.update((item.key, item.digest) for item in items)
        return result

    def _hash(self, root: pathlib.Path, files: list[pathlib.Path], left: list[pathlib.Path]) -> Iterator[manifest.ManifestItem]:
        """The items of the files, but for those that it adds to what is left."""
        raise NotImplementedError


class _Files(_Serializer):
    def _hash(self, root: pathlib.Path, files: list[pathlib.Path], left: list[pathlib.Path]) -> Iterator[manifest.ManifestItem]:
        name = self._usual._hasher_factory(root).digest_name
        for path, row in zip(files, manyhash.file_digests(files, self._algorithm, threads=self._threads), strict=True):
            if row.digest is None:
                left.append(path)
            else:
                yield manifest.FileManifestItem(path=path.relative_to(root), digest=hashing.Digest(name, row.digest))


class _Shards(_Serializer):
    def _hash(self, root: pathlib.Path, files: list[pathlib.Path], left: list[pathlib.Path]) -> Iterator[manifest.ManifestItem]:
        hasher = self._usual._hasher_factory(root, 0, 1)
        name, size = hasher.digest_name, hasher.shard_size
        for path, row in zip(files, manyhash.file_part_digests(files, size, self._algorithm, threads=self._threads), strict=True):
            if row.digests is None or row.size is None:
                left.append(path)
                continue
            relative = path.relative_to(root)
            # An empty file has no shard.
            for start, digest in zip(range(0, row.size, size), row.digests):
                end = min(start + size, row.size)
                yield manifest.ShardedFileManifestItem(path=relative, start=start, end=end, digest=hashing.Digest(name, digest))

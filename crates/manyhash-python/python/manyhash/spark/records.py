"""The Python side of an executor: records of files, as Reading.java makes them, become rows with
digests.

Records come in this order. A control record begins with one byte, its kind; all but P go on with an
item, as Item.java writes it.

- `W`, content: a whole file.
- `L`, then any number of (`P`, piece), then `E` or `F`: a large file. E: it has been read to its
  end.
- `F`: a file that was not read, or not to its end; the item says why.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import manyhash

# Small files are hashed together once there are this many of them, or this many bytes.
BATCH_FILES = 1024
BATCH_BYTES = 32 << 20

# Item.java's constants.
STATES = ("ok", "missing", "unreadable", "changed", "extra", "no digest")

_FIXED = struct.Struct(">b?qq")
_LENGTH = struct.Struct(">i")


class _Hasher(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def digest(self) -> bytes: ...


class Row(NamedTuple):
    """A file and its digest. In a manifest, the state of a file without error is `ok`. In a check,
    `expected` is the digest of the table.
    """

    path: str
    size: int | None
    algorithm: str | None
    digest: bytes | None
    modified_millis: int | None
    state: str
    expected: bytes | None
    error: str | None


class Item(NamedTuple):
    state: str
    is_check: bool
    size: int
    modified_millis: int
    path: str
    algorithm: str
    expected: bytes
    message: str

    @classmethod
    def parse(cls, record: bytes) -> Item:
        """The item of a control record."""
        state, is_check, size, modified_millis = _FIXED.unpack_from(record, 1)
        offset = 1 + _FIXED.size
        parts = []
        for _ in range(4):
            (length,) = _LENGTH.unpack_from(record, offset)
            offset += _LENGTH.size
            parts.append(record[offset : offset + length])
            offset += length
        path, algorithm, expected, message = parts
        return cls(
            STATES[state],
            is_check,
            size,
            modified_millis,
            path.decode(errors="replace"),
            algorithm.decode(errors="replace"),
            expected,
            message.decode(errors="replace"),
        )

    def row(self, algorithm: str, digest: bytes | None) -> Row:
        state, error = self.state, self.message or None
        if digest is not None and self.is_check and digest != self.expected:
            state, error = "changed", "same size, another digest"
        return Row(
            self.path,
            None if self.size < 0 else self.size,
            algorithm or None,
            digest,
            None if self.modified_millis < 0 else self.modified_millis,
            state,
            self.expected if self.is_check and self.expected else None,
            error,
        )


@functools.cache
def _standard_name(algorithm: str) -> str:
    return manyhash.new(algorithm).name


class _Batch:
    """Small files that are hashed together."""

    def __init__(self) -> None:
        self._files: dict[str, list[tuple[Item, bytes]]] = {}
        self._count = 0
        self._bytes = 0

    def add(self, algorithm: str, item: Item, content: bytes) -> bool:
        """Adds a file, and says whether the batch is full now."""
        self._files.setdefault(algorithm, []).append((item, content))
        self._count += 1
        self._bytes += len(content)
        return self._count >= BATCH_FILES or self._bytes >= BATCH_BYTES

    def rows(self) -> Iterator[Row]:
        """The rows of the files of the batch, which is empty then."""
        files, self._files, self._count, self._bytes = self._files, {}, 0, 0
        for algorithm, entries in files.items():
            digests = manyhash.hash_many([content for _, content in entries], algorithm)
            for (item, _), digest in zip(entries, digests, strict=True):
                yield item.row(algorithm, digest)


def rows(records: Iterable[bytes], algorithm: str) -> Iterator[Row]:
    """A row for each file. `algorithm` is for files whose items name none."""
    batch = _Batch()
    source = iter(records)
    for record in source:
        item = Item.parse(record)
        name = item.algorithm or algorithm
        kind = record[:1]
        if kind == b"F":
            yield item.row(name, None)
            continue
        try:
            name = _standard_name(name)
            is_known = True
        except ValueError as error:
            # The algorithm is of a table that another program wrote. Its file still has records to
            # be passed over.
            is_known = False
            item = item._replace(state="no digest", message=str(error))
        if kind == b"W":
            content = next(source)
            if not is_known:
                yield item.row(name, None)
            elif batch.add(name, item, content):
                yield from batch.rows()
        elif kind == b"L":
            yield _large(source, item, name, manyhash.new(name) if is_known else None)
        else:
            raise AssertionError(f"record of an unknown kind: {kind!r}")
    yield from batch.rows()


def _large(records: Iterator[bytes], item: Item, algorithm: str, hasher: _Hasher | None) -> Row:
    for record in records:
        if record == b"P":
            piece = next(records)
            if hasher is not None:
                hasher.update(piece)
        elif record[:1] == b"F":
            return Item.parse(record).row(algorithm, None)
        else:
            return item.row(algorithm, None if hasher is None else hasher.digest())
    raise AssertionError(f"{item.path}: records end before the file does")

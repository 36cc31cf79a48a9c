"""Objects with parameters, and with output of any length, beside hashlib."""

from __future__ import annotations

import hashlib
import inspect
import pickle
import random
from typing import Any

import pytest

import manyhash

DATA = random.Random(1).randbytes(5000)
BLAKE2: list[tuple[Any, Any, int, int]] = [
    (manyhash.blake2b, hashlib.blake2b, 64, 16),
    (manyhash.blake2s, hashlib.blake2s, 32, 8),
]


@pytest.mark.parametrize(("ours", "theirs", "most", "salt"), BLAKE2)
def test_blake2_has_hashlibs_parameters(ours: Any, theirs: Any, most: int, salt: int) -> None:
    everything = {
        "digest_size": most - 3,
        "key": b"k" * most,
        "salt": b"s" * (salt - 1),
        "person": b"p" * salt,
        "fanout": 3,
        "depth": 255,
        "leaf_size": 2**32 - 1,
        "node_offset": 2**40 + 5,
        "node_depth": 7,
        "inner_size": most,
        "last_node": True,
        "usedforsecurity": False,
    }
    for name, value in [*everything.items(), ("fanout", 0), ("digest_size", 1)]:
        assert ours(DATA, **{name: value}).digest() == theirs(DATA, **{name: value}).digest(), name
    for length in (0, 1, 127, 128, 129, 5000):
        mine, his = ours(DATA[:length], **everything), theirs(DATA[:length], **everything)
        assert (mine.hexdigest(), mine.digest_size, mine.block_size, mine.name) == (his.hexdigest(), his.digest_size, his.block_size, his.name)
    first = ours(b"a", key=b"key")
    second = first.copy()
    second.update(b"b")
    assert (first.digest(), second.digest()) == (theirs(b"a", key=b"key").digest(), theirs(b"ab", key=b"key").digest())
    names = [name for name in inspect.signature(ours).parameters if name != "data"]
    assert names == [name for name in inspect.signature(theirs).parameters if name not in ("data", "string")]


@pytest.mark.parametrize(("ours", "theirs", "most", "salt"), BLAKE2)
def test_parameters_that_blake2_has_not_are_refused(ours: Any, theirs: Any, most: int, salt: int) -> None:
    for name, value in [
        ("digest_size", 0),
        ("digest_size", most + 1),
        ("digest_size", -1),
        ("key", bytes(most + 1)),
        ("salt", bytes(salt + 1)),
        ("person", bytes(salt + 1)),
        ("fanout", 256),
        ("depth", 0),
        ("depth", 256),
        ("leaf_size", 2**32),
        ("node_depth", 256),
        ("inner_size", most + 1),
        ("node_offset", -1),
    ]:
        with pytest.raises((ValueError, OverflowError)):
            theirs(**{name: value})
        with pytest.raises(ValueError, match=name):
            ours(**{name: value})
    with pytest.raises(TypeError):
        ours(key="text")


@pytest.mark.parametrize("name", ["shake_128", "shake_256"])
def test_shakes_are_those_of_hashlib(name: str) -> None:
    for length in (0, 1, 135, 136, 167, 168, 169, 5000):
        mine, his = getattr(manyhash, name)(DATA[:length]), getattr(hashlib, name)(DATA[:length])
        for output in (0, 1, 32, 168, 169, 1000):
            assert mine.digest(output) == his.digest(output)
            assert mine.hexdigest(length=output) == his.hexdigest(output)
        assert (mine.name, mine.digest_size, mine.block_size) == (his.name, his.digest_size, his.block_size)
    mine = getattr(manyhash, name)()
    mine.update(DATA[:100])
    other = mine.copy()
    other.update(DATA[100:])
    assert other.digest(50) == getattr(hashlib, name)(DATA).digest(50)
    assert mine.digest(50) == getattr(hashlib, name)(DATA[:100]).digest(50)
    with pytest.raises(TypeError, match="a length must be given"):
        mine.digest()
    with pytest.raises(ValueError, match="length is -1"):
        mine.digest(-1)
    with pytest.raises(ValueError, match="seek is 1"):
        mine.digest(1, seek=1)
    with pytest.raises(ValueError, match="no memory"):
        mine.digest(2**62)


def test_blake3_has_keys_contexts_and_any_output() -> None:
    plain = manyhash.blake3(DATA)
    assert plain.digest() == manyhash.blake3_many([DATA])[0]
    assert plain.digest(1000) == manyhash.blake3_many([DATA], length=1000)[0]
    assert plain.hexdigest(10, seek=90) == plain.digest(100)[90:].hex()
    assert (plain.name, plain.digest_size, plain.block_size) == ("blake3", 32, 64)
    assert repr(plain).startswith("<blake3 manyhash.OutputHash object at 0x")
    key = bytes(range(32))
    assert manyhash.blake3(DATA, key=key).digest() == manyhash.blake3_many([DATA], key=key)[0]
    assert manyhash.blake3(DATA, context="a use").digest() == manyhash.blake3_many([DATA], context="a use")[0]
    with pytest.raises(ValueError, match="key has 31 bytes"):
        manyhash.blake3(key=bytes(31))
    with pytest.raises(ValueError, match="only one"):
        manyhash.blake3(key=key, context="x")
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(plain)
    pieces = manyhash.blake3()
    for i in range(0, len(DATA), 777):
        pieces.update(DATA[i : i + 777])
    assert pieces.digest() == plain.digest()


def test_the_offset_of_a_node_has_64_bits_and_no_sign() -> None:
    for offset in (2**63, 2**64 - 1):
        assert manyhash.blake2b(b"x", node_offset=offset).digest() == hashlib.blake2b(b"x", node_offset=offset).digest()
    for offset in (-1, 2**64):
        with pytest.raises(ValueError, match="node_offset"):
            manyhash.blake2b(b"x", node_offset=offset)

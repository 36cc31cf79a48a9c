"""Algorithms that hashlib lacks, or has by another name: published digests through every door."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import manyhash

DIGESTS = {
    # Ethereum's libraries publish them: of nothing, which every account without code has; of a text; and of the
    # signature whose first four bytes call ERC-20's `transfer`.
    "keccak256": {
        b"": "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
        b"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
        b"transfer(address,uint256)": "a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b",
    },
    # The first bytes of the authors' known answers, and of their command.
    "blake3": {
        b"": "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        b"abc": "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
        bytes(i % 251 for i in range(2049)): "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030",
    },
    "blake2b256": {data: hashlib.blake2b(data, digest_size=32).hexdigest() for data in (b"", b"abc", bytes(1000))},
}


@pytest.mark.parametrize("algorithm", DIGESTS)
def test_every_door_gives_the_published_digests(algorithm: str, tmp_path: Path) -> None:
    messages, expected = list(DIGESTS[algorithm]), list(DIGESTS[algorithm].values())
    assert [digest.hex() for digest in manyhash.hash_many(messages, algorithm)] == expected
    assert [manyhash.new(algorithm, message).hexdigest() for message in messages] == expected
    for message, digest in DIGESTS[algorithm].items():
        assert getattr(manyhash, algorithm)(message).hexdigest() == digest
    path = tmp_path / "file"
    for message, digest in DIGESTS[algorithm].items():
        path.write_bytes(message)
        assert [row.digest for row in manyhash.file_digests([path], algorithm)] == [bytes.fromhex(digest)]

"""Keccak-256, which hashlib lacks: digests that Ethereum's libraries publish."""

from __future__ import annotations

from pathlib import Path

import manyhash

# Of nothing, which every account without code has; of two texts; and of the signature whose first four
# bytes call ERC-20's `transfer`.
DIGESTS = {
    b"": "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    b"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    b"transfer(address,uint256)": "a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b",
}


def test_every_door_gives_the_published_digests(tmp_path: Path) -> None:
    messages, expected = list(DIGESTS), list(DIGESTS.values())
    assert [digest.hex() for digest in manyhash.hash_many("keccak256", messages)] == expected
    assert [manyhash.new("keccak256", message).hexdigest() for message in messages] == expected
    for message, digest in DIGESTS.items():
        assert manyhash.keccak256(message).hexdigest() == digest
    path = tmp_path / "abc"
    path.write_bytes(b"abc")
    assert [row.digest for row in manyhash.file_digests([path], "keccak256")] == [bytes.fromhex(DIGESTS[b"abc"])]

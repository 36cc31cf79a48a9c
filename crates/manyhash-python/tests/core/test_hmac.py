"""`hmac_many` and `verify_many` beside the module hmac."""

from __future__ import annotations

import hmac
import random
from typing import Any

import numpy
import pytest
import support

from manyhash import hmac_many, verify_many


def ragged(count: int, most: int = 300, seed: int = 0) -> list[bytes]:
    generator = random.Random(seed)
    return [generator.randbytes(generator.randrange(most)) for _ in range(count)]


def expected(key: bytes | list[bytes], messages: list[bytes], algorithm: str = "sha256") -> list[bytes]:
    keys = [key] * len(messages) if isinstance(key, bytes) else key
    return [hmac.digest(key, message, algorithm) for key, message in zip(keys, messages, strict=True)]


@pytest.mark.parametrize("algorithm", support.WITH_HMAC)
@pytest.mark.parametrize("threads", [1, 2])
def test_tags_are_those_of_the_module_hmac(algorithm: str, threads: int) -> None:
    for key in (b"", b"key", bytes(64), bytes(range(200))):
        for messages in ([], [b""], ragged(5), ragged(2000)):
            assert hmac_many(messages, algorithm, key=key, threads=threads) == expected(key, messages, algorithm)


@pytest.mark.parametrize("threads", [1, 2])
def test_each_message_may_have_its_own_key(threads: int) -> None:
    messages, keys = ragged(40_000, 40), ragged(40_000, 150, seed=1)
    right = expected(keys, messages)
    assert hmac_many(messages, key=keys, threads=threads) == right
    assert hmac_many(iter(messages), key=iter(keys), threads=threads) == right
    assert verify_many(messages, right, key=keys, threads=threads) == [True] * 40_000


def test_keys_may_be_any_buffers() -> None:
    for key in (bytearray(b"key"), memoryview(b"key"), numpy.frombuffer(b"key", "uint8")):
        assert hmac_many([b"message"], key=key) == expected(b"key", [b"message"])
    table = numpy.random.default_rng(1).integers(0, 256, (50, 16), "uint8")
    right = expected([row.tobytes() for row in table], ragged(50))
    for keys in (table, table.view("V16").reshape(50), list(table)):
        assert hmac_many(ragged(50), key=keys) == right


def test_messages_are_those_that_hash_many_takes() -> None:
    assert hmac_many(["f\u00fcnf", bytearray(b"x")], "sha1", key=b"k") == expected(b"k", ["f\u00fcnf".encode(), b"x"], "sha1")
    assert hmac_many(b"abc", key=b"k", offsets=numpy.array([0, 1, 3])) == expected(b"k", [b"a", b"bc"])
    right = expected(b"k", ragged(100))
    assert hmac_many(ragged(100), key=b"k", output="hex") == [tag.hex() for tag in right]
    assert hmac_many(ragged(100), key=b"k", output="bytes") == b"".join(right)
    assert hmac_many(ragged(100), key=b"k", output="numpy").tobytes() == b"".join(right)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_tag_is_right_or_not(threads: int) -> None:
    messages = ragged(3000)
    tags = expected(b"key", messages, "sha512")
    right = [True] * 3000
    for index in (0, 1, 77, 2999):
        place = index % 64
        tags[index] = tags[index][:place] + bytes([tags[index][place] ^ 1]) + tags[index][place + 1 :]
        right[index] = False
    assert verify_many(messages, tags, "sha512", key=b"key", threads=threads) == right
    assert verify_many(messages, tags, "sha512", key=b"yek", threads=threads) == [False] * 3000


def test_a_tag_of_another_length_is_not_right() -> None:
    tag = expected(b"key", [b"m"])[0]
    assert verify_many([b"m"] * 4, [tag[:-1], tag + b"\0", b"", tag], key=b"key") == [False, False, False, True]


def test_tags_may_be_rows() -> None:
    messages = ragged(300)
    tags = hmac_many(messages, key=b"key", output="numpy")
    assert verify_many(messages, tags, key=b"key") == [True] * 300
    assert verify_many(messages, tags.view("V32").reshape(300), key=b"key") == [True] * 300
    with pytest.raises(TypeError, match="zeros at the end of its items would be lost"):
        verify_many(messages, tags.view("S32").reshape(300), key=b"key")


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_as_many_keys_and_tags_as_messages(count: int) -> None:
    messages = [b"m"] * count
    keys, tags = [b"k"] * count, [bytes(32)] * count
    for more in (keys + [b"k"], iter(keys + [b"k"])):
        with pytest.raises(ValueError, match=f"^at least {counted(count + 1, 'key')} for {counted(count, 'message')}$"):
            hmac_many(messages, key=more)
    with pytest.raises(ValueError, match=f"^at least {counted(count + 1, 'tag')} for {counted(count, 'message')}$"):
        verify_many(messages, tags + [b""], key=b"k")
    with pytest.raises(ValueError, match=f"^{counted(count, 'key')} for at least {counted(count + 1, 'message')}$"):
        hmac_many(messages + [b"m"], key=keys)
    with pytest.raises(ValueError, match=f"^{counted(count, 'tag')} for at least {counted(count + 1, 'message')}$"):
        verify_many(messages + [b"m"], tags, key=b"k")


def test_an_iterator_of_keys_or_messages_that_goes_on_after_its_end_has_ended() -> None:
    class Again:
        """Its `iter` ends after three of them, and after three more, and so on."""

        def __init__(self) -> None:
            self.calls = 0

        def __iter__(self) -> Again:
            return self

        def __next__(self) -> bytes:
            self.calls += 1
            if self.calls % 4 == 0:
                raise StopIteration
            return b"%d" % self.calls

    three = [b"1", b"2", b"3"]
    right = expected(three, three)
    assert hmac_many(Again(), key=three) == right
    assert hmac_many(Again(), key=Again()) == right
    assert verify_many(Again(), expected(b"1", three), key=b"1") == [True] * 3
    with pytest.raises(ValueError, match="^3 keys for at least 4 messages$"):
        hmac_many([*three, b"4"], key=Again())


def test_keys_and_tags_are_bytes_and_no_text() -> None:
    with pytest.raises(TypeError, match="key is str: it must be bytes, or an iterable of bytes"):
        hmac_many([b"m"], key="secret")
    with pytest.raises(TypeError, match=r"key\[1\] is str, which has no bytes until it is encoded"):
        hmac_many([b"m", b"m"], key=[b"fine", "secret"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"tags\[0\] is str, which has no bytes until it is encoded"):
        verify_many([b"m"], ["00" * 32], key=b"k")  # type: ignore[list-item]
    wrong: Any
    for wrong in (5, None):
        with pytest.raises(TypeError, match="key is"):
            hmac_many([b"m"], key=wrong)


def test_an_algorithm_without_hmac_is_a_value_error() -> None:
    for call in (lambda: hmac_many([b"message"], "blake2s", key=b"key"), lambda: verify_many([b"message"], [b"tag"], "blake2s", key=b"key")):
        with pytest.raises(ValueError, match="algorithm: BLAKE2s has no HMAC"):
            call()


def test_an_unknown_algorithm_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unknown algorithm"):
        hmac_many([], "sha257", key=b"k")
    with pytest.raises(ValueError, match="unknown algorithm"):
        verify_many([], [], "sha257", key=b"k")

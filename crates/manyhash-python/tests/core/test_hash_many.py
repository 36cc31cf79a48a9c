"""`hash_many` beside a loop over hashlib."""

from __future__ import annotations

import array
import collections
import hashlib
import inspect
import itertools
import mmap
import random
import re
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import support

import manyhash
from manyhash import hash_many


def expected(messages: list[bytes], algorithm: str = "sha256") -> list[bytes]:
    return [hashlib.new(algorithm, message).digest() for message in messages]


def ragged(count: int, most: int = 300, seed: int = 0) -> list[bytes]:
    generator = random.Random(seed)
    return [generator.randbytes(generator.randrange(most)) for _ in range(count)]


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
@pytest.mark.parametrize("threads", [0, 1, 3])
def test_digests_are_those_of_hashlib(algorithm: str, threads: int) -> None:
    for messages in ([], [b""], [b"abc"], ragged(17), ragged(3000), [*ragged(40, 20_000), *ragged(700, 10)]):
        assert hash_many(messages, algorithm, threads=threads) == expected(messages, algorithm)


def test_more_messages_than_a_chunk_keep_their_order() -> None:
    messages = [b"%d" % i for i in range(50_000)]
    right = expected(messages)
    assert hash_many(messages, "sha256") == right
    assert hash_many(tuple(messages), "sha256", threads=2) == right
    assert hash_many(iter(messages), "sha256") == right
    assert hash_many(collections.deque(messages), "sha256") == right


def test_more_bytes_than_a_chunk_keep_their_order() -> None:
    messages = [bytes([i]) * (5 << 20) for i in range(9)]
    assert hash_many(messages, "sha256") == expected(messages)
    assert hash_many(messages, "sha256", threads=2) == expected(messages)


def test_each_output_is_the_same_digests() -> None:
    for messages in ([], ragged(1000), ragged(20_000, 20)):
        right = expected(messages, "sha1")
        assert hash_many(messages, "SHA-1", output="list") == right
        assert hash_many(messages, "SHA-1", output="hex") == [digest.hex() for digest in right]
        assert hash_many(messages, "SHA-1", output="bytes") == b"".join(right)
        block = hash_many(messages, "SHA-1", output="numpy")
        assert (block.dtype, block.shape, block.tobytes()) == (numpy.dtype("uint8"), (len(messages), 20), b"".join(right))
        block[:] = 0


def test_anything_with_bytes_is_a_message() -> None:
    class Bytes(bytes):
        pass

    class Text(str):
        pass

    messages = [b"a", Bytes(b"b"), bytearray(b"c"), memoryview(b"dd"), array.array("i", [5]), numpy.arange(3), "f\u00fcnf", Text("six"), "\U0001f600", ""]
    right = [b"a", b"b", b"c", b"dd", struct.pack("i", 5), numpy.arange(3).tobytes(), "f\u00fcnf".encode(), b"six", "\U0001f600".encode(), b""]
    assert hash_many(messages, "sha256") == expected(right)


@pytest.mark.parametrize("position", [0, 3, 20_000])
def test_what_has_no_bytes_is_a_type_error_that_names_index_and_type(position: int) -> None:
    for wrong, kind in ((5, "int"), (None, "NoneType"), (1.5, "float"), ([b""], "list"), (collections.Counter(), "collections.Counter")):
        messages: list[Any] = [b"x"] * position + [wrong]
        for source in (messages, tuple(messages), iter(messages)):
            with pytest.raises(TypeError, match=rf"messages\[{position}\] is {kind}: it must be bytes"):
                hash_many(source, "sha256")


def test_a_lone_surrogate_is_a_unicode_error_that_names_the_index() -> None:
    with pytest.raises(UnicodeEncodeError) as caught:
        hash_many(["fine", "not \ud800 fine"], "sha256")
    assert caught.value.__notes__ == ["messages[1] has a lone surrogate, which UTF-8 cannot encode"]


def test_a_message_that_is_not_contiguous_is_a_buffer_error_that_names_the_index() -> None:
    with pytest.raises(BufferError, match=r"messages\[1\] is not C-contiguous"):
        hash_many([b"", memoryview(b"abcd")[::2]], "sha256")


def test_one_buffer_or_text_is_no_list_of_messages(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    with (tmp_path / "file").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for one in (b"one", bytearray(b"one"), memoryview(b"one"), "one", array.array("b", [1]), mapped):
            with pytest.raises(TypeError, match=r"messages is one .*: give a list or another iterable, or one buffer with offsets="):
                hash_many(one, "sha256")
    for no_iterable in (5, None, 1.5):
        with pytest.raises(TypeError, match=r"messages is \w+: it must be an iterable"):
            hash_many(no_iterable, "sha256")  # type: ignore[call-overload]


def test_an_exception_of_a_generator_is_passed_on() -> None:
    class OutOfMessagesError(Exception):
        pass

    def messages(count: int) -> Iterator[bytes]:
        yield from [b"x"] * count
        raise OutOfMessagesError("no more")

    for count in (0, 5, 40_000):
        with pytest.raises(OutOfMessagesError, match="no more"):
            hash_many(messages(count), "sha256")


@pytest.mark.parametrize("size", [0, 1, 20_000, 1 << 14, 1 << 15])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_iterator_is_not_asked_again_after_its_end(size: int, threads: int) -> None:
    class Again:
        def __init__(self) -> None:
            self.calls = 0

        def __iter__(self) -> Again:
            return self

        def __next__(self) -> bytes:
            self.calls += 1
            if self.calls == size + 1:
                raise StopIteration
            assert self.calls <= size, "asked again"
            return b"%d" % self.calls

    assert hash_many(Again(), "sha256", threads=threads) == expected(list(itertools.islice(Again(), size)))


def test_a_generator_is_read_a_chunk_at_a_time() -> None:
    alive = 0

    class Message(bytearray):
        def __init__(self, size: int) -> None:
            nonlocal alive
            super().__init__(size)
            alive += 1

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    most = 0

    def messages(count: int, size: int) -> Iterator[bytearray]:
        nonlocal most
        for _ in range(count):
            most = max(most, alive)
            yield Message(size)

    assert len(hash_many(messages(100_000, 1), "md5")) == 100_000
    assert 1000 < most <= (16 << 10) + 1
    most = 0
    hash_many(messages(100, 4 << 20), "md5")
    assert most <= 5


def test_a_list_that_others_change_meanwhile_does_no_harm() -> None:
    messages: list[Any] = [bytes([i % 256]) * 40 for i in range(60_000)]
    known = set(expected([bytes([i]) * 40 for i in range(256)]))
    stop = threading.Event()

    def change() -> None:
        generator = random.Random(3)
        while not stop.is_set():
            index = generator.randrange(len(messages))
            messages[index] = bytes([generator.randrange(256)]) * 40
            del messages[-1:]
            messages.append(bytearray(b"\1") * 40)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for threads in (1, 2, 1, 2):
            digests = hash_many(messages, "sha256", threads=threads)
            assert set(digests) <= known
            assert 59_000 < len(digests) <= 60_001
    finally:
        stop.set()
        thread.join()


def test_a_buffer_that_is_being_hashed_is_neither_resized_nor_lost() -> None:
    buffers = [bytearray(1 << 20) for _ in range(64)]
    begun, stop = threading.Event(), threading.Event()
    refused = 0

    def change() -> None:
        nonlocal refused
        begun.set()
        while not stop.is_set():
            for buffer in buffers:
                try:
                    buffer.extend(b"more")
                    del buffer[1 << 20 :]
                except BufferError:
                    refused += 1
                buffer[5] ^= 1

    thread = threading.Thread(target=change)
    thread.start()
    begun.wait()
    try:
        for _ in range(5):
            assert {len(digest) for digest in hash_many(buffers, "sha256")} == {32}
    finally:
        stop.set()
        thread.join()
    assert refused > 0
    buffers[0].extend(b"free again")


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match='unknown algorithm "crc32"; these would do: md5, sha1'):
        hash_many([], "crc32")
    with pytest.raises(ValueError, match='output is "base64": it must be "list", "hex", "bytes" or "numpy"'):
        hash_many([], "sha256", output="base64")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="threads is -1: it must be a number of threads, or 0 for one a core"):
        hash_many([], "sha256", threads=-1)
    for large in (1 << 63, -(1 << 63) - 1, 1 << 1000):
        with pytest.raises(ValueError, match="threads is out of range"):
            hash_many([], "sha256", threads=large)
    with pytest.raises(TypeError, match="threads"):
        hash_many([], "sha256", threads="1")  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        hash_many([], "sha256", "list")  # type: ignore[call-overload]


def test_sha256_is_what_is_meant_if_no_algorithm_is_named() -> None:
    assert hash_many([b"one", "two"]) == expected([b"one", b"two"])
    assert hash_many(messages=[b"one"], algorithm="md5") == expected([b"one"], "md5")


WRONG_ORDER: list[tuple[Callable[[Any], object], str]] = [
    (lambda call: call.hash_many("sha256", [b"a"]), "hash_many(messages, 'sha256')"),
    (lambda call: call.hash_many("SHA-512", "text"), "hash_many(messages, 'sha256')"),
    (lambda call: call.hash_many("sha256", numpy.zeros((2, 2), "uint8")), "hash_many(messages, 'sha256')"),
    (lambda call: call.hash_many([b"a"], None), "hash_many(messages, 'sha256')"),
    (lambda call: call.hmac_many(b"key", [b"a"]), "hmac_many(messages, 'sha256', key=key)"),
    (lambda call: call.hmac_many([b"key"], [b"a"]), "hmac_many(messages, 'sha256', key=key)"),
    (lambda call: call.hmac_many(b"key", [b"a"], "sha1"), "hmac_many(messages, 'sha256', key=key)"),
    (lambda call: call.hmac_many([b"a"], b"key"), "hmac_many(messages, 'sha256', key=key)"),
    (lambda call: call.hmac_many([b"a"]), "hmac_many(messages, 'sha256', key=key)"),
    (lambda call: call.hmac_many([b"a"], "sha1", b"key"), "hmac_many(messages, 'sha256', key=key)"),
    (lambda call: call.hmac_many([b"a"], "sha1", "list", key=b"key"), "hmac_many(messages, 'sha256', key=key)"),
    (lambda call: call.verify_many(b"key", [b"a"], [b"tag"]), "verify_many(messages, tags, 'sha256', key=key)"),
    (lambda call: call.verify_many(b"key", [b"a"], [b"tag"], "sha1"), "verify_many(messages, tags, 'sha256', key=key)"),
    (lambda call: call.verify_many([b"a"], [b"tag"], "sha1"), "verify_many(messages, tags, 'sha256', key=key)"),
    (lambda call: call.shake_many("shake128", [b"a"], 32), "shake_many(messages, 'shake128', 32)"),
    (lambda call: call.kmac_many(b"key", [b"a"]), "kmac_many(messages, 'kmac128', key=key)"),
    (lambda call: call.kmac_many(b"key", [b"a"], "kmac256"), "kmac_many(messages, 'kmac128', key=key)"),
    (lambda call: call.kmac_many([b"a"], "kmac256"), "kmac_many(messages, 'kmac128', key=key)"),
    (lambda call: call.blake2_many("blake2b", [b"a"]), "blake2_many(messages, 'blake2b')"),
]


@pytest.mark.parametrize(("wrong", "right"), WRONG_ORDER)
def test_another_order_is_a_type_error_that_shows_the_right_one(wrong: Callable[[Any], object], right: str) -> None:
    with pytest.raises(TypeError, match=f"; the messages come first: {re.escape(right)}$"):
        wrong(manyhash)


def test_signatures_are_those_that_python_shows() -> None:
    for name in ("hash_many", "hmac_many", "verify_many", "shake_many", "kmac_many", "blake2_many", "blake3_many"):
        parameters = inspect.signature(getattr(manyhash, name)).parameters
        assert next(iter(parameters)) == "messages"
        assert not any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters.values()), name


class TestOffsets:
    """One buffer, and where messages begin and end in it."""

    values = random.Random(9).randbytes(100_000)

    @pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "uint64"])
    @pytest.mark.parametrize("threads", [1, 2])
    def test_messages_lie_between_offsets(self, kind: str, threads: int) -> None:
        places = sorted(random.Random(4).randrange(len(self.values) + 1) for _ in range(40_000))
        right = expected([self.values[a:b] for a, b in zip(places, places[1:], strict=False)])
        offsets = numpy.array(places, kind)
        for values in (self.values, bytearray(self.values), numpy.frombuffer(self.values, "uint8")):
            assert hash_many(values, "sha256", offsets=offsets, threads=threads) == right

    def test_offsets_may_be_any_buffer_of_integers(self) -> None:
        right = expected([b"a", b"bc", b""])
        for code in "iIlLqQ":
            assert hash_many(b"abc", "sha256", offsets=array.array(code, [0, 1, 3, 3])) == right
        assert hash_many(b"xabc", "sha256", offsets=memoryview(struct.pack("4q", 1, 2, 4, 4)).cast("q")) == right

    def test_no_or_one_offset_is_no_message(self) -> None:
        assert hash_many(b"", "sha256", offsets=array.array("i")) == []
        assert hash_many(b"abc", "sha256", offsets=array.array("i", [3])) == []

    @pytest.mark.parametrize(
        ("offsets", "error"),
        [
            ([0, 4], r"offsets\[1\] is 4, past the end of the 3 bytes of messages"),
            ([0, 2, 1], r"offsets\[2\] is 1, less than offsets\[1\], which is 2"),
            ([-1, 2], r"offsets\[0\] is -1: it must not be negative"),
            ([0, -(2**63)], r"offsets\[1\] is -9223372036854775808: it must not be negative"),
            ([0, 2**63 - 1], r"offsets\[1\] is 9223372036854775807, past the end"),
            ([0] * 20_000 + [3, 2], r"offsets\[20001\] is 2, less than offsets\[20000\]"),
            ([3, 0], r"offsets\[1\] is 0, less than offsets\[0\], which is 3"),
        ],
    )
    def test_an_offset_that_is_wrong_is_a_value_error_that_names_it(self, offsets: list[int], error: str) -> None:
        with pytest.raises(ValueError, match=error):
            hash_many(b"abc", "sha256", offsets=numpy.array(offsets, "int64"))

    def test_the_largest_unsigned_offset_is_past_the_end(self) -> None:
        with pytest.raises(ValueError, match=r"offsets\[1\] is 18446744073709551615, past the end"):
            hash_many(b"abc", "sha256", offsets=numpy.array([0, 2**64 - 1], "uint64"))

    @pytest.mark.parametrize("kind", ["int16", "uint8", "float64", ">i8", "S8"])
    def test_offsets_of_another_type_are_a_type_error(self, kind: str) -> None:
        with pytest.raises(TypeError, match="offsets has items of format .*: it must be an array of int32, int64, uint32 or uint64"):
            hash_many(b"abc", "sha256", offsets=numpy.zeros(3, kind))

    def test_what_is_no_buffer_is_a_type_error(self) -> None:
        for wrong, kind in (([0, 3], "list"), ((0, 3), "tuple"), (3, "int"), ("03", "str")):
            with pytest.raises(TypeError, match=f"^offsets is {kind}: it must be an array of int32, int64, uint32 or uint64 .*numpy.asarray"):
                hash_many(b"abc", "sha256", offsets=wrong)  # type: ignore[call-overload]
        with pytest.raises(TypeError, match="messages, with offsets, is list"):
            hash_many([b"abc"], "sha256", offsets=array.array("i", [0, 3]))

    def test_offsets_that_others_change_meanwhile_are_never_read_out_of_bounds(self) -> None:
        offsets = numpy.arange(40_001, dtype="int64") * 2
        values = bytes(80_000)
        stop = threading.Event()

        def change() -> None:
            generator = random.Random(1)
            while not stop.is_set():
                index = generator.randrange(len(offsets))
                right, offsets[index] = int(offsets[index]), generator.choice([-1, 2**62, 0])
                offsets[index] = right

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(50):
                try:
                    hash_many(values, "sha256", offsets=offsets)
                except ValueError as error:
                    assert "offsets[" in str(error)
        finally:
            stop.set()
            thread.join()

    def test_more_than_two_to_the_31_bytes_in_one_buffer(self) -> None:
        # Pages that nobody writes to cost no memory.
        with mmap.mmap(-1, (1 << 31) + 4096) as mapped:
            mapped[-4:] = b"last"
            end = len(mapped)
            assert hash_many(mapped, "sha256", offsets=numpy.array([0, 3], "uint64")) == expected([b"\0\0\0"])
            assert hash_many(mapped, "sha256", offsets=numpy.array([end - 5, end - 4, end], "int64")) == expected([b"\0", b"last"])


class TestNumpy:
    """Arrays, of which each row is a message."""

    def test_items_of_dtype_s_are_what_numpy_gives(self) -> None:
        items = [b"abc", b"", b"a\0b", b"tail\0\0", b"12345678"]
        messages = numpy.array(items)
        assert hash_many(messages, "sha256") == expected(list(messages)) == expected([item.rstrip(b"\0") for item in items])

    def test_items_of_dtype_v_are_whole(self) -> None:
        messages = numpy.array([b"abc", b"tail\0\0"], "S8").view("V8")
        assert hash_many(messages, "sha256") == expected([b"abc\0\0\0\0\0", b"tail\0\0\0\0"])

    @pytest.mark.parametrize("width", [0, 1, 5, 32, 200])
    @pytest.mark.parametrize("threads", [1, 2])
    def test_rows_of_bytes_are_whole(self, width: int, threads: int) -> None:
        messages = numpy.random.default_rng(1).integers(0, 256, (20_000, width), "uint8")
        assert hash_many(messages, "sha256", threads=threads) == expected([row.tobytes() for row in messages])

    def test_rows_that_are_not_contiguous_are_copied(self) -> None:
        table = numpy.random.default_rng(1).integers(0, 256, (100, 40), "uint8")
        for messages in (table[::2], table[:, 3:9], table.T, table[::-1], numpy.asfortranarray(table)):
            assert hash_many(messages, "sha256") == expected([row.tobytes() for row in messages])
        items = numpy.array([b"%d" % i for i in range(100)])
        assert hash_many(items[5::3], "sha256") == expected(list(items[5::3]))

    def test_objects_are_taken_one_by_one(self) -> None:
        messages = numpy.array([b"a", "b", bytearray(b"c")], "object")
        assert hash_many(messages, "sha256") == expected([b"a", b"b", b"c"])
        strings = numpy.array(["\u00fc", "", "long " * 50], numpy.dtypes.StringDType())
        assert hash_many(strings, "sha256") == expected([text.encode() for text in strings])
        with pytest.raises(TypeError, match=r"messages\[1\] is float"):
            hash_many(numpy.array([b"a", float("nan")], "object"), "sha256")

    def test_no_rows_are_no_digests(self) -> None:
        for messages in (numpy.zeros((0, 8), "uint8"), numpy.zeros(0, "S8"), numpy.zeros(0, "object")):
            assert hash_many(messages, "sha256") == []
            assert hash_many(messages, "sha256", output="numpy").shape == (0, 32)

    @pytest.mark.parametrize(
        ("messages", "error"),
        [
            (numpy.zeros(3, "int64"), r"1-dimensional numpy array of dtype int64: .*view it as \.view\('V\{itemsize\}'\)"),
            (numpy.zeros(3, "float32"), "dtype float32"),
            (numpy.zeros(3, "datetime64[s]"), r"dtype datetime64\[s\]"),
            (numpy.zeros(3, "bool"), "dtype bool"),
            (numpy.zeros(3, "uint8"), r"dtype uint8: one message a row is \.reshape\(count, bytes\)"),
            (numpy.array(["a"]), r"dtype <U1: encode it as numpy\.strings\.encode"),
            (numpy.zeros((2, 2), "int32"), "2-dimensional numpy array of dtype int32: give one dimension of bytes"),
            (numpy.zeros((2, 2, 2), "uint8"), "3-dimensional"),
            (numpy.zeros((), "S3"), "0-dimensional"),
            (numpy.zeros((2, 2), "S3"), "2-dimensional numpy array of dtype .S3"),
            (numpy.zeros(2, [("a", "u1"), ("b", "u4")]), "its fields may have padding"),
            (numpy.ma.masked_array(numpy.zeros(3, "S3"), [0, 1, 0]), r"masked values have no bytes, so fill them first: \.filled\(\)"),
        ],
    )
    def test_other_arrays_are_a_type_error_that_says_how_to_view_them(self, messages: Any, error: str) -> None:
        with pytest.raises(TypeError, match=error):
            hash_many(messages, "sha256")

    @pytest.mark.parametrize("rows", [0, 2, 1000, 2**63])
    def test_an_array_that_lies_about_its_shape_is_refused(self, rows: int) -> None:
        lying = type("Lying", (numpy.ndarray,), {"shape": (rows,)})
        with pytest.raises(TypeError, match="its buffer has not the bytes that its shape and dtype say"):
            hash_many(numpy.array([b"ab"], "S2").view(lying), "sha256")

    def test_the_view_that_the_error_names_works(self) -> None:
        messages = numpy.arange(5, dtype="int64")
        assert hash_many(messages.view("V8"), "sha256") == expected([struct.pack("q", i) for i in range(5)])

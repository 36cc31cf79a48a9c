"""Objects like hashlib's, beside hashlib."""

from __future__ import annotations

import array
import copy
import ctypes
import hashlib
import hmac
import inspect
import io
import mmap
import pickle
import random
import sys
import threading
import types
from pathlib import Path
from typing import Any

import numpy
import pytest
import support

import manyhash

LENGTHS = [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 2047, 2048, 5000, 100_003]


def of_hashlib(algorithm: str, data: bytes = b"") -> Any:
    return hashlib.new(algorithm, data)


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
def test_digests_and_properties_are_those_of_hashlib(algorithm: str) -> None:
    for length in LENGTHS:
        data = random.Random(length).randbytes(length)
        ours, theirs = getattr(manyhash, algorithm)(data), of_hashlib(algorithm, data)
        assert ours.digest() == theirs.digest()
        assert ours.hexdigest() == theirs.hexdigest()
        assert (ours.name, ours.digest_size, ours.block_size) == (theirs.name, theirs.digest_size, theirs.block_size)


@pytest.mark.parametrize("algorithm", support.IN_HASHLIB)
def test_pieces_make_the_same_digest_and_asking_changes_nothing(algorithm: str) -> None:
    generator = random.Random(1)
    ours, theirs = manyhash.new(algorithm), of_hashlib(algorithm)
    for _ in range(200):
        piece = generator.randbytes(generator.choice([0, 1, 17, 64, 300, 3000]))
        ours.update(piece)
        theirs.update(piece)
        assert ours.digest() == theirs.digest()


def test_a_copy_goes_its_own_way() -> None:
    first = manyhash.sha256(b"a")
    second = first.copy()
    second.update(b"b")
    assert first.hexdigest() == hashlib.sha256(b"a").hexdigest()
    assert second.hexdigest() == hashlib.sha256(b"ab").hexdigest()


def test_names_are_found_in_any_spelling() -> None:
    for spelling in ["sha512_256", "SHA-512/256", "sha512/256", "SHA512256"]:
        assert manyhash.new(spelling).name == "sha512_256"


def test_an_unknown_algorithm_is_a_value_error_that_lists_the_names() -> None:
    with pytest.raises(ValueError, match="unknown algorithm \"sha257\"; these would do: md5, .*sha512_256"):
        manyhash.new("sha257")
    with pytest.raises(TypeError):
        manyhash.new(256)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", ["text", None, 5, [1], object()])
def test_what_has_no_bytes_is_a_type_error_as_in_hashlib(data: Any) -> None:
    with pytest.raises(TypeError):
        hashlib.sha256(data)
    for call in (manyhash.sha256, manyhash.sha256().update, lambda data: manyhash.new("sha256", data)):
        with pytest.raises(TypeError, match="data is"):
            call(data)


def test_text_is_told_to_be_encoded() -> None:
    with pytest.raises(TypeError, match=r"data is str, which has no bytes until it is encoded: use \.encode\(\)"):
        manyhash.sha256("text")  # type: ignore[arg-type]


def test_any_buffer_will_do(tmp_path: Path) -> None:
    content = bytes(range(256)) * 16
    path = tmp_path / "file"
    path.write_bytes(content)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for data in (
            content,
            bytearray(content),
            memoryview(content),
            memoryview(content).cast("B", (64, 64)),
            array.array("d", content),
            mapped,
            numpy.frombuffer(content, "int32").reshape(32, 32),
        ):
            assert manyhash.sha256(data).digest() == hashlib.sha256(content).digest()
    assert manyhash.sha256(memoryview(content)[:0]).digest() == hashlib.sha256().digest()


def test_what_is_not_contiguous_is_a_buffer_error() -> None:
    for data in (memoryview(b"abcdef")[::2], numpy.zeros((4, 4), "uint8").T[1:]):
        with pytest.raises(BufferError, match="data is not C-contiguous"):
            manyhash.sha256(data)


def test_arguments_are_those_of_hashlib() -> None:
    digest = hashlib.sha256(b"abc").digest()
    assert manyhash.sha256(data=b"abc").digest() == digest
    assert manyhash.sha256(b"abc", usedforsecurity=False).digest() == digest
    assert manyhash.new("sha256", data=b"abc", usedforsecurity=False).digest() == digest
    assert manyhash.new(name="sha256").digest() == hashlib.sha256().digest()
    wrong: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((b"", b""), {}), ((b"",), {"data": b""}), ((), {"string": b""})]
    for arguments, keywords in wrong:
        with pytest.raises(TypeError, match=r"sha256\(\)"):
            manyhash.sha256(*arguments, **keywords)


def test_there_is_a_documented_function_for_each_algorithm_and_no_other() -> None:
    stub = Path(manyhash.__file__).with_name("_algorithms.pyi").read_text()
    for algorithm in manyhash.algorithms:
        function = getattr(manyhash, algorithm)
        assert function.__name__ == algorithm
        assert function.__doc__
        assert algorithm in manyhash.__all__
    for algorithm in support.WITHOUT_PARAMETERS:
        function = getattr(manyhash, algorithm)
        assert str(inspect.signature(function)) == "(data=b'', *, usedforsecurity=True)"
        assert f"\ndef {algorithm}(data: Data = b\"\", *, usedforsecurity: bool = True) -> Hash: ...\n" in stub
    assert stub.count("usedforsecurity: bool = True) -> Hash") == len(support.WITHOUT_PARAMETERS)


def test_the_representation_says_the_algorithm() -> None:
    assert repr(manyhash.sha512_256()).startswith("<sha512_256 manyhash.Hash object at 0x")


def test_objects_are_not_pickled_as_hashlibs_are_not() -> None:
    for refuse in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot pickle"):
            refuse(hashlib.sha256())
        with pytest.raises(TypeError, match=r"cannot pickle 'manyhash\.Hash' object"):
            refuse(manyhash.sha256())


def test_functions_are_pickled_by_name() -> None:
    for function in (manyhash.sha256, manyhash.hash_many, manyhash.hmac_many, manyhash.file_digests):
        assert pickle.loads(pickle.dumps(function)) is function


def test_objects_are_neither_made_nor_inherited_from_by_hand() -> None:
    with pytest.raises(TypeError):
        manyhash.Hash()
    with pytest.raises(TypeError):
        type("Mine", (manyhash.Hash,), {})


def test_the_standard_library_takes_them_for_its_own() -> None:
    message = random.Random(5).randbytes(1 << 20)
    assert hmac.new(b"key", message, manyhash.sha384).digest() == hmac.digest(b"key", message, "sha384")  # type: ignore[arg-type]
    assert hashlib.file_digest(io.BytesIO(message), manyhash.sha1).digest() == hashlib.sha1(message).digest()  # type: ignore[arg-type]


def test_any_number_of_threads_may_use_one_object() -> None:
    ours = manyhash.sha256()
    pieces = [bytes([7]) * 5000, b"\7" * 100]

    def update() -> None:
        for _ in range(200):
            for piece in pieces:
                ours.update(piece)
                ours.hexdigest()
                ours.copy().update(b"x")

    threads = [threading.Thread(target=update) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ours.digest() == hashlib.sha256(b"\7" * (4 * 200 * 5100)).digest()


def test_others_run_while_a_large_piece_is_hashed() -> None:
    data = bytes(1 << 30)
    begun, finished = threading.Event(), threading.Event()

    def hash_it() -> None:
        ours = manyhash.md5()
        begun.set()
        ours.update(data)
        finished.set()

    thread = threading.Thread(target=hash_it)
    thread.start()
    begun.wait()
    turns = 0
    while not finished.is_set():
        turns += 1
    thread.join()
    assert turns > 1000


def of_ctypes() -> list[Any]:
    return [ctypes.create_string_buffer(b"ab"), (ctypes.c_ubyte * 3)(1, 2, 3), (ctypes.c_char * 3)(*b"abc"), ctypes.c_int(3), numpy.float64(1), numpy.array(5)]


@pytest.mark.parametrize("data", of_ctypes(), ids=lambda data: type(data).__name__)
def test_buffers_that_do_not_say_how_they_are_laid_out_will_do(data: Any) -> None:
    assert manyhash.sha256(data).digest() == hashlib.sha256(data).digest()
    assert manyhash.hash_many([data], algorithm="sha256") == [hashlib.sha256(data).digest()]
    if not isinstance(data, numpy.ndarray):
        expected = hmac.digest(memoryview(data).tobytes(), b"message", "sha256")
        assert manyhash.hmac_many([b"message"] * 3, key=data) == [expected] * 3
        with pytest.raises(TypeError, match="messages is one"):
            manyhash.hash_many(data)


# Classes have buffers from then on.
if sys.version_info >= (3, 12):

    @pytest.mark.parametrize("algorithm", ["sha256", "blake3"])
    def test_whoever_gives_a_buffer_may_use_the_object(algorithm: str) -> None:
        message = manyhash.new(algorithm)

        class Gives:
            def __buffer__(self, flags: int) -> memoryview:
                message.update(b"first ")
                return memoryview(b"second")

            def __release_buffer__(self, view: memoryview) -> None:
                message.update(b" third")

        message.update(Gives())
        assert message.digest() == manyhash.new(algorithm, b"first second third").digest()


def test_a_module_that_is_not_there_yet_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (None, types.ModuleType("numpy")):
        monkeypatch.setitem(sys.modules, "numpy", module)
        assert manyhash.hash_many(iter([b"a"])) == [hashlib.sha256(b"a").digest()]
        assert len(manyhash.hmac_many([b"a"], key=b"k")) == 1

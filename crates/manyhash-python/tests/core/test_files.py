"""`file_digests` beside hashlib and sha256sum."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from support import skipped, tool

from manyhash import FileDigest, file_digests


@pytest.fixture
def tree(tmp_path: Path) -> list[Path]:
    generator = random.Random(2)
    paths = [tmp_path / f"{index:04}" for index in range(700)]
    for path in paths:
        path.write_bytes(generator.randbytes(generator.choice([0, 1, 100, 5000, 100_000])))
    return paths


@pytest.mark.parametrize("threads", [0, 1, 2])
@pytest.mark.parametrize("algorithm", ["sha256", "md5", "sha512_256"])
def test_rows_come_in_the_order_of_the_paths(tree: list[Path], threads: int, algorithm: str) -> None:
    random.Random(1).shuffle(tree)
    for path, row in zip(tree, file_digests(tree, algorithm, threads=threads), strict=True):
        content = path.read_bytes()
        assert row == FileDigest(str(path), len(content), hashlib.new(algorithm, content).digest(), None)


def test_digests_are_those_of_sha256sum(tree: list[Path]) -> None:
    lines = subprocess.run([tool("sha256sum"), *tree], capture_output=True, text=True, check=True).stdout
    assert "".join(f"{row.digest.hex()}  {row.path}\n" for row in file_digests(tree) if row.digest) == lines


def test_what_cannot_be_read_has_an_error_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"abc")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    names = ["there", "missing", "folder", "loop", "there/below", "zero\0byte", "there"]
    rows = file_digests(f"{tmp_path}/{name}" for name in names)
    assert [row.path for row in rows] == [f"{tmp_path}/{name}" for name in names]
    assert [row.size for row in rows] == [3, None, None, None, None, None, 3]
    assert [row.digest is None for row in rows] == [row.error is not None for row in rows] == [False, *[True] * 5, False]
    errors = [row.error for row in rows]
    assert errors[1:5] == ["No such file or directory", "Is a directory", "Too many levels of symbolic links", "Not a directory"]


def test_a_file_that_may_not_be_read_has_an_error(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"abc")
    path.chmod(0)
    if os.geteuid() == 0:
        # Root may read everything, but for what only the kernel may.
        path = Path("/proc/self/mem")
        if not path.exists():
            skipped("root may read every file")
    assert file_digests([path])[0].error in ("Permission denied", "Input/output error")


def test_paths_may_be_of_any_kind_and_names_of_any_bytes(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/not UTF-8 \xff"
    Path(os.fsdecode(name)).write_bytes(b"abc")
    row = FileDigest(os.fsdecode(name), 3, hashlib.sha256(b"abc").digest(), None)
    assert file_digests([name, os.fsdecode(name), Path(os.fsdecode(name))]) == [row] * 3


def test_a_name_that_cannot_be_encoded_has_an_error_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"abc")
    there = FileDigest(str(tmp_path / "there"), 3, hashlib.sha256(b"abc").digest(), None)
    told: list[tuple[int, int]] = []
    # What os.fsdecode gives has no surrogates but those from U+DC80 to U+DCFF.
    for name in ("\ud800", f"{tmp_path}/\udc00", Path("\udfff")):
        rows = file_digests([there.path, name, there.path], progress=lambda files, size: told.append((files, size)))
        assert [rows[0], rows[2]] == [there, there]
        assert rows[1][:3] == (str(name), None, None)
        assert "surrogates not allowed" in (rows[1].error or "")
        assert told[-1] == (3, 6)


def test_a_name_that_the_locale_lacks_has_an_error_and_the_others_go_on() -> None:
    script = r"""
import manyhash
print([row.error for row in manyhash.file_digests(["/dev/null", "/f\u00fcnf"])])
"""
    ascii_only = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | ascii_only).stdout
    assert "[None, \"Invalid file name: 'ascii' codec can't encode character" in printed


def test_a_hyphen_is_a_file_and_not_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_digests(["-"]) == [FileDigest("-", None, None, "No such file or directory")]
    Path("-").write_bytes(b"abc")
    assert file_digests(["-"]) == [FileDigest("-", 3, hashlib.sha256(b"abc").digest(), None)]


def test_a_fifo_is_read_to_its_end(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(b"abc" * 100_000))
    writer.start()
    assert file_digests([fifo]) == [FileDigest(str(fifo), 300_000, hashlib.sha256(b"abc" * 100_000).digest(), None)]
    writer.join()


def test_no_paths_are_no_rows() -> None:
    assert file_digests([]) == []


def test_progress_is_told_at_the_end_and_never_goes_back(tree: list[Path]) -> None:
    told: list[tuple[int, int]] = []
    file_digests([*tree, "/nonexistent"], progress=lambda files, size: told.append((files, size)))
    assert told[-1] == (701, sum(path.stat().st_size for path in tree))
    assert told == sorted(told)


def test_progress_is_told_while_a_large_file_is_read() -> None:
    told: list[tuple[int, int]] = []
    times: list[float] = []

    class EnoughError(Exception):
        pass

    def progress(files: int, size: int) -> None:
        told.append((files, size))
        times.append(time.monotonic())
        if len(told) == 4:
            raise EnoughError

    with pytest.raises(EnoughError):
        file_digests(["/dev/zero"], progress=progress)
    assert [files for files, _ in told] == [0] * 4
    assert 0 < told[0][1] < told[1][1] < told[3][1]
    assert all(later - earlier > 0.09 for earlier, later in zip(times, times[1:], strict=False))


@pytest.mark.parametrize("files", ["['/dev/zero']", "['/dev/full', '/dev/zero']", "[large]", "[large, large]"])
def test_control_c_stops_the_work_and_is_raised(tmp_path: Path, files: str) -> None:
    """In a process of its own, which says how many bytes were read by the time when all of its
    threads but one have ended.
    """
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1 << 40)
    script = f"""
import os, signal, sys, threading, time, manyhash
large = {str(large)!r}
main = threading.get_native_id()
# Where tests run in the background, it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
interrupter = threading.Thread(target=interrupt)
interrupter.start()
try:
    manyhash.file_digests({files})
except KeyboardInterrupt:
    interrupter.join()
    while os.listdir("/proc/self/task") != [str(main)]:
        time.sleep(0.01)
    sys.exit(42)
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 42


def test_wrong_arguments_are_named() -> None:
    wrong: Any
    for wrong in ("/etc/passwd", b"/etc/passwd", Path("/etc/passwd")):
        with pytest.raises(TypeError, match=r"paths is one \w+: it must be an iterable of paths"):
            file_digests(wrong)
    with pytest.raises(TypeError, match=r"paths\[1\] is int: it must be str, bytes or os.PathLike"):
        file_digests(["/etc/passwd", 5])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="unknown algorithm"):
        file_digests([], "crc32")
    with pytest.raises(ValueError, match="threads is -2"):
        file_digests([], threads=-2)
    with pytest.raises(ValueError, match="threads is out of range"):
        file_digests([], threads=1 << 64)


def test_memory_stays_small_whatever_is_read(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1 << 30)
    script = f"""
import resource, manyhash
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
manyhash.file_digests([{str(large)!r}] * 2, "md5")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    grown_kib = int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
    assert grown_kib < 64 << 10

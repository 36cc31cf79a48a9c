"""What `progress=` tells of files and of columns, to functions, bars and terminals."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import manyhash.arrow
from manyhash import file_digests
from manyhash._progress import Told, _Drawn


class Counted:
    """A bar as tqdm's: it only knows how many more are done."""

    def __init__(self) -> None:
        self.n = 0
        self.updates = 0

    def update(self, n: int = 1) -> bool:
        assert n >= 0
        self.n += n
        self.updates += 1
        return True


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    found = [tmp_path / f"{index}" for index in range(30)]
    for path in found:
        path.write_bytes(b"x" * 1000)
    return found


def test_a_bar_is_updated_by_files_that_are_done(paths: list[Path]) -> None:
    bar = Counted()
    file_digests(paths, progress=bar)
    assert bar.n == 30
    assert bar.updates >= 1


@pytest.mark.parametrize("threads", [1, 2])
def test_columns_tell_rows_and_bytes(threads: int) -> None:
    texts = [None if index % 7 == 0 else "x" * (index % 50) for index in range(50_000)]
    size = sum(len(text) for text in texts if text is not None)
    array = pa.array(texts)
    table = pa.table({"a": array, "b": pa.array(range(50_000))})
    for column in (array, pa.chunked_array([array[:123], array[123:]])):
        told: list[tuple[int, int]] = []
        digests = manyhash.arrow.hash(column, threads=threads, progress=lambda *done: told.append(done))  # noqa: B023
        assert told[-1] == (50_000, size)
        assert told == sorted(told)
        assert pa.array(digests) == pa.array(manyhash.arrow.hash(array)) if column is array else len(digests) == 50_000
    bar = Counted()
    manyhash.arrow.hash_rows(table, threads=threads, progress=bar)
    assert bar.n == 50_000
    of_dictionary: list[tuple[int, int]] = []
    manyhash.arrow.hash(pa.array(["ab", "c"] * 100).dictionary_encode(), progress=lambda *done: of_dictionary.append(done))
    assert of_dictionary[-1] == (2, 3)


def test_a_column_is_told_of_while_it_is_hashed_and_an_exception_stops_it() -> None:
    # One chunk of 70 MB a hundred times.
    column = pa.chunked_array([pa.array([b"x" * 1_000_000] * 70, pa.large_binary())] * 100)
    told: list[tuple[int, int]] = []

    class EnoughError(Exception):
        pass

    def progress(rows: int, size: int) -> None:
        told.append((rows, size))
        if len(told) == 3:
            raise EnoughError

    start = time.monotonic()
    with pytest.raises(EnoughError):
        manyhash.arrow.hash(column, progress=progress)
    assert time.monotonic() - start < 60
    assert len(told) == 3
    assert told == sorted(told)


def test_what_is_no_progress_is_refused(paths: list[Path]) -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match=r"progress is int: it must be True, a function of two numbers, or a bar with update"):
        file_digests(paths, progress=wrong)
    with pytest.raises(TypeError, match="progress is int"):
        manyhash.arrow.hash(pa.array(["a"]), progress=wrong)
    assert Told(False, "files", 1).callback is None


def test_a_line_comes_every_ten_seconds_where_there_is_no_terminal() -> None:
    now = 0.0
    stream = io.StringIO()
    drawn = _Drawn("files", 1000, stream, lambda: now)
    for now, done in ((5.0, 100), (10.0, 250), (12.0, 300), (20.0, 1000)):
        drawn(done, done * 1_000_000)
    drawn.close()
    assert stream.getvalue() == "250/1,000 files, 250 MB, 25 MB/s\n1,000/1,000 files, 1 GB, 50 MB/s\n"


@pytest.mark.parametrize(
    "code", ["manyhash.file_digests(sys.argv[1:], progress=True)", "manyhash.arrow.hash(pyarrow.array(['x' * 1000] * 30), progress=True)"]
)
def test_a_terminal_has_a_bar(paths: list[Path], code: str) -> None:
    script = f"import sys, pyarrow, manyhash.arrow; {code}"
    command = [sys.executable, "-c", script, *map(str, paths)]
    # It says nothing in so short a time where there is no terminal.
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
    ours, its = pty.openpty()
    with subprocess.Popen(command, stderr=its) as process:
        os.close(its)
        drawn = b""
        try:
            while piece := os.read(ours, 4096):
                drawn += piece
        except OSError:
            # So Linux says that nobody writes any more.
            pass
    os.close(ours)
    assert process.returncode == 0
    what = b"files" if b"file" in code.encode() else b"rows"
    assert b"\r[########################] 30/30 " + what + b", 30 kB, " in drawn
    assert drawn.endswith(b"\x1b[K\r\n")

"""The command `manyhash` that the package brings: the same as the Rust program."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import tool

COMMAND = Path(sysconfig.get_path("scripts")) / "manyhash"
MODULE = [sys.executable, "-m", "manyhash"]


def output_of(command: list[str | Path], **options: object) -> tuple[int, bytes, bytes]:
    done = subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload]
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in {"a": b"abc", "empty": b"", "with space": b"x" * 100_000, "umlaut \u00fc": b"y"}.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_command_and_module_are_the_same(folder: Path) -> None:
    commands: list[list[str]] = [["sum", "-r", "."], ["sum", "missing"], ["--version"], ["nope"], [], ["--help"], ["man"], ["man", "nope"]]
    for arguments in commands:
        assert output_of([COMMAND, *arguments], cwd=folder) == output_of([*MODULE, *arguments], cwd=folder)


def test_digests_are_those_of_sha256sum(folder: Path) -> None:
    names = sorted(os.listdir(folder))
    assert output_of([COMMAND, "sum", *names], cwd=folder) == output_of([tool("sha256sum"), *names], cwd=folder)


def test_called_by_the_name_of_a_drop_in_it_is_one(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    links = tmp_path_factory.mktemp("links")
    for name in ("sha256sum", "md5sum"):
        (links / name).symlink_to(COMMAND)
        for arguments in (["a", "empty"], ["--tag", "a"], ["-z", "a"]):
            assert output_of([links / name, *arguments], cwd=folder) == output_of([tool(name), *arguments], cwd=folder)
        sums = output_of([tool(name), "a", "empty"], cwd=folder)[1]
        (folder / "SUMS").write_bytes(sums.replace(b"a", b"b", 1) if sums[0:1] == b"a" else b"0" + sums[1:])
        code, out, err = output_of([links / name, "-c", "SUMS"], cwd=folder)
        assert (code, out) == output_of([tool(name), "-c", "SUMS"], cwd=folder)[:2]
        assert b"WARNING: 1 computed checksum did NOT match" in err


def test_exit_codes_are_those_of_the_program(folder: Path) -> None:
    for code, arguments in [(0, ["sum", "a"]), (1, ["sum", "missing"]), (2, ["nope"]), (2, []), (2, ["sum", "--algorithm", "crc"])]:
        assert output_of([COMMAND, *arguments], cwd=folder)[0] == code


def test_names_that_are_not_utf_8_arrive(folder: Path) -> None:
    name = b"\xff\xfe"
    (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).write_bytes(b"abc")
    code, out, err = output_of([COMMAND, "sum", os.fsdecode(name)], cwd=folder)
    assert (code, out[64:], err) == (0, b"  " + name + b"\n", b"")


def test_standard_input_is_read(folder: Path) -> None:
    code, out, _ = output_of([COMMAND, "sum"], input=b"abc")
    assert (code, out) == (0, b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n")


def test_whoever_closes_the_output_ends_it_without_a_word(folder: Path) -> None:
    arguments = ["sum", *["a"] * 100_000]
    with subprocess.Popen([COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert (process.wait(60), process.stderr.read()) == (141, b"")


def open_files(process: int) -> set[str]:
    names = set()
    for path in Path(f"/proc/{process}/fd").iterdir():
        # It may be closed meanwhile.
        with contextlib.suppress(FileNotFoundError):
            names.add(os.readlink(path))
    return names


@contextlib.contextmanager
def endless(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that reads /dev/zero, once it does; it does not outlive the test. It heeds Ctrl-C
    also where we, in the background, do not.
    """

    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed) as process:
        try:
            patience = time.monotonic() + 60
            while process.poll() is None and "/dev/zero" not in open_files(process.pid):
                assert time.monotonic() < patience, "it does not open /dev/zero"
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


def test_control_c_ends_it_at_once_and_without_a_traceback() -> None:
    with endless(str(COMMAND), "sum", "/dev/zero") as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (-signal.SIGINT, b"", b"")


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    with endless("sh", "-c", "trap '' INT; exec \"$0\" sum /dev/zero", str(COMMAND)) as process:
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        assert process.poll() is None


def test_a_bar_is_shown_on_a_terminal(folder: Path) -> None:
    reader, writer = pty.openpty()
    with subprocess.Popen([COMMAND, "sum", "--progress=always", "a"], cwd=folder, stdout=subprocess.PIPE, stderr=writer) as process:
        assert process.stdout is not None
        assert process.stdout.read().endswith(b"  a\n")
        assert process.wait(60) == 0
    os.close(writer)
    os.close(reader)


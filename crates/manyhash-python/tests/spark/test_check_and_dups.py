"""Checks of tables, duplicates in them, and the command around all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import module

module("pyspark")

from pyspark.sql import functions as F  # noqa: E402

import manyhash.spark as mhs  # noqa: E402
from manyhash.spark.command import main  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LARGE = 300_000
PIECE_BYTES = 64 << 10


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Path:
    """A folder with its table beside it."""
    folder = tmp_path / "lake"
    folder.mkdir()
    for name in ("same", "a b%41\né", "touched", "edited", "longer", "gone", "replaced"):
        (folder / name).write_bytes(name.encode())
    (folder / "large").write_bytes(b"l" * LARGE)
    (folder / "large-edited").write_bytes(b"e" * LARGE)
    mhs.write(mhs.manifest(spark, str(folder), piece_bytes=PIECE_BYTES), str(tmp_path / "table"))
    return folder


def damage(lake: Path) -> None:
    os.utime(lake / "touched", (0, 0))
    (lake / "edited").write_bytes(b"EDITED")
    (lake / "longer").write_bytes(b"longer than before")
    (lake / "gone").unlink()
    (lake / "replaced").unlink()
    (lake / "replaced").mkdir()
    (lake / "replaced" / "new").write_bytes(b"new")
    (lake / "large-edited").write_bytes(b"e" * (LARGE - 1) + b"E")


def test_nothing_changed_and_all_is_ok(spark: SparkSession, lake: Path) -> None:
    found = mhs.check(spark, f"{lake.parent}/table", audit=str(lake), piece_bytes=PIECE_BYTES).collect()
    assert [row.state for row in found] == ["ok"] * 9


def test_a_check_finds_what_changed_what_is_missing_and_what_is_extra(spark: SparkSession, lake: Path) -> None:
    damage(lake)
    found = {row.path.removeprefix(f"file://{lake}/"): row for row in mhs.check(spark, f"{lake.parent}/table", audit=[str(lake)]).collect()}
    assert {path: row.state for path, row in found.items()} == {
        "same": "ok",
        "a%20b%2541%0Aé": "ok",
        "touched": "ok",
        "large": "ok",
        "edited": "changed",
        "longer": "changed",
        "replaced": "changed",
        "large-edited": "changed",
        "gone": "missing",
        "replaced/new": "extra",
    }
    assert found["edited"].digest == hashlib.sha256(b"EDITED").digest() and found["edited"].expected == hashlib.sha256(b"edited").digest()
    assert found["longer"].error == "it had 6 bytes and has 18"
    assert found["replaced"].error == "it is a folder now"


def test_without_an_audit_only_listed_files_are_looked_at(spark: SparkSession, lake: Path) -> None:
    (lake / "new").write_bytes(b"new")
    assert {row.state for row in mhs.check(spark, f"{lake.parent}/table").collect()} == {"ok"}


def test_a_table_with_several_algorithms_and_with_rows_that_cannot_be_checked(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"small")
    (tmp_path / "unreadable").write_bytes(b"secret")
    path, digest = f"file://{tmp_path}/small", hashlib.sha256(b"small").digest()
    rows = [
        (path, 5, "sha256", digest, None, "ok"),
        (path, 5, "SHA-1", hashlib.sha1(b"small").digest(), None, "ok"),
        (path, 5, "sha512", digest, None, "changed"),
        (path, 5, "sha3", digest, None, "no digest"),
        (path, 5, None, digest, None, "no digest"),
        (path, None, None, None, "IOException: too bad", "no digest"),
        (None, 5, "sha256", digest, None, "no digest"),
        ("file:///%zz", 5, "md5", digest, None, "unreadable"),
        ("nosuchscheme://x/y", 5, "md5", digest, None, "unreadable"),
        (f"gate://{tmp_path}/unreadable", 6, "md5", digest, None, "unreadable"),
        (f"gate://{tmp_path}/none", 6, "md5", digest, None, "missing"),
    ]
    frame = spark.createDataFrame([row[:5] for row in rows], "path string, size long, algorithm string, digest binary, error string")
    found = mhs.check(spark, frame).persist()
    assert sorted(row.state for row in found.collect()) == sorted(row[5] for row in rows)
    assert found.where("state = 'unreadable' and path like '%zz'").first().error.startswith("its path is no URI")
    assert found.where("error like '%too bad%'").count() == 1


def test_duplicates_are_groups_of_the_same_algorithm_size_and_digest(spark: SparkSession) -> None:
    one, two = b"\1" * 32, b"\2" * 32
    rows = [("b", 5, "sha256", one), ("a", 5, "sha256", one), ("a", 5, "sha256", one), ("c", 5, "sha256", two), ("d", 5, "md5", one)]
    rows += [("e", 9, "sha256", one), ("f", 9, "sha256", one), ("g", 9, "sha256", one), ("h", 0, "sha256", two), ("i", 0, "sha256", two)]
    rows += [("j", None, "sha256", None), ("k", None, "sha256", None)]
    frame = spark.createDataFrame(rows, "path string, size long, algorithm string, digest binary").withColumn(
        "error", F.lit(None).cast("string")
    )
    columns = ("path", "files", "wasted_bytes")
    found = [tuple(row[name] for name in columns) for row in mhs.dups(spark, frame).collect()]
    assert found == [("e", 3, 18), ("f", 3, 18), ("g", 3, 18), ("a", 2, 5), ("b", 2, 5)]
    assert [row.path for row in mhs.dups(spark, frame, min_size=0).collect()] == ["e", "f", "g", "a", "b", "h", "i"]


def test_the_commands_lines_and_exit_codes(spark: SparkSession, lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = str(lake.parent / "table")
    assert main(["manifest", str(lake), "--out", table]) == 2
    assert "table: it exists already; --overwrite" in capsys.readouterr().err
    assert main(["manifest", str(lake), "--out", table, "--overwrite", "--piece-bytes", "64K"]) == 0
    total = sum(path.stat().st_size for path in lake.iterdir())
    assert f"sha256 of 9 files, {total} bytes; 0 errors" in capsys.readouterr().err
    assert main(["check", table, "--audit", str(lake)]) == 0
    assert capsys.readouterr() == ("", "manyhash.spark: 9 ok\n")

    damage(lake)
    assert main(["check", table, "--audit", str(lake)]) == 1
    out, err = capsys.readouterr()
    assert [line.replace(f"file://{lake}/", "") for line in out.splitlines()] == [
        "CHANGED edited: same size, another digest",
        f"MISSING gone: FileNotFoundException: File file:{lake}/gone does not exist",
        "CHANGED large-edited: same size, another digest",
        "CHANGED longer: it had 6 bytes and has 18",
        "CHANGED replaced: it is a folder now",
        "EXTRA replaced/new",
    ]
    assert err == "manyhash.spark: 4 ok, 1 missing, 4 changed, 1 extra\n"

    assert main(["check", table, "--json"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1] == {"summary": {"ok": 4, "missing": 1, "unreadable": 0, "changed": 4, "extra": 0, "no_digest": 0}}
    assert lines[0]["expected"] == hashlib.sha256(b"edited").hexdigest() and lines[0]["digest"] == hashlib.sha256(b"EDITED").hexdigest()

    (lake / "same too").write_bytes(b"same")
    assert main(["manifest", str(lake), "--out", f"{table}2", "--json", "--algorithm", "SHA-1"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["algorithm"] == "sha1"
    assert main(["dups", f"{table}2"]) == 0
    assert capsys.readouterr() == (
        f"file://{lake}/same\nfile://{lake}/same%20too\n",
        "manyhash.spark: 2 files in 1 groups, 4 bytes wasted\n",
    )
    assert main(["dups", f"{table}2", "--json", "--min-size", "1K"]) == 0
    assert capsys.readouterr().out == '{"summary": {"groups": 0, "files": 0, "wasted_bytes": 0}}\n'


def test_what_cannot_be_read_ends_the_command_with_1(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    for number in range(25):
        (lake / f"unreadable{number}").write_bytes(b"x")
    assert main(["manifest", f"gate://{lake}", "--out", str(tmp_path / "table")]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len([line for line in lines if "Permission denied" in line]) == 20
    assert lines[-2].startswith("manyhash.spark: and 5 more") and lines[-1].endswith("sha256 of 0 files, 0 bytes; 25 errors")
    assert main(["check", str(tmp_path / "table"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]["no_digest"] == 25
    for arguments in (
        ["check", f"{tmp_path}/none"],
        ["dups", f"{tmp_path}/none"],
        ["manifest", f"{tmp_path}/none", "--out", f"{tmp_path}/t"],
    ):
        assert main(arguments) == 1
        assert "none: no such" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["manifest", "x"],
        ["manifest", "--out", "x"],
        ["manifest", "x", "--out", "y", "--algorithm", "sha3"],
        ["manifest", "x", "--out", "y", "--piece-bytes", "2G"],
        ["manifest", "x", "--out", "y", "--partition-files", "0"],
        ["check"],
        ["check", "x", "--conf", "key"],
        ["dups", "x", "--min-size", "1KB"],
    ],
)
def test_wrong_usage_ends_with_2_before_spark_starts(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 2


def test_the_command_starts_a_spark_of_its_own(spark_home: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"} | {
        "SPARK_HOME": str(spark_home),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    command = [sys.executable, "-m", "manyhash.spark", "manifest", __file__, "--out", f"{tmp_path}/table", "--json"]
    command += ["--master", "local[1]", "--conf", "spark.ui.enabled=false", "--conf", "spark.default.parallelism=1"]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    summary = {
        "files": 1,
        "digests": 1,
        "bytes": Path(__file__).stat().st_size,
        "errors": 0,
        "algorithm": "sha256",
        "table": f"{tmp_path}/table",
    }
    assert json.loads(run.stdout) == {"summary": summary}

"""Manifests of files: what is in them, and what becomes of files that cannot be read."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from support import module

module("pyspark")

from pyspark.sql import functions as F  # noqa: E402

import manyhash.spark as mhs  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

PIECE_BYTES = 64 << 10
ODD_NAMES = [
    "a b",
    "100%",
    "%41",
    "c:d",
    "new\nline",
    "back\\slash",
    "_hidden",
    ".hidden",
    ".data.crc",
    "é",
    "e\u0301",
    "😀",
    "*",
    "[x]",
    "{a,b}",
    "#?&;",
]


def content(name: str, size: int) -> bytes:
    return random.Random(name).randbytes(size)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files of odd names and of sizes around that of a piece."""
    root = tmp_path / "tree"
    (root / "folder" / "_deep").mkdir(parents=True)
    for name in ODD_NAMES:
        (root / name).write_bytes(content(name, 100))
        (root / "folder" / "_deep" / name).write_bytes(content("_deep" + name, 200))
    for size in (0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES, 20 * PIECE_BYTES + 7):
        (root / "folder" / f"{size}").write_bytes(content("size", size))
    (root / "empty folder").mkdir()
    return root


def rows(frame: DataFrame) -> dict[str, Row]:
    found = frame.collect()
    assert len({row.path for row in found}) == len(found)
    return {row.path: row for row in found}


def on_disk(root: Path, prefix: str = "file://") -> dict[str, tuple[int, bytes]]:
    return {
        prefix + str(path): (path.stat().st_size, hashlib.sha256(path.read_bytes()).digest())
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def digests(found: dict[str, Row]) -> dict[str, tuple[int, bytes]]:
    return {unquote(path): (row["size"], row.digest) for path, row in found.items()}


def test_all_files_are_in_a_manifest_whatever_their_names_and_sizes(spark: SparkSession, tree: Path) -> None:
    frame = mhs.manifest(spark, str(tree), piece_bytes=PIECE_BYTES, partition_bytes=4 * PIECE_BYTES, partition_files=7)
    assert frame.dtypes == [
        ("path", "string"),
        ("size", "bigint"),
        ("algorithm", "string"),
        ("digest", "binary"),
        ("mtime", "timestamp"),
        ("error", "string"),
    ]
    found = rows(frame)
    assert digests(found) == on_disk(tree)
    assert {row.error for row in found.values()} == {None}
    assert {row.algorithm for row in found.values()} == {"sha256"}
    big = f"file://{tree}/folder/{20 * PIECE_BYTES + 7}"
    assert found[big].mtime.timestamp() == pytest.approx(os.stat(big.removeprefix("file://")).st_mtime, abs=0.002)


def test_another_algorithm_in_any_spelling(spark: SparkSession, tree: Path) -> None:
    (tree / "folder" / "_deep" / "c:d").unlink()
    found = rows(mhs.manifest(spark, f"{tree}/folder/*", "SHA-512/256", piece_bytes=PIECE_BYTES))
    expected = {
        path: hashlib.new("sha512_256", Path(path.removeprefix("file://")).read_bytes()).digest() for path in on_disk(tree / "folder")
    }
    assert {unquote(path): row.digest for path, row in found.items()} == expected
    assert {row.algorithm for row in found.values()} == {"sha512_256"}


def test_paths_are_those_that_spark_itself_shows(spark: SparkSession, tree: Path) -> None:
    folder = tree / "tables"
    folder.mkdir()
    # Spark leaves out names that begin with a point or an underline.
    names = [name for name in ODD_NAMES if name[0] not in "._" and name != "back\\slash"]
    for name in names:
        (folder / name).write_bytes(b"one line")
    shown = {row[0] for row in spark.read.format("binaryFile").load(str(folder)).select("_metadata.file_path").collect()}
    # Of local files Spark shows file:/name for file:///name.
    shown = {path.replace("file:/", "file:///") if "///" not in path else path for path in shown}
    assert shown == set(rows(mhs.manifest(spark, str(folder)))) and len(shown) == len(names)


def test_a_name_that_is_no_text_is_an_error_row(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"good")
    with open(os.fsencode(tmp_path) + b"/bad\xff name", "wb") as file:
        file.write(b"bad")
    found = rows(mhs.manifest(spark, str(tmp_path)))
    assert set(found) == {f"file://{tmp_path}/good", f"file://{tmp_path}/bad%FF%20name"}
    bad = found[f"file://{tmp_path}/bad%FF%20name"]
    assert bad.digest is None and "name is no text" in bad.error


def test_links_are_not_followed_and_only_regular_files_are_read(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "circle").symlink_to(tmp_path)
    (tmp_path / "nowhere").symlink_to("not there")
    os.mkfifo(tmp_path / "fifo")
    assert set(rows(mhs.manifest(spark, str(tmp_path)))) == {f"file://{tmp_path}/file"}


def test_inputs_that_overlap_and_a_file_by_its_name(spark: SparkSession, tree: Path) -> None:
    for path in tree.rglob("c:d"):
        # Hadoop's patterns cannot cope with a colon in any name they look at.
        path.unlink()
    found = rows(mhs.manifest(spark, [str(tree / "folder"), f"{tree}/fold*", str(tree / "[x]"), f"file:{tree}/100%", str(tree / "*")]))
    # A name that is there is that name, also if it could be a pattern.
    expected = {*on_disk(tree / "folder"), f"file://{tree}/[x]", f"file://{tree}/100%", f"file://{tree}/*"}
    assert {unquote(path.replace("%25", "\0")).replace("\0", "%") for path in found} == expected


def test_an_input_that_is_not_there_is_an_error_before_anything_is_read(spark: SparkSession, tmp_path: Path) -> None:
    for path in (f"{tmp_path}/none", f"{tmp_path}/*.none"):
        with pytest.raises(FileNotFoundError, match="none: no such file"):
            mhs.manifest(spark, [str(tmp_path), path])
    with pytest.raises(OSError, match="nosuchscheme"):
        mhs.manifest(spark, "nosuchscheme://host/path")
    with pytest.raises(ValueError, match="inputs: at least one"):
        mhs.manifest(spark, [])
    with pytest.raises(ValueError, match="piece_bytes: 0"):
        mhs.manifest(spark, str(tmp_path), piece_bytes=0)
    with pytest.raises(ValueError, match="sha512_256"):
        mhs.manifest(spark, str(tmp_path), "sha3")


def test_an_empty_folder_gives_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    assert mhs.manifest(spark, str(tmp_path)).collect() == []


def test_what_cannot_be_read_is_an_error_row_and_the_rest_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    large = 5 * PIECE_BYTES
    sizes = {"good": 10, "good-large": large, "unreadable": 10, "broken": 10, "broken-large": large, "growing": 10, "growing-large": large}
    (tmp_path / "unreadable" / "below").mkdir(parents=True)
    folder = tmp_path / "files"
    folder.mkdir()
    for name, size in sizes.items():
        (folder / name).write_bytes(content(name, size))
    found = rows(mhs.manifest(spark, f"gate://{tmp_path}", piece_bytes=PIECE_BYTES).persist())
    assert {path: row.digest for path, row in found.items() if row.error is None} == {
        f"gate://{folder}/{name}": hashlib.sha256(content(name, sizes[name])).digest() for name in ("good", "good-large")
    }
    errors = {path.removeprefix(f"gate://{tmp_path}/"): row.error for path, row in found.items() if row.error is not None}
    assert set(errors) == {"unreadable", *(f"files/{name}" for name in sizes if not name.startswith("good"))}
    assert "Permission denied" in errors["unreadable"] and "Permission denied" in errors["files/unreadable"]
    assert "Input/output error" in errors["files/broken"] and "Input/output error" in errors["files/broken-large"]
    assert "it had 10 bytes, 11 were read, and it has 11" in errors["files/growing"]
    assert f"it had {large} bytes, {large + 1} were read" in errors["files/growing-large"]
    assert all(row.digest is None for row in found.values() if row.error is not None)


def test_a_file_that_vanishes_after_it_was_listed_is_an_error_row(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("stays", "goes"):
        (tmp_path / name).write_bytes(name.encode())
    frame = mhs.manifest(spark, str(tmp_path))
    (tmp_path / "goes").unlink()
    found = rows(frame)
    assert found[f"file://{tmp_path}/stays"].digest == hashlib.sha256(b"stays").digest()
    assert "FileNotFoundException" in found[f"file://{tmp_path}/goes"].error


def test_files_of_viewfs(spark: SparkSession, tree: Path, hadoop_setting: Callable[[str, str], None]) -> None:
    for path in tree.rglob("c:d"):
        # Hadoop's local file system lists such a name, viewfs does not.
        path.unlink()
    hadoop_setting("fs.viewfs.mounttable.lake.link./raw", tree.as_uri())
    found = rows(mhs.manifest(spark, "viewfs://lake/raw", piece_bytes=PIECE_BYTES))
    # Below viewfs, Hadoop's local file system hides its own checksum files.
    expected = {f"viewfs://lake/raw{path.removeprefix(f'file://{tree}')}": value for path, value in on_disk(tree).items()}
    assert digests(found) == {path: value for path, value in expected.items() if not path.endswith("/.data.crc")}


def test_a_stale_checksum_file_of_hadoop_makes_no_file_unreadable(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"new content")
    (tmp_path / ".data.crc").write_bytes(b"crc\0\0\0\2\0\0\0\0\0")
    found = rows(mhs.manifest(spark, str(tmp_path)))
    assert digests(found) == on_disk(tmp_path)


def test_many_small_files_in_many_tasks(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / str(number)).write_bytes(b"%d" % number)
    found = rows(mhs.manifest(spark, str(tmp_path)))
    assert digests(found) == {
        f"file://{tmp_path}/{number}": (len(str(number)), hashlib.sha256(b"%d" % number).digest()) for number in range(3000)
    }


def test_a_table_is_written_once_and_replaced_only_on_demand(spark: SparkSession, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "a").write_bytes(b"a")
    # The table may be below what it lists.
    table = lake / "manifest {1}"
    mhs.write(mhs.manifest(spark, str(lake), exclude=str(table)), str(table))
    with pytest.raises(FileExistsError, match="it exists already"):
        mhs.write(mhs.manifest(spark, str(lake), exclude=str(table)), str(table))
    (lake / "b").write_bytes(b"b")
    mhs.write(mhs.manifest(spark, str(lake), exclude=str(table)), str(table), overwrite=True)
    assert set(rows(mhs.read_table(spark, str(table)))) == {f"file://{lake}/a", f"file://{lake}/b"}
    assert sorted(path.name for path in lake.iterdir()) == ["a", "b", "manifest {1}"]


def test_overwriting_deletes_nothing_but_tables(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("lake", "not a table"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "precious").write_bytes(b"precious")
    (tmp_path / "not a table" / "_SUCCESS").write_bytes(b"")
    for name in ("lake", "lake/precious", "not a table"):
        with pytest.raises(Exception, match="no table|no such table|[Pp]arquet|column path"):
            mhs.write(mhs.manifest(spark, str(tmp_path / "lake")), str(tmp_path / name), overwrite=True)
    assert (tmp_path / "lake" / "precious").exists() and (tmp_path / "not a table" / "precious").exists()


def test_a_job_that_fails_leaves_nothing_of_a_table(spark: SparkSession, tmp_path: Path) -> None:
    frame = mhs.manifest(spark, __file__).withColumn("error", F.raise_error(F.lit("in the middle")).cast("string"))
    with pytest.raises(Exception, match="in the middle"):
        mhs.write(frame, str(tmp_path / "table"))
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_success_in_it_is_no_table(spark: SparkSession, tmp_path: Path) -> None:
    mhs.write(mhs.manifest(spark, __file__), str(tmp_path / "table"))
    (tmp_path / "table" / "_SUCCESS").unlink()
    with pytest.raises(mhs.IncompleteTable, match="has no _SUCCESS in it"):
        mhs.read_table(spark, str(tmp_path / "table"))
    with pytest.raises(FileNotFoundError, match="no such table"):
        mhs.read_table(spark, str(tmp_path / "none"))
    with pytest.raises(ValueError, match="column path is not there, not string"):
        mhs.read_table(spark, spark.range(1))


def test_spark_connect_has_no_file_systems() -> None:
    class SparkSession:
        pass

    SparkSession.__module__ = "pyspark.sql.connect.session"
    with pytest.raises(NotImplementedError, match="manifest needs a session in the driver itself: a Spark Connect session"):
        mhs.manifest(SparkSession(), "file:///")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="spark is str, not a SparkSession"):
        mhs.check("spark", "table")  # type: ignore[arg-type]

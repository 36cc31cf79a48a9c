"""Manifests of files: made, checked, and searched for duplicates."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.window import Window

import manyhash
from manyhash._algorithms import AlgorithmName
from manyhash.spark import records
from manyhash.spark.hadoop import JVM_ERRORS, PARTITION_BYTES, PARTITION_FILES, PIECE_BYTES, HadoopFiles, first_line, hadoop_configuration
from manyhash.spark.session import require_jvm

if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession

_ROW_SCHEMA = "path string, size long, algorithm string, digest binary, modified_millis long, state string, expected binary, error string"
_TABLE_COLUMNS = {"path": "string", "size": "bigint", "algorithm": "string", "digest": "binary", "error": "string"}
# Rows of one Parquet file of the table.
_FILE_ROWS = 500_000


class IncompleteTable(OSError):
    """A table whose writer did not end, or something that is no table."""


def manifest(
    spark: SparkSession,
    inputs: str | Iterable[str],
    algorithm: AlgorithmName | str = "sha256",
    *,
    piece_bytes: int = PIECE_BYTES,
    partition_bytes: int = PARTITION_BYTES,
    partition_files: int = PARTITION_FILES,
    exclude: str | None = None,
) -> DataFrame:
    """Digests of all files below `inputs`: paths, folders and patterns of any Hadoop file system
    the session knows.

    Columns: path string, size long, algorithm string, digest binary, mtime timestamp, error string
    (null when fine). Files are listed now, and read by every action on the result: write it
    (`write`) before anything else. `exclude`: a folder that is left out.
    """
    require_jvm(spark, "manifest")
    name = manyhash.new(algorithm).name
    files = HadoopFiles(spark, exclude)
    files.add_inputs(_paths(inputs))
    rows = _rows(spark, files, name, piece_bytes, partition_bytes, partition_files)
    # Many tasks read, few files are written: a shuffle of these small rows is cheap, and a task for
    # each large file has one row.
    return (
        rows.repartition(max(1, -(-len(files) // _FILE_ROWS)))
        .select("path", "size", "algorithm", "digest", F.timestamp_millis("modified_millis").alias("mtime"), "error")
        .sortWithinPartitions("path")
    )


def check(
    spark: SparkSession,
    table: str | DataFrame,
    *,
    audit: str | Iterable[str] = (),
    piece_bytes: int = PIECE_BYTES,
    partition_bytes: int = PARTITION_BYTES,
    partition_files: int = PARTITION_FILES,
) -> DataFrame:
    """Reads all files of a table again. `audit`: inputs below which no other file may be.

    Columns: path, state, algorithm, size, expected (the table's digest), digest, error. States:
    `ok`, `changed`, `missing`, `unreadable`, `no digest` (the table has none, so nothing was
    checked), `extra` (of an audit). Every action on the result reads the files anew.
    """
    require_jvm(spark, "check")
    frame = read_table(spark, table)
    inputs = _paths(audit) if audit else []
    files = HadoopFiles(spark, table if isinstance(table, str) else None)
    if inputs:
        files.expect_overlaps()
    files.add_table(frame.select(*_TABLE_COLUMNS))
    if inputs:
        files.begin_audit()
        files.add_inputs(inputs)
    rows = _rows(spark, files, "", piece_bytes, partition_bytes, partition_files)
    return rows.select("path", "state", "algorithm", "size", "expected", "digest", "error")


def dups(spark: SparkSession, table: str | DataFrame, *, min_size: int = 1) -> DataFrame:
    """Files of a table that have the same content: the same algorithm, size and digest. A row a
    file, and groups one after the other.

    Columns: algorithm, size, digest, files (in the group), wasted_bytes (size times all files but
    one), path. Those that waste most first.
    """
    require_jvm(spark, "dups")
    frame = read_table(spark, table).where(F.col("digest").isNotNull() & (F.col("size") >= min_size))
    # A file that is listed twice is one file.
    frame = frame.select("algorithm", "size", "digest", "path").distinct()
    group = Window.partitionBy("algorithm", "size", "digest")
    return (
        frame.withColumn("files", F.count("*").over(group))
        .where("files > 1")
        .select("algorithm", "size", "digest", "files", (F.col("size") * (F.col("files") - 1)).alias("wasted_bytes"), "path")
        .orderBy(F.desc("wasted_bytes"), "algorithm", "size", "digest", "path")
    )


def read_table(spark: SparkSession, table: str | DataFrame) -> DataFrame:
    """The rows of a table that `write` has written completely, or of a frame with the same columns.
    """
    if isinstance(table, str):
        path = _java_path(spark, table)
        if not _call(table, lambda: _file_system(spark, path).exists(path)):
            raise FileNotFoundError(f"{table}: no such table")
        success = _java_path(spark, table.rstrip("/") + "/_SUCCESS")
        if not _call(table, lambda: _file_system(spark, success).exists(success)):
            raise IncompleteTable(f"{table}: it has no _SUCCESS in it: writing it has not come to its end, or it is no table")
        frame = spark.read.parquet(_literal(table))
    else:
        frame = table
    types = dict(frame.dtypes)
    for name, wanted in _TABLE_COLUMNS.items():
        if types.get(name) != wanted:
            raise ValueError(f"table: column {name} is {types.get(name, 'not there')}, not {wanted}")
    return frame


def exists(spark: SparkSession, path: str) -> bool:
    """Whether there is a file or folder at this path."""
    java_path = _java_path(spark, path)
    return bool(_call(path, lambda: _file_system(spark, java_path).exists(java_path)))


def write(frame: DataFrame, table: str, *, overwrite: bool = False) -> None:
    """Writes a manifest as Parquet. FileExistsError if there is something already, unless with
    `overwrite`.

    Rows go to a folder beside `table` that is renamed at the end, and `_SUCCESS` in it is made
    last. So a table with `_SUCCESS` is complete, on every store, and on file systems whose rename
    is atomic there is either all of it or nothing. What an overwritten table was stays until the
    new one is complete.
    """
    spark = frame.sparkSession
    require_jvm(spark, "write")
    target = _java_path(spark, table)
    file_system = _call(table, lambda: _file_system(spark, target))
    if _call(table, lambda: file_system.exists(target)):
        if not overwrite:
            raise FileExistsError(f"{table}: it exists already")
        # Only a table is ever deleted.
        read_table(spark, table)
    jvm: Any = spark._jvm
    child = jvm.org.apache.hadoop.fs.Path
    staging = child(target.getParent(), f".{target.getName()}.{uuid.uuid4().hex}.staging")
    try:
        frame.write.parquet(staging.toString())
    except BaseException:
        _call(table, lambda: file_system.delete(staging, True))
        raise
    try:
        file_system.delete(child(staging, "_SUCCESS"), False)
        if overwrite:
            file_system.delete(target, True)
        if file_system.exists(target):
            raise FileExistsError(f"{table}: it has come to exist meanwhile; the new table is {staging.toString()}")
        if not file_system.rename(staging, target):
            raise OSError(f"{table}: the new table, {staging.toString()}, cannot be renamed to it")
        file_system.create(child(target, "_SUCCESS"), True).close()
    except JVM_ERRORS as error:
        raise OSError(f"{table}: {first_line(error)}; the new table is {staging.toString()}") from error


def _rows(
    spark: SparkSession, files: HadoopFiles, algorithm: str, piece_bytes: int, partition_bytes: int, partition_files: int
) -> DataFrame:
    found = files.records(piece_bytes, partition_bytes, partition_files).mapPartitions(functools.partial(records.rows, algorithm=algorithm))
    return spark.createDataFrame(found, _ROW_SCHEMA, verifySchema=False)


def _paths(inputs: str | Iterable[str]) -> Sequence[str]:
    paths = [inputs] if isinstance(inputs, str) else list(inputs)
    if not paths:
        raise ValueError("inputs: at least one is needed")
    for path in paths:
        if not isinstance(path, str):
            raise TypeError(f"inputs: {path!r} is {type(path).__name__}, not str")
        if not path:
            raise ValueError("inputs: one of them is empty")
    return paths


def _literal(path: str) -> str:
    """A path as a pattern that matches only itself, for Spark's readers, which take paths for
    patterns.
    """
    return "".join(f"\\{character}" if character in "\\{}[]*?" else character for character in path)


def _java_path(spark: SparkSession, path: str) -> Any:
    jvm: Any = spark._jvm
    java_path = jvm.org.apache.hadoop.fs.Path(path)
    return _call(path, lambda: _file_system(spark, java_path).makeQualified(java_path))


def _file_system(spark: SparkSession, java_path: Any) -> Any:
    return java_path.getFileSystem(hadoop_configuration(spark))


def _call(path: str, action: Any) -> Any:
    """What `action` gives. Java's errors become an OSError that names the path."""
    try:
        return action()
    except JVM_ERRORS as error:
        raise OSError(f"{path}: {first_line(error)}") from error

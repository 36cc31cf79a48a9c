"""The command `python -m manyhash.spark`: manifest, check and dups. Exit codes: 0 fine, 1 not all
is as it should be, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import manyhash
from manyhash.spark.session import require_jvm

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

# How many errors of a manifest are shown; the table has them all.
_SHOWN_ERRORS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    # These are imported only now, because wrong usage need not wait for a JVM, nor have one.
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # A program's own session goes on after this.
    is_ours = SparkSession.getActiveSession() is None
    try:
        spark = _session(options)
    except PySparkException as error:
        return _failed(error)
    try:
        return int(options.run(spark, options))
    except (FileExistsError, NotImplementedError) as error:
        _say(str(error))
        return 2
    except (OSError, ValueError, PySparkException) as error:
        return _failed(error)
    finally:
        if is_ours:
            spark.stop()


def _failed(error: Exception) -> int:
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    # An error of an executor's Python ends with the exception, after its traceback.
    _say(lines[-1] if any(line.startswith("Traceback") for line in lines) else lines[0])
    return 1


def _say(message: str) -> None:
    print(f"manyhash.spark: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m manyhash.spark",
        description="Digests of all files below a path of any Hadoop file system or object store, by Apache Spark.",
        epilog="Exit codes: 0 fine, 1 something could not be read or is not as listed, 2 wrong usage.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    spark = argparse.ArgumentParser(add_help=False)
    spark.add_argument("--master", help="Spark's master, such as yarn, spark://host:7077 or local[*]; spark-submit has its own")
    spark.add_argument("--conf", action="append", default=[], type=_setting, metavar="KEY=VALUE", help="a setting of Spark; repeatable")
    spark.add_argument("--json", action="store_true", help="a JSON object a line, the last one with the summary")

    reading = argparse.ArgumentParser(add_help=False)
    reading.add_argument(
        "--piece-bytes", type=_piece_bytes, metavar="SIZE", help="files larger than this are read in pieces of it; default 1M, at most 1G"
    )
    reading.add_argument("--partition-bytes", type=_size, metavar="SIZE", help="small files are read by one task up to this; default 128M")
    reading.add_argument("--partition-files", type=_number, metavar="N", help="and up to so many of them; default 1000")

    manifest = commands.add_parser("manifest", parents=[spark, reading], help="write the digests of files to a table")
    manifest.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a folder, or a pattern of them")
    manifest.add_argument("--out", required=True, metavar="TABLE", help="the folder of the Parquet table, not there yet")
    manifest.add_argument("--algorithm", type=_algorithm, default="sha256", help=f"{', '.join(manyhash.algorithms)}; default sha256")
    manifest.add_argument("--overwrite", action="store_true", help="replace TABLE, once the new one is complete")
    manifest.set_defaults(run=_manifest)

    check = commands.add_parser("check", parents=[spark, reading], help="read the files of a table again, and compare")
    check.add_argument("table", metavar="TABLE")
    check.add_argument("--audit", nargs="+", default=[], metavar="INPUT", help="also say what is there and not in the table")
    check.set_defaults(run=_check)

    dups = commands.add_parser("dups", parents=[spark], help="list files of a table that have the same content")
    dups.add_argument("table", metavar="TABLE")
    dups.add_argument(
        "--min-size", type=_size, default=1, metavar="SIZE", help="leave out smaller files; default 1: empty files are all alike"
    )
    dups.set_defaults(run=_dups)
    return parser


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMGT]?)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes, nor one with K, M, G or T behind it")
    value: int = int(match[1]) << 10 * " KMGT".index(match[2] or " ")
    if value >= 1 << 63:
        raise argparse.ArgumentTypeError(f"{text} is too large")
    return value


def _piece_bytes(text: str) -> int:
    value = _size(text)
    if not 1 <= value <= 1 << 30:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to 1G")
    return value


def _number(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) < 1 << 31:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 2^31 - 1")
    return int(text)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{key!r} has no = behind it")
    return key, value


def _algorithm(text: str) -> str:
    try:
        return str(manyhash.new(text).name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _session(options: argparse.Namespace) -> SparkSession:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("manyhash")
    if options.master is not None:
        if options.master.startswith("local"):
            # Executors on this machine are to have what this Python has, but Spark would take the
            # first python3 in PATH.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.master(options.master)
    for key, value in options.conf:
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    # The command says itself which files are unreadable; Spark's own log stays where it is
    # configured.
    if not type(spark).__module__.startswith("pyspark.sql.connect"):
        spark.sparkContext.setLogLevel("ERROR")
    return spark


def _reading(options: argparse.Namespace) -> dict[str, int]:
    """The options that were given, without the others, so that defaults stand in one place."""
    names = ("piece_bytes", "partition_bytes", "partition_files")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def _print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False))


def _manifest(spark: SparkSession, options: argparse.Namespace) -> int:
    import manyhash.spark as mhs
    from manyhash.spark.files import exists

    require_jvm(spark, "manifest")
    # This comes before files are listed, which may take long.
    if not options.overwrite and exists(spark, options.out):
        raise FileExistsError(f"{options.out}: it exists already; --overwrite replaces it")
    frame = mhs.manifest(spark, options.inputs, options.algorithm, exclude=options.out, **_reading(options))
    mhs.write(frame, options.out, overwrite=options.overwrite)
    table = mhs.read_table(spark, options.out)
    counts = table.selectExpr(
        "count(*) AS files",
        "count_if(error IS NULL) AS digests",
        "coalesce(sum(if(error IS NULL, size, 0)), 0) AS bytes",
        "count(error) AS errors",
    ).first()
    assert counts is not None
    if counts.errors:
        errors = table.where("error IS NOT NULL").select("path", "error")
        for row in (errors if options.json else errors.limit(_SHOWN_ERRORS)).toLocalIterator():
            if options.json:
                _print_json({"path": row.path, "error": row.error})
            else:
                _say(f"{row.path}: {row.error}")
        if not options.json and counts.errors > _SHOWN_ERRORS:
            _say(f"and {counts.errors - _SHOWN_ERRORS} more: see column error of {options.out}")
    if options.json:
        _print_json({"summary": counts.asDict() | {"algorithm": options.algorithm, "table": options.out}})
    else:
        _say(f"{options.algorithm} of {counts.digests} files, {counts.bytes} bytes; {counts.errors} errors")
    return 1 if counts.errors else 0


def _check(spark: SparkSession, options: argparse.Namespace) -> int:
    import manyhash.spark as mhs
    from manyhash.spark.records import STATES

    require_jvm(spark, "check")
    # The rows are kept, because files are to be read once, for lines and for counts.
    found = mhs.check(spark, options.table, audit=options.audit, **_reading(options)).persist()
    counts = dict.fromkeys(STATES, 0) | {row.state: row["count"] for row in found.groupBy("state").count().collect()}
    for row in found.where("state <> 'ok'").orderBy("path", "state", "algorithm").toLocalIterator():
        if options.json:
            _print_json(_check_object(row))
        else:
            print(f"{row.state.upper()} {row.path}" + (f": {row.error}" if row.error else ""))
    if options.json:
        _print_json({"summary": {state.replace(" ", "_"): count for state, count in counts.items()}})
    else:
        _say(", ".join(f"{count} {state}" for state, count in counts.items() if count or state == "ok"))
    return 0 if counts["ok"] == sum(counts.values()) else 1


def _check_object(row: Row) -> dict[str, Any]:
    values = row.asDict()
    return {name: value.hex() if isinstance(value, (bytes, bytearray)) else value for name, value in values.items() if value is not None}


def _dups(spark: SparkSession, options: argparse.Namespace) -> int:
    import manyhash.spark as mhs

    frame: DataFrame = mhs.dups(spark, options.table, min_size=options.min_size)
    groups = files = wasted_bytes = 0
    for (algorithm, size, digest), rows in itertools.groupby(
        frame.toLocalIterator(), key=lambda row: (row.algorithm, row.size, bytes(row.digest))
    ):
        paths = [row.path for row in rows]
        wasted = size * (len(paths) - 1)
        if options.json:
            _print_json({"algorithm": algorithm, "digest": digest.hex(), "bytes": size, "wasted_bytes": wasted, "files": paths})
        else:
            print(("\n" if groups else "") + "\n".join(paths))
        groups, files, wasted_bytes = groups + 1, files + len(paths), wasted_bytes + wasted
    if options.json:
        _print_json({"summary": {"groups": groups, "files": files, "wasted_bytes": wasted_bytes}})
    else:
        _say(f"{files} files in {groups} groups, {wasted_bytes} bytes wasted")
    return 0

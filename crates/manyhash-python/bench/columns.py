#!/usr/bin/env python3
"""Times SHA-256 over columns: manyhash beside what people use in Python, pandas, Polars, DuckDB and DataFusion, in one process, in turns.

Everybody has one thread. A column is 1,000,000 rows of text (300,000 of 256 bytes and more), no two the same, in memory, in the layout its
contestant wants. Before anything is timed, every digest of every contestant is compared with hashlib's. The time of a query in DuckDB and
DataFusion is that of `SELECT max(f(x))`: it makes every digest, and no result that would have to be converted.
"""

from __future__ import annotations

import argparse
import base64
import datetime
import gc
import hashlib
import hmac
import importlib.metadata
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Before Polars and others start their threads.
for variable in ("POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"

# ruff: noqa: E402
import datafusion
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

import manyhash
import manyhash.arrow
import manyhash.datafusion
import manyhash.duckdb
import manyhash.pandas
import manyhash.polars

try:
    import polars_hash
except ImportError:
    polars_hash = None

ROW_BYTES = (16, 32, 64, 256)
ROWS, ROWS_OF_LONG = 1_000_000, 300_000
LONG_BYTES = 256
QUICK_ROWS = 5_000
RUNS = 7
KEY = bytes(range(32))
# DataFusion's own size of a batch.
BATCH_ROWS = 8192
# What there was before, and which of our lines stand beside it.
OWN = {
    "hashlib in a list": "manyhash.hash_many",
    "pandas apply": "manyhash.pandas",
    "polars-hash": "manyhash.polars",
    "DuckDB sha256": "manyhash.duckdb",
    "DataFusion sha256": "manyhash.datafusion",
}
PACKAGES = ("manyhash", "datafusion", "duckdb", "numpy", "pandas", "polars", "polars-hash", "pyarrow")


@dataclass
class Contestant:
    """One line of the table: what is timed, and the digests it made, by which it is checked."""

    name: str
    standing: str
    # What comes out: binary, hex, base64; key (HMAC, binary); rows (a digest over two columns).
    output: str
    run: Callable[[], Any]
    digests: Callable[[Any], list[Any]]
    times_ns: list[int] = field(default_factory=list)

    @property
    def median_ns(self) -> float:
        return statistics.median(self.times_ns)


def texts(row_bytes: int, rows: int) -> list[str]:
    """Distinct texts of one length, the same in every run."""
    source = random.Random(row_bytes)
    made = source.randbytes((row_bytes + 1) // 2 * rows).hex()
    width = (row_bytes + 1) // 2 * 2
    return [made[i * width : i * width + row_bytes] for i in range(rows)]


def as_python(column: Any) -> list[Any]:
    """An Arrow column of any library as a list."""
    return (pa.array(column) if hasattr(column, "__arrow_c_array__") else pa.chunked_array(column)).to_pylist()


def of_lists(values: list[str]) -> Iterator[Contestant]:
    """hashlib and `hash_many` on a list of bytes."""
    messages = [value.encode() for value in values]
    sha256 = hashlib.sha256
    yield Contestant("hashlib in a list", "peer", "binary", lambda: [sha256(message).digest() for message in messages], list)
    yield Contestant("hmac in a list", "peer", "key", lambda: [hmac.digest(KEY, message, "sha256") for message in messages], list)
    yield Contestant("manyhash.hash_many, a list", "ours", "binary", lambda: manyhash.hash_many(messages, "sha256"), list)
    yield Contestant("manyhash.hmac_many, a list", "ours", "key", lambda: manyhash.hmac_many(messages, "sha256", key=KEY), list)


def of_arrow(values: list[str]) -> Iterator[Contestant]:
    column = pa.array(values)
    table = pa.table({"text": column, "number": range(len(values))})
    for output in ("binary", "hex", "base64"):
        run = lambda output=output: manyhash.arrow.hash(column, "sha256", output)  # noqa: E731
        yield Contestant("manyhash.arrow", "ours", output, run, as_python)
    yield Contestant("manyhash.arrow", "ours", "key", lambda: manyhash.arrow.hash(column, "sha256", key=KEY), as_python)
    yield Contestant("manyhash.arrow", "ours", "rows", lambda: manyhash.arrow.hash_rows(table), as_python)


def of_pandas(values: list[str]) -> Iterator[Contestant]:
    series, objects = pd.Series(values, dtype="str"), pd.Series(values, dtype=object)
    sha256 = hashlib.sha256
    yield Contestant("pandas apply", "peer", "hex", lambda: objects.apply(lambda text: sha256(text.encode()).hexdigest()), list)
    for output in ("binary", "hex"):
        yield Contestant("manyhash.pandas", "ours", output, lambda output=output: series.manyhash.sha256(output), list)
    yield Contestant("manyhash.pandas, object", "ours", "binary", lambda: objects.manyhash.sha256(), list)


def of_polars(values: list[str]) -> Iterator[Contestant]:
    frame = pl.DataFrame({"text": values, "number": range(len(values))})
    first = lambda result: result.to_series().to_list()  # noqa: E731
    if polars_hash is not None:
        theirs = polars_hash.col("text").chash
        yield Contestant("polars-hash", "peer", "hex", lambda: frame.select(theirs.sha2_256()), first)
    for output in ("binary", "hex"):
        expression = pl.col("text").manyhash.sha256(output)
        yield Contestant("manyhash.polars", "ours", output, lambda expression=expression: frame.select(expression), first)
    rows = manyhash.polars.hash_rows("text", "number")
    yield Contestant("manyhash.polars", "ours", "rows", lambda: frame.select(rows), first)


def of_duckdb(values: list[str]) -> Iterator[Contestant]:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    manyhash.duckdb.register(connection, "sha256")
    connection.register("source", pa.table({"text": values, "number": range(len(values))}))
    connection.execute("CREATE TABLE rows AS FROM source")
    connection.unregister("source")

    def contestant(name: str, standing: str, output: str, call: str) -> Contestant:
        run = lambda: connection.execute(f"SELECT max({call}) FROM rows").fetchall()  # noqa: E731
        digests = lambda _: [row[0] for row in connection.execute(f"SELECT {call} FROM rows").fetchall()]  # noqa: E731
        return Contestant(name, standing, output, run, digests)

    yield contestant("DuckDB sha256", "peer", "hex", "sha256(text)")
    yield contestant("manyhash.duckdb", "ours", "binary", "manyhash_sha256(text)")
    yield contestant("manyhash.duckdb", "ours", "hex", "manyhash_sha256_hex(text)")
    yield contestant("manyhash.duckdb", "ours", "rows", "manyhash_sha256_rows(text, number)")


def of_datafusion(values: list[str]) -> Iterator[Contestant]:
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1).with_batch_size(BATCH_ROWS))
    manyhash.datafusion.register(context, "sha256")
    context.register_record_batches("rows", [pa.table({"text": values}).to_batches(max_chunksize=BATCH_ROWS)])

    def contestant(name: str, standing: str, output: str, call: str) -> Contestant:
        run = lambda: context.sql(f"SELECT max({call}) FROM rows").collect()  # noqa: E731
        digests = lambda _: context.sql(f"SELECT {call} FROM rows").to_arrow_table().column(0).to_pylist()  # noqa: E731
        return Contestant(name, standing, output, run, digests)

    yield contestant("DataFusion sha256", "peer", "binary", "sha256(text)")
    yield contestant("manyhash.datafusion", "ours", "binary", "manyhash_sha256(text)")
    yield contestant("manyhash.datafusion", "ours", "hex", "manyhash_sha256_hex(text)")


def row_message(text: bytes, number: int) -> bytes:
    """A row of text and number as `hash_rows` encodes it, written from crates/manyhash-arrow/ENCODING.md."""
    length = bytes([len(text)]) if len(text) < 128 else bytes([len(text) & 127 | 128, len(text) >> 7])
    return b"\x01\x02\x01" + length + text + b"\x05" + number.to_bytes(8, "little")


def check(contestants: list[Contestant], values: list[str]) -> None:
    """Compares all digests with hashlib's."""
    plain = [hashlib.sha256(value.encode()).digest() for value in values]
    expected = {
        "binary": plain,
        "hex": [digest.hex() for digest in plain],
        "base64": [base64.b64encode(digest).decode() for digest in plain],
        "key": [hmac.digest(KEY, value.encode(), "sha256") for value in values],
        "rows": [hashlib.sha256(row_message(value.encode(), number)).digest() for number, value in enumerate(values)],
    }
    for contestant in contestants:
        found = contestant.digests(contestant.run())
        if found != expected[contestant.output]:
            sys.exit(f"columns.py: {contestant.name}, {contestant.output}: not the digests of hashlib")


def measure(contestants: list[Contestant], runs: int) -> None:
    """All in turns, another one first each time. Checking has warmed them up."""
    gc.disable()
    for run in range(runs):
        for turn in range(len(contestants)):
            contestant = contestants[(run + turn) % len(contestants)]
            gc.collect()
            begin = time.perf_counter_ns()
            result = contestant.run()
            contestant.times_ns.append(time.perf_counter_ns() - begin)
            del result
    gc.enable()


def machine() -> dict[str, str]:
    model = platform.processor() or platform.machine()
    try:
        # The last of equal ones: those of the last core.
        said = dict(line.split("\t", 1) for line in Path("/proc/cpuinfo").read_text().splitlines() if "\t" in line)
        said = {name.strip(): value.strip("\t: ") for name, value in said.items()}
        model = f"{said['model name']}, family {said['cpu family']} model {said['model']}"
    except (OSError, KeyError):
        pass
    return {
        "cpu": model,
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "backend": manyhash.backend("sha256").name,
    }


def versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def cell(contestants: list[Contestant], row_bytes: int, rows: int) -> dict[str, Any]:
    lines = [
        {
            "name": contestant.name,
            "standing": contestant.standing,
            "output": contestant.output,
            "ns_per_row": contestant.median_ns / rows,
            "times_ns": contestant.times_ns,
        }
        for contestant in contestants
    ]
    return {"row_bytes": row_bytes, "rows": rows, "lines": lines}


def fastest_peer(lines: list[dict[str, Any]], output: str) -> dict[str, Any] | None:
    """Whom a line of ours is compared with: with a key the peers that have one, otherwise whoever is fastest, hex or not."""
    peers = [line for line in lines if line["standing"] == "peer" and (line["output"] == "key") == (output == "key")]
    return min(peers, key=lambda line: line["ns_per_row"], default=None)


def print_table(report: dict[str, Any]) -> None:
    cells = report["cells"]
    print("| ns a row | output | " + " | ".join(f"{cell['row_bytes']} B" for cell in cells) + " |")
    print("|---|---|" + "---|" * len(cells))
    for i, line in enumerate(cells[0]["lines"]):
        shown = []
        for cell in cells:
            ns = cell["lines"][i]["ns_per_row"]
            best = fastest_peer(cell["lines"], line["output"])
            compared = line["standing"] == "ours" and line["output"] != "rows" and best is not None
            shown.append(f"{ns:.1f} ({best['ns_per_row'] / ns:.2f} x)" if compared else f"{ns:.1f}")
        print(f"| {line['name']} | {line['output']} | " + " | ".join(shown) + " |")
    print("\nIn brackets: how many times the fastest peer, of any output; with a key, the fastest that has one.")
    for cell in cells:
        best = [fastest_peer(cell["lines"], output) for output in ("binary", "key")]
        print(f"{cell['row_bytes']} B: {' and '.join(line['name'] for line in best if line)}")
    print_own(cells)


def print_own(cells: list[dict[str, Any]]) -> None:
    """How many times what an engine, or people in it, had before."""
    medians = [{(line["name"], line["output"]): line["ns_per_row"] for line in cell["lines"]} for cell in cells]
    print("\n| times an engine's own | output | " + " | ".join(f"{cell['row_bytes']} B" for cell in cells) + " |")
    print("|---|---|" + "---|" * len(cells))
    for own, ours in OWN.items():
        for name, output in medians[0]:
            if name.startswith(ours) and output in ("binary", "hex"):
                before = [next((ns for (peer, _), ns in of.items() if peer == own), None) for of in medians]
                times = [f"{theirs / of[name, output]:.2f} x" if theirs else "" for theirs, of in zip(before, medians, strict=True)]
                print(f"| {name}, beside {own} | {output} | " + " | ".join(times) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, help=f"rows of every column [default: {ROWS}, of {LONG_BYTES} bytes and more {ROWS_OF_LONG}]")
    parser.add_argument("--row-bytes", type=int, nargs="+", default=ROW_BYTES, help="lengths of rows [default: 16 32 64 256]")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each contestant [default: {RUNS}]")
    parser.add_argument("--only", help="contestants whose name has this in it")
    parser.add_argument("--json", type=Path, help="write all times here")
    parser.add_argument("--quick", action="store_true", help="everything once, on few rows: shows that it works, the figures mean nothing")
    arguments = parser.parse_args()
    if arguments.runs < 1 or (arguments.rows is not None and arguments.rows < 1):
        parser.error("--runs, --rows: at least 1")
    if not all(8 <= row_bytes < 1 << 14 for row_bytes in arguments.row_bytes):
        parser.error("--row-bytes: 8 to 16383; shorter rows would not be distinct")
    runs = 1 if arguments.quick else arguments.runs
    report: dict[str, Any] = {"machine": machine(), "versions": versions(), "quick": arguments.quick, "runs": runs, "cells": []}
    print(f"{report['machine']['cpu']}, Python {report['machine']['python']}, backend {report['machine']['backend']}")
    print(", ".join(f"{name} {version}" for name, version in report["versions"].items()))
    print(f"one thread, medians of {runs} runs in turns{'; --quick: these figures mean nothing' if arguments.quick else ''}\n")
    if polars_hash is None:
        print("polars-hash: not installed, left out\n")
    for row_bytes in arguments.row_bytes:
        rows = arguments.rows or (QUICK_ROWS if arguments.quick else ROWS_OF_LONG if row_bytes >= LONG_BYTES else ROWS)
        values = texts(row_bytes, rows)
        contestants = [
            contestant
            for source in (of_lists, of_arrow, of_pandas, of_polars, of_duckdb, of_datafusion)
            for contestant in source(values)
            if not arguments.only or arguments.only in contestant.name
        ]
        if not contestants:
            parser.error(f"--only {arguments.only}: no contestant's name has this in it")
        check(contestants, values)
        measure(contestants, runs)
        report["cells"].append(cell(contestants, row_bytes, rows))
        print(f"{row_bytes} B: {rows} rows measured", file=sys.stderr)
    print_table(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()

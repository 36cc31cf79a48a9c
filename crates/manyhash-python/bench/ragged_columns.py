#!/usr/bin/env python3
"""Times columns as people have them, whose rows differ in length: e-mail addresses, names, URLs and UUIDs, made by Faker.

One thread, everybody in turns, every digest compared with hashlib's. Beside each column stand columns of rows of one length: one for each
number of blocks that its rows have, with as many rows. *times* is what the rows that differ take, over what all those together take: 1.00
if differing costs nothing.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import random
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# columns.py first: it tells others to use one thread.
import columns
import faker
import pyarrow as pa

import manyhash
import manyhash.arrow

ROWS, QUICK_ROWS = 200_000, 2_000
ALGORITHMS = ("sha256", "md5")
BLOCK_BYTES = 64
# The byte behind a message, and its length (FIPS 180-4, 5.1.1).
LEAST_PADDING_BYTES = 9


def made(kind: str, rows: int) -> list[str]:
    """Rows of a kind, the same in every run."""
    source = faker.Faker("en_US")
    source.seed_instance(1)
    random_source = random.Random(1)
    make: dict[str, Callable[[], str]] = {
        "email": source.email,
        "name": source.name,
        # Pages with a query behind the path, as logs have them, or without.
        "url": lambda: source.url() + source.uri_path() + random_source.choice(("", f"?id={source.md5()}", f"?q={source.slug()}&page=7")),
        "uuid": source.uuid4,
    }
    # Making is slow, and repeating does no harm: rows need not be distinct to be hashed.
    few = [make[kind]() for _ in range(min(rows, 20_000))]
    return [random_source.choice(few) for _ in range(rows)]


def blocks(text: str) -> int:
    return -(-(len(text.encode()) + LEAST_PADDING_BYTES) // BLOCK_BYTES)


def of_one_length(values: list[str]) -> list[list[str]]:
    """For each number of blocks, as many rows that have it, of one length."""
    counts = collections.Counter(map(blocks, values))
    return [columns.texts(number * BLOCK_BYTES - 2 * LEAST_PADDING_BYTES, rows) for number, rows in sorted(counts.items())]


def contestants(values: list[str], algorithm: str) -> list[columns.Contestant]:
    messages, array = [value.encode() for value in values], pa.array(values)
    one = getattr(hashlib, algorithm)
    lines = [
        columns.Contestant("hashlib in a list", "peer", "binary", lambda: [one(message).digest() for message in messages], list),
        columns.Contestant("manyhash.hash_many, a list", "ours", "binary", lambda: manyhash.hash_many(messages, algorithm), list),
        columns.Contestant("manyhash.arrow", "ours", "binary", lambda: manyhash.arrow.hash(array, algorithm, "binary"), columns.as_python),
    ]
    expected = [one(message).digest() for message in messages]
    for line in lines:
        if line.digests(line.run()) != expected:
            sys.exit(f"ragged_columns.py: {line.name}, {algorithm}: not the digests of hashlib")
    return lines


def measured(kind: str, algorithm: str, values: list[str], runs: int) -> list[dict[str, Any]]:
    """A row of the table for each contestant."""
    ragged = contestants(values, algorithm)
    of_each_length = [contestants(rows, algorithm) for rows in of_one_length(values)]
    columns.measure([line for lines in (ragged, *of_each_length) for line in lines], runs)
    found = []
    for i, line in enumerate(ragged):
        equal_ns = sum(statistics.median(lines[i].times_ns) for lines in of_each_length)
        found.append({
            "kind": kind,
            "algorithm": algorithm,
            "name": line.name,
            "rows": len(values),
            "bytes_per_row": sum(map(len, values)) / len(values),
            "blocks_per_row": sum(map(blocks, values)) / len(values),
            "ns_per_row": line.median_ns / len(values),
            "equal_ns_per_row": equal_ns / len(values),
        })  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, help=f"rows of every column [default: {ROWS}]")
    parser.add_argument("--runs", type=int, default=columns.RUNS, help=f"of each contestant [default: {columns.RUNS}]")
    parser.add_argument("--json", type=Path, help="write the table here")
    parser.add_argument("--quick", action="store_true", help="everything once, on few rows: shows that it works, the figures mean nothing")
    arguments = parser.parse_args()
    if arguments.runs < 1 or (arguments.rows is not None and arguments.rows < 1):
        parser.error("--runs, --rows: at least 1")
    rows = arguments.rows or (QUICK_ROWS if arguments.quick else ROWS)
    runs = 1 if arguments.quick else arguments.runs
    machine = columns.machine()
    print(f"{machine['cpu']}, Python {machine['python']}, backend {machine['backend']}, Faker {faker.VERSION}")
    print(f"one thread, medians of {runs} runs in turns{'; --quick: these figures mean nothing' if arguments.quick else ''}\n")
    print("| rows | blocks a row | algorithm | contestant | ns a row | of one length | times |")
    print("|---|---|---|---|---|---|---|")
    table = []
    for kind in ("email", "name", "url", "uuid"):
        values = made(kind, rows)
        for algorithm in ALGORITHMS:
            for line in measured(kind, algorithm, values, runs):
                table.append(line)
                times = line["ns_per_row"] / line["equal_ns_per_row"]
                print(
                    f"| {kind}, {line['bytes_per_row']:.0f} B | {line['blocks_per_row']:.2f} | {algorithm} | {line['name']} | "
                    f"{line['ns_per_row']:.1f} | {line['equal_ns_per_row']:.1f} | {times:.2f} |"
                )
    if arguments.json:
        report = {"machine": machine, "faker": faker.VERSION, "quick": arguments.quick, "runs": runs, "table": table}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()

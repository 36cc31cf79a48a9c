"""The hash functions beside those of ClickHouse (chdb), in one process and on one thread: every digest compared, then the time of each.

usage: beside_chdb.py LIBRARY [--rows N] [--rounds N] [--json FILE]      LIBRARY: build/libcolumn_store.so

Both hash the rows of a table in memory in blocks of as many rows as ClickHouse has, and throw the digests away. What a query takes
that only reads the rows is taken off ClickHouse's time. It needs chdb and pyarrow.
"""

import argparse
import ctypes
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import chdb.session
import pyarrow as pa

BLOCK_ROWS = 65_409  # ClickHouse's max_block_size
FUNCTIONS = {"MD5": 16, "SHA1": 20, "SHA256": 32, "SHA512": 64}


def lengths(kind: str, rows: int, chance: random.Random) -> list[int]:
    match kind:
        case "numbers, 1 to 7 B":
            return [len(str(i % 10_000_000)) for i in range(rows)]
        case "0 to 200 B":
            return [chance.randrange(201) for _ in range(rows)]
        case "addresses, median 60 B":
            return [min(4_000, int(60 * 2 ** chance.gauss(0, 1))) for _ in range(rows)]
        case "short, a tenth 1 to 4 KB":
            return [chance.randrange(1_000, 4_000) if chance.random() < 0.1 else chance.randrange(5, 40) for _ in range(rows)]
        case _:
            raise ValueError(kind)


KINDS = ["numbers, 1 to 7 B", "0 to 200 B", "addresses, median 60 B", "short, a tenth 1 to 4 KB"]


class Column:
    """Rows in Arrow's layout, which is that of the C interface."""

    def __init__(self, sizes: list[int], chance: random.Random):
        self.rows = len(sizes)
        self.bytes = chance.randbytes(sum(sizes))
        offsets, end = (ctypes.c_int64 * (self.rows + 1))(), 0
        for i, size in enumerate(sizes):
            end += size
            offsets[i + 1] = end
        self.offsets = offsets
        self.array = pa.Array.from_buffers(pa.large_binary(), self.rows, [None, pa.py_buffer(bytes(offsets)), pa.py_buffer(self.bytes)])


class Ours:
    def __init__(self, path: str, column: Column):
        self.function = ctypes.CDLL(path).column_store_hash
        pointer = ctypes.c_void_p
        self.function.argtypes = [ctypes.c_char_p, ctypes.c_char_p, pointer, ctypes.c_size_t, pointer]
        self.column = column

    def hash(self, name: str, digests: ctypes.Array, keep: bool) -> None:
        width = FUNCTIONS[name]
        for begin in range(0, self.column.rows, BLOCK_ROWS):
            rows = min(BLOCK_ROWS, self.column.rows - begin)
            offsets = ctypes.byref(self.column.offsets, 8 * begin)
            if self.function(name.encode(), self.column.bytes, offsets, rows, ctypes.byref(digests, width * begin if keep else 0)) != 0:
                sys.exit(f"{name} failed")


class ClickHouse:
    def __init__(self, column: Column):
        self.session = chdb.session.Session()
        self.session.query("SET max_threads = 1")
        self.session.query("DROP DATABASE IF EXISTS column_store")
        self.session.query("CREATE DATABASE column_store ENGINE = Atomic")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.arrow"
            with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, pa.schema([("s", pa.large_binary())])) as writer:
                writer.write_table(pa.table({"s": column.array}), max_chunksize=BLOCK_ROWS)
            self.session.query(f"CREATE TABLE column_store.t ENGINE = Memory AS SELECT assumeNotNull(s)::String AS s FROM file('{path}', 'Arrow')")
        count = int(str(self.session.query("SELECT count() FROM column_store.t")).strip())
        if count != column.rows:
            sys.exit(f"ClickHouse has {count} rows, and not {column.rows}")

    def hash(self, name: str) -> None:
        value = f"{name}(s)" if name else "s"
        self.session.query(f"SELECT count() FROM column_store.t WHERE NOT ignore({value}) SETTINGS max_threads = 1")

    def digests(self, name: str) -> list[bytes]:
        hexes = str(self.session.query(f"SELECT hex({name}(s)) FROM column_store.t SETTINGS max_threads = 1", "TSV")).split()
        return [bytes.fromhex(one) for one in hexes]

    def version(self) -> str:
        return str(self.session.query("SELECT version()")).strip().strip('"')

    def close(self) -> None:
        self.session.close()


def seconds(call) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    for kind in KINDS:
        chance = random.Random(1)
        column = Column(lengths(kind, options.rows, chance), chance)
        ours, clickhouse = Ours(options.library, column), ClickHouse(column)
        if not results:
            print(f"ClickHouse {clickhouse.version()} (chdb {chdb.__version__}), {options.rows} rows, one thread, least of {options.rounds} rounds in turns")
            print(f"{'rows':26} {'function':8} {'ours':>12} {'ClickHouse':>12} {'times':>6}")
        room = (ctypes.c_uint8 * (max(FUNCTIONS.values()) * max(column.rows, BLOCK_ROWS)))()
        for name, width in FUNCTIONS.items():
            ours.hash(name, room, keep=True)
            all_bytes = bytes(room)[: width * column.rows]
            if [all_bytes[i : i + width] for i in range(0, len(all_bytes), width)] != clickhouse.digests(name):
                sys.exit(f"{name}: the digests differ")
            times = {"ours": [], "ClickHouse": [], "reading": []}
            for _ in range(options.rounds):
                times["ours"].append(seconds(lambda: ours.hash(name, room, keep=False)))
                times["ClickHouse"].append(seconds(lambda: clickhouse.hash(name)))
                times["reading"].append(seconds(lambda: clickhouse.hash("")))
            best = {who: min(all_times) / column.rows * 1e9 for who, all_times in times.items()}
            theirs = best["ClickHouse"] - best["reading"]
            ratio = theirs / best["ours"]
            print(f"{kind:26} {name:8} {best['ours']:9.1f} ns {theirs:9.1f} ns {ratio:6.2f}", flush=True)
            results.append({"rows": kind, "function": name, "ours_ns": best["ours"], "clickhouse_ns": theirs, "reading_ns": best["reading"], "times": ratio})
        clickhouse.close()
    for name in FUNCTIONS:
        print(f"{name}: {statistics.geometric_mean(one['times'] for one in results if one['function'] == name):.2f} times as fast (geometric mean)")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

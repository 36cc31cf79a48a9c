"""Reads a folder's files with 1 and 2 executors of one core each, and prints the times. Each digest is compared with hashlib's first."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def make_files(folder: Path, total_bytes: int) -> dict[str, str]:
    """Half of the bytes in 8 large files, half in files of 64 KiB; their SHA-256 by URI."""
    digests = {}
    sizes = [total_bytes // 16] * 8 + [64 << 10] * (total_bytes // 2 // (64 << 10))
    for number, size in enumerate(sizes):
        content = os.urandom(size)
        path = folder / f"{number:06}"
        path.write_bytes(content)
        digests[path.as_uri()] = hashlib.sha256(content).hexdigest()
    return digests


def measure(folder: str, executors: int, runs: int) -> None:
    """In a process of its own, for Spark starts only once in one: prints JSON with the digests and the seconds of each run."""
    from pyspark.sql import SparkSession

    import manyhash.spark as mhs

    builder = SparkSession.builder.master(f"local-cluster[{executors},1,1024]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.default.parallelism", "16").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    digests = {row.path: row.digest.hex() for row in mhs.manifest(spark, folder).collect()}
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        mhs.manifest(spark, folder).selectExpr("count(digest)").collect()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"digests": digests, "seconds": seconds}))
    spark.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=8 << 30, help="of all files; they stay in the page cache if it is large enough")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--measure", nargs=2, metavar=("FOLDER", "EXECUTORS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure[0], int(arguments.measure[1]), arguments.runs)
        return
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        sys.exit("spark_scaling.py: no pyspark: pip install pyspark")
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder, home = Path(scratch) / "files", Path(scratch) / "spark"
        folder.mkdir()
        home.mkdir()
        # Workers write beside the Spark they start from.
        for name in ("bin", "jars"):
            (home / name).symlink_to(Path(found.origin).parent / name)
        environment = os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        expected = make_files(folder, arguments.bytes)
        for executors in (1, 2):
            command = [sys.executable, __file__, "--runs", str(arguments.runs), "--measure", str(folder), str(executors)]
            run = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True)
            result = json.loads(run.stdout)
            if result["digests"] != expected:
                sys.exit("spark_scaling.py: digests differ from hashlib's")
            results[executors] = result["seconds"]
        total = sum(path.stat().st_size for path in folder.iterdir())
    first = statistics.median(results[1])
    print(f"{len(expected)} files, {total} bytes; {os.cpu_count()} CPUs; medians of {arguments.runs} runs")
    print("executors  seconds   GB/s  against one")
    for executors, seconds in results.items():
        median = statistics.median(seconds)
        print(f"{executors:9} {median:8.2f} {total / median / 1e9:6.2f} {first / median:12.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"bytes": total, "files": len(expected), "seconds": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()

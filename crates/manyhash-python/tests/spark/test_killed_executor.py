"""An executor that is killed in the middle of a file."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from support import module

module("pyspark")

import manyhash.spark as mhs  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

PIECE_BYTES = 64 << 10


def test_digests_are_right_though_an_executor_was_killed_half_way(
    spark: SparkSession, tmp_path: Path, hadoop_setting: Callable[[str, str], None]
) -> None:
    gate, lake = tmp_path / "gate", tmp_path / "lake"
    gate.mkdir()
    lake.mkdir()
    # Two files that stop at their half, one in each executor, and small ones before and after them.
    contents = {f"small{number}": random.Random(number).randbytes(number * 10) for number in range(200)}
    contents |= {name: random.Random(name).randbytes(20 * PIECE_BYTES + 3) for name in ("gated1", "gated2")}
    for name, content in contents.items():
        (lake / name).write_bytes(content)
    hadoop_setting("fs.gate.folder", str(gate))

    rows: list[Row] = []
    frame = mhs.manifest(spark, f"gate://{lake}", piece_bytes=PIECE_BYTES, partition_files=20)
    job = threading.Thread(target=lambda: rows.extend(frame.collect()), daemon=True)
    job.start()

    def stopped() -> set[str]:
        return {path.name for path in gate.iterdir()}

    def wait(is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not is_so():
            assert job.is_alive() and time.monotonic() < deadline, f"stopped at the half of a file: {stopped()}"
            time.sleep(0.02)

    wait(lambda: len(stopped()) == 2)
    first = stopped()
    victim = int(min(first))
    assert victim != os.getpid() and Path(f"/proc/{victim}/comm").read_text().strip() == "java"
    os.kill(victim, signal.SIGKILL)
    # Another one begins with the lost file anew, and comes to its half.
    wait(lambda: bool(stopped() - first))
    (gate / "open").touch()
    job.join(60)
    assert not job.is_alive()
    assert {row.path.rpartition("/")[2]: (row.digest, row.error) for row in rows} == {
        name: (hashlib.sha256(content).digest(), None) for name, content in contents.items()
    }
    assert len(rows) == len(contents)

"""bench/columns.py, bench/ragged_columns.py and bench/pictures.py work, and the first finds a wrong
digest. No time is asserted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from adapter_reference import engine

for needed in ("pyarrow", "polars", "pandas", "duckdb", "datafusion"):
    engine(needed)

BENCH = Path(__file__).parents[2] / "bench"


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "columns.json"
    found = run("columns.py", "--quick", "--rows", 3000, "--row-bytes", 16, 64, "--json", path)
    assert found.returncode == 0, found.stderr
    assert "the figures mean nothing" in found.stdout or "these figures mean nothing" in found.stdout
    return path


def test_every_contestant_has_a_time_for_every_length(report: Path):
    cells = json.loads(report.read_text())["cells"]
    assert [cell["row_bytes"] for cell in cells] == [16, 64]
    for cell in cells:
        lines = {(line["name"], line["output"]): line["times_ns"] for line in cell["lines"]}
        assert all(len(times) == 1 and times[0] > 0 for times in lines.values())
        ours = {
            "manyhash.arrow",
            "manyhash.hash_many, a list",
            "manyhash.pandas",
            "manyhash.polars",
            "manyhash.duckdb",
            "manyhash.datafusion",
        }
        assert ours | {"hashlib in a list", "pandas apply", "DuckDB sha256", "DataFusion sha256"} <= {name for name, _ in lines}
        assert {output for _, output in lines} == {"binary", "hex", "base64", "key", "rows"}


def test_rows_that_differ_in_length_are_set_beside_rows_of_one_length(tmp_path: Path):
    engine("faker")
    found = run("ragged_columns.py", "--quick", "--rows", 500, "--json", tmp_path / "ragged.json")
    assert found.returncode == 0, found.stderr
    assert "these figures mean nothing" in found.stdout
    table = json.loads((tmp_path / "ragged.json").read_text())["table"]
    assert {line["kind"] for line in table} == {"email", "name", "url", "uuid"}
    assert all(line["ns_per_row"] > 0 and line["equal_ns_per_row"] > 0 for line in table)
    # An address fits into a block, a URL may take more.
    assert {line["blocks_per_row"] == 1 for line in table if line["kind"] == "uuid"} == {True}
    assert all(line["blocks_per_row"] > 1 for line in table if line["kind"] == "url")


def test_pictures_are_drawn_the_same_each_time(report: Path, tmp_path: Path):
    engine("matplotlib")
    drawn = []
    for folder in (tmp_path / "once", tmp_path / "again"):
        found = run("pictures.py", report, "--out", folder)
        assert found.returncode == 0, found.stderr
        drawn.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert drawn[0] == drawn[1] and drawn[0].keys() == {"columns-arrow.svg", "columns-engines.svg"}


def test_pictures_of_something_else_are_refused(tmp_path: Path):
    engine("matplotlib")
    (tmp_path / "other.json").write_text("[1]")
    found = run("pictures.py", tmp_path / "other.json", "--out", tmp_path)
    assert found.returncode != 0 and "other.json: not a report of columns.py" in found.stderr


def test_a_wrong_digest_ends_the_benchmark(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import columns

    values = columns.texts(16, 10)
    honest = columns.Contestant(
        "honest", "peer", "hex", lambda: values, lambda made: [columns.hashlib.sha256(v.encode()).hexdigest() for v in made]
    )
    columns.check([honest], values)
    liar = columns.Contestant("liar", "peer", "hex", lambda: values, lambda made: ["00" * 32 for _ in made])
    with pytest.raises(SystemExit, match=r"liar, hex: not the digests of hashlib"):
        columns.check([honest, liar], values)

#!/usr/bin/env python3
"""Draws the pictures of bench/pictures from a JSON file of columns.py: nanoseconds a row by the length of rows.

Every figure is the median that the file names. Equal files give equal pictures, byte for byte.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))
import style

plt.rcParams.update(style.settings())

OURS, OURS_LIGHTER = style.OURS, style.OURS_LIGHTER
# Dashes and marks differ as well as colours, so that the lines can be told apart in grey.
OUR_OUTPUTS = {
    "binary": {"color": OURS, "linewidth": 2.2, "marker": "o"},
    "hex": {"color": OURS_LIGHTER, "linewidth": 1.8, "linestyle": (0, (7, 2)), "marker": "s"},
    "base64": {"color": OURS_LIGHTER, "linewidth": 1.4, "linestyle": (0, (2, 1)), "marker": "^"},
    "key": {"color": OURS, "linewidth": 1.4, "linestyle": ":", "marker": "D"},
    "rows": {"color": "#777777", "linewidth": 1.4, "linestyle": (0, (1, 1)), "marker": "*"},
}
PEERS = {
    "hashlib in a list": {"color": "#777777", "linestyle": ":", "marker": "v"},
    "pandas apply": {"color": "#2f8f5b", "linestyle": (0, (3, 1)), "marker": "<"},
    "polars-hash": {"color": "#d19a00", "linestyle": "-", "marker": "x"},
    "DuckDB sha256": {"color": "#b3541e", "linestyle": "-.", "marker": "+"},
    "DataFusion sha256": {"color": "#8d6cab", "linestyle": (0, (7, 2)), "marker": ">"},
    "hmac in a list": {"color": "#c04a73", "linestyle": (0, (8, 1, 1, 1)), "marker": "d"},
}
WITH_KEY = {"key": "HMAC", "rows": "rows (two columns)"}
# An engine: what it has of its own (or what people call in it), and ours through its adapter.
ENGINES = {
    "Python lists": (("hashlib in a list", "hmac in a list"), ("manyhash.hash_many, a list", "manyhash.hmac_many, a list")),
    "pandas": (("pandas apply",), ("manyhash.pandas", "manyhash.pandas, object")),
    "Polars": (("polars-hash",), ("manyhash.polars",)),
    "DuckDB": (("DuckDB sha256",), ("manyhash.duckdb",)),
    "DataFusion": (("DataFusion sha256",), ("manyhash.datafusion",)),
}


def line_of(cells: list[dict[str, Any]], name: str, output: str) -> list[tuple[int, float]]:
    """A contestant's points: bytes a row, nanoseconds a row."""
    rows = [(cell["row_bytes"], row) for cell in cells for row in cell["lines"]]
    return [(row_bytes, row["ns_per_row"]) for row_bytes, row in rows if (row["name"], row["output"]) == (name, output)]


def contestants(cells: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
    """Names with outputs, and whose they are."""
    return {(line["name"], line["output"]): line["standing"] for cell in cells for line in cell["lines"]}


def draw_line(axis: Any, cells: list[dict[str, Any]], name: str, output: str, standing: str) -> None:
    drawn = {"linewidth": 1.2, "markersize": 4, **(OUR_OUTPUTS[output] if standing == "ours" else PEERS.get(name, {"color": "#333333"}))}
    if name.endswith(", object"):
        drawn |= {"color": OURS_LIGHTER, "linestyle": "-.", "marker": "P"}
    label = f"{name}: {WITH_KEY.get(output, output)}"
    axis.plot(*zip(*line_of(cells, name, output), strict=True), label=label, zorder=3 if standing == "ours" else 2, **drawn)


def finish_axes(axis: Any, cells: list[dict[str, Any]]) -> None:
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.xaxis.set_major_locator(FixedLocator([cell["row_bytes"] for cell in cells]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} B"))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else ""))
    axis.grid(True, which="both")
    axis.set_xlabel("length of a row")


def finish(figure: Any, report: dict[str, Any], title: str) -> Any:
    of = report["machine"]
    lines = [title, f"{style.cpu_name(of['cpu'])}, {of['backend']}, {of['date']}, one thread, medians of {report['runs']}"]
    if report["quick"]:
        lines.append("--quick: these figures mean nothing")
    figure.suptitle("\n".join(lines), fontsize=9)
    return figure


def arrow(report: dict[str, Any]) -> Any:
    """`manyhash.arrow` beside every peer."""
    figure, axis = plt.subplots(layout="constrained", figsize=(8, 4.5))
    for (name, output), standing in contestants(report["cells"]).items():
        if standing == "peer" or name == "manyhash.arrow":
            draw_line(axis, report["cells"], name, output, standing)
    finish_axes(axis, report["cells"])
    axis.set_ylabel("nanoseconds a row")
    figure.legend(*axis.get_legend_handles_labels(), loc="outside right center", frameon=False)
    return finish(figure, report, "SHA-256 of a column: manyhash.arrow and what people use; lower is better")


def engines(report: dict[str, Any]) -> Any:
    """A panel for every engine: its own function, and ours through its adapter."""
    cells = report["cells"]
    found = contestants(cells)
    panels = {engine: [key for key in found if key[0] in theirs + ours] for engine, (theirs, ours) in ENGINES.items()}
    panels = {engine: keys for engine, keys in panels.items() if keys}
    figure, axes = plt.subplots(1, len(panels), squeeze=False, sharey=True, layout="constrained", figsize=(2.5 * len(panels) + 0.5, 4.6))
    for axis, (engine, keys) in zip(axes.flat, panels.items(), strict=True):
        for name, output in keys:
            draw_line(axis, cells, name, output, found[name, output])
        finish_axes(axis, cells)
        axis.set_title(engine, loc="left")
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), frameon=False, fontsize=7)
    for axis in axes.flat[1:]:
        axis.yaxis.set_minor_formatter(NullFormatter())
    axes.flat[0].set_ylabel("nanoseconds a row")
    return finish(figure, report, "SHA-256 in each engine: its own way, and manyhash through its adapter; lower is better")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path, help="a file that columns.py wrote with --json")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "pictures", metavar="DIR", help="default: bench/pictures")
    arguments = parser.parse_args()
    try:
        report = json.loads(arguments.report.read_text())
        contestants(report["cells"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"pictures.py: {arguments.report}: not a report of columns.py: {error!r}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for draw in (arrow, engines):
        figure = draw(report)
        path = arguments.out / f"columns-{draw.__name__}.svg"
        style.save(figure, path)
        plt.close(figure)
        print(path)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Draws the pictures of bench/pictures from the JSON files of `manyhash-bench`: its main mode, curves, trees, hmac, tls-records
and grid.

Every figure is from the median the file names (`judged_ns`): nothing is judged here. Equal files give equal pictures, byte for byte.
"""

import argparse
import json
import math
import sys
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

plt.rcParams.update({"svg.hashsalt": "manyhash", "svg.fonttype": "none", "font.size": 8, "axes.titlesize": 8, "hatch.linewidth": 0.6})
# Every text names all its fonts: few of them, of equal widths.
plt.rcParams.update({"font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"], "axes.spines.top": False, "axes.spines.right": False})

OURS, PEER = "#12406b", "#c9c9c9"
# A peer has the same line in every picture. Dashes differ as well as colours, so that the lines can be told apart in grey.
LINES = {
    "manyhash": {"color": OURS, "linewidth": 2.2},
    "sha1": {"color": "#777777", "linestyle": ":"},
    "sha2": {"color": "#777777", "linestyle": ":"},
    "md-5": {"color": "#777777", "linestyle": ":"},
    "openssl EVP": {"color": "#b3541e", "linestyle": "-."},
    "openssl low-level": {"color": "#b3541e", "linestyle": "-."},
    "aws-lc-rs": {"color": "#8d6cab", "linestyle": (0, (7, 2))},
    "tape-sha256": {"color": "#2f8f5b", "linestyle": (0, (3, 1))},
    "commonware": {"color": "#d19a00", "linestyle": "-"},
    "ipsec-mb": {"color": "#3a9fc7", "linestyle": (0, (5, 1, 1, 1))},
    "ipsec-mb burst": {"color": "#1f7f8f", "linestyle": (0, (5, 1, 1, 1, 1, 1))},
    "isa-l": {"color": "#c04a73", "linestyle": (0, (1, 1))},
    "jobs": {"color": OURS, "linewidth": 2.2},
    "jobs, flushed": {"color": "#4a97c9", "linestyle": (0, (7, 2))},
    "openssl EVP_MAC": {"color": "#b3541e", "linestyle": "-."},
}
# One message dealt out to lanes: the more, the darker.
LANES = {
    f"{lanes} lanes": {"color": color, "marker": "o", "markersize": 3}
    for lanes, color in {4: "#9ecae1", 8: "#4a97c9", 16: "#1c5fa0", 32: "#08254f"}.items()
}
ANOTHER_LINE = {"color": "#c04a73", "linestyle": (0, (8, 1, 1, 1, 1, 1))}
PANELS_ACROSS = 4


def of_bytes(value):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g} B"


def gigabytes(cell, row):
    """A second: bytes by the nanoseconds of a call."""
    return cell["bytes"] / row["judged_ns"]


def compared(cell):
    """manyhash left alone, and the libraries that compute the same digest."""
    return [row for row in cell["rows"] if row["standing"] in ("ours", "peer")]


def is_doubtful(cell):
    return not all(row["by_quiet"] for row in cell["rows"])


def finish(figure, report, *title):
    machine = report["machine"]
    lines = [*title, f"{machine['cpu']}, {machine['date']}"]
    if report["quick"]:
        lines.append("--quick: these figures mean nothing")
    figure.suptitle("\n".join(lines), fontsize=9)
    return figure


def workloads(report, algorithm, cells):
    """A panel for every workload, a bar for every peer."""
    cells = [cell for cell in cells if cell["placement"] == "aligned"]
    across = min(PANELS_ACROSS, len(cells))
    down = math.ceil(len(cells) / across)
    bars = max(len(compared(cell)) for cell in cells)
    size = (2.3 * across + 1.2, down * (0.17 * bars + 0.6) + 0.7)
    figure, axes = plt.subplots(down, across, squeeze=False, sharey=True, layout="constrained", figsize=size)
    axes = list(axes.flat)
    for axis, cell in zip(axes, cells):
        rows = compared(cell)
        best = min((row for row in rows if row["standing"] == "peer"), key=lambda row: row["judged_ns"], default=None)
        speeds = [gigabytes(cell, row) for row in rows]
        colors = [OURS if row["standing"] == "ours" else PEER for row in rows]
        hatches = ["/////" if row is best else "" for row in rows]
        drawn = axis.barh([row["peer"] for row in rows], speeds, color=colors, hatch=hatches, edgecolor="#333333", linewidth=0.5)
        axis.bar_label(drawn, fmt="%.2f", padding=2, fontsize=7)
        axis.set_xlim(0, 1.25 * max(speeds))
        doubt = "~ " if is_doubtful(cell) else ""
        axis.set_title(textwrap.fill(f"{doubt}{cell['workload']}: {cell['description']}", 34), loc="left")
        axis.set_xlabel("GB/s")
        axis.tick_params(axis="y", length=0)
    axes[0].invert_yaxis()
    for axis in axes[len(cells) :]:
        axis.set_visible(False)
    doubt = "; ~ median of all samples" if any(map(is_doubtful, cells)) else ""
    return finish(figure, report, f"{algorithm}, one core: manyhash and its peers (best peer hatched{doubt})")


def curve(axis, cells, place):
    """GB/s of each cell at `place(cell)`: a line for every peer, beside it as dots what quiet samples do not vouch for."""
    vouched = [cell for cell in cells if not is_doubtful(cell)] or cells
    for peer in dict.fromkeys(row["peer"] for cell in cells for row in compared(cell)):
        style = {"linewidth": 1.2} | LINES.get(peer, ANOTHER_LINE)
        points = lambda cells: [(place(cell), gigabytes(cell, row)) for cell in cells for row in compared(cell) if row["peer"] == peer]
        if line := points(vouched):
            axis.plot(*zip(*line), label=peer, zorder=3 if peer == "manyhash" else 2, **style)
        if dots := points(cell for cell in cells if cell not in vouched):
            axis.plot(*zip(*dots), ".", markersize=2, color=style["color"])
    axis.set_xscale("log", base=2)
    axis.xaxis.set_minor_locator(NullLocator())
    axis.grid(color="#dddddd", linewidth=0.5)


def finish_curves(figure, report, cells, title):
    first, *_ = figure.axes
    first.set_ylim(bottom=0)
    first.set_ylabel("GB/s")
    figure.legend(*first.get_legend_handles_labels(), loc="outside right center", frameon=False)
    doubtful = sum(map(is_doubtful, cells))
    which = "every point" if doubtful == len(cells) else f"dots, {doubtful} of {len(cells)} points"
    doubt = [f"{which}: too few quiet samples, median of all"] if doubtful else []
    return finish(figure, report, title, *doubt)


def length(report, algorithm, cells):
    """Speed against the length of the messages."""
    figure, axis = plt.subplots(layout="constrained", figsize=(8, 4))
    of_message = lambda cell: cell["bytes"] / cell["messages"]
    curve(axis, cells, of_message)
    axis.xaxis.set_major_locator(FixedLocator([4**exponent for exponent in range(13) if 4**exponent <= max(map(of_message, cells))]))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: of_bytes(value)))
    axis.set_xlabel("length of each message")
    return finish_curves(figure, report, cells, f"{algorithm}, one core: {cells[0]['description']}")


def batch(report, algorithm, cells):
    """Speed against the number of messages, a panel for every length."""
    names = list(dict.fromkeys(cell["workload"] for cell in cells))
    figure, axes = plt.subplots(1, len(names), squeeze=False, sharey=True, layout="constrained", figsize=(3 * len(names) + 1.8, 3.8))
    for axis, name in zip(axes.flat, names):
        points = [cell for cell in cells if cell["workload"] == name]
        curve(axis, points, lambda cell: cell["messages"])
        axis.xaxis.set_major_locator(FixedLocator([2**exponent for exponent in range(0, 11, 2)]))
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_xlabel("number of messages")
        axis.set_title(points[0]["description"], loc="left")
    return finish_curves(figure, report, cells, f"{algorithm}, one core: speed by the number of messages")


def trees(report, algorithm, cells):
    """Speed of one message against its length: plain, and dealt out to lanes."""
    figure, axis = plt.subplots(layout="constrained", figsize=(8, 4))
    bytes_of = lambda cell: cell["bytes"]
    curve(axis, cells, bytes_of)
    for lanes, style in LANES.items():
        rows = [(cell, row) for cell in cells for row in cell["rows"] if row["peer"] == lanes]
        if points := [(bytes_of(cell), gigabytes(cell, row)) for cell, row in rows]:
            axis.plot(*zip(*points), label=lanes, zorder=4, **style)
    axis.xaxis.set_major_locator(FixedLocator([bytes_of(cell) for cell in cells[::2]]))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: of_bytes(value)))
    axis.set_xlabel("length of the message")
    return finish_curves(figure, report, cells, f"{algorithm}, one core: one message, its plain digest and j-lanes")


def records(report, algorithm, cells):
    """TLS records: speed and latency against the number of connections."""
    figure, axes = plt.subplots(1, 3, layout="constrained", figsize=(11, 3.8))
    speed, *latencies = axes
    connections = [cell["connections"] for cell in cells]
    for peer in dict.fromkeys(row["peer"] for row in cells[0]["rows"]):
        style = {"linewidth": 1.2, "marker": "o", "markersize": 2.5} | LINES.get(peer, ANOTHER_LINE)
        row_of = lambda rows: next(row for row in rows if row["peer"] == peer)
        speed.plot(connections, [gigabytes(cell, row_of(cell["rows"])) for cell in cells], label=peer, **style)
        for axis, since in zip(latencies, ("since_fed", "since_arrival")):
            times = [row_of(cell["latencies"])[since] for cell in cells]
            median, slowest = ([time[name] / 1000 for time in times] for name in ("median_ns", "p99_ns"))
            axis.plot(connections, median, **style)
            axis.fill_between(connections, median, slowest, color=style["color"], alpha=0.15, linewidth=0)
    speed.set_ylim(bottom=0)
    for axis in latencies:
        axis.set_yscale("log")
        axis.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else ""))
    for axis, title in zip(axes, ("speed", "latency since a record was complete", "latency since its round arrived")):
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_locator(FixedLocator(connections))
        axis.xaxis.set_minor_locator(NullLocator())
        for direction in axis.xaxis, axis.yaxis:
            direction.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.grid(color="#dddddd", linewidth=0.5)
        axis.set_xlabel("connections")
        axis.set_title(title, loc="left")
    speed.set_ylabel("GB/s")
    latencies[0].set_ylabel("microseconds, shaded to the 99th percentile")
    figure.legend(*speed.get_legend_handles_labels(), loc="outside right center", frameon=False)
    doubtful = sum(map(is_doubtful, cells))
    doubt = [f"{doubtful} of {len(cells)} points: too few quiet samples, median of all"] if doubtful else []
    return finish(figure, report, f"{algorithm}, one core: {cells[0]['description']}, a key for each connection", *doubt)


def ratios(cells, peer):
    """For each number of messages and kind of lengths, how many times as fast as `peer` manyhash was in its worst order and place, and
    that cell; without a name, beside the best peer of each cell."""
    worst = {}
    for cell in cells:
        ours = next((row for row in cell["rows"] if row["standing"] == "ours"), None)
        others = [row for row in cell["rows"] if row["standing"] == "peer" and peer in (None, row["peer"])]
        if ours and others:
            ratio = min(row["judged_ns"] for row in others) / ours["judged_ns"]
            point = (cell["messages"], cell["lengths"])
            worst[point] = min(worst.get(point, (math.inf, None)), (ratio, cell), key=lambda pair: pair[0])
    return worst


def grid(report, algorithm, cells):
    """Ratios by number of messages and kind of lengths: a panel for the best peer of each cell, and for every peer."""
    counts = sorted({cell["messages"] for cell in cells})
    kinds_of = lambda count: dict.fromkeys(cell["lengths"] for cell in cells if cell["messages"] == count)
    # Not every number of messages has all; their order is that of the number with the most.
    kinds = list(dict.fromkeys(kind for count in sorted(counts, key=lambda count: -len(kinds_of(count))) for kind in kinds_of(count)))
    peers = list(dict.fromkeys(row["peer"] for cell in cells for row in cell["rows"] if row["standing"] == "peer"))
    panels = [(name, worst) for name in [None, *peers] if (worst := ratios(cells, name))]
    across = min(5, len(panels))
    down = math.ceil(len(panels) / across)
    size = (0.17 * len(counts) * across + 2.2, down * (0.15 * len(kinds) + 1.1) + 0.8)
    figure, axes = plt.subplots(down, across, squeeze=False, sharex=True, sharey=True, layout="constrained", figsize=size)
    for axis, (name, worst) in zip(axes.flat, panels):
        shades = [[math.log2(worst[count, kind][0]) if (count, kind) in worst else math.nan for count in counts] for kind in kinds]
        image = axis.imshow(shades, aspect="auto", cmap="RdBu", vmin=-1, vmax=1, interpolation="nearest")
        axis.set_facecolor("#b8b8b8")  # not measured
        (count, kind), (ratio, cell) = min(worst.items(), key=lambda item: item[1][0])
        axis.plot(counts.index(count), kinds.index(kind), "x", color="black", markersize=4)
        where = f"{count} x {kind}, {cell['order']}, {cell['place']}"
        axis.set_title(f"{name or 'best peer of each cell'}\nworst {ratio:.2f}: {where}", loc="left", fontsize=6)
        axis.set_xticks(range(len(counts)), counts, rotation=90, fontsize=5)
        axis.set_yticks(range(len(kinds)), kinds, fontsize=5)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_visible(False)
    bar = figure.colorbar(image, ax=axes, shrink=0.5, ticks=[-1, math.log2(0.8), 0, math.log2(1.25), 1])
    bar.ax.set_yticklabels(["0.5", "0.8", "1", "1.25", "2"], fontsize=6)
    return finish(figure, report, f"{algorithm}, one core: times as fast as the peer, by number of messages and lengths (worst order and place)")


def kind(cell):
    """Which picture a cell belongs to."""
    if "lengths" in cell:
        return grid
    return {"length": length, "batch": batch, "trees": trees, "records": records}.get(cell["workload"].split()[0], workloads)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", nargs="+", type=Path, help="a file written with --json")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "pictures", metavar="DIR", help="default: bench/pictures")
    arguments = parser.parse_args()
    drawn = {}
    for path in arguments.report:
        try:
            report = json.loads(path.read_text())
            # Of the grid, the cells where nothing but the same call ran before.
            cells = [cell for cell in report["cells"] if cell.get("before", "nothing") == "nothing"]
        except (OSError, ValueError, KeyError) as error:
            sys.exit(f"pictures.py: {path}: not a report with cells: {error!r}")
        pictures = {}
        for cell in cells:
            pictures.setdefault((cell["algorithm"], kind(cell)), []).append(cell)
        arguments.out.mkdir(parents=True, exist_ok=True)
        for (algorithm, draw), cells in pictures.items():
            name = f"{algorithm.replace('-', '').lower()}-{draw.__name__}.svg"
            if name in drawn:
                sys.exit(f"pictures.py: {path}: {name} is already drawn from {drawn[name]}")
            drawn[name] = path
            figure = draw(report, algorithm, cells)
            figure.savefig(arguments.out / name, metadata={"Date": None}, facecolor="white")
            plt.close(figure)
            print(arguments.out / name)


if __name__ == "__main__":
    main()

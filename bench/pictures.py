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

import style

plt.rcParams.update(style.settings())

LINES = style.PEER_LINES | {
    "jobs": style.PEER_LINES["manyhash"],
    "jobs, flushed": {"color": style.OURS_LIGHTER, "linestyle": (0, (7, 2))},
}
# One message dealt out to lanes: the more, the darker.
LANES = {
    f"{lanes} lanes": {"color": color, "marker": "o", "markersize": 3}
    for lanes, color in {4: "#9ecae1", 8: "#4a97c9", 16: "#1c5fa0", 32: "#08254f"}.items()
}
# The workloads that have a panel, of each kind one: steady speed, scheduling, ragged, fewer than lanes, and nothing to do at once.
SHOWN = "kgfaj"
PANELS_ACROSS = 3


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
    lines = [*title, f"{style.cpu_name(machine['cpu'])}, {machine['date']}"]
    if report["quick"]:
        lines.append("--quick: these figures mean nothing")
    figure.suptitle("\n".join(lines), fontsize=9)
    return figure


def best_of(cell):
    """The fastest peer of a cell, if there is one."""
    return min((row for row in cell["rows"] if row["standing"] == "peer"), key=lambda row: row["judged_ns"], default=None)


def ratio(cell):
    """How many times as fast as the best peer manyhash is; nothing without either of them."""
    ours = next((row for row in cell["rows"] if row["standing"] == "ours"), None)
    best = best_of(cell)
    return best["judged_ns"] / ours["judged_ns"] if ours and best else None


def shown(cells):
    """Five workloads, the one that gains most first."""
    chosen = [cell for cell in cells if cell["workload"] in SHOWN]
    chosen += [cell for cell in cells if cell not in chosen and cell["workload"] not in ("bs", "gs")]
    return sorted(chosen[: len(SHOWN)], key=lambda cell: -(ratio(cell) or 0))


def ratio_ticks(axis):
    """Ticks of an axis of ratios, which is logarithmic, so that twice as fast and half as fast are as far from 1."""
    axis.set_major_locator(FixedLocator([0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def workloads(report, algorithm, cells):
    """A panel for each of five workloads, a bar for every peer, the fastest first; and one of ratios."""
    cells = shown([cell for cell in cells if cell["placement"] == "aligned"])
    across = min(PANELS_ACROSS, len(cells) + 1)
    down = math.ceil((len(cells) + 1) / across)
    bars = max(len(compared(cell)) for cell in cells)
    figure, axes = plt.subplots(down, across, squeeze=False, layout="constrained", figsize=(3.2 * across, down * (0.17 * bars + 0.6) + 0.7))
    axes = list(axes.flat)
    for axis, cell in zip(axes, cells):
        rows = sorted(compared(cell), key=lambda row: row["judged_ns"])
        best = best_of(cell)
        speeds = [gigabytes(cell, row) for row in rows]
        colors = [style.OURS if row["standing"] == "ours" else style.BEST_PEER if row is best else style.PEER for row in rows]
        drawn = axis.barh([row["peer"] for row in rows], speeds, color=colors, edgecolor=style.EDGE, linewidth=0.5)
        axis.bar_label(drawn, fmt="%.2f", padding=2, fontsize=7)
        axis.set_xlim(0, 1.25 * max(speeds))
        doubt = "~ " if is_doubtful(cell) else ""
        axis.set_title(textwrap.fill(f"{doubt}{cell['description']}", 46), loc="left")
        axis.set_xlabel("GB/s")
        axis.tick_params(axis="y", length=0)
        axis.invert_yaxis()
    if pairs := [(cell, ratio(cell)) for cell in cells if ratio(cell)]:
        ratio_panel(axes[len(cells)], pairs)
    for axis in axes[len(cells) + bool(pairs) :]:
        axis.set_visible(False)
    doubt = "; ~ median of all samples" if any(map(is_doubtful, cells)) else ""
    return finish(figure, report, f"{algorithm}, one core: manyhash and its peers (the best of them darker{doubt})")


def ratio_panel(axis, pairs):
    """How many times as fast as the best peer manyhash is, from 1, which is as fast: losses go to the left."""
    names = [textwrap.fill(cell["description"].split(",")[0], 24) for cell, _ in pairs]
    values = [value for _, value in pairs]
    colors = [style.OURS if value >= 1 else style.PEER_LINES["isa-l"]["color"] for value in values]
    axis.barh(range(len(values)), [value - 1 for value in values], left=1, color=colors, edgecolor=style.EDGE, linewidth=0.5)
    for index, value in enumerate(values):
        axis.annotate(f"{value:.2f}", (max(value, 1), index), xytext=(3, 0), textcoords="offset points", verticalalignment="center", fontsize=7)
    axis.set_yticks(range(len(values)), names)
    axis.axvline(1, color=style.EDGE, linewidth=0.8)
    axis.set_xscale("log", base=2)
    axis.set_xlim(min([0.8, *values]) / 1.05, 1.35 * max([1.5, *values]))
    ratio_ticks(axis.xaxis)
    axis.set_title("times as fast as the best other", loc="left")
    axis.tick_params(axis="y", length=0)
    axis.invert_yaxis()


def curve(axis, cells, place):
    """GB/s of each cell at `place(cell)`: a line for every peer, beside it as dots what quiet samples do not vouch for."""
    vouched = [cell for cell in cells if not is_doubtful(cell)] or cells
    for peer in dict.fromkeys(row["peer"] for cell in cells for row in compared(cell)):
        line_style = {"linewidth": 1.2} | LINES.get(peer, style.ANOTHER_LINE)
        points = lambda cells: [(place(cell), gigabytes(cell, row)) for cell in cells for row in compared(cell) if row["peer"] == peer]
        if line := points(vouched):
            axis.plot(*zip(*line), label=peer, zorder=3 if peer == "manyhash" else 2, **line_style)
        if dots := points(cell for cell in cells if cell not in vouched):
            axis.plot(*zip(*dots), ".", markersize=2, color=line_style["color"])
    axis.set_xscale("log", base=2)
    axis.xaxis.set_minor_locator(NullLocator())
    axis.grid(True)


def ratio_curve(axis, cells, place):
    """How many times as fast as the best peer of each cell manyhash is: below the line it loses."""
    points = sorted((place(cell), ratio(cell)) for cell in cells if ratio(cell))
    if points:
        axis.plot(*zip(*points), color=style.OURS, linewidth=1.6)
    axis.axhline(1, color=style.EDGE, linewidth=0.8)
    axis.set_yscale("log", base=2)
    ratio_ticks(axis.yaxis)
    axis.grid(True)


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
    figure, (axis, below) = plt.subplots(2, 1, sharex=True, layout="constrained", figsize=(8, 5.6), height_ratios=[3, 1.2])
    of_message = lambda cell: cell["bytes"] / cell["messages"]
    curve(axis, cells, of_message)
    ratio_curve(below, cells, of_message)
    axis.xaxis.set_major_locator(FixedLocator([4**exponent for exponent in range(13) if 4**exponent <= max(map(of_message, cells))]))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: of_bytes(value)))
    below.set_xlabel("length of each message")
    below.set_ylabel("times the best other")
    return finish_curves(figure, report, cells, f"{algorithm}, one core: {cells[0]['description']}")


def batch(report, algorithm, cells):
    """Speed against the number of messages, a panel for every length."""
    names = list(dict.fromkeys(cell["workload"] for cell in cells))
    size = (3 * len(names) + 1.8, 5.4)
    figure, axes = plt.subplots(2, len(names), squeeze=False, sharex=True, sharey="row", layout="constrained", figsize=size, height_ratios=[3, 1.2])
    for axis, below, name in zip(*axes, names):
        points = [cell for cell in cells if cell["workload"] == name]
        curve(axis, points, lambda cell: cell["messages"])
        ratio_curve(below, points, lambda cell: cell["messages"])
        axis.xaxis.set_major_locator(FixedLocator([2**exponent for exponent in range(0, 11, 2)]))
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        below.set_xlabel("number of messages")
        axis.set_title(points[0]["description"], loc="left")
    axes[1][0].set_ylabel("times the best other")
    return finish_curves(figure, report, cells, f"{algorithm}, one core: speed by the number of messages")


def trees(report, algorithm, cells):
    """Speed of one message against its length: plain, and dealt out to lanes."""
    figure, axis = plt.subplots(layout="constrained", figsize=(8, 4))
    bytes_of = lambda cell: cell["bytes"]
    curve(axis, cells, bytes_of)
    for lanes, line_style in LANES.items():
        rows = [(cell, row) for cell in cells for row in cell["rows"] if row["peer"] == lanes]
        if points := [(bytes_of(cell), gigabytes(cell, row)) for cell, row in rows]:
            axis.plot(*zip(*points), label=lanes, zorder=4, **line_style)
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
        line_style = {"linewidth": 1.2, "marker": "o", "markersize": 2.5} | LINES.get(peer, style.ANOTHER_LINE)
        row_of = lambda rows: next(row for row in rows if row["peer"] == peer)
        speed.plot(connections, [gigabytes(cell, row_of(cell["rows"])) for cell in cells], label=peer, **line_style)
        for axis, since in zip(latencies, ("since_fed", "since_arrival")):
            times = [row_of(cell["latencies"])[since] for cell in cells]
            median, slowest = ([time[name] / 1000 for time in times] for name in ("median_ns", "p99_ns"))
            axis.plot(connections, median, **line_style)
            axis.fill_between(connections, median, slowest, color=line_style["color"], alpha=0.15, linewidth=0)
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
        axis.grid(True)
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
            style.save(figure, arguments.out / name)
            plt.close(figure)
            print(arguments.out / name)


if __name__ == "__main__":
    main()

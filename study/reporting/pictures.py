"""Plots as SVG images that a page holds: nothing is fetched, grey is enough to tell series apart.

The paper's values are the lightest and hatched (bars) or dashed with hollow markers (lines), ours are dark, peers are between.
"""

import base64
import html
import io
import itertools
import math
import re
import textwrap

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from . import style as looks
from .style import BARS, LINES, WIDTH_INCHES

plt.rcParams.update(looks.MATPLOTLIB)


def draw(plot, study):
    """The plot as an element of a page, as text."""
    with plt.rc_context():
        kind = {"bars": bars, "lines": lines, "steps": steps}[plot.kind]
        figure = kind(plot)
        machine = study.machine
        small = [f"{machine.cpu}, {machine.date}"] + (["--quick: these values mean nothing"] if study.quick else [])
        title = "\n".join(itertools.chain.from_iterable(textwrap.wrap(line, 60) for line in [plot.title, *small]))
        figure.suptitle(title, fontsize=looks.TITLE, x=0.01, horizontalalignment="left")
        written = io.BytesIO()
        # Nothing of the metadata: it would name addresses.
        nothing = dict.fromkeys(["Creator", "Date", "Format", "Type"])
        figure.savefig(written, format="svg", metadata=nothing, facecolor="none")
        plt.close(figure)
    return image(written.getvalue(), plot.title, described(plot))


def styles(series, of_source):
    """A style for each series: the next one of its source."""
    counts = dict.fromkeys(of_source, 0)
    for one in series:
        yield of_source[one.source], counts[one.source]
        counts[one.source] += 1


def legend_name(one):
    name = one.name if one.source != "paper" or "paper" in one.name.lower() else f"{one.name} (paper)"
    return name if has_values(one) else f"{name} (no values)"


def has_values(one):
    values = one.values if hasattr(one, "values") else [None if None in point else point for point in one.points]
    return any(value is not None for value in values)


def legend(figure, handles, series):
    """Below the axes, in as many columns as there is room for."""
    names = [textwrap.fill(legend_name(one), 44) for one in series]
    longest = max((len(line) for name in names for line in name.split("\n")), default=0)
    columns = max(1, int(WIDTH_INCHES * 72 / (5.6 * longest + 45)))
    if names:
        # Columns of equal length: no more of them than its rows need.
        columns = math.ceil(len(names) / math.ceil(len(names) / columns))
        figure.legend(handles, names, loc="outside lower left", ncols=columns, frameon=False, handlelength=3.2)


def legend_inches(series):
    """Room below the axes for the legend, by its lines."""
    return 0.155 * sum(max(1, len(textwrap.wrap(legend_name(one), 44))) for one in series)


def of_value(value):
    """Three digits, for the label of a bar."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def of_bytes(value):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g} B"


def limits(values):
    """From zero to a little above the largest."""
    values = [value for value in values if value is not None]
    highest, lowest = max(values, default=0), min(values, default=0)
    return min(0, 1.15 * lowest), 1.15 * highest if highest > 0 else 1


def no_values(axis):
    axis.text(0.5, 0.5, "no values", transform=axis.transAxes, horizontalalignment="center")


def in_groups(plot):
    """The values of each category with their styles: only those that are there, so that no room is left for others."""
    styled = list(zip(plot.series, bar_styles(plot.series)))
    groups = range(len(plot.categories))
    return [[(one.values[group], style) for one, style in styled if one.values[group] is not None] for group in groups]


def balanced(name, width):
    """Lines no longer than `width`, if its words are not, and no last line of one short word where there can be equal ones."""
    lines = textwrap.wrap(name, width, break_long_words=False)
    while width > 1 and len(textwrap.wrap(name, width - 1, break_long_words=False)) == len(lines):
        width -= 1
        lines = textwrap.wrap(name, width, break_long_words=False)
    return lines


def bar_styles(series):
    """As matplotlib takes them."""
    for (shades, hatches, hatch_colour), n in styles(series, BARS):
        style = {"facecolor": shades[n % len(shades)], "hatch": hatches[n % len(hatches)], "hatchcolor": hatch_colour}
        yield style | {"edgecolor": looks.EDGE, "linewidth": 0.6}


def bars(plot):
    """Groups below each other, as tall as they have values: a name may have many words, and most groups few values."""
    groups = in_groups(plot)
    names = [balanced(name, 28) for name in plot.categories]
    ticks, place = [], 0.0
    drawn = []
    for there, lines in zip(groups, names):
        height = max(1, len(there), 0.9 * len(lines))
        ticks.append(place + height / 2)
        first = place + (height - len(there)) / 2 + 0.5
        drawn += [(first + i, value, style) for i, (value, style) in enumerate(there)]
        place += height + 0.6
    figure, axis = plt.subplots(layout="constrained", figsize=(WIDTH_INCHES, 0.17 * place + 1.1 + legend_inches(plot.series)))
    for at, value, style in drawn:
        axis.bar_label(axis.barh([at], [value], height=0.92, **style), [of_value(value)], padding=2, fontsize=looks.SMALL)
    axis.set_ylim(max(place, 1) - 0.3, -0.3)
    axis.set_yticks(ticks, ["\n".join(lines) for lines in names])
    axis.tick_params(axis="y", length=0)
    axis.set_xlim(*limits([value for _, value, _ in drawn]))
    axis.set_xlabel(textwrap.fill(plot.y_label, 60))
    if not drawn:
        no_values(axis)
    legend(figure, [Patch(**style) for style in bar_styles(plot.series)], plot.series)
    return figure


def lines(plot):
    figure, axis = plt.subplots(layout="constrained", figsize=(WIDTH_INCHES, 3.9 + legend_inches(plot.series)))
    handles, xs, ys = [], [], []
    for one, ((colours, dashes, markers), n) in zip(plot.series, styles(plot.series, LINES)):
        points = [(x, y) for x, y in one.points if x is not None and y is not None and (x > 0 or not plot.x_powers_of_two)]
        colour = colours[n % len(colours)]
        inside = "white" if one.source == "paper" else colour
        style = {"color": colour, "linestyle": dashes[n % len(dashes)], "linewidth": 2 if one.source == "ours" else 1.3}
        # A peer's are larger: where its line lies below one of ours, they stand out.
        size = 6 if one.source == "peer" else 4
        marks = {"marker": markers[n % len(markers)], "markersize": size, "markerfacecolor": inside, "markevery": max(1, len(points) // 24)}
        order = {"paper": 2, "peer": 3, "ours": 4}[one.source]
        handles += axis.plot([x for x, _ in points], [y for _, y in points], zorder=order, **style, **marks)
        xs += [x for x, _ in points]
        ys += [y for _, y in points]
    axis.set_ylim(*limits(ys))
    if plot.x_powers_of_two and xs:
        first, last = math.floor(math.log2(min(xs))), math.ceil(math.log2(max(xs)))
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_locator(FixedLocator([2.0**power for power in range(first, last + 1, 1 + (last - first) // 12)]))
        axis.xaxis.set_minor_locator(NullLocator())
        form = of_bytes if re.search(r"\bbytes?\b", plot.x_label, re.IGNORECASE) else "{:g}".format
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))
    elif xs:
        lowest, highest = limits(xs)
        axis.set_xlim(lowest, highest / 1.15 * 1.03)
    else:
        no_values(axis)
    axis.grid()
    axis.set_xlabel(textwrap.fill(plot.x_label, 60))
    axis.set_ylabel(textwrap.fill(plot.y_label, 36))
    legend(figure, handles, plot.series)
    return figure


def steps(plot):
    """A panel for each series, one above the other, with common axes."""
    down = max(1, len(plot.series))
    options = {"squeeze": False, "sharex": True, "sharey": True, "layout": "constrained"}
    figure, axes = plt.subplots(down, 1, figsize=(WIDTH_INCHES, 1.35 * down + 0.9), **options)
    everything = [point for one in plot.series for point in one.points if None not in point]
    for axis, one, ((shades, hatches, hatch_colour), n) in zip(axes.flat, plot.series, styles(plot.series, BARS)):
        points = [point for point in one.points if None not in point]
        x, y = [x for x, _ in points], [y for _, y in points]
        fill = {"facecolor": shades[n % len(shades)], "edgecolor": hatch_colour, "hatch": hatches[n % len(hatches)]}
        axis.fill_between(x, y, step="post", linewidth=0, **fill)
        # An edge for the light ones only: over a dark one that goes up and down all the time it would be a cloud.
        axis.step(x, y, where="post", color=looks.EDGE, linewidth=0.7 if one.source == "paper" else 0)
        axis.set_title(textwrap.fill(legend_name(one), 70), loc="left")
    for axis in axes.flat:
        axis.grid()
    last = axes.flat[-1]
    if everything:
        last.set_ylim(*limits(y for _, y in everything))
        lowest, highest = limits(x for x, _ in everything)
        last.set_xlim(lowest, highest / 1.15 * 1.01)
    else:
        no_values(last)
    last.set_xlabel(textwrap.fill(plot.x_label, 60))
    figure.supylabel(textwrap.fill(plot.y_label, 18 * down + 12), fontsize=8)
    return figure


def described(plot):
    """For those who do not see it; the values are in the tables."""
    names = "; ".join(map(legend_name, plot.series)) or "none"
    if plot.kind == "bars":
        return f"Bars of {plot.y_label}. Groups: {'; '.join(plot.categories) or 'none'}. In each: {names}."
    form = "Lines" if plot.kind == "lines" else "Filled steps"
    return f"{form} of {plot.y_label} over {plot.x_label}: {names}."


def image(written, title, description):
    """An SVG file as an image of a page, which holds it: nothing in it can collide with what is in others."""
    svg = looks.house.both_modes(written.decode())
    width = looks.ENLARGED * float(re.search(r'width="([0-9.]+)pt"', svg)[1])
    address = base64.b64encode(svg.encode()).decode()
    words = html.escape(f"{title}. {description}")
    return f'<img alt="{words}" style="max-width: {width:g}pt" src="data:image/svg+xml;base64,{address}">'

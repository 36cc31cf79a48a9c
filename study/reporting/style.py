"""The one place that says what the page and its pictures look like: widths, series and their colours, on the style that all pictures of the
project have."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import style as house  # noqa: E402

# Of pictures, in inches and points: wide enough for a phone, where they shrink, and drawn larger elsewhere.
WIDTH_INCHES = 5.4
ENLARGED = 1.35
FONT, SMALL, TITLE = 9, 7.5, 9.5

INK, EDGE, GRID, PAPER = house.INK, house.EDGE, house.GRID, house.GROUND
# For each source: shades, hatches and the hatches' colour. Their numbers have no common factor: 20 series differ. Hatches are of lines:
# dots are circles, of which each pattern would have a quarter of a megabyte.
BARS = {
    "paper": (["#fafafa", "#ededed", "#f4f4f4", "#e4e4e4"], ["/////", "\\\\\\\\\\", "xxxx", "-----", "|||||"], "#666666"),
    "peer": (["#c4c4c4", "#9c9c9c", "#d6d6d6", "#b0b0b0"], ["", "||||", "----", "++++", "xxx"], "#444444"),
    "ours": (["#12406b", "#3d74a8", "#08254f", "#27588c"], ["", "////", "----", "xxxx", "\\\\\\\\"], "#d8e6f3"),
}
# Colours, dashes and markers, likewise: dashes and markers alone tell 20 apart.
LINES = {
    "paper": (["#9a9a9a", "#808080", "#acacac"], [(0, (4, 2)), (0, (1, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (2, 2))], "osD^v"),
    "peer": (["#b3541e", "#2f8f5b", "#8d6cab"], ["-.", (0, (7, 2)), (0, (3, 1)), (0, (5, 1, 1, 1, 1, 1))], "s^vDP"),
    "ours": (["#12406b", "#2e75b5", "#08254f"], ["-", (0, (12, 2)), (0, (6, 2)), (0, (6, 1.5, 1, 1.5))], "oDsX*"),
}
MATPLOTLIB = house.settings() | {"font.size": FONT, "axes.titlesize": FONT, "axes.facecolor": "none", "text.parse_math": False}
# What becomes of colours on a dark page, in pictures and around them. Others stay.
DARK = house.DARK | {
    "#1a1a1a": "#e8e8e8",
    "#4a4a4a": "#b4b4b4",
    "#cfcfcf": "#40464d",
    "#555555": "#9a9a9a",
    "#eef2f6": "#20262c",
    "#f3f3f3": "#22272c",
    "#fff6e0": "#3a2f14",
    "#fdf0f0": "#3a1d1d",
}


def variable(colour):
    """The CSS for a colour that is another one on a dark page."""
    return f"var(--c{colour[1:]})" if colour in DARK else colour


def variables(dark):
    return "".join(f"--c{colour[1:]}: {DARK[colour] if dark else colour}; " for colour in DARK).strip()

"""How pictures look, for all that draw them: bench, the Python package's benchmarks, the study, the example's load.

Colours are a light and a dark one each. matplotlib writes the light ones; `save` adds rules by which a reader's dark mode turns each into its
dark one. A program that does not know such rules shows the light picture.
"""

import re
from pathlib import Path

OURS, OURS_LIGHTER, PEER, BEST_PEER = "#12406b", "#4a97c9", "#c9c9c9", "#8f9ba3"
EDGE, GRID, GROUND, INK = "#333333", "#dddddd", "#ffffff", "#000000"

# What each light colour is in the dark. What is not here stays: it can be read on both grounds.
DARK = {
    GROUND: "#16222a",
    INK: "#e4ecef",
    "#262626": "#e4ecef",
    EDGE: "#aebcc4",
    GRID: "#33444e",
    OURS: "#6db6ef",
    OURS_LIGHTER: "#3d82b5",
    "#08254f": "#a8d4fb",
    "#1c5fa0": "#4a97d9",
    "#27588c": "#5aa2dd",
    "#2e75b5": "#4f9be0",
    "#3d74a8": "#3a72a6",
    "#9ecae1": "#2c5f80",
    PEER: "#4a5a64",
    BEST_PEER: "#8797a1",
    "#777777": "#a3a3a3",
    "#666666": "#a8b4bb",
    "#444444": "#aebcc4",
    "#b3541e": "#e58a52",
    "#8d6cab": "#b99bd6",
    "#2f8f5b": "#5cc48d",
    "#d19a00": "#e6b93d",
    "#3a9fc7": "#63c3e8",
    "#1f7f8f": "#4fb9c9",
    "#c04a73": "#ec82a8",
    "#b8b8b8": "#3b4a53",
    "#fafafa": "#1d2b34",
    "#f4f4f4": "#223039",
    "#ededed": "#28373f",
    "#e4e4e4": "#2e3e47",
    "#e3e3e3": "#2e3e47",
    "#a8a8a8": "#6f7f89",
    "#c4c4c4": "#4a5a64",
    "#9c9c9c": "#74838c",
    "#d6d6d6": "#3d4c55",
    "#b0b0b0": "#5d6d76",
    "#9a9a9a": "#a8b4bb",
    "#808080": "#98a5ad",
    "#acacac": "#b5c0c6",
    "#d8e6f3": "#16222a",
}

# A peer has the same line in every picture. Dashes differ as well as colours, so that the lines can be told apart in grey.
PLAIN = {"color": "#777777", "linestyle": ":"}
OPENSSL = {"color": "#b3541e", "linestyle": "-."}
PEER_LINES = {
    "manyhash": {"color": OURS, "linewidth": 2.2},
    "sha1": PLAIN,
    "sha2": PLAIN,
    "md-5": PLAIN,
    "openssl EVP": OPENSSL,
    "openssl low-level": OPENSSL,
    "openssl EVP_MAC": OPENSSL,
    "aws-lc-rs": {"color": "#8d6cab", "linestyle": (0, (7, 2))},
    "tape-sha256": {"color": "#2f8f5b", "linestyle": (0, (3, 1))},
    "commonware": {"color": "#d19a00", "linestyle": "-"},
    "ipsec-mb": {"color": "#3a9fc7", "linestyle": (0, (5, 1, 1, 1))},
    "ipsec-mb burst": {"color": "#1f7f8f", "linestyle": (0, (5, 1, 1, 1, 1, 1))},
    "isa-l": {"color": "#c04a73", "linestyle": (0, (1, 1))},
}
ANOTHER_LINE = {"color": "#c04a73", "linestyle": (0, (8, 1, 1, 1, 1, 1))}

# What people call a CPU, where a virtual machine tells family and model alone.
CPUS = {
    ("AMD", 23, 1): "AMD EPYC 7001 (Naples, Zen 1)",
    ("AMD", 23, 49): "AMD EPYC 7002 (Rome, Zen 2)",
    ("AMD", 25, 1): "AMD EPYC 7003 (Milan, Zen 3)",
    ("AMD", 25, 17): "AMD EPYC 9004 (Genoa, Zen 4)",
    ("AMD", 25, 160): "AMD EPYC 9704 (Bergamo, Zen 4c)",
    ("AMD", 26, 2): "AMD EPYC 9005 (Turin, Zen 5)",
    ("AMD", 26, 17): "AMD EPYC 9005 (Turin, Zen 5c)",
    ("Intel", 6, 85): "Intel Xeon Scalable, 1st to 3rd generation (Skylake, Cascade Lake)",
    ("Intel", 6, 106): "Intel Xeon Scalable, 3rd generation (Ice Lake)",
    ("Intel", 6, 143): "Intel Xeon Scalable, 4th generation (Sapphire Rapids)",
    ("Intel", 6, 173): "Intel Xeon 6 (Granite Rapids)",
    ("Intel", 6, 207): "Intel Xeon Scalable, 5th generation (Emerald Rapids)",
}


def cpu_name(reported):
    """Returns what people call the CPU of "AMD EPYC, family 26 model 2", or what was reported."""
    found = re.search(r"^(AMD|Intel).*family (\d+),? model (\d+)", reported)
    return CPUS.get((found[1], int(found[2]), int(found[3])), reported) if found else reported


def settings():
    """Returns what `plt.rcParams` is to be updated with."""
    return {
        "svg.hashsalt": "manyhash",
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.titlesize": 8,
        "hatch.linewidth": 0.6,
        # Every text names all its fonts: few of them, of equal widths.
        "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": GRID,
        "grid.linewidth": 0.5,
    }


def dark_rules(picture="svg", of=None):
    """Returns the rules of CSS for a dark ground, below the selector `picture`: for the colours that the text `of` has, or for all."""
    used = {light: dark for light, dark in DARK.items() if of is None or light in of}
    rules = [f'{picture} [style*="{what}: {light}"]{{{what}:{dark}!important}}' for light, dark in used.items() for what in ("fill", "stroke")]
    # So hatches are written.
    rules += [f'{picture} [fill="{light}"]{{fill:{dark}}}' for light, dark in used.items() if of is None or f'fill="{light}"' in of]
    # matplotlib says nothing of what is black.
    return f"{picture} text{{fill:{DARK[INK]}}}" + "".join(rules)


def both_modes(svg):
    """Returns an SVG of matplotlib with rules for readers in dark mode."""
    rules = f"@media(prefers-color-scheme:dark){{{dark_rules(of=svg)}}}"
    if "</style>" not in svg:
        raise ValueError("the picture has no style")
    return svg.replace("</style>", f"{rules}</style>", 1)


def save(figure, path):
    """Writes a figure of matplotlib, for light and dark."""
    figure.savefig(path, format="svg", metadata={"Date": None}, facecolor=GROUND)
    Path(path).write_text(both_modes(Path(path).read_text()))

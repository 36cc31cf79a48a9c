#!/usr/bin/env python3
"""Draws docs/pictures/speed.svg, the chart of README.md, from speed.json beside it: five workloads, losses included.

    docs/pictures/speed.py [--check]

For each workload there are manyhash, the best of the other libraries that hash several messages at once, and a loop over the fastest one for a
single message. `--check` only says whether the picture is that of the figures. Colours follow light and dark.
"""

import html
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
WIDTH, LEFT, RIGHT, BAR, GAP = 720, 190, 500, 17, 16
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1c2a33}.g{fill:#fdfdfb;stroke:#ccd4d8}.o{fill:#12406b}.p{fill:#8f9ba3}.s{fill:#c9d1d6}"
    ".n{fill:#55656e}.b{font-weight:600}.w{fill:#1f6f43;font-weight:600}.l{fill:#b24e14;font-weight:600}.e{text-anchor:end}"
    "@media(prefers-color-scheme:dark){text{fill:#e4ecef}.g{fill:#16222a;stroke:#33444e}.o{fill:#6db6ef}.p{fill:#8797a1}.s{fill:#4a5a64}"
    ".n{fill:#a9b8c0}.w{fill:#5cc48d}.l{fill:#e58a52}}"
)


def drawn(report):
    """Returns the picture as text."""
    most = max(value for workload in report["workloads"] for name, value in workload.items() if name != "messages")
    out, y = [], 34
    out.append(f'<text class="b" x="16" y="{y}">{report["algorithm"]}, one core, GB/s</text>')
    out.append(f'<text class="n e" x="{WIDTH - 16}" y="{y}">{html.escape(report["cpu"])}, {report["date"]}</text>')
    y += 18
    for workload in report["workloads"]:
        speeds = [(name, value) for name, value in workload.items() if name != "messages"]
        ours, *others = (value for _, value in speeds)
        times = ours / max(others)
        out.append(f'<text class="b e" x="{LEFT - 10}" y="{y + 13}">{html.escape(workload["messages"])}</text>')
        sort = "w" if times >= 1.005 else "l"
        out.append(f'<text class="{sort} e" x="{WIDTH - 16}" y="{y + 13}">{times:.2f} times</text>')
        for (name, value), kind in zip(speeds, "ops", strict=True):
            width = round((RIGHT - LEFT) * value / most, 1)
            out.append(f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{width}" height="{BAR - 2}" rx="2"/>')
            out.append(f'<text class="{"b" if kind == "o" else "n"}" x="{round(LEFT + width + 6, 1)}" y="{y + 12}">{value:.2f} {html.escape(name)}</text>')
            y += BAR
        y += GAP
    title = f"GB/s of {report['algorithm']} in five workloads: manyhash, the best other library in lanes, and the best for one message"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 4}" role="img"><title>{title}</title><style>{STYLE}</style>'
        f'<rect class="g" x=".5" y=".5" width="{WIDTH - 1}" height="{y + 3}" rx="8"/>\n' + "\n".join(out) + "\n</svg>\n"
    )


def main():
    picture, text = HERE / "speed.svg", drawn(json.loads((HERE / "speed.json").read_text()))
    if sys.argv[1:] == ["--check"]:
        if not picture.exists() or picture.read_text() != text:
            sys.exit(f"{picture}: it is not that of speed.json; docs/pictures/speed.py draws it")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        picture.write_text(text)


main()

#!/usr/bin/env python3
"""Runs the commands of README.md's recording on a terminal, and draws what they print: docs/pictures/recording.svg, which moves.

    docs/pictures/record.py --manyhash PROGRAM [--check]
    docs/pictures/record.py --manyhash PROGRAM --columns 80 --run 'manyhash help sum' > help.svg

`--check` only says whether the picture is that of a run today. `--run` draws one command as it looks at so many columns, without motion. The
terminal is a pseudo-terminal of Linux; needed are sh and the sha256sum of coreutils. Who wants no motion sees the whole session at once.
"""

import argparse
import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

PICTURE = pathlib.Path(__file__).parent / "recording.svg"
FILES = {"photos/2023/lake.jpg": "lake at dawn\n", "photos/2024/cat.jpg": "a cat\n", "photos/2024/town.jpg": "the old town\n"}
# A comment is shown as it stands, and not run.
SESSION = [
    "manyhash sum -r photos -o photos.sha256",
    "sha256sum -c photos.sha256",
    "# a year later",
    "mv photos/2023/lake.jpg photos/2024/",
    "manyhash check --audit photos.sha256",
]
COLUMNS, LINE, CHARACTER, LEFT, TOP = 80, 19, 8.43, 16, 44
# Seconds: a key, before the answer, after it, and at the end.
KEY, WAIT, READ, END = 0.035, 0.4, 0.9, 4
COLOURS = {"31": "r", "32": "v", "33": "y", "34": "b", "35": "m", "36": "c"}
STYLE = (
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#24313a;white-space:pre}"
    ".g{fill:#fdfdfb;stroke:#ccd4d8}.k{fill:#d5dbdf}.p{fill:#7a8a94}.B{font-weight:700}.U{text-decoration:underline}"
    ".r{fill:#b3261e}.v{fill:#1f6f43}.y{fill:#8a6510}.b{fill:#1c5fa0}.m{fill:#74489a}.c{fill:#23788d}"
    "@media(prefers-color-scheme:dark){text{fill:#dbe5ea}.g{fill:#16222a;stroke:#33444e}.k{fill:#3d4f59}.p{fill:#8da0ab}"
    ".r{fill:#ff8a80}.v{fill:#6fd39a}.y{fill:#e6b93d}.b{fill:#6db6ef}.m{fill:#c9a2ea}.c{fill:#66cbe0}}"
)


def printed(command, folder, environment, columns):
    """Returns the lines that a command shows on a terminal: each a list of pieces, a set of classes and a text."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen(["sh", "-c", command], cwd=folder, env=environment, stdin=its, stdout=its, stderr=its, start_new_session=True) as process:
        os.close(its)
        raw = b""
        try:
            while piece := os.read(ours, 1 << 16):
                raw += piece
        except OSError:
            # So Linux says that nobody has the terminal any more.
            pass
    os.close(ours)
    text = raw.decode().replace("\r\n", "\n")
    # Of a line that is drawn over, what was drawn last.
    return [pieces(line.split("\r")[-1].replace("\x1b[K", "")) for line in text.split("\n")[:-1]], process.returncode


def pieces(line):
    """Returns the pieces of a line, by the codes for colours, bold and underlined."""
    found, classes = [], set()
    for part in re.split(r"(\x1b\[[\d;]*m)", line):
        if not part.startswith("\x1b["):
            if part:
                found.append((frozenset(classes), part))
            continue
        for code in part[2:-1].split(";"):
            if code in ("", "0"):
                classes = set()
            elif code in ("1", "4"):
                classes |= {"B" if code == "1" else "U"}
            elif code in ("39", "22", "24"):
                classes -= {"39": set(COLOURS.values()), "22": {"B"}, "24": {"U"}}[code]
            elif code[-1] in "1234567" and len(code) == 2 and code[0] in "39":
                classes = (classes - set(COLOURS.values())) | {COLOURS.get("3" + code[1], "B")}
    return found


def text_of(parts, x, y, more=""):
    spans = "".join(f'<tspan class="{" ".join(sorted(classes))}">{html.escape(text)}</tspan>' if classes else html.escape(text) for classes, text in parts)
    return f'<text x="{x}" y="{y}"{more}>{spans}</text>'


def framed(title, columns, lines, style, body):
    width, height = round(columns * CHARACTER + 2 * LEFT), TOP + lines * LINE + 8
    dots = "".join(f'<circle class="k" cx="{x}" cy="19" r="5"/>' for x in (20, 38, 56))
    return (
        f'<svg id="still" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"><title>{html.escape(title)}</title>'
        f'<style>{STYLE}{style}</style><rect class="g" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>{dots}\n{body}\n</svg>\n'
    )


def moving(session):
    """Returns the picture of commands and what they print: a command is typed, what it prints is there at once."""
    shown, at, row = [], 0.6, 0
    for command, lines in session:
        keys = len(command) + 2
        shown.append((at, keys, [(frozenset("p"), "$ "), (frozenset("p") if command.startswith("#") else frozenset(), command)], row))
        at, row = at + keys * KEY + WAIT, row + 1
        for line in lines:
            shown.append((at, 0, line, row))
            row += 1
        at += READ if lines else 0
    seconds = round(at + END, 1)
    style, body = "", []
    for index, (begin, keys, parts, row) in enumerate(shown):
        y, first, last = TOP + row * LINE + 12, 100 * begin / seconds, 100 * (begin + keys * KEY) / seconds
        name = f"a{index}"
        if keys:
            style += f"@keyframes {name}{{0%,{first:.2f}%{{clip-path:inset(0 100% 0 0)}}{last:.2f}%,100%{{clip-path:inset(0 0 0 0)}}}}"
            timing = f"steps({keys})"
        else:
            style += f"@keyframes {name}{{0%,{first:.2f}%{{opacity:0}}{first + 0.01:.2f}%,100%{{opacity:1}}}}"
            timing = "linear"
        body.append(text_of(parts, LEFT, y, f' style="animation:{name} {seconds}s {timing} infinite"'))
    style += "#still:target text{animation:none!important}@media(prefers-reduced-motion:reduce){text{animation:none!important}}"
    return framed("A list of photos is made, checked by sha256sum, and audited a year later", COLUMNS, row + 1, style, "\n".join(body))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--manyhash", required=True, type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--run", metavar="COMMAND")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tools = pathlib.Path(folder) / "tools"
        tools.mkdir()
        (tools / "manyhash").symlink_to(arguments.manyhash.resolve(strict=True))
        place = pathlib.Path(folder) / "place"
        for name, content in FILES.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(content)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MANYHASH_") and name not in ("NO_COLOR", "COLUMNS")}
        environment = plain | {"PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        if arguments.run:
            lines, _ = printed(arguments.run, place, environment, arguments.columns)
            body = "\n".join(text_of(line, LEFT, TOP + row * LINE + 12) for row, line in enumerate([[(frozenset("p"), f"$ {arguments.run}")], *lines]))
            print(framed(arguments.run, arguments.columns, len(lines) + 1, "", body), end="")
            return
        session = [(command, printed(command, place, environment, COLUMNS)[0]) for command in SESSION]
    picture = moving(session)
    if arguments.check:
        if not PICTURE.exists() or PICTURE.read_text() != picture:
            sys.exit(f"{PICTURE}: a run today looks different; docs/pictures/record.py --manyhash PROGRAM draws it")
    else:
        PICTURE.write_text(picture)


main()

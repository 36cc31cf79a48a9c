#!/usr/bin/env python3
"""Draws the moving pictures of docs/how-it-works.md beside itself: lanes.svg, refill.svg, waves.svg, plan.svg.

Time goes from left to right in all of them, and is shown as it passes: one clip that grows. A reader who wants no motion sees the
whole picture; so does who asks for NAME.svg#still, because a browser may not tell a picture of that wish. Colours follow light and dark;
each picture has a ground of its own, so that it can be read anywhere.
"""

import pathlib

HERE = pathlib.Path(__file__).parent
WIDTH, LEFT, RIGHT, ROW = 480, 16, 464, 26
COLOURS = ["#2a6a8a", "#b24e14", "#4f7326", "#74489a", "#8a6510", "#a03450", "#23786d", "#56616f"]
STYLE = """text{font:14px system-ui,sans-serif;fill:#1c2a33}.g{fill:#fdfdfb;stroke:#ccd4d8}.i{fill:none;stroke:#9aa7ae;stroke-dasharray:3 3}\
.t{fill:#fff;text-anchor:middle;font-weight:600}.n{fill:#55656e;font-size:13px}.h{stroke:#1c2a33;stroke-width:1.5}.e{text-anchor:end}\
@media(prefers-color-scheme:dark){text{fill:#e4ecef}.g{fill:#16222a;stroke:#33444e}.i{stroke:#6d7f89}.n{fill:#a9b8c0}.h{stroke:#e4ecef}.t{fill:#fff}}\
@keyframes c{0%{transform:scaleX(0)}85%,100%{transform:scaleX(1)}}\
@keyframes h{0%{transform:translateX(0);opacity:.5}85%{transform:translateX(448px);opacity:.5}86%,100%{transform:translateX(448px);opacity:0}}\
#p rect{transform-origin:16px 0;animation:c SECONDSs linear infinite}.h{animation:h SECONDSs linear infinite}\
#still:target #p rect,#still:target .h,#still:target .q{animation:none!important}#still:target .h{opacity:0}#still:target .q{opacity:.25}\
@media(prefers-reduced-motion:reduce){#p rect,.h,.q{animation:none!important}.h{opacity:0}.q{opacity:.25}}"""


class Picture:
    """Rows of bars over one axis of time."""

    def __init__(self, title, end, seconds):
        self.title, self.end, self.seconds = title, end, seconds
        self.y, self.fixed, self.shown, self.styles = 30, [], [], []

    def x(self, time):
        return round(LEFT + (RIGHT - LEFT) * time / self.end, 1)

    def heading(self, text, note=""):
        self.fixed.append(f'<text x="{LEFT}" y="{self.y}" font-weight="600">{text}</text>')
        if note:
            self.y += 18
            self.fixed.append(f'<text class="n" x="{LEFT}" y="{self.y}">{note}</text>')
        self.y += 9

    def bar(self, begin, end, name, colour, height=ROW - 4):
        x, width = self.x(begin), round(self.x(end) - self.x(begin) - 1, 1)
        self.shown.append(f'<rect x="{x}" y="{self.y}" width="{width}" height="{height}" rx="3" fill="{COLOURS[colour % 8]}"/>')
        if name:
            self.shown.append(f'<text class="t" x="{round(x + width / 2, 1)}" y="{self.y + height - 6}">{name}</text>')

    def idle(self, begin, end):
        x = self.x(begin)
        self.shown.append(f'<rect class="i" x="{x + 1}" y="{self.y + 1}" width="{round(self.x(end) - x - 3, 1)}" height="{ROW - 6}" rx="3"/>')

    def row(self):
        self.y += ROW

    def after(self, time, text):
        """Writes a text that appears when its time has come, right of it, or left where there is no room."""
        is_left = self.x(time) > 400
        place = f'class="n e" x="{RIGHT}"' if is_left else f'class="n" x="{self.x(time) + 8}"'
        self.shown.append(f'<text {place} y="{self.y + 16}">{text}</text>')

    def waiting(self, messages, starts):
        """Draws messages that wait, each until it starts."""
        x = LEFT
        for index, (name, length) in enumerate(messages):
            at = round(85 * starts[name] / self.end, 1)
            width = round((RIGHT - LEFT) * length / self.end - 1, 1)
            if at:
                self.styles.append(f"@keyframes q{index}{{0%,{at}%{{opacity:1}}{at + 0.1}%,100%{{opacity:.25}}}}")
            motion = f' style="animation:q{index} {self.seconds}s linear infinite"' if at else ' opacity=".25"'
            self.fixed.append(f'<g class="q"{motion}><rect x="{round(x, 1)}" y="{self.y}" width="{width}" height="{ROW - 4}" rx="3" fill="{COLOURS[index % 8]}"/>'
                              f'<text class="t" x="{round(x + width / 2, 1)}" y="{self.y + 16}">{name}</text></g>')
            x += width + 1
            if x > RIGHT - 30:
                x, self.y = LEFT, self.y + ROW
        self.y += ROW

    def write(self, name):
        height = self.y + 14
        style = STYLE.replace("SECONDS", str(self.seconds)) + "".join(self.styles)
        (HERE / name).write_text(
            f'<svg id="still" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"><title>{self.title}</title><style>{style}</style>'
            f'<rect class="g" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/><clipPath id="p"><rect x="{LEFT}" width="{RIGHT - LEFT}" height="{height}"/></clipPath>\n'
            + f'<path class="h" d="M{LEFT} 40V{height - 8}"/>' + "\n".join(self.fixed) + '\n<g clip-path="url(#p)">\n' + "\n".join(self.shown)
            + "\n</g></svg>\n")


def blocks(picture, begin, count, name, colour):
    """Draws a message as its blocks."""
    for block in range(count):
        picture.bar(begin + block, begin + block + 1, name if block == 0 else "", colour)


def lanes():
    names, length = "ABCD", 6
    picture = Picture("Four messages one after the other, and in four lanes at once", 24, 9)
    picture.heading("One after the other", "each block waits for the one before it")
    for index, name in enumerate(names):
        blocks(picture, index * length, length, name, index)
    picture.row()
    picture.y += 24
    picture.heading("In four lanes", "an instruction does the same step in all of them")
    for index, name in enumerate(names):
        blocks(picture, 0, length, name, index)
        if index == 1:
            picture.after(length, "all four are done")
        picture.row()
    picture.write("lanes.svg")


def refill():
    lengths = [3, 9, 2, 5, 4, 1, 7, 2, 6, 3, 4, 2]
    named = list(zip("ABCDEFGHIJKL", lengths, strict=True))
    groups = [named[at : at + 4] for at in range(0, 12, 4)]
    end = sum(max(length for _, length in group) for group in groups)
    picture = Picture("Messages of different lengths in groups of four, and with lanes that are refilled", end, 11)
    colour = {name: index for index, (name, _) in enumerate(sorted(named, key=lambda message: -message[1]))}
    picture.heading("Four at a time", "short ones wait for the longest of their group")
    for lane in range(4):
        begin = 0
        for group in groups:
            longest = max(length for _, length in group)
            name, length = group[lane]
            picture.bar(begin, begin + length, name, colour[name])
            if length < longest:
                picture.idle(begin + length, begin + longest)
            begin += longest
        picture.row()
    picture.y += 24
    picture.heading("A lane is refilled when its message ends", "longest first; those that wait are below")
    free, starts, order = [0] * 4, {}, sorted(named, key=lambda message: -message[1])
    top = picture.y
    for name, length in order:
        lane = free.index(min(free))
        starts[name] = free[lane]
        picture.y = top + lane * ROW
        picture.bar(free[lane], free[lane] + length, name, colour[name])
        free[lane] += length
    picture.y = top + ROW
    picture.after(max(free), "done")
    picture.y = top + 4 * ROW + 8
    picture.waiting(order, starts)
    picture.write("refill.svg")


def waves():
    picture = Picture("A unit of the CPU with one wave, half idle, and with two waves, busy", 24, 9)
    picture.heading("One wave", "a result takes two cycles, and the next step needs it")
    for step in range(12):
        picture.bar(2 * step, 2 * step + 1, "", 0)
        picture.idle(2 * step + 1, 2 * step + 2)
    picture.row()
    picture.y += 24
    picture.heading("Two waves, interleaved", "while one waits, the other computes")
    for step in range(24):
        picture.bar(step, step + 1, "", step % 2)
    picture.row()
    picture.write("waves.svg")


def plan():
    # The worked example at the head of crates/manyhash/src/schedule/mod.rs: what runs, from when to when, in microseconds.
    rows = ["ABCD", "AECD", "AEBD", "AEBC", "AEB-", "A---"]
    times = [0, 50, 100, 120, 140, 170, 325]
    picture = Picture("The plan of five messages, one of them long", 480, 12)
    picture.heading("One after the other", "240 µs for A, 60 for each of the others: 480")
    for name, begin, end in [("A", 0, 240), ("B", 240, 300), ("C", 300, 360), ("D", 360, 420), ("E", 420, 480)]:
        picture.bar(begin, end, name, "ABCDE".index(name))
    picture.row()
    picture.y += 24
    picture.heading("By plan", "four lanes while they can be kept busy, then A alone")
    for lane in range(4):
        at = 0
        while at < 6:
            name, begin = rows[at][lane], times[at]
            while at < 6 and rows[at][lane] == name:
                at += 1
            if name != "-":
                picture.bar(begin, times[at], name, "ABCDE".index(name))
            elif begin < 170:
                picture.idle(begin, 170)
        if lane == 0:
            picture.after(325, "325 µs")
        picture.row()
    picture.write("plan.svg")


for draw in (lanes, refill, waves, plan):
    draw()

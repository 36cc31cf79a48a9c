"""What `progress=` may be: True, a function, or a bar such as tqdm's."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO, TypeAlias

__all__ = ["Bar", "Progress", "Told"]


class Bar(Protocol):
    """A bar of tqdm's kind: it is told how many more files or rows are done."""

    def update(self, n: int, /) -> object: ...


Progress: TypeAlias = bool | Callable[[int, int], object] | Bar | None
"""True draws on stderr; a function is called with how many files or rows are done and how many bytes; a bar is updated."""

# Lines where stderr is no terminal, as the command has them.
_LINE_SECONDS = 10
_WIDTH = 24


class Told:
    """What is to be called with how many are done and how many bytes, or nothing: `callback`. `close` ends what is drawn, whatever happened."""

    def __init__(self, progress: Progress, what: str, total: int | None) -> None:
        self.callback: Callable[[int, int], object] | None
        self._drawn: _Drawn | None = None
        if progress is None or progress is False:
            self.callback = None
        elif progress is True:
            self._drawn = _Drawn(what, total)
            self.callback = self._drawn
        elif callable(update := getattr(progress, "update", None)):
            self.callback = _updates(update)
        elif callable(progress):
            self.callback = progress
        else:
            raise TypeError(
                f"progress is {type(progress).__qualname__}: it must be True, a function of two numbers, or a bar with update(), such as tqdm's"
            )

    def close(self) -> None:
        if self._drawn:
            self._drawn.close()


def _updates(update: Callable[[int], object]) -> Callable[[int, int], object]:
    before = 0

    def told(done: int, _size: int) -> None:
        nonlocal before
        update(done - before)
        before = done

    return told


class _Drawn:
    """A line on a terminal, which is drawn over; elsewhere a line every ten seconds."""

    def __init__(self, what: str, total: int | None, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        # There is none where a program has no console.
        self._stream: Any = stream or sys.stderr
        self._is_terminal = bool(self._stream) and self._stream.isatty()
        self._what, self._total, self._clock = what, total, clock
        self._start = self._last = clock()
        self._is_drawn = False

    def __call__(self, done: int, size: int) -> None:
        now = self._clock()
        if not self._stream or (not self._is_terminal and now - self._last < _LINE_SECONDS):
            return
        self._last = now
        line = self._line(done, size, now - self._start)
        # What was longer before is erased, with a code that all terminals know.
        self._stream.write(f"\r{line}\x1b[K" if self._is_terminal else f"{line}\n")
        self._stream.flush()
        self._is_drawn = self._is_terminal

    def close(self) -> None:
        if self._is_drawn:
            self._stream.write("\n")
            self._stream.flush()

    def _line(self, done: int, size: int, seconds: float) -> str:
        parts = [f"{done:,} {self._what}" if self._total is None else f"{done:,}/{self._total:,} {self._what}", _bytes(size)]
        if seconds > 0:
            parts.append(f"{_bytes(size / seconds)}/s")
        if not self._total or not self._is_terminal:
            return ", ".join(parts)
        full = _WIDTH * min(done, self._total) // self._total
        return f"[{'#' * full}{' ' * (_WIDTH - full)}] {', '.join(parts)}"


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            break
        size /= 1000
    else:
        unit = "TB"
    return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.3g} {unit}"

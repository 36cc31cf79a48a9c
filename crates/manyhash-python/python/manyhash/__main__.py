"""The command `manyhash`, the same as the Rust program; also `python -m manyhash`."""

from __future__ import annotations

import signal
import sys

from manyhash._manyhash import run_command


def main() -> int:
    """Does what the command line asks for, and gives the exit code."""
    _leave_signals_to_the_system()
    return run_command(sys.argv)


def _leave_signals_to_the_system() -> None:
    """Undoes what Python did to signals when it started, unless the program that started it ignores
    them. Rust's programs ignore SIGPIPE too.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGXFSZ"):
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


if __name__ == "__main__":
    sys.argv[0] = "manyhash"
    sys.exit(main())

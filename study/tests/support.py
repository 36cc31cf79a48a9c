"""What the tests share: the program, and how a test that cannot run says so."""

import os
import subprocess
from pathlib import Path

STUDY = Path(__file__).resolve().parent.parent


def skip(test, why):
    """A test that cannot run is a failure where everything is there: under CI."""
    if os.environ.get("CI"):
        test.fail(f"cannot run under CI: {why}")
    print(f"SKIPPED: {test.id()}: {why}")
    test.skipTest(why)


def program(test):
    """`manyhash-study` as it was built last, or as MANYHASH_STUDY names it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or STUDY.parent / "target")
    path = Path(os.environ.get("MANYHASH_STUDY") or STUDY / target / "release" / "manyhash-study")
    if not path.exists():
        skip(test, f"{path} is not there: cargo build --release --package manyhash-study")
    return path


def figures(test):
    """What `manyhash-study --list` prints, a line for each figure."""
    return subprocess.run([program(test), "--list"], check=True, capture_output=True, text=True).stdout.splitlines()

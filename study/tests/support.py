"""What the tests share: the program."""

import os
from pathlib import Path

STUDY = Path(__file__).resolve().parent.parent


def program(test):
    """`manyhash-study` as it was built last, or as MANYHASH_STUDY names it. A test without it is a failure where everything is there: under CI."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or STUDY.parent / "target")
    path = Path(os.environ.get("MANYHASH_STUDY") or STUDY / target / "release" / "manyhash-study")
    if not path.exists():
        why = f"{path} is not there: cargo build --release --package manyhash-study"
        if os.environ.get("CI"):
            test.fail(f"cannot run under CI: {why}")
        print(f"SKIPPED: {test.id()}: {why}")
        test.skipTest(why)
    return path

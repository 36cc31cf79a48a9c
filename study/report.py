#!/usr/bin/env python3
"""Makes report.html from study.json, which `manyhash-study --json` writes: one page that needs no network.

Nothing is measured or judged here. Equal files give equal pages, byte for byte.
"""

import argparse
import contextlib
import os
import sys
import tempfile
from pathlib import Path

from reporting import form

try:
    from reporting.page import page
except ModuleNotFoundError as error:
    sys.exit(f"report.py: {error}: pip install --requirement {Path(__file__).with_name('requirements.txt')}, or make study")


def write(path, text):
    """All of it or nothing: under another name first."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        # A file of this kind is for everybody to read, as far as the user's mask allows.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def main():
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", nargs="?", type=Path, default=here / "study.json", help="a file written with --json [study/study.json]")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the page [report.html for study.json; else the same name with .html]")
    arguments = parser.parse_args()
    path = arguments.study
    out = arguments.out or (path.with_name("report.html") if path.name == "study.json" else path.with_suffix(".html"))
    try:
        text = page(form.read(path))
    except form.FormError as error:
        fail(f"{path}: {error}")
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    if out.exists() and out.samefile(path):
        fail(f"{out}: the page would replace the values it is made from")
    try:
        write(out, text)
    except OSError as error:
        fail(f"{out}: {error.strerror}")
    print(out)


def fail(reason):
    print(f"report.py: {reason}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()

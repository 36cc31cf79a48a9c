"""Hashes every regular file of a tree with manyhash, checks the result with the system's sha256sum, and compares the speeds."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


def regular_files(tree, limit_bytes):
    """Returns the paths of readable regular files below `tree`, their size, and if these are all.

    Paths are bytes. Links are not followed.
    """
    paths, total, is_all = [], 0, True
    for folder, folders, names in os.walk(os.fsencode(tree)):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            if not os.access(path, os.R_OK):
                is_all = False
                continue
            paths.append(path)
            total += os.path.getsize(path)
            if limit_bytes and total >= limit_bytes:
                return paths, total, False
    return sorted(paths), total, is_all


def timed(command, **options):
    """Returns the seconds that a command takes. Ends the program if the command fails."""
    start = time.perf_counter()
    result = subprocess.run(command, **options)
    seconds = time.perf_counter() - start
    if result.returncode != 0:
        sys.exit(f"run.py: {command[0]} ended with {result.returncode}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--manyhash", required=True, help="the program")
    parser.add_argument("--jobs", type=int, default=0, help="threads; 0: all cores")
    parser.add_argument("--limit-bytes", type=int, default=0, help="stop looking for files after so many bytes")
    arguments = parser.parse_args()
    if not arguments.tree.is_dir():
        sys.exit(f"run.py: {arguments.tree}: not a directory")

    paths, total, is_all = regular_files(arguments.tree, arguments.limit_bytes)
    if not paths:
        sys.exit(f"run.py: {arguments.tree}: no regular file that can be read")
    with tempfile.TemporaryDirectory() as scratch:
        names, ours, theirs = (pathlib.Path(scratch) / name for name in ("names", "manyhash.sums", "sha256sum.sums"))
        names.write_bytes(b"\0".join(paths))
        jobs = ["-j", str(arguments.jobs)] if arguments.jobs else []

        def xargs(command, output):
            with names.open("rb") as stdin, output.open("wb") as stdout:
                return timed(["xargs", "-0", *command], stdin=stdin, stdout=stdout)

        def manyhash(*options):
            if not is_all:
                return xargs([arguments.manyhash, "sum", *options], ours)
            with ours.open("wb") as stdout:
                return timed([arguments.manyhash, "sum", "-r", *options, arguments.tree], stdout=stdout)

        xargs(["cat"], pathlib.Path(os.devnull))  # so that all read from the page cache
        one_thread = manyhash("-j", "1")
        seconds = manyhash(*jobs)
        if shutil.which("sha256sum") is None:
            sys.exit("run.py: no sha256sum to compare with")
        their_seconds = xargs(["sha256sum"], theirs)
        if ours.read_bytes() != theirs.read_bytes():
            sys.exit("run.py: the outputs of manyhash and sha256sum differ")
        timed(["sha256sum", "--check", "--quiet", "--strict", ours], stdout=subprocess.DEVNULL)

    backend = subprocess.run([arguments.manyhash, "sum", "-v", os.devnull], capture_output=True, text=True, check=True).stderr.strip()
    print(f"{len(paths)} files, {total} bytes below {arguments.tree}; {backend}")
    rows = [("manyhash, all cores" if not jobs else f"manyhash -j {arguments.jobs}", seconds), ("manyhash -j 1", one_thread), ("sha256sum", their_seconds)]
    for name, elapsed in rows:
        print(f"{name:20} {elapsed:8.3f} s {total / elapsed / 1e9:7.2f} GB/s {their_seconds / elapsed:6.1f} x")
    print("The same lines from both, and sha256sum --check accepts ours.")


if __name__ == "__main__":
    main()

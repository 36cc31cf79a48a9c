#!/usr/bin/env python3
"""Times whole commands on files: manyhash beside the tools people use, in turns, reading and printing included.

Sets of files are made in --data (kept there for the next time), or in a temporary folder. Tools that are not installed are left out, and
named. Every SHA-256 and MD5 that manyhash prints is compared with the system's tool's before anything is timed.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = Path(__file__).parent.parent / "vectors" / "paper-file-sizes.json"
GIANT_BYTES = 4 << 30
TREE_BYTES = 1 << 30
SMALL_FILES = 55_000
# Where fsverity and veritysetup may be.
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def make_files(folder, sizes_bytes, content):
    """Files of random-looking content, a hundred and ten a folder."""
    for i, size in enumerate(sizes_bytes):
        path = folder / f"{i // 1100:02}" / f"{i // 110 % 10}" / f"{i % 110:03}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.randbytes(size))


def make_set(name, folder):
    """The set's files in `folder`."""
    content = random.Random(name)
    papers = json.loads(SIZES.read_text())
    if name == "diverse":
        make_files(folder, papers["diverse_bytes"], content)
    elif name == "uniform":
        make_files(folder, [papers["uniform"]["bytes_each"]] * papers["uniform"]["files"], content)
    elif name == "small":
        # The sizes of source files, nearly: half of them below 3 KiB.
        make_files(folder, (min(int(content.lognormvariate(8, 1.3)), 300_000) for _ in range(SMALL_FILES)), content)
    elif name == "duplicates":
        make_files(folder / "a", (int(content.lognormvariate(9, 2)) for _ in range(10_000)), content)
        shutil.copytree(folder / "a" / "02", folder / "b")
        shutil.copytree(folder / "a" / "03", folder / "c")
    elif name in ("giant", "tree"):
        piece = content.randbytes((16 << 20) - 8)
        with (folder / name).open("wb") as file:
            for i in range((GIANT_BYTES if name == "giant" else TREE_BYTES) >> 24):
                file.write(i.to_bytes(8, "big") + piece)


class Command:
    """One row of a table: a shell command that is run in the set's folder."""

    def __init__(self, name, needs, text):
        self.name, self.needs, self.text, self.seconds = name, needs, text, []

    def is_there(self):
        return all(shutil.which(tool, path=PATH) for tool in self.needs)

    def run(self, folder, environment):
        result = subprocess.run(["bash", "-c", self.text], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if result.returncode != 0:
            sys.exit(f"commands.py: {self.name} ended with {result.returncode}: {result.stderr.decode(errors='replace')[:500]}")


def hashing_commands():
    """Whatever reads every file once. The lists of paths are made beforehand, for everybody the same; all print to nowhere."""
    files = "xargs -0 -n 2000 -a ../$SET.paths"
    both = "xargs -0 -n 100 -P 2 -a ../$SET.paths"
    return [
        Command("manyhash sum", [], "$MANYHASH sum -r ."),
        Command("manyhash sum -j 1", [], "$MANYHASH sum -r -j 1 ."),
        Command("manyhash check", [], "$MANYHASH check --quiet ../$SET.sums"),
        Command("cat", ["cat"], f"{files} cat"),
        Command("cat, two at a time", ["cat"], f"{both} cat"),
        Command("sha256sum", ["sha256sum"], f"{files} sha256sum"),
        Command("sha256sum -c", ["sha256sum"], "sha256sum -c --quiet ../$SET.sums"),
        Command("openssl dgst -sha256", ["openssl"], f"{files} openssl dgst -sha256"),
        Command("openssl dgst -sha256, two at a time", ["openssl"], f"{both} openssl dgst -sha256"),
        Command("b3sum (another digest)", ["b3sum"], f"{files} b3sum"),
    ]


def duplicate_commands():
    return [
        Command("manyhash dups", [], "$MANYHASH dups --min-size 1 ."),
        Command("fclones group", ["fclones"], "fclones --quiet group --hidden --no-ignore --min 1 ."),
        Command("rmlint", ["rmlint"], "rmlint --types=duplicates --hidden --size 1 -o json:stdout ."),
    ]


def integrity_commands():
    return [
        Command("manyhash check", [], "$MANYHASH check -C / --quiet /var/lib/dpkg/info/*.md5sums 2>/dev/null || true"),
        Command("debsums -s", ["debsums"], "debsums -s 2>/dev/null || true"),
        Command("md5sum -c", ["md5sum"], "cd / && cat /var/lib/dpkg/info/*.md5sums | md5sum -c --quiet 2>/dev/null || true"),
    ]


def tree_commands():
    """Digests of one file by its leaves, and the tools that print the same. Hash devices are made anew beside the set."""
    salt = "--salt 0011223344556677889900112233445566778899001122334455667788990011"
    make = f"verity format {salt} tree ../tree.ours"
    root = "$(cat ../tree.root)"
    theirs = f"rm -f ../tree.theirs; veritysetup format {salt} tree ../tree.theirs"
    return [
        Command("manyhash tree fs-verity", [], "$MANYHASH tree fs-verity tree"),
        Command("fsverity digest", ["fsverity"], "fsverity digest tree"),
        Command("manyhash verity format", [], f"rm -f ../tree.ours; $MANYHASH {make} --root-hash-file ../tree.root"),
        Command("veritysetup format", ["veritysetup"], theirs),
        Command("manyhash verity verify", [], f"$MANYHASH verity verify tree ../tree.ours {root}"),
        Command("veritysetup verify", ["veritysetup"], f"veritysetup verify tree ../tree.ours {root}"),
        Command("manyhash tree j-lanes -l 16", [], "$MANYHASH tree j-lanes -l 16 tree"),
        Command("manyhash tree bittorrent-v2", [], "$MANYHASH tree bittorrent-v2 tree"),
        Command("manyhash tree s3", [], "$MANYHASH tree s3 tree"),
        Command("manyhash tree glacier", [], "$MANYHASH tree glacier tree"),
        Command("openssl dgst -sha256 (plain)", ["openssl"], "openssl dgst -sha256 tree"),
        Command("cat", ["cat"], "cat tree"),
    ]


def drop_caches():
    subprocess.run(["sync"], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3\n")


def verify(manyhash, folder, name):
    """The paths and the digests for the commands, and that manyhash prints the latter."""
    paths = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    names = [f"./{path}" for path in paths]
    (folder.parent / f"{name}.paths").write_text("".join(f"{path}\0" for path in names))
    theirs = subprocess.run(["xargs", "-0", "sha256sum"], cwd=folder, input="\0".join(names).encode(), capture_output=True, check=True)
    ours = subprocess.run([manyhash, "sum", "-r", "."], cwd=folder, capture_output=True, check=True)
    if sorted(ours.stdout.splitlines()) != sorted(theirs.stdout.splitlines()):
        sys.exit(f"commands.py: {name}: the digests of manyhash and sha256sum differ")
    (folder.parent / f"{name}.sums").write_bytes(ours.stdout)
    return len(paths), sum((folder / path).stat().st_size for path in paths)


def measure(commands, folder, environment, arguments):
    """Runs the commands in turns, another one first each time."""
    present = [command for command in commands if command.is_there()]
    for command in commands:
        if command not in present:
            print(f"{command.name}: not installed")
    for run in range(arguments.runs + 1):
        for turn in range(len(present)):
            command = present[(run + turn) % len(present)]
            if arguments.cold:
                drop_caches()
            begin = time.perf_counter()
            command.run(folder, environment)
            if run > 0:  # The first one warms up.
                command.seconds.append(time.perf_counter() - begin)
    return present


def report(title, commands, total_bytes):
    ours = statistics.median(commands[0].seconds)
    print(f"\n### {title}\n\n| command | median s | least s | GB/s | time / first |\n|---|---|---|---|---|")
    for command in commands:
        median = statistics.median(command.seconds)
        rate = f"{total_bytes / median / 1e9:.2f}" if total_bytes else ""
        print(f"| {command.name} | {median:.4f} | {min(command.seconds):.4f} | {rate} | {median / ours:.2f} |", flush=True)
    return {"title": title, "bytes": total_bytes, "commands": {command.name: command.seconds for command in commands}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manyhash", type=Path, required=True, help="the program")
    parser.add_argument("--data", type=Path, help="where sets of files are kept [default: a temporary folder]")
    parser.add_argument("--set", action="append", dest="sets", help="diverse, uniform, small, giant, tree, duplicates or system; more than once [default: all]")
    parser.add_argument("--only", help="time only commands whose name has this in it, and the first")
    parser.add_argument("--runs", type=int, default=11, help="of each command")
    parser.add_argument("--cold", action="store_true", help="drop the system's page cache before every run (root)")
    parser.add_argument("--json", type=Path, help="write all times here")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs: at least 1")
    manyhash = arguments.manyhash.resolve()
    if not manyhash.is_file():
        parser.error(f"--manyhash {arguments.manyhash}: no such file")
    known = ["diverse", "uniform", "small", "giant", "tree", "duplicates", "system"]
    sets = arguments.sets or known
    for name in sets:
        if name not in known:
            parser.error(f"--set {name}: there are {', '.join(known)}")
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        data = (arguments.data or Path(temporary)).resolve()
        data.mkdir(parents=True, exist_ok=True)
        for name in sets:
            environment = {**os.environ, "MANYHASH": str(manyhash), "SET": name, "LC_ALL": "C.UTF-8", "PATH": PATH}
            folder, files, total_bytes = Path("/"), 0, 0
            if name != "system":
                folder = data / name
                if not folder.exists():
                    folder.mkdir()
                    make_set(name, folder)
                files, total_bytes = verify(manyhash, folder, name)
            commands = {"system": integrity_commands, "duplicates": duplicate_commands, "tree": tree_commands}.get(name, hashing_commands)()
            if arguments.only:
                commands = commands[:1] + [command for command in commands[1:] if arguments.only in command.name]
            title = f"{name}{': ' if files else ''}{f'{files} files, {total_bytes} bytes' if files else ''}, {'caches dropped' if arguments.cold else 'page cache warm'}"
            results.append(report(title, measure(commands, folder, environment, arguments), total_bytes))
            if not arguments.data and folder != Path("/"):
                shutil.rmtree(folder)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

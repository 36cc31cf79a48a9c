"""A census of the kernels of AArch64: what the compiler made of the loop of each one.

As crates/prove/src/census.rs does for x86-64, whose decoder knows no other architecture. Kernels are followed
in an emulator, as modelled_costs_aarch64.py follows them; LLVM disassembles them. A feature missing
from a kernel, a helper that was not inlined or a rotation that waits too long shows here, while every
digest is right.

What it finds is compared with crates/prove/src/census/aarch64.txt, if the compiler is the
one that the record was made with. `--record` writes it anew.

cargo build --release --package manyhash --example step --features hazmat --target aarch64-unknown-linux-gnu
python3 vectors/census_aarch64.py [--record] target/aarch64-unknown-linux-gnu/release/examples/step
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
from collections import Counter

from modelled_costs_aarch64 import kernels_of, loop_of

RECORD = pathlib.Path(__file__).parent.parent / "crates/prove/src/census/aarch64.txt"
HEADER = """\
# The census of every kernel of AArch64, which vectors/census_aarch64.py makes and compares with: one turn of its loop over blocks.
# spills: loads from and stores to the stack, arrays among them
# hashing: instructions for hash functions, those for SHA-3 among them
"""
COLUMNS = ("instructions", "spills", "vectors", "hashing", "calls")
# Their permutation is compiled once, and called.
SHARED = ("sha3_256",)


def census(loop):
    """Returns the counts of a loop, and how often it has each instruction."""
    names = Counter(line.split()[0] for line in loop)
    hashing = sum(count for name, count in names.items() if re.match(r"sha\d|sm3|eor3|bcax|xar|rax1", name))
    spills = sum(1 for line in loop if re.match(r"(ld|st)\w+\s.*\[(sp|x29)", line))
    vectors = sum(1 for line in loop if re.search(r"\b[qv]\d+\b", line))
    return dict(zip(COLUMNS, (len(loop), spills, vectors, hashing, names["bl"] + names["blr"]))), names


def faults(compression, backend, counts, names):
    """Returns what is wrong with a kernel, in words."""
    allowed = 1 if compression in SHARED else 0
    if counts["calls"] > allowed:
        yield f"{counts['calls']} calls"
    if "ce" in backend.split("-") and not counts["hashing"]:
        yield "no instructions for hash functions"
    if "neon" in backend:
        if not names["sri"] and not names["xar"]:
            yield "rotations by other instructions than sri or xar"
        # The compiler may add what is shifted to the right, which waits longer.
        if names["usra"] > names["sri"] + names["xar"]:
            yield f"{names['usra']} rotations by usra"
    elif backend.startswith("portable") and 4 * counts["vectors"] > counts["instructions"]:
        yield "scalar code in vectors"


def main():
    arguments = sys.argv[1:]
    recording = "--record" in arguments
    [step] = (os.path.realpath(argument) for argument in arguments if argument != "--record")
    compiler = "# Compiler: " + subprocess.run([os.environ.get("RUSTC", "rustc"), "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout
    kernels = kernels_of(step)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        loops = list(pool.map(lambda kernel: loop_of(step, kernels[kernel][0], kernel[1]), kernels))
    wrong, rows = [], [f"# {'kernel':32}" + "".join(f"{column:>14}" for column in COLUMNS)]
    for (compression, backend), loop in zip(kernels, loops):
        counts, names = census(loop)
        wrong += [f"{compression}/{backend}: {fault}" for fault in faults(compression, backend, counts, names)]
        rows.append(f"{compression + '/' + backend:34}" + "".join(f"{counts[column]:14}" for column in COLUMNS))
    found = HEADER + compiler + "\n".join(rows) + "\n"
    if recording:
        RECORD.write_text(found)
    elif compiler not in RECORD.read_text():
        print("not compared with the record, which another compiler made")
    elif RECORD.read_text() != found:
        recorded = RECORD.read_text().splitlines()
        wrong += [f"differs from the record: {line}" for line in found.splitlines() if line not in recorded]
    print(found, end="")
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()

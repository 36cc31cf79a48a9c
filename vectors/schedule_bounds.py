"""Writes schedule-bounds.txt: for sets of message lengths, the least time any schedule can take.

A shape advances up to `lanes` messages by one block in `cost` picoseconds. One thread runs one
shape at a time. A message may move between shapes after any block, but sits in one lane at a time.
The least time is a linear program: with x[i, k] the blocks of message i that shape k does and s[k]
its steps, minimise the sum of cost[k] * s[k] so that each message's x[i, k] add up to its blocks,
no x[i, k] is more than s[k], and the x of a shape are no more than lanes[k] * s[k]. McNaughton's
wrap-around rule (1959) turns any solution into a schedule, so that the bound is sharp except for
the rounding to whole blocks.

It needs scipy (1.17 was used), and manyhash-bench, which knows the shapes of the backends:

cargo build --package manyhash-bench
python3 vectors/schedule_bounds.py target/debug/manyhash-bench > vectors/schedule-bounds.txt
"""

import json
import pathlib
import random
import re
import subprocess
import sys

import numpy
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

ROOT = pathlib.Path(__file__).parent.parent
# Those that were measured, one of them without AVX-512, and of those that were modelled one without the SHA extensions.
FAMILIES = ["zen-5", "zen-4", "golden-cove", "zen-1", "skylake"]
# Their kernels have all combinations of lanes that there are.
FUNCTIONS = ["md5", "sha1", "sha256", "sha512", "sha3_256", "blake2s"]


def compression_functions(bench):
    """What the library says of each compression function.

    `block_bytes`, `one_block_bytes`, which is the longest message that takes one block, and the
    `lanes` of every backend that has it, by the backend's name.
    """
    known = json.loads(subprocess.run([bench, "backends"], stdout=subprocess.PIPE, check=True).stdout)
    plain = lambda name: re.sub("[-_]", "", name).lower()
    # Others have the same compression function, and maybe other blocks.
    named = [algorithm for algorithm in known["algorithms"] if plain(algorithm["name"]) == plain(algorithm["compression"])]
    return {algorithm["compression"]: algorithm for algorithm in named}


def shapes_of_families(functions):
    """Returns {"zen-5/sha1": [(lanes, picoseconds), ...]} of crates/manyhash/src/kernel/cost/.

    Shapes that another one beats in both are left out.
    """
    shapes = {}
    for family in FAMILIES:
        table = (ROOT / f"crates/manyhash/src/kernel/cost/{family.replace('-', '_')}.rs").read_text()
        for algorithm, backend, cost in re.findall(r'\("(.+)", "(.+)", ([\d_]+)\)', table):
            if algorithm not in FUNCTIONS:
                continue
            lanes = functions[algorithm]["lanes"][backend]
            shapes.setdefault(f"{family}/{algorithm}", []).append((lanes, int(cost)))
    for key, all_shapes in shapes.items():
        beaten = lambda one: any(other != one and other[0] >= one[0] and other[1] <= one[1] for other in all_shapes)
        shapes[key] = sorted({shape for shape in all_shapes if not beaten(shape)})
    return shapes


def block_count(block, longest_of_one_block, length):
    """Gueron & Krasnov 2012, equation 1, for any padding."""
    return max(1, -(-(length + block - longest_of_one_block) // block))


def least_time(counts, shapes):
    """Returns the least time in picoseconds.

    Messages of the same number of blocks share their variables. That changes nothing, because the
    average of a solution's variables is a solution.
    """
    sizes, how_many = numpy.unique(counts, return_counts=True)
    m, s = len(sizes), len(shapes)
    upper, equal = lil_matrix((s + m * s, m * s + s)), lil_matrix((m, m * s + s))
    for k, (lanes, _) in enumerate(shapes):
        upper[k, m * s + k] = -lanes
        for i in range(m):
            upper[k, i * s + k] = how_many[i]
            upper[s + i * s + k, i * s + k] = 1
            upper[s + i * s + k, m * s + k] = -1
            equal[i, i * s + k] = 1
    cost = numpy.concatenate([numpy.zeros(m * s), [cost for _, cost in shapes]])
    solution = linprog(cost, A_ub=upper.tocsr(), b_ub=numpy.zeros(s + m * s), A_eq=equal.tocsr(), b_eq=sizes.astype(float), method="highs")
    assert solution.status == 0, solution.message
    return solution.fun


def sets():
    """Returns sets of messages: their names, and the lengths in bytes."""
    sizes = json.loads((ROOT / "vectors/paper-file-sizes.json").read_text())
    yield "diverse", sizes["diverse_bytes"]
    yield "uniform", [sizes["uniform"]["bytes_each"]] * sizes["uniform"]["files"]
    yield "equal-350", [236_666] * 350
    yield "equal-33", [1 << 20] * 33
    yield "equal-17", [1 << 20] * 17
    yield "equal-5", [1 << 20] * 5
    yield "geometric", [int(64 * 1.25**i) for i in range(60)]
    yield "one-giant", [16 << 20] + [65_536] * 300
    yield "five-giants", [8 << 20] * 5 + [100_000] * 40
    yield "giant-and-tiny", [4 << 20] + [i % 200 for i in range(5000)]
    yield "two-sizes", [2 << 20] * 20 + [1 << 18] * 25
    yield "every-length", list(range(4097))


def main():
    print("# Written by schedule_bounds.py. Lines, where TABLE is FAMILY/ALGORITHM:")
    print("# shapes TABLE LANES:PICOSECONDS... | set NAME LENGTH... | bound TABLE SET PICOSECONDS")
    functions = compression_functions(sys.argv[1])
    tables = shapes_of_families(functions)
    for table, shapes in tables.items():
        print("shapes", table, *(f"{lanes}:{cost}" for lanes, cost in shapes))
    for name, lengths in sets():
        lengths = list(lengths)
        random.Random(1).shuffle(lengths)
        print("set", name, *lengths)
        for table, shapes in tables.items():
            function = functions[table.split("/")[1]]
            counts = [block_count(function["block_bytes"], function["one_block_bytes"], length) for length in lengths]
            print("bound", table, name, round(least_time(counts, shapes)))


if __name__ == "__main__":
    main()

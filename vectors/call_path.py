"""Counts the instructions of calls: crates/prove/src/census/calls.txt.

Short messages cost what the way to the kernel costs. This script follows calls of our own program
one instruction after the other, as modelled_costs.py does, and records how many there are of
portable code alone and of a CPU that has the SHA extensions and SSE2. Only the program's own are counted, because which
copy loop the C library takes depends on the CPU. The second call is followed, so what is made once
is not in it.

cargo build --package manyhash-bench
python3 vectors/call_path.py target/debug/manyhash-bench            # writes the record
python3 vectors/call_path.py --check target/debug/manyhash-bench    # compares with it

It needs Linux on x86-64, and takes a minute. With --check, a count may be a tenth above the record,
because compilers and kinds of builds differ; more is a fault. What this CPU can't run is skipped, and
so is everything where the system lets no program follow another one.
"""

import json
import os
import pathlib
import subprocess
import sys

from modelled_costs import trace

RECORD = pathlib.Path(__file__).parent.parent / "crates/prove/src/census/calls.txt"
HEAD = """# The instructions of a call, without those of the C library. Made by vectors/call_path.py.
# function   algorithm  CPU        messages  bytes  instructions
"""
MOST_MORE = 1.10

# What the program is told, to play a CPU.
CPUS = {"portable": {"MANYHASH_BACKEND": "portable"}, "sha-ni": {"MANYHASH_WITHOUT": "avx512,avx2,bmi2"}}
ALGORITHMS = {"md5": ["portable"], "sha1": ["portable", "sha-ni"], "sha256": ["portable", "sha-ni"], "sha512": ["portable"]}
BYTES = [0, 20, 64, 100, 200]


def calls():
    for algorithm, cpus in ALGORITHMS.items():
        for cpu in cpus:
            for length in BYTES:
                yield "hash", algorithm, cpu, 1, length
                yield "tag", algorithm, cpu, 1, length
            for messages in (1, 2, 3):
                for length in (20, 200):
                    yield "hash-many", algorithm, cpu, messages, length


def instructions(program, function, algorithm, cpu, messages, length):
    """Returns how many instructions of the program lie between the two lines."""
    for variable in ("MANYHASH_BACKEND", "MANYHASH_WITHOUT"):
        os.environ[variable] = CPUS[cpu].get(variable, "")
    addresses = trace([program, "call", function, algorithm, str(messages), str(length)])
    # Addresses are those of the program's file; libraries are far behind it.
    return sum(0 <= address < 1 << 32 for address in addresses)


def has_sha_extensions(program):
    found = json.loads(subprocess.run([program, "backends"], stdout=subprocess.PIPE, check=True).stdout)
    return any(backend["name"] == "sha-ni" and backend["is_supported"] for backend in found["backends"])


def main():
    is_check = sys.argv[1:2] == ["--check"]
    program = sys.argv[-1]
    if len(sys.argv) != 2 + is_check:
        sys.exit("usage: call_path.py [--check] target/debug/manyhash-bench")
    try:
        nothing = instructions(program, "nothing", "md5", "portable", 1, 1)
    except PermissionError as error:
        print(f"SKIPPED: the instructions of calls: the system lets no program follow another one: {error}")
        return
    has_sha = has_sha_extensions(program)
    if not has_sha:
        print("SKIPPED: the instructions of calls with the SHA extensions, which this CPU lacks")
        if not is_check:
            sys.exit("call_path.py: the record would lack them")
    counted = {call: instructions(program, *call) - nothing for call in calls() if has_sha or call[2] != "sha-ni"}
    if not is_check:
        lines = [f"{call[0]:12} {call[1]:10} {call[2]:10} {call[3]:8}  {call[4]:5}  {count:12}\n" for call, count in counted.items()]
        RECORD.write_text(HEAD + "".join(lines))
        return
    recorded = {}
    for line in RECORD.read_text().splitlines():
        if not line.startswith("#"):
            function, algorithm, cpu, *numbers = line.split()
            messages, length, count = map(int, numbers)
            recorded[function, algorithm, cpu, messages, length] = count
    if missing := counted.keys() - recorded.keys():
        sys.exit(f"{RECORD.name}: has no line of {missing}")
    faults = [
        f"{' '.join(map(str, call))}: {count} instructions, {recorded[call]} recorded"
        for call, count in counted.items()
        if count > recorded[call] * MOST_MORE
    ]
    if faults:
        sys.exit("\n".join([*faults, "If that is meant, record it: python3 vectors/call_path.py target/debug/manyhash-bench"]))


if __name__ == "__main__":
    main()

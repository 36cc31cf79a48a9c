"""Writes tables of costs for CPUs that nobody measured: crates/manyhash/src/kernel/cost/*.rs.

llvm-mca has models of many CPUs: which units an instruction can go to, and how long it waits there.
This script follows each kernel of our own program, instruction by instruction, through one turn of
its loop over blocks, and asks llvm-mca how many cycles one turn after the other takes. What the
kernel waits for from one turn to the next is therefore part of it. Addresses are not: llvm-mca takes
every load to hit the first cache, and no load to wait for a store.

It also models the CPUs that were measured, and prints how far off that is.

- Kernels of the SHA extensions are not modelled. Of these instructions llvm-mca knows the latency at
  best: it is wrong by up to 2.2 times where several messages keep their unit busy. Such kernels take
  the cycles of a measured family whose unit is the nearest.
- Cycles become picoseconds at 3 GHz. Only ratios decide which kernels run; the time itself is
  compared with what planning and bookkeeping take, and need not be right.

It needs llvm-mca and llvm-objdump (19 was used; Debian's package is llvm-19), Linux on x86-64, and a
CPU that can run every kernel, because kernels are followed while they run. It takes a few minutes.

cargo build --package manyhash-bench
python3 vectors/modelled_costs.py target/debug/manyhash-bench
"""

import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
from collections import defaultdict

TABLES = pathlib.Path(__file__).parent.parent / "crates/manyhash/src/kernel/cost"
LLVM = "-19"
MODELLED_GHZ = 3.0

# Measured families: llvm-mca's name, and the clock they were measured at, in GHz.
MEASURED = {"zen-4": ("znver4", 3.7), "golden-cove": ("sapphirerapids", 2.8), "zen-5": (None, 4.1)}
# Modelled families: llvm-mca's name, what their CPUs lack, the measured family whose unit for the SHA
# extensions is the most like, and which CPUs they are. Units of Zen 2 and 3 take a `sha256rnds2` every
# other cycle, as those of Zen 1 and 5 do, and that of Zen 4 does not.
MODELLED = {
    "zen-2": ("znver2", ("avx512",), "zen-5", "AMD's Zen 2."),
    "zen-3": ("znver3", ("avx512",), "zen-5", "AMD's Zen 3."),
    "skylake": ("skylake-avx512", ("sha",), None, "Intel's Skylake, which lacks the SHA extensions; for servers, it has AVX-512."),
    "ice-lake": ("icelake-server", (), "golden-cove", "Intel's Ice Lake."),
}
# As `Kind` of crates/manyhash/src/kernel/shape.rs sorts.
KINDS = [
    "scalar code",
    "scalar rounds, schedule in vectors",
    "vectors within one message",
    "lanes",
    "instructions for rounds",
    "instructions for rounds, schedules in vectors",
]

# Requests of ptrace(2), the places of registers in what GETREGS writes, and numbers of Linux.
TRACEME, KILL, SINGLESTEP, GETREGS, SYSCALL = 0, 8, 9, 12, 24
RAX, RDI, ORIG_RAX, RIP, REGISTERS = 10, 14, 15, 16, 27
WRITE, STDOUT, NOT_RETURNED = 1, 1, 2**64 - 38
SYSCALL_INSTRUCTION = b"\x0f\x05"

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=None):
    if libc.ptrace(request, pid, None, data) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def trace(command):
    """Returns the addresses of all instructions between the first two lines that a program writes.

    Addresses are those of the program's file.
    """
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)
        ptrace(TRACEME, 0)
        os.execv(command[0], command)
    os.waitpid(pid, 0)
    registers = (ctypes.c_ulonglong * REGISTERS)()

    def resume(request):
        ptrace(request, pid)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            raise RuntimeError(f"{' '.join(command)}: ended without two lines")
        ptrace(GETREGS, pid, ctypes.cast(registers, ctypes.c_void_p))

    resume(SYSCALL)
    while (registers[ORIG_RAX], registers[RDI]) != (WRITE, STDOUT) or registers[RAX] == NOT_RETURNED:
        resume(SYSCALL)
    program = os.path.realpath(command[0])
    maps = [line.split() for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()]
    first = next(words for words in maps if words[-1] == program)
    slide = int(first[0].split("-")[0], 16) - int(first[2], 16)
    addresses = []
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        while True:
            resume(SINGLESTEP)
            if (registers[RAX], registers[RDI]) == (WRITE, STDOUT):
                memory.seek(registers[RIP])
                if memory.read(len(SYSCALL_INSTRUCTION)) == SYSCALL_INSTRUCTION:
                    break
            addresses.append(registers[RIP] - slide)
    ptrace(KILL, pid)
    os.waitpid(pid, 0)
    return addresses


def last_turn(addresses):
    """Returns the addresses of one turn of the outermost loop."""
    visits = defaultdict(list)
    for i, address in enumerate(addresses):
        visits[address].append(i)
    repeated = [at for at in visits.values() if len(at) >= 3]
    # Loops that load and store states are as rarely passed, but short.
    long = max(at[-1] - at[0] for at in repeated) / 3
    at = min((at for at in repeated if at[-1] - at[0] > long), key=lambda at: (len(at), at[0]))
    turn = addresses[at[-2] : at[-1]]
    assert addresses[at[-3] : at[-2]] == turn, "two turns differ"
    return turn


def disassemble(program, addresses):
    """Returns the instructions at these addresses, in AT&T's syntax."""
    text = {}
    for first in sorted(set(addresses)):
        if first not in text:
            span = [f"--start-address={first}", f"--stop-address={first + 65536}"]
            command = ["llvm-objdump" + LLVM, "--disassemble", "--no-show-raw-insn", *span, program]
            for line in subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines():
                if found := re.match(r"\s*([0-9a-f]+):\s+(.*)", line):
                    # What follows the operands is the disassembler's explanation of an address.
                    text.setdefault(int(found[1], 16), re.sub(r"\s*(<.*>|#.*)$", "", found[2]).strip())
    return [text[address] for address in addresses]


def loop_of(bench, algorithm, backend, has_schedules_ahead):
    """Returns the instructions of a kernel's loop, and how many blocks of each message a turn does."""
    # Kernels that make schedules ahead do up to 16 blocks in a turn.
    few, more = (64, 80) if has_schedules_ahead else (6, 8)
    run = lambda blocks: trace([bench, "step", algorithm, backend, str(blocks)])
    one, other = run(few), run(more)
    turn = last_turn(other)
    return disassemble(bench, turn), (more - few) * len(turn) / (len(other) - len(one))


def cycles(model, instructions, target=("-mtriple=x86_64",)):
    """Returns the cycles of a turn that follows others; `None` if llvm-mca cannot tell."""

    def total(turns):
        quiet = ["-resource-pressure=false", "-instruction-info=false"]
        command = ["llvm-mca" + LLVM, *target, f"-mcpu={model}", f"-iterations={turns}", *quiet]
        run = subprocess.run(command, input="\n".join(instructions), capture_output=True, text=True)
        found = re.search(r"Total Cycles: +(\d+)", run.stdout)
        return int(found[1]) if found else None

    few, more = total(4), total(12)
    return (more - few) / 8 if few and more else None


def table_of(family):
    """Returns {(compression function, backend): picoseconds} of a table that is there."""
    lines = re.findall(r'\("(.+)", "(.+)", ([\d_]+)\)', path_of(family).read_text())
    return {(compression, backend): int(cost) for compression, backend, cost in lines}


def path_of(family):
    return TABLES / f"{family.replace('-', '_')}.rs"


def three_digits(picoseconds):
    return int(float(f"{picoseconds:.3g}"))


def rust(family, table):
    """Returns the file of a table."""
    model, _, sha, what = MODELLED[family]
    lines = "".join(f'        ("{compression}", "{backend}", {cost:_}),\n' for (compression, backend), cost in table.items())
    constant = family.replace("-", "_").upper()
    of_sha = f" Kernels of the SHA\n//! extensions have the cycles of `{sha}`, whose unit is the most like." if sha else ""
    return f"""//! {what}
//!
//! **Modelled, not measured**, by llvm-mca for `{model}` at {MODELLED_GHZ:.0f} GHz.{of_sha}
//!
//! Written by `vectors/modelled_costs.py`, which says how.

use super::{{BESIDES, Family}};

pub(super) const {constant}: Family = Family {{
    name: "{family}",
    besides: BESIDES,
    colliding: &[],
    table: &[
{lines}    ],
}};
"""


def main():
    bench = os.path.realpath(sys.argv[1])
    known = json.loads(subprocess.run([bench, "backends"], stdout=subprocess.PIPE, check=True).stdout)
    backends = {backend["name"]: backend for backend in known["backends"]}
    in_order = sorted(backends, key=lambda name: KINDS.index(backends[name]["kind"]))
    kernels, loops = {}, {}
    for algorithm in known["algorithms"]:
        for backend in (name for name in in_order if name in algorithm["lanes"]):
            kernels.setdefault((algorithm["compression"], backend), algorithm["name"])
    for (compression, backend), algorithm in kernels.items():
        has_schedules_ahead = KINDS.index(backends[backend]["kind"]) in (1, 4)
        loops[compression, backend] = loop_of(bench, algorithm, backend, has_schedules_ahead)
        print(f"{compression} {backend}: {len(loops[compression, backend][0])} instructions", file=sys.stderr)

    has = lambda backend, start: any(feature.startswith(start) for feature in backends[backend]["features"])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def modelled(model, chosen):
            """Returns {kernel: cycles of a block in each lane}."""
            found = pool.map(lambda kernel: cycles(model, loops[kernel][0]), chosen)
            return {kernel: cycles / loops[kernel][1] for kernel, cycles in zip(chosen, found) if cycles}

        for family, (model, lacks, sha, _) in MODELLED.items():
            can_run = [kernel for kernel in kernels if not any(has(kernel[1], feature) for feature in lacks)]
            table = modelled(model, [kernel for kernel in can_run if not has(kernel[1], "sha")])
            if sha:
                like = table_of(sha)
                table |= {kernel: like[kernel] * MEASURED[sha][1] / 1000 for kernel in can_run if kernel not in table}
            assert len(table) == len(can_run), f"{family}: llvm-mca could not tell all"
            table = {kernel: three_digits(table[kernel] * 1000 / MODELLED_GHZ) for kernel in can_run}
            path_of(family).write_text(rust(family, table))

        print("Cycles of a block in each lane, and model / measured:\n")
        for family, (model, ghz) in MEASURED.items():
            if not model:
                continue
            measured, ratios = table_of(family), {}
            table = modelled(model, [kernel for kernel in kernels if kernel in measured])
            print(f"{family}, modelled as {model}")
            for (compression, backend), count in table.items():
                cost = measured[compression, backend] * ghz / 1000
                print(f"{compression:10}{backend:18}{count:8.0f}{cost:8.0f}{count / cost:8.2f}")
                name = "with the SHA extensions" if has(backend, "sha") else "without the SHA extensions"
                ratios.setdefault(name, []).append(count / cost)
            for name, found in ratios.items():
                print(f"{name}: {len(found)} kernels, median {statistics.median(found):.2f}, from {min(found):.2f} to {max(found):.2f}")
            print()


if __name__ == "__main__":
    main()

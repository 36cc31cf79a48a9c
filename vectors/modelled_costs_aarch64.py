"""Writes tables of costs for CPUs of AArch64: crates/manyhash/src/kernel/cost/aarch64/*.rs.

As modelled_costs.py, with an emulator in the place of the CPU: qemu writes down which instructions
of a kernel it follows. llvm-mca's models of Arm's own cores were made from Arm's optimisation
guides, which have the instructions for hash functions too, so those are modelled as well. Nobody
has compared them with a CPU.

- Neoverse V1: in LLVM 19, its `SHA256SU1` and `SHA1SU0` may run on any of four units, because a
  pattern of names leaves them out. They are taken for `SHA512SU1`, which has their unit and latency
  in Arm's guide.
- Apple: LLVM has a model of a core of 2013 only. A Firestorm core is taken for a Neoverse V2 that
  can shift in all of its four units, and do the SHA-3 instructions there. Their latencies, and those
  of `SHA256H` and `SHA256SU0`, are the same (Dougall Johnson's measurements,
  dougallj.github.io/applecpu: 2, 4 and 2 cycles; `SHA256SU1` has 3 and not 2).
- TurboSHAKE is no algorithm of the list that kernels come from: its costs are 0.51 of SHA3-256's,
  for 12 rounds in place of 24.

It needs llvm-mca, llvm-objdump, qemu-aarch64-static and a compiler for AArch64, as
scripts/test-aarch64 does, and takes a few minutes. The profile `dev` checks pointers, and is slower.

cargo build --release --package manyhash --example step --features hazmat --target aarch64-unknown-linux-gnu
python3 vectors/modelled_costs_aarch64.py target/aarch64-unknown-linux-gnu/release/examples/step
"""

import concurrent.futures
import os
import re
import struct
import subprocess
import sys

from modelled_costs import LLVM, MODELLED_GHZ, TABLES, cycles, last_turn, three_digits

# llvm-mca's name, what the CPUs lack, and which CPUs they are.
MODELLED = {
    "neoverse-v2": ("neoverse-v2", (), "Arm's Neoverse V2; the nearest for the V3, the Cortex-X3 and later ones, and CPUs that nobody knows."),
    "neoverse-v1": ("neoverse-v1", (), "Arm's Neoverse V1; the nearest for the Cortex-X1 and X2."),
    "neoverse-n2": ("neoverse-n2", (), "Arm's Neoverse N2; the nearest for the N3 and the Cortex-A710 and later ones."),
    "neoverse-n1": ("neoverse-n1", ("sha3", "sm4"), "Arm's Neoverse N1; the nearest for the Cortex-A76 to A78."),
    "cortex-a72": ("cortex-a72", ("sha3", "sm4"), "Arm's Cortex-A72; the nearest for all that came before the A76, and for small cores."),
    "apple-m": ("neoverse-v2", ("sm4",), "Apple's M1 and later ones."),
}
# llvm-mca takes the instructions for hash functions for optional.
TARGET = ["-mtriple=aarch64", "-mattr=+sha2,+sha3,+sm4"]
# Where qemu puts a program.
BASE = 0x5500000000
# Where the system has a C library for AArch64, that of the cross compiler must not be mixed with it.
QEMU = ["qemu-aarch64-static", *([] if os.path.exists("/lib/ld-linux-aarch64.so.1") else ["-L", "/usr/aarch64-linux-gnu"]), "-cpu", "max"]


def kernels_of(step):
    """Returns {(compression function, backend): (an algorithm, features)}, in the order of tables."""
    kernels = {}
    lines = subprocess.run([*QEMU, step], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    for line in lines:
        compression, algorithm, backend, features, _ = line.split(" ", 4)
        kernels.setdefault((compression, backend), (algorithm, features.split(",") if features else []))
    return kernels


def trace(command):
    """Returns the addresses of all instructions of a program between the first two lines that it writes."""
    address, length = code_of(command[0])
    log = ["-singlestep", "-strace", "-d", "exec,nochain", "-dfilter", f"{BASE + address:#x}+{length:#x}", "-D", "/dev/stderr"]
    run = subprocess.Popen([*QEMU, *log, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, bufsize=1 << 20)
    writes, addresses = 0, []
    for line in run.stderr:
        if line.startswith("Trace"):
            if writes == 1:
                addresses.append(int(line.split("/", 2)[1], 16) - BASE)
        elif " write(1," in line:
            writes += 1
    assert run.wait() == 0 and writes == 2, f"{' '.join(command)}: ended without two lines"
    return addresses


def code_of(program):
    """Returns the address and the length of a program's segment that can be executed."""
    load, executable = 1, 1
    with open(program, "rb") as file:
        content = file.read(4096)
    headers, size, count = struct.unpack_from("<Q", content, 32)[0], *struct.unpack_from("<HH", content, 54)
    segments = [struct.unpack_from("<IIQQQQQ", content, headers + i * size) for i in range(count)]
    [found] = [(segment[3], segment[6]) for segment in segments if segment[0] == load and segment[1] & executable]
    return found


def disassemble(program, addresses):
    """Returns the instructions at these addresses. Branches go to a label: llvm-mca follows none."""
    text = {}
    for first in sorted(set(addresses)):
        if first not in text:
            span = [f"--start-address={first}", f"--stop-address={first + 65536}"]
            command = ["llvm-objdump" + LLVM, "--disassemble", "--no-show-raw-insn", *span, program]
            for line in subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines():
                if found := re.match(r"\s*([0-9a-f]+):\s+(.*)", line):
                    text.setdefault(int(found[1], 16), re.sub(r"\s*(<.*>|//.*)$", "", found[2]).strip())
    branch = re.compile(r"^((?:b|bl|b\.\w+|cbn?z|tbn?z)\s.*?)0x[0-9a-f]+$")
    text = {address: branch.sub(r"\1elsewhere", instruction) for address, instruction in text.items()}
    return [text[address] for address in addresses]


def loop_of(step, algorithm, backend):
    """Returns the instructions of a kernel's loop, of which every turn does a block of each message."""
    blocks = 8
    addresses = trace([step, algorithm, backend, str(blocks)])
    turn = last_turn(addresses)
    assert addresses.count(turn[0]) in (blocks - 1, blocks), f"{algorithm} {backend}: what is a turn?"
    return disassemble(step, turn)


def units_of_v1(loop):
    """Returns a loop whose instructions of the Neoverse V1 have the unit that they have."""
    return [re.sub(r"^(?:sha256su1|sha1su0)(.*)", lambda found: "sha512su1" + found[1].replace(".4s", ".2d"), line) for line in loop]


def units_of_apple(loop):
    """Returns a loop in which an addition, which every unit does, stands for each shift and each SHA-3 instruction.

    It has the two registers that were written last of those that the instruction waits for.
    """
    written, changed = {}, []
    for number, line in enumerate(loop * 2):
        registers = re.findall(r"\b[vq](\d+)\b", line)
        name = line.split()[0]
        if name in ("shl", "ushr", "sri", "usra", "eor3", "bcax", "xar", "rax1"):
            sources = registers if name in ("sri", "usra") else registers[1:]
            one, other = sorted(sources, key=lambda register: written.get(register, -1))[-2:] if len(sources) > 1 else sources * 2
            line = f"add v{registers[0]}.2d, v{one}.2d, v{other}.2d"
        if registers and not name.startswith("st"):
            written[registers[0]] = number
        changed.append(line)
    return changed[len(loop):]


# What becomes of the loops of kernels before they are modelled for a family.
UNITS = {"neoverse-v1": units_of_v1, "apple-m": units_of_apple}


def rust(family, table):
    """Returns the file of a table."""
    model, _, what = MODELLED[family]
    lines = "".join(f'        ("{compression}", "{backend}", {cost:_}),\n' for (compression, backend), cost in table.items())
    return f"""//! {what}
//!
//! **Modelled, not measured**, by llvm-mca for `{model}` at {MODELLED_GHZ:.0f} GHz.
//! Written by `vectors/modelled_costs_aarch64.py`, which says how.

use crate::kernel::cost::{{BESIDES, Family}};

pub(super) const {family.replace("-", "_").upper()}: Family = Family {{
    name: "{family}",
    besides: BESIDES,
    colliding: &[],
    table: &[
{lines}    ],
}};
"""


def main():
    step = os.path.realpath(sys.argv[1])
    kernels = kernels_of(step)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        loops = dict(zip(kernels, pool.map(lambda kernel: loop_of(step, kernels[kernel][0], kernel[1]), kernels)))
        for family, (model, lacks, _) in MODELLED.items():
            can_run = [kernel for kernel in kernels if not set(lacks) & set(kernels[kernel][1])]
            units = UNITS.get(family, lambda loop: loop)
            found = pool.map(lambda kernel: cycles(model, units(loops[kernel]), TARGET), can_run)
            counts = {kernel: count for kernel, count in zip(can_run, found) if count}
            assert len(counts) == len(can_run), f"{family}: llvm-mca could not tell {set(can_run) - set(counts)}"
            for (compression, backend), count in list(counts.items()):
                if compression == "sha3_256":
                    counts["turboshake", backend] = 0.51 * count
            table = {kernel: three_digits(count * 1000 / MODELLED_GHZ) for kernel, count in counts.items()}
            (TABLES / f"aarch64/{family.replace('-', '_')}.rs").write_text(rust(family, table))
            print(f"{family}, cycles of a block in each lane")
            for (compression, backend), count in counts.items():
                print(f"{compression:12}{backend:16}{count:8.0f}")


if __name__ == "__main__":
    main()

"""Which instructions hash, and what happens if they cannot. `MANYHASH_BACKEND` is read once, so
each case has a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import manyhash

CALLS = [
    "manyhash.sha256()",
    "manyhash.new('sha256', b'x')",
    "manyhash.hash_many('sha256', [])",
    "manyhash.hash_many('sha256', [b'x'])",
    "manyhash.hmac_many(b'k', [b'x'])",
    "manyhash.verify_many(b'k', [b'x'], [b'x'])",
    "manyhash.file_digests(['/dev/null'])",
    "manyhash.backend()",
    "manyhash.tree.j_lanes(b'')",
    "manyhash.tree.glacier(b'')",
    "manyhash.tree.bittorrent_v2(b'', 16384)",
    "manyhash.tree.files([])",
]


def run(script: str, backend: str, without: str = "") -> str:
    environment = os.environ | {"MANYHASH_BACKEND": backend, "MANYHASH_WITHOUT": without}
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True).stdout


def test_a_backend_has_a_name_and_lanes() -> None:
    for algorithm in manyhash.algorithms:
        found = manyhash.backend(algorithm)
        assert found.name and found.lanes >= 1


def test_a_backend_can_be_forced() -> None:
    script = "import manyhash; print(manyhash.backend(), manyhash.hash_many('sha256', [b'abc'] * 3, output='hex')[2][:8])"
    assert run(script, "portable") == "Backend(name='portable', lanes=1) ba7816bf\n"


def test_instruction_sets_can_be_left_out() -> None:
    left = run("import manyhash; print(manyhash.backend('md5').name)", "", "avx2")
    assert not left.startswith("avx")


def test_an_instruction_set_that_there_is_not_is_a_runtime_error() -> None:
    script = "import manyhash\ntry:\n    manyhash.sha256()\nexcept RuntimeError as error:\n    print(error)"
    assert run(script, "", "abacus").startswith("MANYHASH_WITHOUT: unknown instruction set 'abacus'; these can be left out: ")


@pytest.mark.parametrize(
    ("backend", "calls", "reason"),
    [
        ("nonsense", CALLS, "unknown backend 'nonsense'; this CPU can run: .*portable"),
        ("sha-ni", ["manyhash.sha512()", "manyhash.hash_many('sha512', [])", "manyhash.backend('sha512')"], "has no SHA-512|needs instructions"),
    ],
)
def test_a_backend_that_cannot_be_used_is_a_runtime_error_wherever_it_is_asked_for(backend: str, calls: list[str], reason: str) -> None:
    script = f"""
import re, manyhash
for call in {calls!r}:
    try:
        eval(call)
    except RuntimeError as error:
        assert re.search({reason!r}, str(error)) and str(error).startswith("MANYHASH_BACKEND: "), error
    else:
        raise AssertionError(call)
print("all refused")
"""
    assert run(script, backend) == "all refused\n"

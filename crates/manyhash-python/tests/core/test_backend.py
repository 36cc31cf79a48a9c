"""Which instructions hash, and what happens if they cannot. `MANYHASH_BACKEND` is read once, so
each case has a process of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import manyhash

CALLS = [
    "manyhash.sha256()",
    "manyhash.new('sha256', b'x')",
    "manyhash.hash_many([], 'sha256')",
    "manyhash.hash_many([b'x'], 'sha256')",
    "manyhash.hmac_many([b'x'], key=b'k')",
    "manyhash.verify_many([b'x'], [b'x'], key=b'k')",
    "manyhash.file_digests(['/dev/null'])",
    "manyhash.backend()",
    "manyhash.tree.j_lanes(b'')",
    "manyhash.tree.glacier(b'')",
    "manyhash.tree.bittorrent_v2(b'', 16384)",
    "manyhash.tree.files([])",
]


def run(script: str, backend: str, without: str = "", broken: str = "") -> str:
    return finished(script, backend, without, broken).stdout


def finished(script: str, backend: str, without: str = "", broken: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a script. `broken` are backends made wrong on purpose, which only a build with debug assertions, as tests have it, knows."""
    environment = os.environ | {"MANYHASH_BACKEND": backend, "MANYHASH_WITHOUT": without, "MANYHASH_TEST_BREAK": broken}
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)


def test_a_backend_has_a_name_and_lanes() -> None:
    for algorithm in manyhash.algorithms:
        found = manyhash.backend(algorithm)
        assert found.name and found.lanes >= 1


def test_a_backend_can_be_forced() -> None:
    script = "import manyhash; print(manyhash.backend(), manyhash.hash_many([b'abc'] * 3, 'sha256', output='hex')[2][:8])"
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
        ("sha-ni", ["manyhash.sha512()", "manyhash.hash_many([], 'sha512')", "manyhash.backend('sha512')"], "has no SHA-512|needs instructions"),
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


DIGESTS = """
import hashlib, sys, manyhash
messages = [bytes([i % 251]) * i for i in range(300)]
for algorithm in hashlib.algorithms_available.intersection(manyhash.algorithms):
    expected = [hashlib.new(algorithm, message).hexdigest() for message in messages]
    assert manyhash.hash_many(messages, algorithm, output="hex") == expected, algorithm
    assert manyhash.new(algorithm, messages[-1]).hexdigest() == expected[-1], algorithm
print(manyhash.backend().name)
"""


def test_a_backend_that_computes_wrongly_is_not_used_and_is_logged_once() -> None:
    best = manyhash.backend().name
    found = finished(DIGESTS, "", broken=best)
    assert found.stdout.strip() != best
    # Where nothing was configured, Python writes warnings to stderr.
    lines = found.stderr.splitlines()
    assert lines and len(set(lines)) == len(lines), lines
    assert all(re.fullmatch(f"backend '{best}' computes .* wrongly on this machine and is left out", line) for line in lines), lines
    assert any("SHA-256" in line for line in lines), lines


def test_a_backend_that_computes_wrongly_is_a_warning_of_the_logger_manyhash() -> None:
    best = manyhash.backend().name
    script = "import logging; logging.basicConfig(format='%(name)s %(levelname)s %(message)s')\n" + DIGESTS
    lines = finished(script, "", broken=best).stderr.splitlines()
    assert lines and all(line.startswith(f"manyhash WARNING backend '{best}' computes ") for line in lines), lines


def test_forcing_a_backend_that_computes_wrongly_is_a_runtime_error() -> None:
    script = f"""
import manyhash
for call in {CALLS!r}:
    try:
        eval(call)
    except RuntimeError as error:
        assert str(error).startswith("MANYHASH_BACKEND: backend 'portable' computes "), error
        assert "portable" not in str(error).split("these have it: ")[1].split(", "), error
    else:
        raise AssertionError(call)
print("all refused")
"""
    assert run(script, "portable", broken="portable") == "all refused\n"


def test_where_every_backend_computes_wrongly_nothing_is_hashed() -> None:
    script = "import manyhash\ntry:\n    manyhash.hash_many([b'x'], 'sha256')\nexcept RuntimeError as error:\n    print(error)"
    assert "wrongly on this machine" in run(script, "", broken="all")

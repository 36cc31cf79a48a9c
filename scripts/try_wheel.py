"""Tries the package manyhash as it is installed beside this Python: a list, files, a column, threads and the command, beside hashlib.

scripts/wheels and scripts/try-artefacts run it in environments that have nothing else. It prints a line, or fails.
"""

import concurrent.futures
import hashlib
import pathlib
import platform
import random
import subprocess
import sys
import sysconfig
import tempfile

import arro3.core
import manyhash.arrow

generator = random.Random(1)
# Around the ends of blocks of every algorithm, and some that are longer.
lengths = [*range(300), *(generator.randrange(100_000) for _ in range(50))]
messages = [generator.randbytes(length) for length in lengths]
known = [name for name in manyhash.algorithms if name in hashlib.algorithms_available]


def expected(name: str) -> list[str]:
    return [hashlib.new(name, message).hexdigest() for message in messages]


def hashed(name: str) -> None:
    for threads in (1, 0):
        assert manyhash.hash_many(messages, name, output="hex", threads=threads) == expected(name), name
    assert [manyhash.new(name, message).hexdigest() for message in messages[:70]] == expected(name)[:70], name


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    list(pool.map(hashed, known))

with tempfile.TemporaryDirectory() as folder:
    paths = [pathlib.Path(folder, f"{index}") for index in range(len(messages))]
    for path, message in zip(paths, messages, strict=True):
        path.write_bytes(message)
    right = expected("sha256")
    assert [row.digest.hex() for row in manyhash.file_digests(paths)] == right
    lines = "".join(f"{digest}  {path}\n" for digest, path in zip(right, paths, strict=True))
    command = pathlib.Path(sysconfig.get_path("scripts"), "manyhash")
    assert subprocess.run([command, "sum", "--", *paths], stdout=subprocess.PIPE, text=True, check=True).stdout == lines
    subprocess.run([command, "check", "--quiet", "-"], input=lines, text=True, check=True)

column = arro3.core.Array(messages, type=arro3.core.DataType.binary())
assert manyhash.arrow.hash(column, output="hex").to_pylist() == expected("sha256")

# A module that said nothing of it would have switched the lock on as it was imported.
lock = ""
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    assert not sys._is_gil_enabled()
    lock = ", without its lock"
print(
    f"manyhash {manyhash.__version__} is hashlib for {len(messages)} messages, as a list, files and a column, by {len(known)} algorithms, "
    f"in CPython {platform.python_version()}{lock} on {platform.machine()} with {' '.join(platform.libc_ver()).strip() or 'another C library than glibc'}, "
    f"on the backend {manyhash.backend().name}"
)

"""Writes vectors from Python's hashlib.

It writes folds.txt of every algorithm in textbook.py, and python-hashlib/*.rsp of those that NIST
has no vectors of. The response files have the form of NIST's. Their messages are pseudorandom
(random.Random, whose bytes Python keeps the same), and the Monte Carlo test is that of SHAVS, 6.4.
A fold is one digest for thousands, as folds.txt explains.

Run python3 vectors/hashlib_vectors.py. Python 3.11 with OpenSSL 3.0 was used, and any other version
must give the same files.
"""

import pathlib
import random

from textbook import ALGORITHMS

HERE = pathlib.Path(__file__).parent
FOLDS_HEADER = """\
# Written by hashlib_vectors.py. An algorithm a line: for each n from 0 to 4096 the digest of a message of n bytes, all of them one after the
# other, hashed by the algorithm itself. Byte i of the message of n bytes is (n + (i mod 251) (1 + floor(n / 251) mod 250)) mod 251.
"""


def file_name(algorithm, kind):
    return algorithm.name.replace("SHA3-", "SHA3_").replace("-", "").replace("/", "_") + kind + ".rsp"


def messages(algorithm, lengths):
    """Yields a vector for each length in bytes. NIST writes the empty message as a zero byte."""
    for length in lengths:
        message = random.Random(length).randbytes(length)
        yield f"Len = {8 * length}\nMsg = {message.hex() or '00'}\nMD = {algorithm.hash(message).hex()}\n"


def monte_carlo(algorithm):
    """Yields a seed, and the digest after every thousand digests of the three before."""
    digest = random.Random(algorithm.name).randbytes(algorithm.digest_bytes)
    yield f"Seed = {digest.hex()}\n"
    for count in range(100):
        last_three = [digest] * 3
        for _ in range(1000):
            digest = algorithm.hash(b"".join(last_three))
            last_three = [*last_three[1:], digest]
        yield f"COUNT = {count}\nMD = {digest.hex()}\n"


def write_response_files(algorithm):
    """Writes as many vectors as NIST has of algorithms with such blocks."""
    block = algorithm.block_bytes
    header = f"# Written by hashlib_vectors.py with Python's hashlib.\n\n[L = {algorithm.digest_bytes}]\n"
    for kind, vectors in {
        "ShortMsg": messages(algorithm, range(block + 1)),
        "LongMsg": messages(algorithm, (2 * block + 35 + 99 * i for i in range(block))),
        "Monte": monte_carlo(algorithm),
    }.items():
        (HERE / "python-hashlib" / file_name(algorithm, kind)).write_text("\n".join([header, *vectors]), newline="\n")


def fold(algorithm):
    digests = []
    for length in range(4097):
        step = 1 + length // 251 % 250
        period = bytes((length + i * step) % 251 for i in range(251))
        digests.append(algorithm.hash((period * (length // 251 + 1))[:length]))
    return algorithm.hash(b"".join(digests))


def main():
    for algorithm in ALGORITHMS:
        if not (HERE / "nist-cavp" / file_name(algorithm, "Monte")).exists():
            write_response_files(algorithm)
    lines = [f"{algorithm.name} {fold(algorithm).hex()}\n" for algorithm in ALGORITHMS]
    (HERE / "folds.txt").write_text(FOLDS_HEADER + "".join(lines), newline="\n")


if __name__ == "__main__":
    main()

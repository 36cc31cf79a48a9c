"""Writes python-hashlib/MD5*.rsp: NIST has no vectors of MD5, so these have the form of its SHA ones, and their digests come from Python.

The messages are pseudorandom (random.Random, whose bytes Python keeps the same), the Monte Carlo test is that of SHAVS, 6.4.

python3 vectors/md5_vectors.py; 3.11 with OpenSSL 3.0 was used, and any other must give the same files.
"""

import hashlib
import pathlib
import random

FOLDER = pathlib.Path(__file__).parent / "python-hashlib"
HEADER = "# Written by md5_vectors.py with Python's hashlib.\n\n[L = 16]\n"


def md5(message):
    return hashlib.md5(message, usedforsecurity=False).digest()


def messages(lengths):
    """Vectors of so many bytes each; the message of none is written as a zero byte, as NIST does."""
    for length in lengths:
        message = random.Random(length).randbytes(length)
        yield f"Len = {8 * length}\nMsg = {message.hex() or '00'}\nMD = {md5(message).hex()}\n"


def monte_carlo():
    """A seed, and the digest after every thousand digests of the three before."""
    digest = random.Random("MD5").randbytes(16)
    yield f"Seed = {digest.hex()}\n"
    for count in range(100):
        last_three = [digest] * 3
        for _ in range(1000):
            digest = md5(b"".join(last_three))
            last_three = [*last_three[1:], digest]
        yield f"COUNT = {count}\nMD = {digest.hex()}\n"


def main():
    for kind, vectors in {
        "ShortMsg": messages(range(65)),
        "LongMsg": messages(163 + 99 * i for i in range(64)),
        "Monte": monte_carlo(),
    }.items():
        (FOLDER / f"MD5{kind}.rsp").write_text("\n".join([HEADER, *vectors]), newline="\n")


if __name__ == "__main__":
    main()

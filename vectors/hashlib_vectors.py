"""Writes python-hashlib/*.rsp: NIST has no vectors of MD5 and BLAKE2s, so these have the form of its SHA ones; Python has the digests.

The messages are pseudorandom (random.Random, whose bytes Python keeps the same), the Monte Carlo test is that of SHAVS, 6.4.

python3 vectors/hashlib_vectors.py; 3.11 with OpenSSL 3.0 was used, and any other must give the same files.
"""

import hashlib
import pathlib
import random

FOLDER = pathlib.Path(__file__).parent / "python-hashlib"
HEADER = "# Written by hashlib_vectors.py with Python's hashlib.\n\n[L = {}]\n"


def md5(message):
    return hashlib.md5(message, usedforsecurity=False).digest()


def blake2s(message):
    return hashlib.blake2s(message).digest()


def messages(hash_function, lengths):
    """Vectors of each of these lengths in bytes; the message of none is written as a zero byte, as NIST does."""
    for length in lengths:
        message = random.Random(length).randbytes(length)
        yield f"Len = {8 * length}\nMsg = {message.hex() or '00'}\nMD = {hash_function(message).hex()}\n"


def monte_carlo(hash_function, name):
    """A seed, and the digest after every thousand digests of the three before."""
    digest = random.Random(name).randbytes(len(hash_function(b"")))
    yield f"Seed = {digest.hex()}\n"
    for count in range(100):
        last_three = [digest] * 3
        for _ in range(1000):
            digest = hash_function(b"".join(last_three))
            last_three = [*last_three[1:], digest]
        yield f"COUNT = {count}\nMD = {digest.hex()}\n"


def main():
    for hash_function in (md5, blake2s):
        name = {md5: "MD5", blake2s: "BLAKE2s"}[hash_function]
        header = HEADER.format(len(hash_function(b"")))
        for kind, vectors in {
            "ShortMsg": messages(hash_function, range(65)),
            "LongMsg": messages(hash_function, (163 + 99 * i for i in range(64))),
            "Monte": monte_carlo(hash_function, name),
        }.items():
            (FOLDER / f"{name}{kind}.rsp").write_text("\n".join([header, *vectors]), newline="\n")


if __name__ == "__main__":
    main()

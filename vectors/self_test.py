"""Prints what the self-test of a kernel must find, `KNOWN` in `crates/manyhash/src/algorithm/`, for each compression function.

The messages, and how results become one number, are those of `crates/manyhash/src/kernel/self_test.rs`. The algorithms are those of
textbook.py. Run python3 vectors/self_test.py.
"""

from textbook import ALGORITHMS, Blake3Nodes, Keccak

MESSAGES, BLOCKS, MAX_BLOCK_BYTES, MODULUS = 5, 2, 168, 1 << 64


def messages():
    """Returns pseudorandom messages (Knuth, The Art of Computer Programming, 3.3.4)."""
    last, made = 1, bytearray()
    while len(made) < MESSAGES * BLOCKS * MAX_BLOCK_BYTES:
        last = (last * 6364136223846793005 + 1442695040888963407) % MODULUS
        made += (last ^ last >> 29).to_bytes(8, "big")
    return [bytes(made[i : i + BLOCKS * MAX_BLOCK_BYTES]) for i in range(0, len(made), BLOCKS * MAX_BLOCK_BYTES)]


def as_one(numbers):
    """Returns one number for several."""
    result = 0
    for number in numbers:
        rotated = (result << 23 | result >> 41) % MODULUS
        result = (rotated ^ number) * 0x9E3779B97F4A7C15 % MODULUS
    return result


def known(algorithm):
    """Returns the numbers of the states after two blocks, and of the digests of messages that end in them."""
    zeros = (0,) * len(algorithm.initial)
    states, digests = [], []
    for i, message in enumerate(messages()):
        state = algorithm.state_after_blocks(message[: BLOCKS * algorithm.block_bytes], zeros)
        states.append(as_one([*state, *algorithm.state_behind(BLOCKS)]))
        end = algorithm.state_after(message[: i % BLOCKS * algorithm.block_bytes + 3 + i], zeros)
        digests.append(as_one(b"".join(word.to_bytes(algorithm.word_bytes, algorithm.order) for word in end[:8])))
    return as_one(states), as_one(digests)


def main():
    # Compression functions without an algorithm: their rate is that of a digest of so many bytes (FIPS 202, 6.2).
    xofs = [Keccak("SHAKE128", 16, 0x1F), Keccak("TurboSHAKE128", 16, 0x1F, 12), Keccak("TurboSHAKE256", 32, 0x1F, 12)]
    # Kernels know the nodes of BLAKE3, and not its trees.
    blocks = [algorithm for algorithm in ALGORITHMS if algorithm.name != "BLAKE3"]
    for algorithm in [*blocks, *xofs, Blake3Nodes()]:
        print(algorithm.name, *(f"0x{number:016X}" for number in known(algorithm)))


if __name__ == "__main__":
    main()

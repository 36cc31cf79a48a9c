"""Writes `blake2/parallel.txt`: digests of BLAKE2bp and BLAKE2sp, of longer messages than the authors' known answers, and by parameters that these
lack, from the definition alone ("BLAKE2: simpler, smaller, fast as MD5", sections 2.8 and 2.10), by the compression functions of `textbook.py`.

Messages, keys, salts and personalisation are bytes 0, 1, ... 250, again and again. Digests without a key and of full length are compared with those of
hashlib, and those of short messages with the authors'. Run `python3 blake2_parallel.py` in this folder.
"""

import hashlib
import pathlib

import textbook

FOLDER = pathlib.Path(__file__).parent / "blake2"


def pattern(length):
    return (bytes(range(251)) * (length // 251 + 1))[:length]


class Parallel:
    def __init__(self, name, leaves):
        self.name, self.leaves = f"{name}p", leaves
        self.function = next(algorithm for algorithm in textbook.ALGORITHMS if algorithm.name == name)
        self.full, self.block = self.function.digest_bytes, self.function.block_bytes

    def node(self, message, parameters, offset, level, is_last, output_bytes):
        """Returns the digest of a node. `parameters` are the bytes of a digest, those of the key, salt and personalisation."""
        digest_bytes, key_bytes, salt, person = parameters
        offset_bytes = 8 if self.full == 64 else 6
        word = self.full // 8
        block = bytes([digest_bytes, key_bytes, self.leaves, 2]) + bytes(4) + offset.to_bytes(offset_bytes, "little") + bytes([level, self.full])
        block = block.ljust(self.full // 2, b"\0") + salt.ljust(self.full // 4, b"\0") + person.ljust(self.full // 4, b"\0")
        state = tuple(iv ^ int.from_bytes(block[i * word : (i + 1) * word], "little") for i, iv in enumerate(self.function.iv))
        blocks = max(1, -(-len(message) // self.block))
        padded = message.ljust(blocks * self.block, b"\0")
        for i in range(blocks):
            ends = i + 1 == blocks
            counted = len(message) if ends else (i + 1) * self.block
            words = self.function.words(padded[i * self.block : (i + 1) * self.block])
            state = self.compress(state, words, counted, ends, ends and is_last)
        return b"".join(word_.to_bytes(word, "little") for word_ in state)[:output_bytes]

    def compress(self, state, words, counted, is_last_block, is_last_node):
        """The compression function with both flags of section 2.4."""
        ones = (1 << self.function.bits) - 1
        v = [*state, *self.function.iv]
        v[12] ^= counted & ones
        v[13] ^= counted >> self.function.bits
        v[14] ^= ones * is_last_block
        v[15] ^= ones * is_last_node
        schedule = [textbook.SIGMA[i % 10] for i in range(self.function.rounds)]
        textbook.blake_rounds(v, words, schedule, self.function.rotations, self.function.bits)
        return tuple(word ^ v[i] ^ v[i + 8] for i, word in enumerate(state))

    def slices(self, message):
        blocks = [message[at : at + self.block] for at in range(0, len(message), self.block)]
        return [b"".join(blocks[leaf :: self.leaves]) for leaf in range(self.leaves)]

    def digest(self, message, digest_bytes, key, salt, person):
        parameters = digest_bytes, len(key), salt, person
        before = key.ljust(self.block, b"\0") if key else b""
        values = [
            self.node(before + piece, parameters, leaf, 0, leaf + 1 == self.leaves, self.full) for leaf, piece in enumerate(self.slices(message))
        ]
        return self.node(b"".join(values), parameters, 0, 1, True, digest_bytes)

    def by_hashlib(self, message):
        tree = {"fanout": self.leaves, "depth": 2, "inner_size": self.full}
        function = getattr(hashlib, self.function.name.lower())
        leaves = enumerate(self.slices(message))
        values = [function(piece, node_offset=leaf, last_node=leaf + 1 == self.leaves, **tree).digest() for leaf, piece in leaves]
        return function(b"".join(values), node_depth=1, last_node=True, **tree).digest()

    def check(self, column):
        """Compares the digests of the authors' known answers."""
        for line in (FOLDER / "known-answers.txt").read_text().splitlines():
            length, *answers = line.split()
            message = bytes(range(int(length)))
            assert self.digest(message, self.full, b"", b"", b"").hex() == answers[column], length
            assert self.digest(message, self.full, bytes(range(self.full)), b"", b"").hex() == answers[column + 1], length

    def records(self):
        stride = self.leaves * self.block
        edges = [stride * strides + more for strides in (1, 2, 5) for more in (-self.block, -1, 0, 1, self.block, self.block + 1)]
        for i, length in enumerate([0, 1, self.block, self.block + 1, *edges, 20_000]):
            message = pattern(length)
            assert self.digest(message, self.full, b"", b"", b"") == self.by_hashlib(message), (self.name, length)
            for digest_bytes, key, salt, person in (
                (self.full, 0, 0, 0),
                (1 + i % self.full, 0, self.full // 4, 3),
                (self.full - i % 7, 1 + i % self.full, 0, 0),
            ):
                digest = self.digest(message, digest_bytes, pattern(key), pattern(salt), pattern(person))
                fields = {"message_bytes": length, "key_bytes": key, "salt_bytes": salt, "person_bytes": person, "digest": digest.hex()}
                yield "\n".join(f"{name} = {value}" for name, value in {"function": self.name, **fields}.items())


def main():
    functions = {Parallel("BLAKE2b", 4): 4, Parallel("BLAKE2s", 8): 6}
    for function, column in functions.items():
        function.check(column)
    path = FOLDER / "parallel.txt"
    path.write_text("\n\n".join(record for function in functions for record in function.records()) + "\n")
    print(path)


if __name__ == "__main__":
    main()

"""Algorithms from any initial value, which hashlib cannot do.

All follow their standards word by word, and are slow: RFC 1321, FIPS 180-4, FIPS 202, RFC 7693 and
GM/T 0004. Constants are computed from their definitions: sines (RFC 1321, 3.4) and roots of the
first primes (FIPS 180-4, 4.2 and 5.3).
"""

import hashlib
import math

PRIMES = [n for n in range(2, 410) if all(n % d for d in range(2, math.isqrt(n) + 1))]


def root_fraction(prime, degree, bits):
    """Returns the first bits of the fractional part of a square or cube root."""
    scaled = prime << (degree * bits)
    low, high = 0, 1 << (bits + 5)  # the largest root here is below 2**5
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= scaled else (low, middle)
    return low % (1 << bits)


def rotate_right(word, by, bits):
    return (word >> by | word << (bits - by)) % (1 << bits)


def rotate_left(word, by):
    return rotate_right(word, 32 - by, 32)


def sums(state, words, bits):
    """Adds `words` to `state`, as MD5, SHA-1 and SHA-2 do after their rounds."""
    return tuple((old + new) % (1 << bits) for old, new in zip(state, words))


MD5_ROTATIONS = [(7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21)]
MD5_CONSTANTS = [int(abs(math.sin(i + 1)) * 2**32) for i in range(64)]


def md5_compress(state, words):
    a, b, c, d = state
    for i in range(64):
        f, index = [
            (b & c | ~b & d, i),
            (d & b | ~d & c, 5 * i + 1),
            (b ^ c ^ d, 3 * i + 5),
            (c ^ (b | ~d % 2**32), 7 * i),
        ][i // 16]
        total = (a + f + MD5_CONSTANTS[i] + words[index % 16]) % 2**32
        a, b, c, d = d, (b + rotate_left(total, MD5_ROTATIONS[i // 16][i % 4])) % 2**32, b, c
    return sums(state, (a, b, c, d), 32)


SHA1_CONSTANTS = [0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6]


def sha1_compress(state, words):
    a, b, c, d, e = state
    w = list(words)
    for t in range(16, 80):
        w.append(rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
    for t in range(80):
        f = [b & c ^ ~b & d, b ^ c ^ d, b & c ^ b & d ^ c & d, b ^ c ^ d][t // 20]
        total = (rotate_left(a, 5) + f + e + SHA1_CONSTANTS[t // 20] + w[t]) % 2**32
        a, b, c, d, e = total, a, rotate_left(b, 30), c, d
    return sums(state, (a, b, c, d, e), 32)


class Sha2:
    """The compression functions of SHA-2, with words of 32 or 64 bits."""

    ROTATIONS = {  # Sigma0, Sigma1, sigma0 and sigma1; the last of sigma0 and sigma1 is a shift
        32: ((2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10)),
        64: ((28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6)),
    }

    def __init__(self, bits, rounds):
        self.bits, self.rotations = bits, self.ROTATIONS[bits]
        self.constants = [root_fraction(prime, 3, bits) for prime in PRIMES[:rounds]]

    def sigma(self, which, word):
        """Sigma (0 and 1) rotates three times, sigma (2 and 3) rotates twice and shifts."""
        first, second, third = self.rotations[which]
        last = word >> third if which > 1 else rotate_right(word, third, self.bits)
        return rotate_right(word, first, self.bits) ^ rotate_right(word, second, self.bits) ^ last

    def __call__(self, state, words):
        modulus, w = 1 << self.bits, list(words)
        for t in range(16, len(self.constants)):
            w.append((self.sigma(3, w[t - 2]) + w[t - 7] + self.sigma(2, w[t - 15]) + w[t - 16]) % modulus)
        a, b, c, d, e, f, g, h = state
        for constant, word in zip(self.constants, w):
            t1 = h + self.sigma(1, e) + (e & f ^ ~e & g) + constant + word
            t2 = self.sigma(0, a) + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = (t1 + t2) % modulus, a, b, c, (d + t1) % modulus, e, f, g
        return sums(state, (a, b, c, d, e, f, g, h), self.bits)


def sm3_compress(state, words):
    """Compresses a block (GM/T 0004, 5.3)."""
    w = list(words)
    for j in range(16, 68):
        x = w[j - 16] ^ w[j - 9] ^ rotate_left(w[j - 3], 15)
        w.append(x ^ rotate_left(x, 15) ^ rotate_left(x, 23) ^ rotate_left(w[j - 13], 7) ^ w[j - 6])
    a, b, c, d, e, f, g, h = state
    for j in range(64):
        first = j < 16
        constant = rotate_left(0x79CC4519 if first else 0x7A879D8A, j % 32)
        ss1 = rotate_left((rotate_left(a, 12) + e + constant) % 2**32, 7)
        ff = a ^ b ^ c if first else a & b | a & c | b & c
        gg = e ^ f ^ g if first else e & f | ~e & g
        tt1 = (ff + d + (ss1 ^ rotate_left(a, 12)) + (w[j] ^ w[j + 4])) % 2**32
        tt2 = (gg + h + ss1 + w[j]) % 2**32
        a, b, c, d = tt1, a, rotate_left(b, 9), c
        e, f, g, h = tt2 ^ rotate_left(tt2, 9) ^ rotate_left(tt2, 17), e, rotate_left(f, 19), g
    return tuple(old ^ new for old, new in zip(state, (a, b, c, d, e, f, g, h)))


SM3_INITIAL = (0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600, 0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E)


class Algorithm:
    def __init__(self, name, compress, initial, word_bytes, digest_bytes, order="big"):
        self.name, self.compress, self.initial = name, compress, initial
        self.word_bytes, self.block_bytes, self.digest_bytes, self.order = word_bytes, 16 * word_bytes, digest_bytes, order

    def hash(self, message):
        """Returns the standard digest, by hashlib, which lacks Keccak-256 and BLAKE3."""
        if self.name == "Keccak-256":
            return self.hash_from(self.initial, message)
        name = self.name.lower().replace("sha-", "sha").replace("/", "_").replace("-", "_")
        return hashlib.new(name, message).digest()

    def words(self, block):
        """Returns the words of a block."""
        return [int.from_bytes(block[i : i + self.word_bytes], self.order) for i in range(0, len(block), self.word_bytes)]

    def state_after_blocks(self, blocks, initial):
        """Returns all words of the state after whole blocks."""
        state = tuple(initial)
        for start in range(0, len(blocks), self.block_bytes):
            state = self.compress(state, self.words(blocks[start : start + self.block_bytes]))
        return state

    def state_behind(self, blocks):
        """Returns the words that the library keeps behind the state after some blocks."""
        return ()

    def padded(self, message):
        """Returns the message with its padding: whole blocks."""
        bits = (8 * len(message)).to_bytes(2 * self.word_bytes, self.order)
        zeros = -(len(message) + 1 + len(bits)) % self.block_bytes
        return message + b"\x80" + bytes(zeros) + bits

    def state_after(self, message, initial):
        """Returns all words of the state after the padded message."""
        return self.state_after_blocks(self.padded(message), initial)

    def hash_from(self, initial, message):
        """Returns the digest from another initial value."""
        state = self.state_after(message, initial)
        return b"".join(word.to_bytes(self.word_bytes, self.order) for word in state)[: self.digest_bytes]

    def derived_initial(self, name):
        """Returns an initial value made as FIPS 180-4, 5.3.6, makes those of SHA-512/t."""
        changed = tuple(word ^ int("a5" * self.word_bytes, 16) for word in self.initial)
        return self.state_after(name.encode("ascii"), changed)


def keccak_p(state, rounds):
    """Computes Keccak-p[1600, rounds], the last rounds of Keccak-f (FIPS 202, 3.3 and 3.4). Lane A[x, y] is at x + 5 y."""
    a, shift = list(state), 1
    for _ in range(7 * (24 - rounds)):
        shift = shift << 1 ^ (shift >> 7) * 0x171
    for _ in range(rounds):
        columns = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        a = [a[i] ^ columns[(i + 4) % 5] ^ rotate_right(columns[(i + 1) % 5], 63, 64) for i in range(25)]
        b, x, y, current = [a[0]] * 25, 1, 0, a[1]
        for t in range(24):  # rho and pi in one walk
            x, y = y, (2 * x + 3 * y) % 5
            b[x + 5 * y] = rotate_right(current, -((t + 1) * (t + 2) // 2) % 64, 64)
            current = a[x + 5 * y]
        a = [b[i] ^ ~b[i // 5 * 5 + (i + 1) % 5] & b[i // 5 * 5 + (i + 2) % 5] for i in range(25)]
        for j in range(7):  # iota: a shift register
            a[0] ^= (shift & 1) << ((1 << j) - 1)
            shift = shift << 1 ^ (shift >> 7) * 0x171
    return tuple(a)


class Keccak(Algorithm):
    """The sponge on Keccak-f (FIPS 202, 4 and 5.1): SHA-3 (6.1), and Keccak before it was a standard."""

    def __init__(self, name, digest_bytes, first_padding_byte, rounds=24):
        super().__init__(name, self.absorb, (0,) * 25, 8, digest_bytes, "little")
        self.rounds = rounds
        self.block_bytes, self.first_padding_byte = 200 - 2 * digest_bytes, first_padding_byte

    def state_behind(self, blocks):
        """Returns what is added to the first byte of the padding."""
        return (0,)

    def absorb(self, state, words):
        """Adds a block to the state and permutes it."""
        absorbed = [*words, *[0] * (25 - len(words))]
        return keccak_p([lane ^ word for lane, word in zip(state, absorbed)], self.rounds)

    def padded(self, message):
        padded = bytearray(message + bytes([self.first_padding_byte]) + bytes(-(len(message) + 1) % self.block_bytes))
        padded[-1] |= 0x80
        return bytes(padded)


SIGMA = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]


def blake_rounds(v, words, schedule, rotations, bits):
    """Computes the rounds of BLAKE2 (RFC 7693, 3.2) and BLAKE3 on the words v: one for each row of a schedule."""
    first, second, third, fourth = rotations
    for s in schedule:
        for i in range(8):
            column, turn = i % 4, i // 4
            a, b, c, d = column, *(4 * row + (column + turn * row) % 4 for row in (1, 2, 3))
            for word, (of_d, of_b) in ((words[s[2 * i]], (first, second)), (words[s[2 * i + 1]], (third, fourth))):
                v[a] = (v[a] + v[b] + word) % (1 << bits)
                v[d] = rotate_right(v[d] ^ v[a], of_d, bits)
                v[c] = (v[c] + v[d]) % (1 << bits)
                v[b] = rotate_right(v[b] ^ v[c], of_b, bits)


class Blake2(Algorithm):
    """BLAKE2s and BLAKE2b (RFC 7693) without a key."""

    def __init__(self, name, word_bytes, rounds, rotations, digest_bytes=None):
        self.bits, self.rounds, self.rotations = 8 * word_bytes, rounds, rotations
        self.iv = [root_fraction(prime, 2, self.bits) for prime in PRIMES[:8]]
        digest_bytes = digest_bytes or 8 * word_bytes
        initial = (self.iv[0] ^ 0x01010000 ^ digest_bytes, *self.iv[1:])
        super().__init__(name, None, initial, word_bytes, digest_bytes, "little")

    def hash(self, message):
        """Returns the standard digest, by hashlib."""
        return hashlib.new(self.name.lower().partition("-")[0], message, digest_size=self.digest_bytes).digest()

    def compress_one(self, state, words, counted, is_last):
        """Compresses a block (3.2), up to which `counted` bytes have been counted."""
        modulus = 1 << self.bits
        v = [*state, *self.iv]
        v[12] ^= counted % modulus
        v[13] ^= counted // modulus
        v[14] ^= modulus - 1 if is_last else 0
        blake_rounds(v, words, [SIGMA[i % 10] for i in range(self.rounds)], self.rotations, self.bits)
        return tuple(word ^ v[i] ^ v[i + 8] for i, word in enumerate(state))

    def state_after_blocks(self, blocks, initial):
        """Returns all words of the state after whole blocks, none of which is the last."""
        state = tuple(initial)
        for end in range(self.block_bytes, len(blocks) + 1, self.block_bytes):
            state = self.compress_one(state, self.words(blocks[end - self.block_bytes : end]), end, False)
        return state

    def state_behind(self, blocks):
        """Returns the count of bytes, its lower word first, and the flags of the last block and the last node."""
        return blocks * self.block_bytes, 0, 0, 0

    def state_after(self, message, initial):
        before = (max(len(message), 1) - 1) // self.block_bytes * self.block_bytes
        last = message[before:] + bytes(before + self.block_bytes - len(message))
        return self.compress_one(self.state_after_blocks(message[:before], initial), self.words(last), len(message), True)


class Blake3Nodes(Algorithm):
    """The nodes of BLAKE3's tree ("BLAKE3: one function, fast everywhere", 2.2 to 2.5): chunks and parents, without flags."""

    PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)

    def __init__(self):
        self.iv = [root_fraction(prime, 2, 32) for prime in PRIMES[:8]]
        self.schedule = [list(range(16))]
        for _ in range(6):
            self.schedule.append([self.schedule[-1][i] for i in self.PERMUTATION])
        super().__init__("BLAKE3's nodes", None, tuple(self.iv), 4, 32, "little")

    def compress_one(self, state, words, block_bytes, counter=0, flags=0):
        v = [*state, *self.iv[:4], counter % 2**32, counter >> 32, block_bytes, flags]
        blake_rounds(v, words, self.schedule, (16, 12, 8, 7), 32)
        return tuple(v[i] ^ v[i + 8] for i in range(8))

    def state_after_blocks(self, blocks, initial):
        state = tuple(initial)
        for start in range(0, len(blocks), 64):
            state = self.compress_one(state, self.words(blocks[start : start + 64]), 64)
        return state

    def state_behind(self, blocks):
        """Returns the counter, flags, and what tells the last block and the upper half from others."""
        return (0,) * 7

    def state_after(self, message, initial):
        before = (max(len(message), 1) - 1) // 64 * 64
        last = message[before:] + bytes(before + 64 - len(message))
        return self.compress_one(self.state_after_blocks(message[:before], initial), self.words(last), len(message) - before)


class Blake3(Blake3Nodes):
    """BLAKE3 of whole messages (2.1 to 2.5). The initial value is what stands for the key."""

    CHUNK_BYTES = 1024
    CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8

    def __init__(self):
        super().__init__()
        self.name = "BLAKE3"

    def hash(self, message):
        return self.hash_from(self.initial, message)

    def state_after(self, message, initial):
        return self.node(message, initial, 0, self.ROOT)

    def node(self, message, key, chunk, flags):
        """Returns the chaining value of the tree over some bytes, the first of which is in a chunk of this number."""
        if len(message) <= self.CHUNK_BYTES:
            state, blocks = key, range(0, max(len(message), 1), 64)
            for start in blocks:
                block = message[start : start + 64]
                first = self.CHUNK_START if start == 0 else 0
                last = self.CHUNK_END | flags if start == blocks[-1] else 0
                state = self.compress_one(state, self.words(block + bytes(64 - len(block))), len(block), chunk, first | last)
            return state
        left = 1
        while 2 * left * self.CHUNK_BYTES < len(message):
            left *= 2
        children = self.node(message[: left * self.CHUNK_BYTES], key, chunk, 0)
        children += self.node(message[left * self.CHUNK_BYTES :], key, chunk + left, 0)
        return self.compress_one(key, children, 64, 0, self.PARENT | flags)


def algorithms():
    md5_initial = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
    sha256, sha512 = Sha2(32, 64), Sha2(64, 80)
    first, next_ = ([root_fraction(prime, 2, 64) for prime in primes] for primes in (PRIMES[:8], PRIMES[8:16]))
    whole = Algorithm("SHA-512", sha512, tuple(first), 8, 64)
    return [
        Algorithm("MD5", md5_compress, md5_initial, 4, 16, "little"),
        Algorithm("SHA-1", sha1_compress, (*md5_initial, 0xC3D2E1F0), 4, 20),
        Algorithm("SHA-224", sha256, tuple(word % 2**32 for word in next_), 4, 28),
        Algorithm("SHA-256", sha256, tuple(word >> 32 for word in first), 4, 32),
        Algorithm("SHA-384", sha512, tuple(next_), 8, 48),
        whole,
        Algorithm("SHA-512/224", sha512, whole.derived_initial("SHA-512/224"), 8, 28),
        Algorithm("SHA-512/256", sha512, whole.derived_initial("SHA-512/256"), 8, 32),
        *(Keccak(f"SHA3-{8 * digest_bytes}", digest_bytes, 0x06) for digest_bytes in (28, 32, 48, 64)),
        Keccak("Keccak-256", 32, 0x01),
        Blake2("BLAKE2s", 4, 10, (16, 12, 8, 7)),
        Blake2("BLAKE2b", 8, 12, (32, 24, 16, 63)),
        Blake2("BLAKE2b-256", 8, 12, (32, 24, 16, 63), 32),
        Blake3(),
        Algorithm("SM3", sm3_compress, SM3_INITIAL, 4, 32),
    ]


ALGORITHMS = algorithms()


def check():
    """Checks digests from the standard initial value around every padding edge."""
    message = bytes(range(256)) * 2
    for algorithm in ALGORITHMS:
        for length in (0, 3, 55, 56, 64, 111, 112, 127, 128, 129, 135, 136, 300):
            digest = algorithm.hash_from(algorithm.initial, message[:length])
            assert digest == algorithm.hash(message[:length]), (algorithm.name, length)


check()

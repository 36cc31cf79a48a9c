"""j-lanes SHA-256 as j-lanes.md defines it, from nothing but the definitions. Slow: it is for reading, and for other implementations' tests."""

WORD = 2**32
PRIMES = [n for n in range(2, 312) if all(n % d for d in range(2, n))]
rotate = lambda x, n: (x >> n | x << 32 - n) % WORD

def fraction(prime, root):
    """Returns the first 32 bits after the point of a root of a prime (FIPS 180-4, 4.2.2 and 5.3.3)."""
    x = 0
    for bit in reversed(range(40)):
        x += 2**bit if (x + 2**bit) ** root <= prime << 32 * root else 0
    return x % WORD

CONSTANTS, INITIAL = [fraction(prime, 3) for prime in PRIMES], [fraction(prime, 2) for prime in PRIMES[:8]]

def sha256(message, state=INITIAL):
    """Returns SHA-256 (FIPS 180-4, 6.2) from any initial value."""
    message += b"\x80" + bytes(-(len(message) + 9) % 64) + (8 * len(message)).to_bytes(8, "big")
    for block in range(0, len(message), 64):
        w = [int.from_bytes(message[i : i + 4], "big") for i in range(block, block + 64, 4)]
        for t in range(16, 64):
            s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3
            s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10
            w.append((w[t - 16] + s0 + w[t - 7] + s1) % WORD)
        a, b, c, d, e, f, g, h = state
        for t in range(64):
            t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (e & f ^ ~e & g) + CONSTANTS[t] + w[t]
            t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = (t1 + t2) % WORD, a, b, c, (d + t1) % WORD, e, f, g
        state = [(x + y) % WORD for x, y in zip(state, (a, b, c, d, e, f, g, h))]
    return b"".join(word.to_bytes(4, "big") for word in state)

def derived(name):
    """Returns an initial value made as FIPS 180-4, 5.3.6, makes those of SHA-512/t."""
    digest = sha256(name.encode("ascii"), [word ^ 0xA5A5A5A5 for word in INITIAL])
    return [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)]

def j_lanes(message, j, separated=False):
    """Returns the digest of a message of bytes in j lanes."""
    lane, wrap = (derived(f"SHA-256/j-lanes/{j}/{role}") if separated else INITIAL for role in ("lane", "wrap"))
    words = [message[i : i + 4] for i in range(0, len(message), 4)]
    return sha256(b"".join(sha256(b"".join(words[lane_number::j]), lane) for lane_number in range(j)), wrap)

"""Writes tree-modes.txt: digests of every tree mode, from the definitions alone, with hashlib. A function a mode, its source said there.

python3 vectors/tree_modes.py; with --examples it prints the worked examples of the documentation instead.
"""

import argparse
import base64
import hashlib
import itertools
import pathlib

from textbook import ALGORITHMS

KIB, MIB = 1 << 10, 1 << 20
BY_NAME = {algorithm.name: algorithm for algorithm in ALGORITHMS}
HEADER = """\
# Written by tree_modes.py. A vector a line: the mode, its parameters, the message, the digest. `bytes=N` is the message of N bytes whose
# byte i is (131 i + 17 floor(i / 2^8) + 5 floor(i / 2^16) + 7) mod 256; `files=N,M` are several. `salt=-` is no salt. `tree` is the SHA-256
# of all tree blocks (in a hash file's order, top level first) or of the piece layers, one after the other. `-` is no digest. `ids=N` are
# the N parts of 32 bytes of the message of 32 N bytes.
"""


def pattern(length):
    """Returns the message of a length. Below 16 MiB, aligned blocks of 2^n bytes all differ."""
    rows = [bytes((131 * i + first) % 256 for i in range(256)) for first in range(256)]
    firsts = ((17 * row + 5 * (row >> 8) + 7) % 256 for row in range(-(-length // 256)))
    return b"".join(rows[first] for first in firsts)[:length]


# --- Many slices of one message -------------------------------------------------------------------
# S. Gueron, "A j-lanes tree hashing mode and j-lanes SHA-256", Journal of Information Security 4
# (2013): definitions 1 and 2, and the closing remark on initial values.


def lanes_slices(message, word_bytes, lanes):
    """Definition 1: word i, of any length at the end, goes to slice i mod j."""
    words = [message[i : i + word_bytes] for i in range(0, len(message), word_bytes)]
    return [b"".join(words[lane::lanes]) for lane in range(lanes)]


def pointers_slices(message, block_bytes, pointers):
    """Definition 2: j runs of equal length, whole blocks each but for the last ones."""
    length = -(-(-(-len(message) // pointers)) // block_bytes) * block_bytes
    return [message[i * length : (i + 1) * length] for i in range(pointers)]


def hash_of_hashes(algorithm, slices, separated=None):
    """Returns the wrap and every t_i. `separated`, as `j-lanes/16`, gives the initial values."""
    if separated is None:
        digests = [algorithm.hash(slice_) for slice_ in slices]
        return algorithm.hash(b"".join(digests)), digests
    lane, wrap = (algorithm.derived_initial(f"{algorithm.name}/{separated}/{place}") for place in ("lane", "wrap"))
    digests = [algorithm.hash_from(lane, slice_) for slice_ in slices]
    return algorithm.hash_from(wrap, b"".join(digests)), digests


def j_lanes(algorithm, message, lanes, separated=False):
    slices = lanes_slices(message, algorithm.word_bytes, lanes)
    return hash_of_hashes(algorithm, slices, f"j-lanes/{lanes}" if separated else None)[0]


def j_pointers(algorithm, message, pointers, separated=False):
    slices = pointers_slices(message, algorithm.block_bytes, pointers)
    return hash_of_hashes(algorithm, slices, f"j-pointers/{pointers}" if separated else None)[0]


def files(algorithm, messages, separated=False):
    return hash_of_hashes(algorithm, messages, f"files/{len(messages)}" if separated else None)[0]


# --- Trees of hash blocks -------------------------------------------------------------------------


def chunks(message, length):
    return [message[i : i + length] for i in range(0, len(message), length)]


def tree(digests, hash_block, block_bytes, slot_bytes, slots):
    """Returns the root above `digests` and the tree blocks, top level first. Slots end in zeros."""
    blocks = []
    while len(digests) > 1:
        rows = (b"".join(digest.ljust(slot_bytes, b"\0") for digest in row) for row in chunks(digests, slots))
        level = [row.ljust(block_bytes, b"\0") for row in rows]
        blocks = level + blocks
        digests = [hash_block(block) for block in level]
    return digests[0], b"".join(blocks)


def fs_verity(message, hash_name="sha256", block_bytes=4096, salt=b""):
    """Computes fs-verity: Linux, Documentation/filesystems/fsverity.rst, "Merkle tree" and
    "fs-verity descriptor"."""
    new = hashlib.new(hash_name)
    salt_block = salt.ljust(new.block_size, b"\0") if salt else b""

    def hash_block(block):
        return hashlib.new(hash_name, salt_block + block.ljust(block_bytes, b"\0")).digest()

    if message:
        leaves = [hash_block(block) for block in chunks(message, block_bytes)]
        root, blocks = tree(leaves, hash_block, block_bytes, new.digest_size, block_bytes // new.digest_size)
    else:
        root, blocks = bytes(new.digest_size), b""
    descriptor = bytes([1, {"sha256": 1, "sha512": 2}[hash_name], block_bytes.bit_length() - 1, len(salt), 0, 0, 0, 0])
    descriptor += len(message).to_bytes(8, "little") + root.ljust(64, b"\0") + salt.ljust(32, b"\0") + bytes(144)
    return hashlib.new(hash_name, descriptor).digest(), blocks


def dm_verity(message, hash_name="sha256", format_=1, salt=b"", data_block_bytes=4096, hash_block_bytes=4096):
    """Computes dm-verity of one or more whole blocks.

    Sources: the wiki of cryptsetup, DMVerity, and Linux,
    Documentation/admin-guide/device-mapper/verity.rst.
    """
    digest_bytes = hashlib.new(hash_name).digest_size
    slots = 1 << (hash_block_bytes // digest_bytes).bit_length() - 1
    slot_bytes = 1 << (digest_bytes - 1).bit_length() if format_ == 1 else digest_bytes

    def hash_block(block):
        return hashlib.new(hash_name, salt + block if format_ == 1 else block + salt).digest()

    leaves = [hash_block(block) for block in chunks(message, data_block_bytes)]
    return tree(leaves, hash_block, hash_block_bytes, slot_bytes, slots)


# --- Files in pieces ------------------------------------------------------------------------------


def bittorrent_v2(message, piece_bytes):
    """BEP 52: `pieces root`, none if the file is empty, and `piece layers`, none for one piece."""
    if not message:
        return None, b""
    layer = [hashlib.sha256(block).digest() for block in chunks(message, 16 * KIB)]
    padding, covered, pieces = bytes(32), 16 * KIB, b""
    while len(layer) > 1:
        if covered == piece_bytes:
            pieces = b"".join(layer)
        layer += [padding] * (len(layer) % 2)
        layer = [hashlib.sha256(left + right).digest() for left, right in zip(layer[::2], layer[1::2])]
        padding, covered = hashlib.sha256(2 * padding).digest(), 2 * covered
    return layer[0], pieces


def parts(message, part_bytes):
    """Returns the parts of an upload, which has at least one part, if only an empty one."""
    return chunks(message, part_bytes) or [b""]


def s3_composite(message, algorithm, part_bytes):
    """Computes a composite checksum (Amazon S3 User Guide, "Checking object integrity")."""
    digests = [algorithm.hash(part) for part in parts(message, part_bytes)]
    return f"{base64.b64encode(algorithm.hash(b''.join(digests))).decode('ascii')}-{len(digests)}"


def s3_etag(message, part_bytes):
    """Returns the ETag of a multipart upload, which is the MD5 of the parts' MD5s."""
    digests = [hashlib.md5(part, usedforsecurity=False).digest() for part in parts(message, part_bytes)]
    return f"{hashlib.md5(b''.join(digests), usedforsecurity=False).hexdigest()}-{len(digests)}"


def glacier(message):
    """Hashes pairs of 1 MiB hashes (Amazon S3 Glacier Developer Guide, "Computing Checksums").

    An odd hash goes up unchanged.
    """
    layer = [hashlib.sha256(part).digest() for part in parts(message, MIB)]
    while len(layer) > 1:
        layer = [hashlib.sha256(b"".join(pair)).digest() if len(pair) > 1 else pair[0] for pair in chunks(layer, 2)]
    return layer[0]


# --- Trees of other worlds ------------------------------------------------------------------------


def sha256(message):
    return hashlib.sha256(message).digest()


def left_half(count):
    """Returns the largest power of two that is less than `count`."""
    return 1 << (count - 1).bit_length() - 1


def sha256tree(message):
    """Computes SHA256TREE by its recursive definition (Remote Execution API, remote_execution.proto, `DigestFunction`).

    A node is one block of SHA-256's block cipher: what a compression gives before the initial value is added, whose words are the first
    32 bits of SHA-384's.
    """
    if len(message) <= KIB:
        return sha256(message)
    middle = left_half(len(message))
    algorithm, initial = BY_NAME["SHA-256"], tuple(word >> 32 for word in BY_NAME["SHA-384"].initial)
    state = algorithm.state_after_blocks(sha256tree(message[:middle]) + sha256tree(message[middle:]), initial)
    return b"".join(((word - added) % (1 << 32)).to_bytes(4, "big") for word, added in zip(state, initial))


def rfc9162(entries):
    """Computes a Merkle tree hash by its recursive definition (RFC 9162, 2.1.1)."""
    if len(entries) < 2:
        return sha256(b"\0" + entries[0]) if entries else sha256(b"")
    middle = left_half(len(entries))
    return sha256(b"\1" + rfc9162(entries[:middle]) + rfc9162(entries[middle:]))


def ssz(message, element_bytes=1, limit=None):
    """Computes hash_tree_root of a vector, or of a list of basic elements (ethereum/consensus-specs, ssz/simple-serialize.md)."""
    layer = chunks(message.ljust(-(-len(message) // 32) * 32, b"\0"), 32)
    room = len(layer) if limit is None else -(-limit * element_bytes // 32)
    zeros = bytes(32)
    layer = layer or [zeros]
    for _ in range((max(room, 1) - 1).bit_length()):
        layer += [zeros] * (len(layer) % 2)
        layer = [sha256(left + right) for left, right in zip(layer[::2], layer[1::2])]
        zeros = sha256(2 * zeros)
    (root,) = layer
    return root if limit is None else sha256(root + (len(message) // element_bytes).to_bytes(32, "little"))


def bitcoin(ids):
    """Computes the root over ids of transactions, as they are hashed (Bitcoin Core, consensus/merkle.cpp)."""
    while len(ids) > 1:
        ids = [sha256(sha256(left + right)) for left, right in zip(ids[::2], [*ids[1::2], ids[-1]])]
    return ids[0]


def git_blob(message, object_format):
    return hashlib.new(object_format, b"blob %d\0" % len(message) + message).digest()


def cid(message):
    """Computes the address of a file in IPFS: `ipfs add --cid-version=1` (dag-pb and UnixFS, balanced, 174 links a node)."""

    def number(value):
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + number(value >> 7)

    def field(key, value):
        return number(key << 3) + number(value) if isinstance(value, int) else number(key << 3 | 2) + number(len(value)) + value

    def address(codec, block):
        return bytes([1, codec, 0x12, 32]) + sha256(block)

    def node(children):
        links = [field(2, field(1, child) + field(2, b"") + field(3, total)) for child, _, total in children]
        sizes = [size for _, size, _ in children]
        data = field(1, 2) + field(3, sum(sizes)) + b"".join(field(4, size) for size in sizes)
        block = b"".join(links) + field(1, data)
        return address(0x70, block), sum(sizes), len(block) + sum(total for _, _, total in children)

    layer = [(address(0x55, chunk), len(chunk), len(chunk)) for chunk in parts(message, 256 * KIB)]
    while len(layer) > 1:
        layer = [node(children) for children in chunks(layer, 174)]
    return "b" + base64.b32encode(layer[0][0]).decode("ascii").rstrip("=").lower()


# --- The vectors ----------------------------------------------------------------------------------

SALTS = (b"", b"\x5a", bytes(range(1, 32)), bytes(range(32)))


def around(*edges):
    return sorted({max(edge + step, 0) for edge in edges for step in (-1, 0, 1)})


def first(message, length):
    assert length <= len(message)
    return message[:length]


def line(mode, digest, tree_blocks=None, **parameters):
    for name, value in parameters.items():
        if isinstance(value, bytes):
            parameters[name] = value.hex() or "-"
    if tree_blocks is not None:
        parameters["tree"] = hashlib.sha256(tree_blocks).hexdigest()
    digest = digest.hex() if isinstance(digest, bytes) else digest or "-"
    return " ".join([mode, *(f"{name}={value}" for name, value in parameters.items()), f"digest={digest}"])


def slice_lengths(unit_bytes, block_bytes, slices, thorough):
    """Returns lengths around a row of words or blocks, and one amidst the third row of blocks."""
    row, round_, amidst = unit_bytes * slices, block_bytes * slices, 2 * block_bytes * slices + 3 * unit_bytes + 1
    if thorough:
        return sorted({*around(0, unit_bytes, row, round_), amidst})
    return sorted({0, row - 1, round_ + 1, amidst})


def vectors_of_slices(message):
    for algorithm in ALGORITHMS:
        thorough = algorithm.name in ("SHA-256", "SHA-512")
        word, block = algorithm.word_bytes, algorithm.block_bytes
        for lanes in (1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 64, 100, 1024):
            for n in slice_lengths(word, block, lanes, thorough):
                yield line("j-lanes", j_lanes(algorithm, first(message, n), lanes), algorithm=algorithm.name, lanes=lanes, bytes=n)
        for pointers in (1, 2, 3, 8, 33, 1024) if thorough else (1, 3, 8):
            for n in slice_lengths(block, block, pointers, False):
                digest = j_pointers(algorithm, first(message, n), pointers)
                yield line("j-pointers", digest, algorithm=algorithm.name, lanes=pointers, bytes=n)
        for j, n in itertools.product((1, 4, 33), (0, 5 * block + 3)):
            parameters = {"algorithm": algorithm.name, "lanes": j, "separated": "yes", "bytes": n}
            yield line("j-lanes", j_lanes(algorithm, first(message, n), j, separated=True), **parameters)
            yield line("j-pointers", j_pointers(algorithm, first(message, n), j, separated=True), **parameters)
        for lengths in ((0,), (1,), (0, 0), (3, 0, 1000), (1, 2, 3, 4, 5, 6, 7, 8, 9), (64, 63, 65, 70000)):
            digest = files(algorithm, [first(message, n) for n in lengths])
            yield line("files", digest, algorithm=algorithm.name, files=",".join(map(str, lengths)))
        lengths = (1000, 0, 129, 17, 136)
        digest = files(algorithm, [first(message, n) for n in lengths], separated=True)
        yield line("files", digest, algorithm=algorithm.name, separated="yes", files=",".join(map(str, lengths)))


def vectors_of_fs_verity(message):
    for hash_name, (index, block) in itertools.product(("sha256", "sha512"), enumerate(1 << n for n in range(10, 17))):
        slots = block // hashlib.new(hash_name).digest_size
        lengths = [0, 1, block - 1, block, block + 1, slots * block, slots * block + 1]
        lengths += [slots * slots * block, slots * slots * block + 1] if block == 1024 else []
        for i, n in enumerate(n for n in lengths if n <= len(message)):
            salt = SALTS[(index + i) % len(SALTS)]
            digest, blocks = fs_verity(first(message, n), hash_name, block, salt)
            yield line("fs-verity", digest, blocks, hash=hash_name, block=block, salt=salt, bytes=n)


def vectors_of_dm_verity(message):
    salts = (*SALTS, bytes(range(33)), bytes(range(64)))
    sizes = [(512, 512), (4096, 4096), (512, 4096), (4096, 512), (65536, 65536)]
    for hash_name, format_, (data, hash_) in itertools.product(("sha1", "sha256", "sha512"), (0, 1), sizes):
        slots = 1 << (hash_ // hashlib.new(hash_name).digest_size).bit_length() - 1
        counts = [1, 2, slots, slots + 1] + ([slots * slots, slots * slots + 1] if data == hash_ == 512 else [])
        cases = [(count, salts[(count + i) % len(salts)]) for i, count in enumerate(counts) if count * data <= len(message)]
        cases += [(3, bytes(range(256)))] if data == hash_ == 512 else []
        for count, salt in cases:
            digest, blocks = dm_verity(first(message, count * data), hash_name, format_, salt, data, hash_)
            parameters = {"hash": hash_name, "format": format_, "data_block": data, "hash_block": hash_, "salt": salt}
            yield line("dm-verity", digest, blocks, **parameters, bytes=count * data)


def vectors_of_pieces(message):
    for piece in (16 * KIB, 32 * KIB, 64 * KIB, MIB):
        for n in sorted({0, 1, *around(16 * KIB, 32 * KIB, piece, 2 * piece), 3 * piece, 5 * piece + 7, 8 * piece}):
            root, layers = bittorrent_v2(first(message, n), piece)
            yield line("bittorrent-v2", root, layers, piece=piece, bytes=n)
    for part in (1024, 65536, 5 * MIB):
        for n in sorted({0, 1, *around(part), 2 * part, 2 * part + 1}):
            for algorithm in ("SHA-1", "SHA-256"):
                yield line("s3", s3_composite(first(message, n), BY_NAME[algorithm], part), algorithm=algorithm, part=part, bytes=n)
            yield line("s3-etag", s3_etag(first(message, n), part), part=part, bytes=n)
    for n in (0, 1, *around(MIB, 2 * MIB), 3 * MIB, 4 * MIB, 5 * MIB, 6 * MIB + 1, 7 * MIB, 11 * MIB):
        yield line("glacier", glacier(first(message, n)), bytes=n)


def vectors_of_other_worlds(message):
    for n in sorted({0, 1, *around(KIB, 2 * KIB, 3 * KIB, 4 * KIB, 5 * KIB, 7 * KIB, 16 * KIB, 33 * KIB), 100 * KIB, MIB + 12345}):
        yield line("sha256tree", sha256tree(first(message, n)), bytes=n)
    lists = [(0,), (1,), (0, 0), (3, 0, 1000), *(tuple(range(n)) for n in (4, 5, 7, 8, 9, 31, 65)), (5000, 70000, 1)]
    for lengths in lists:
        yield line("rfc9162", rfc9162([first(message, n) for n in lengths]), files=",".join(map(str, lengths)))
    for n in (0, 1, 31, 32, 33, 64, 65, 96, 128, 129, 1000, 4096, 4097, 100_000, MIB + 33):
        yield line("ssz", ssz(first(message, n)), bytes=n)
        for element, limit in ((1, 1 << 30), (8, 1 << 40), (32, 1 << 40), (32, 1 << 24), (1, n), (1, 2 * n + 1)):
            if n % element == 0:
                yield line("ssz", ssz(first(message, n), element, limit), element=element, limit=limit, bytes=n)
    for n in (1, 2, 3, 4, 5, 6, 7, 9, 33, 2047, 2048, 2049, 4095, 10_001):
        yield line("bitcoin", bitcoin(chunks(first(message, 32 * n), 32)), ids=n)
    for object_format in ("sha1", "sha256"):
        for n in (0, 1, 9, 10, 54, 55, 56, 99, 100, 1000, 16_384, 16_385, 100_000, 3 * MIB):
            yield line("git", git_blob(first(message, n), object_format), format=object_format, bytes=n)
    for n in sorted({0, 1, *around(256 * KIB, 512 * KIB), 1_000_000, 10 * MIB + 1}):
        yield line("cid", cid(first(message, n)), bytes=n)
    # Nodes of two levels: 174 chunks fill one.
    long = pattern(46 * MIB)
    for n in (174 * 256 * KIB, 174 * 256 * KIB + 1):
        yield line("cid", cid(first(long, n)), bytes=n)


# --- Worked examples ------------------------------------------------------------------------------


def example(title, algorithm, slices, separated=None):
    digest, digests = hash_of_hashes(algorithm, slices, separated)
    texts = (f"`{slice_.decode('ascii')}`" if slice_ else "nothing" for slice_ in slices)
    rows = [f"| {i} | {text} | `{t.hex()}` |" for i, (text, t) in enumerate(zip(texts, digests))]
    return "\n".join([f"{title}:\n", "| i | slice i | t_i |", "|---|---|---|", *rows, f"\nDigest: `{digest.hex()}`\n"])


def examples():
    message, sha256 = b"One message. Many lanes. One digest.", BY_NAME["SHA-256"]
    text = f"`{message.decode('ascii')}`"
    yield example(f"j-lanes(SHA-256, 4) of {text}", sha256, lanes_slices(message, 4, 4))
    yield example("The same with `--separated`", sha256, lanes_slices(message, 4, 4), "j-lanes/4")
    yield example("j-lanes(SHA-256, 4) of `abc`", sha256, lanes_slices(b"abc", 4, 4))
    yield example(f"j-pointers(SHA-256, 2) of {text} twice", sha256, pointers_slices(2 * message, 64, 2))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--examples", action="store_true", help="print the worked examples of the documentation")
    if arguments.parse_args().examples:
        print("\n".join(examples()), end="")
        return
    message = pattern(12 * MIB)
    kinds = (vectors_of_slices, vectors_of_fs_verity, vectors_of_dm_verity, vectors_of_pieces, vectors_of_other_worlds)
    lines = [text for vectors in kinds for text in vectors(message)]
    pathlib.Path(__file__).with_name("tree-modes.txt").write_text(HEADER + "\n".join(lines) + "\n", newline="\n")


if __name__ == "__main__":
    main()

"""What type checkers must refuse: every line that ends in a comment, and no other."""

import manyhash
from manyhash import AlgorithmName, Hash, tree

manyhash.sha256("text")  # wrong
manyhash.sha256(None)  # wrong
manyhash.sha256(string=b"")  # wrong
manyhash.new(b"sha256")  # wrong
manyhash.sha256().update("text")  # wrong
manyhash.sha256().digest_size = 5  # wrong
manyhash.hash_many([1, 2], "sha256")  # wrong
manyhash.hash_many("sha256", [b"a"])  # wrong
manyhash.hmac_many([b"a"], b"key")  # wrong
manyhash.hmac_many([b"a"])  # wrong
manyhash.shake_many("shake128", [b"a"], 32)  # wrong
manyhash.hash_file(5)  # wrong
manyhash.hash_file(open("a"))  # wrong
name: AlgorithmName = "sha257"  # wrong
manyhash.hash_many([b"a"], "sha256", output="base64")  # wrong
manyhash.hash_many([b"a"], "sha256", threads="all")  # wrong
manyhash.hmac_many([b"a"], key="key")  # wrong
manyhash.verify_many([b"a"], ["00"], key=b"key")  # wrong
manyhash.file_digests([5])  # wrong
manyhash.file_digests(["a"], progress=5)  # wrong
tree.glacier("text")  # wrong
tree.fs_verity(b"", block_size="4K")  # wrong


class Mine(Hash):  # wrong
    pass

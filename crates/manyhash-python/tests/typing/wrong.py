"""What type checkers must refuse: every line that ends in a comment, and no other."""

import manyhash
from manyhash import Hash, tree

manyhash.sha256("text")  # wrong
manyhash.sha256(None)  # wrong
manyhash.sha256(string=b"")  # wrong
manyhash.new(b"sha256")  # wrong
manyhash.sha256().update("text")  # wrong
manyhash.sha256().digest_size = 5  # wrong
manyhash.hash_many("sha256", [1, 2])  # wrong
manyhash.hash_many("sha256", [b"a"], output="base64")  # wrong
manyhash.hash_many("sha256", [b"a"], threads="all")  # wrong
manyhash.hmac_many("key", [b"a"])  # wrong
manyhash.verify_many(b"key", [b"a"], ["00"])  # wrong
manyhash.file_digests([5])  # wrong
manyhash.file_digests(["a"], progress=5)  # wrong
tree.glacier("text")  # wrong
tree.fs_verity(b"", block_size="4K")  # wrong


class Mine(Hash):  # wrong
    pass

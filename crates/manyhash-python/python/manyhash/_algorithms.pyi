# Written by a test: MANYHASH_RECORD_STUB=1 pytest tests/core/test_typing.py
from typing import Generic, Literal, TypeAlias, TypeVar

from manyhash._column_methods import DigestMethod
from manyhash._manyhash import Data, Hash, blake2b as blake2b, blake2s as blake2s, blake3 as blake3

AlgorithmName: TypeAlias = Literal[
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha512_224",
    "sha512_256",
    "sha3_224",
    "sha3_256",
    "keccak256",
    "sha3_384",
    "sha3_512",
    "blake2s",
    "blake2b",
    "blake2b256",
    "blake3",
    "sm3",
]
Column = TypeVar("Column")

__all__ = [
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha512_224",
    "sha512_256",
    "sha3_224",
    "sha3_256",
    "keccak256",
    "sha3_384",
    "sha3_512",
    "blake2s",
    "blake2b",
    "blake2b256",
    "blake3",
    "sm3",
]

def md5(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha1(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha224(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha256(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha384(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha512(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha512_224(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha512_256(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha3_224(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha3_256(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def keccak256(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha3_384(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sha3_512(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def blake2b256(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
def sm3(data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...

class AlgorithmMethods(Generic[Column]):
    md5: DigestMethod[Column]
    sha1: DigestMethod[Column]
    sha224: DigestMethod[Column]
    sha256: DigestMethod[Column]
    sha384: DigestMethod[Column]
    sha512: DigestMethod[Column]
    sha512_224: DigestMethod[Column]
    sha512_256: DigestMethod[Column]
    sha3_224: DigestMethod[Column]
    sha3_256: DigestMethod[Column]
    keccak256: DigestMethod[Column]
    sha3_384: DigestMethod[Column]
    sha3_512: DigestMethod[Column]
    blake2s: DigestMethod[Column]
    blake2b: DigestMethod[Column]
    blake2b256: DigestMethod[Column]
    blake3: DigestMethod[Column]
    sm3: DigestMethod[Column]

"""The part of the package that computes. `manyhash` documents what is public."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Never, TypeAlias, final, overload

import numpy
import numpy.typing
from arro3.core import Array, ChunkedArray
from typing_extensions import Buffer

from manyhash._algorithms import AlgorithmName

# Numpy declares that arrays have the buffer protocol from Python 3.12 on.
Data: TypeAlias = Buffer | numpy.typing.NDArray[Any]
_Messages: TypeAlias = Iterable[Data | str] | numpy.typing.NDArray[Any]
_Several: TypeAlias = Iterable[Data] | numpy.typing.NDArray[Any]
# Names in any spelling: those that are listed here are for completion.
_Algorithm: TypeAlias = AlgorithmName | str
_Shake: TypeAlias = Literal["shake128", "shake256", "turboshake128", "turboshake256", "kt128", "kt256"] | str
_Kmac: TypeAlias = Literal["kmac128", "kmac256"] | str
_Blake2: TypeAlias = Literal["blake2b", "blake2s"] | str

__version__: str
algorithms: tuple[str, ...]

@final
class Hash:
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Data, /) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...
    def copy(self) -> Hash: ...
    def __reduce__(self) -> Never: ...

@final
class OutputHash:
    @property
    def name(self) -> str: ...
    @property
    def digest_size(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    def update(self, data: Data, /) -> None: ...
    def digest(self, length: int | None = None, *, seek: int = 0) -> bytes: ...
    def hexdigest(self, length: int | None = None, *, seek: int = 0) -> str: ...
    def copy(self) -> OutputHash: ...
    def __reduce__(self) -> Never: ...

def blake2b(
    data: Data = b"",
    *,
    digest_size: int = 64,
    key: Data = b"",
    salt: Data = b"",
    person: Data = b"",
    fanout: int = 1,
    depth: int = 1,
    leaf_size: int = 0,
    node_offset: int = 0,
    node_depth: int = 0,
    inner_size: int = 0,
    last_node: bool = False,
    usedforsecurity: bool = True,
) -> Hash: ...
def blake2s(
    data: Data = b"",
    *,
    digest_size: int = 32,
    key: Data = b"",
    salt: Data = b"",
    person: Data = b"",
    fanout: int = 1,
    depth: int = 1,
    leaf_size: int = 0,
    node_offset: int = 0,
    node_depth: int = 0,
    inner_size: int = 0,
    last_node: bool = False,
    usedforsecurity: bool = True,
) -> Hash: ...
def blake3(data: Data = b"", *, key: Data | None = None, context: str | None = None, usedforsecurity: bool = True) -> OutputHash: ...
def shake_128(data: Data = b"", *, usedforsecurity: bool = True) -> OutputHash: ...
def shake_256(data: Data = b"", *, usedforsecurity: bool = True) -> OutputHash: ...
def new(name: _Algorithm, data: Data = b"", *, usedforsecurity: bool = True) -> Hash: ...
@overload
def hash_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    offsets: Data | None = None,
    output: Literal["list"] = "list",
    threads: int = 1,
) -> list[bytes]: ...
@overload
def hash_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    offsets: Data | None = None,
    output: Literal["hex"],
    threads: int = 1,
) -> list[str]: ...
@overload
def hash_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    offsets: Data | None = None,
    output: Literal["bytes"],
    threads: int = 1,
) -> bytes: ...
@overload
def hash_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    offsets: Data | None = None,
    output: Literal["numpy"],
    threads: int = 1,
) -> numpy.typing.NDArray[numpy.uint8]: ...
@overload
def hmac_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    key: Data | _Several,
    offsets: Data | None = None,
    output: Literal["list"] = "list",
    threads: int = 1,
) -> list[bytes]: ...
@overload
def hmac_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    key: Data | _Several,
    offsets: Data | None = None,
    output: Literal["hex"],
    threads: int = 1,
) -> list[str]: ...
@overload
def hmac_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    key: Data | _Several,
    offsets: Data | None = None,
    output: Literal["bytes"],
    threads: int = 1,
) -> bytes: ...
@overload
def hmac_many(
    messages: _Messages | Data,
    algorithm: _Algorithm = "sha256",
    *,
    key: Data | _Several,
    offsets: Data | None = None,
    output: Literal["numpy"],
    threads: int = 1,
) -> numpy.typing.NDArray[numpy.uint8]: ...
def verify_many(
    messages: _Messages | Data,
    tags: _Several,
    algorithm: _Algorithm = "sha256",
    *,
    key: Data | _Several,
    offsets: Data | None = None,
    threads: int = 1,
) -> list[bool]: ...
@overload
def shake_many(
    messages: _Messages | Data,
    function: _Shake,
    length: int,
    *,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["list"] = "list",
    threads: int = 1,
) -> list[bytes]: ...
@overload
def shake_many(
    messages: _Messages | Data,
    function: _Shake,
    length: int,
    *,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["hex"],
    threads: int = 1,
) -> list[str]: ...
@overload
def shake_many(
    messages: _Messages | Data,
    function: _Shake,
    length: int,
    *,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["bytes"],
    threads: int = 1,
) -> bytes: ...
@overload
def shake_many(
    messages: _Messages | Data,
    function: _Shake,
    length: int,
    *,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["numpy"],
    threads: int = 1,
) -> numpy.typing.NDArray[numpy.uint8]: ...
@overload
def kmac_many(
    messages: _Messages | Data,
    function: _Kmac = "kmac128",
    *,
    key: Data,
    length: int = 32,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["list"] = "list",
    threads: int = 1,
) -> list[bytes]: ...
@overload
def kmac_many(
    messages: _Messages | Data,
    function: _Kmac = "kmac128",
    *,
    key: Data,
    length: int = 32,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["hex"],
    threads: int = 1,
) -> list[str]: ...
@overload
def kmac_many(
    messages: _Messages | Data,
    function: _Kmac = "kmac128",
    *,
    key: Data,
    length: int = 32,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["bytes"],
    threads: int = 1,
) -> bytes: ...
@overload
def kmac_many(
    messages: _Messages | Data,
    function: _Kmac = "kmac128",
    *,
    key: Data,
    length: int = 32,
    customization: Data = b"",
    offsets: Data | None = None,
    output: Literal["numpy"],
    threads: int = 1,
) -> numpy.typing.NDArray[numpy.uint8]: ...
@overload
def blake2_many(
    messages: _Messages | Data,
    function: _Blake2 = "blake2b",
    *,
    digest_size: int | None = None,
    key: Data = b"",
    salt: Data = b"",
    person: Data = b"",
    offsets: Data | None = None,
    output: Literal["list"] = "list",
    threads: int = 1,
) -> list[bytes]: ...
@overload
def blake2_many(
    messages: _Messages | Data,
    function: _Blake2 = "blake2b",
    *,
    digest_size: int | None = None,
    key: Data = b"",
    salt: Data = b"",
    person: Data = b"",
    offsets: Data | None = None,
    output: Literal["hex"],
    threads: int = 1,
) -> list[str]: ...
@overload
def blake2_many(
    messages: _Messages | Data,
    function: _Blake2 = "blake2b",
    *,
    digest_size: int | None = None,
    key: Data = b"",
    salt: Data = b"",
    person: Data = b"",
    offsets: Data | None = None,
    output: Literal["bytes"],
    threads: int = 1,
) -> bytes: ...
@overload
def blake2_many(
    messages: _Messages | Data,
    function: _Blake2 = "blake2b",
    *,
    digest_size: int | None = None,
    key: Data = b"",
    salt: Data = b"",
    person: Data = b"",
    offsets: Data | None = None,
    output: Literal["numpy"],
    threads: int = 1,
) -> numpy.typing.NDArray[numpy.uint8]: ...
@overload
def blake3_many(
    messages: _Messages | Data,
    *,
    key: Data | None = None,
    context: str | None = None,
    length: int = 32,
    offsets: Data | None = None,
    output: Literal["list"] = "list",
    threads: int = 1,
) -> list[bytes]: ...
@overload
def blake3_many(
    messages: _Messages | Data,
    *,
    key: Data | None = None,
    context: str | None = None,
    length: int = 32,
    offsets: Data | None = None,
    output: Literal["hex"],
    threads: int = 1,
) -> list[str]: ...
@overload
def blake3_many(
    messages: _Messages | Data,
    *,
    key: Data | None = None,
    context: str | None = None,
    length: int = 32,
    offsets: Data | None = None,
    output: Literal["bytes"],
    threads: int = 1,
) -> bytes: ...
@overload
def blake3_many(
    messages: _Messages | Data,
    *,
    key: Data | None = None,
    context: str | None = None,
    length: int = 32,
    offsets: Data | None = None,
    output: Literal["numpy"],
    threads: int = 1,
) -> numpy.typing.NDArray[numpy.uint8]: ...
def backend(algorithm: _Algorithm) -> tuple[str, int]: ...
def file_digests(
    paths: Sequence[str], algorithm: str, progress: Callable[[int, int], object] | None, threads: int
) -> list[tuple[int | None, bytes | None, str | None]]: ...
def file_part_digests(
    paths: Sequence[str], part_size: int, algorithm: str, progress: Callable[[int, int], object] | None, threads: int
) -> list[tuple[int | None, list[bytes] | None, str | None]]: ...
def hash_column(
    column: object,
    algorithm: str,
    output: str,
    *,
    key: Buffer | None,
    prefix: Buffer | None,
    truncate: int | None,
    layout: str,
    threads: int,
    progress: Callable[[int, int], object] | None = None,
) -> Array | ChunkedArray: ...
def hash_rows(
    table: object,
    columns: Sequence[str] | None,
    algorithm: str,
    output: str,
    *,
    key: Buffer | None,
    prefix: Buffer | None,
    truncate: int | None,
    layout: str,
    threads: int,
    progress: Callable[[int, int], object] | None = None,
) -> Array | ChunkedArray: ...
def run_command(arguments: Sequence[str]) -> int: ...
def tree_j_lanes(data: Data, lanes: int, algorithm: str, separated: bool) -> bytes: ...
def tree_j_pointers(data: Data, lanes: int, algorithm: str, separated: bool) -> bytes: ...
def tree_files(digests: _Several, algorithm: str) -> bytes: ...
def tree_fs_verity(data: Data, algorithm: str, block_size: int, salt: Data) -> bytes: ...
def tree_dm_verity(data: Data, algorithm: str, data_block_size: int, hash_block_size: int, salt: Data, format: int) -> bytes: ...
def tree_bittorrent_v2(data: Data, piece_length: int) -> tuple[bytes | None, list[bytes]]: ...
def tree_s3_composite(data: Data, part_size: int, algorithm: str) -> bytes: ...
def tree_glacier(data: Data) -> bytes: ...

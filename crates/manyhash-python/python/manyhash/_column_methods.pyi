from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from typing_extensions import Buffer

from manyhash.arrow import Output

Column = TypeVar("Column")

class ColumnMethods(ABC, Generic[Column]):
    @abstractmethod
    def hash(
        self,
        algorithm: str = "sha256",
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def md5(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha1(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha224(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha256(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha384(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha512(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha512_224(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha512_256(
        self,
        output: Output = "binary",
        *,
        key: Buffer | None = None,
        prefix: Buffer | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...

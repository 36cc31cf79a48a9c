from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from manyhash._column_digest import Bytes, Output

Column = TypeVar("Column")

class ColumnMethods(ABC, Generic[Column]):
    @abstractmethod
    def hash(
        self,
        algorithm: str = "sha256",
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def md5(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha1(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha224(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha256(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha384(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha512(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha512_224(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...
    def sha512_256(
        self,
        output: Output = "binary",
        *,
        key: Bytes | None = None,
        prefix: Bytes | None = None,
        truncate: int | None = None,
        threads: int = 1,
    ) -> Column: ...

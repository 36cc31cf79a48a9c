"""A producer of Arrow arrays that says whatever it is told to: the structs of the C data interface,
filled in by hand.
"""

from __future__ import annotations

import ctypes
from typing import Any

_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Schema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", _Release),
        ("private_data", ctypes.c_void_p),
    ]


class _Array(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", _Release),
        ("private_data", ctypes.c_void_p),
    ]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class HostileArray:
    """An array of `length` rows of a type, given as the interface's format string, whose buffers
    are these bytes.
    """

    def __init__(self, data_type: bytes, length: int, buffers: list[bytes | None]) -> None:
        self._contents = [None if buffer is None else ctypes.create_string_buffer(buffer, max(1, len(buffer))) for buffer in buffers]
        addresses = [None if buffer is None else ctypes.addressof(buffer) for buffer in self._contents]
        self._buffers = (ctypes.c_void_p * len(buffers))(*addresses)
        self._release_schema = _Release(lambda address: _forget(_Schema, address))
        self._release_array = _Release(lambda address: _forget(_Array, address))
        self._schema = _Schema(data_type, b"", None, 2, 0, None, None, self._release_schema, None)
        pointers = ctypes.cast(self._buffers, ctypes.POINTER(ctypes.c_void_p))
        self._array = _Array(length, 0, 0, len(buffers), 0, pointers, None, None, self._release_array, None)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        _given[ctypes.addressof(self._schema)] = _given[ctypes.addressof(self._array)] = self
        return (
            _new_capsule(ctypes.addressof(self._schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self._array), b"arrow_array", None),
        )


_given: dict[int, HostileArray] = {}
"""Those whose structs are in use, by the addresses of these."""


def _forget(struct: type[_Schema] | type[_Array], address: int) -> None:
    """Marks a struct as released; its memory is Python's."""
    struct.from_address(address).release = _Release()

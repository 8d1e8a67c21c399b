"""Keys and values of an index as Python has them, and as bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._errors import BadInput
from ._words import one_line

__all__ = ["Key", "KeyType", "Keys", "pairs_of", "value_of"]

#: A key: bytes, or an integer where the index has integer keys.
Key = bytes | int

#: What keys are: ``"bytes"`` or ``"integer"``.
KeyType = str

#: Integers are 8 bytes, the highest first, so that they sort as numbers.
_WIDTH = 8


class Keys:
    """How the keys of an index are written."""

    def __init__(self, key_type: object) -> None:
        if not isinstance(key_type, str) or key_type not in ("bytes", "integer"):
            raise BadInput(f"key_type={one_line(key_type)}: must be 'bytes' or 'integer'")
        self.key_type = key_type
        self._integers = key_type == "integer"

    def encode(self, name: str, key: object) -> bytes:
        """The bytes of a key, which is this argument."""
        if not self._integers:
            if isinstance(key, (bytes, bytearray, memoryview)):
                return bytes(key)
            raise BadInput(f"{name}={one_line(key)}: must be bytes{_remedy(key)}")
        is_whole = isinstance(key, (int, np.integer)) and not isinstance(key, bool)
        if not is_whole or not 0 <= int(key) < 1 << 64:  # type: ignore[call-overload]
            raise BadInput(f"{name}={one_line(key)}: must be an integer from 0 to 18446744073709551615")
        return int(key).to_bytes(_WIDTH, "big")  # type: ignore[call-overload, no-any-return]

    def decode(self, key: bytes) -> Any:
        """The key that these bytes are."""
        if not self._integers:
            return key
        if len(key) != _WIDTH:
            what = f"is no integer: it has {len(key)} bytes; open with key_type='bytes'"
            raise BadInput(f"the key {one_line(key)} {what}")
        return int.from_bytes(key, "big")

    def encode_all(self, keys: object) -> list[bytes] | tuple[bytes, int, bool]:
        """Many keys: a list, or an array's memory, the bytes of each, and whether zeros behind it count."""
        if isinstance(keys, np.ndarray):
            return self._encode_array(keys)
        if isinstance(keys, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(keys, Iterable):
            raise BadInput(f"keys={one_line(keys)}: must be a list or an array of keys")
        return [self.encode(f"keys[{at}]", key) for at, key in enumerate(keys)]

    def _encode_array(self, keys: np.ndarray[Any, Any]) -> tuple[bytes, int, bool]:
        if keys.ndim != 1:
            raise BadInput(f"keys: must have one dimension, not {keys.ndim}")
        if isinstance(keys, np.ma.MaskedArray):
            raise BadInput("keys: must not be a masked array; leave masked keys out with .compressed()")
        if not self._integers:
            if keys.dtype.kind != "S":
                raise BadInput(f"keys: must be an array of bytes (dtype 'S'), not {keys.dtype}")
            return keys.tobytes(), keys.dtype.itemsize, True
        if keys.dtype.kind not in "ui":
            raise BadInput(f"keys: must be an array of integers, not {keys.dtype}")
        if keys.dtype.kind == "i" and keys.size and keys.min() < 0:
            raise BadInput(f"keys[{int(np.argmax(keys < 0))}]={keys[keys < 0][0]}: must not be negative")
        return keys.astype(">u8").tobytes(), _WIDTH, False


def value_of(name: str, value: object) -> bytes:
    """The bytes of a value, which is this argument."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise BadInput(f"{name}={one_line(value)}: must be bytes{_remedy(value)}")


def pairs_of(entries: object, values: object) -> Iterable[tuple[object, object]]:
    """Keys with their values: of a mapping, of pairs, or of keys and values that are given apart."""
    if values is not None:
        keys = _listed("entries", entries)
        items = _listed("values", values)
        if len(keys) != len(items):
            raise BadInput(f"values: must be as many as keys ({len(keys)}), and there are {len(items)}")
        return zip(keys, items, strict=True)
    if isinstance(entries, Mapping):
        return entries.items()
    if isinstance(entries, (str, bytes, bytearray, memoryview, np.ndarray)) or not isinstance(
        entries, Iterable
    ):
        raise BadInput(f"entries={one_line(entries)}: must be a mapping, or pairs of a key and a value")
    return _pairs(entries)


def _listed(name: str, given: object) -> list[object]:
    if isinstance(given, np.ndarray):
        if given.ndim != 1 or given.dtype.kind not in "Sui":
            raise BadInput(f"{name}: must be an array of one dimension of bytes or integers")
        return list(given.tolist())
    if isinstance(given, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(given, Iterable):
        raise BadInput(f"{name}={one_line(given)}: must be a list or an array")
    return list(given)


def _pairs(entries: Iterable[object]) -> Iterable[tuple[object, object]]:
    for at, entry in enumerate(entries):
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise BadInput(f"entries[{at}]={one_line(entry)}: must be a key and a value")
        yield entry[0], entry[1]


def _remedy(given: object) -> str:
    return "; text.encode() makes them of text" if isinstance(given, str) else ""

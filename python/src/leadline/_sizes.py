"""Sizes: bytes, or text such as ``"64M"``, as the command line has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._errors import BadInput
from ._leadline import parse_large_size, parse_size
from ._words import one_line, text_of

__all__ = ["Size", "block_bytes", "memory_bytes", "memory_text", "size_bytes"]

#: Bytes, or text such as ``"64M"`` (powers of 1024).
Size = int | str


def size_bytes(name: str, size: Size | None) -> int | None:
    """Return the bytes of the argument `name`."""
    if size is None:
        return None
    if isinstance(size, str):
        return parse_size(name, text_of(name, size) or "")
    is_number = isinstance(size, (int, float, np.integer, np.floating)) and not isinstance(size, bool)
    if not is_number or not 0 < size < 1 << 64 or size != int(size):
        shown = one_line(size) if not isinstance(size, int) or size < 1 << 64 else "over 2^64"
        raise BadInput(f"{name}={shown}: must be a number of bytes, or text such as '64M'")
    return int(size)


def memory_bytes(memory: Size | None) -> int | None:
    """Return the bytes of the argument `memory`: a small number lacks a unit."""
    if isinstance(memory, str):
        return parse_large_size("memory", text_of("memory", memory) or "")
    given = size_bytes("memory", memory)
    return None if given is None else parse_large_size("memory", str(given))


def memory_text(memory: Size | None) -> str | None:
    """Return the argument `memory` as the command line takes it."""
    given = memory_bytes(memory)
    return None if given is None else f"{given}B"


def block_bytes(block: ArrayLike | str) -> Any:
    """Return sizes of requests as an array of bytes (uint32)."""
    try:
        sizes = np.asarray(block)
    except ValueError:  # of different lengths, or bytes among text
        raise BadInput(f"block_size={one_line(block)}: must be a size, or an array of sizes") from None
    values = [size_bytes("block_size", size) for size in np.atleast_1d(sizes).ravel().tolist()]
    if any(value is None or value >= 1 << 32 for value in values):
        raise BadInput(f"block_size={one_line(block)}: must be below 4G")
    return np.array(values, dtype=np.uint32).reshape(np.shape(block))

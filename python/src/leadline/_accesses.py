"""Traces that are in memory: page numbers, and which accesses write."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._cells import mask_of
from ._errors import BadInput
from ._leadline import MEMORY

__all__ = ["Accesses", "accesses", "yes_or_no"]

#: Page numbers, and which of the accesses write; none of the latter where all read.
Accesses = tuple[NDArray[np.uint64], NDArray[np.bool_]]


def accesses(trace: object, writes: object = None) -> tuple[object, Accesses | None]:
    """How the command line calls the trace, and what it has in memory."""
    if isinstance(trace, (str, os.PathLike)):
        if writes is not None:
            raise BadInput("writes: are for an array of pages; a trace says itself which accesses write")
        return trace, None
    pages = _column("trace", trace)
    if pages.dtype.kind not in "iu":
        raise _wrong("trace", pages, "page numbers")
    if pages.dtype.kind == "i" and pages.size and pages.min() < 0:
        place = int(np.argmax(pages < 0))
        raise BadInput(f"trace[{place}] = {pages[place]}: page numbers begin at 0")
    if writes is None:
        return MEMORY, (np.ascontiguousarray(pages, dtype=np.uint64), np.zeros(0, dtype=np.bool_))
    flags = _column("writes", writes)
    if flags.dtype != np.bool_:
        raise _wrong("writes", flags, "booleans")
    if flags.size != pages.size:
        raise BadInput(f"writes: has {flags.size} elements and the trace {pages.size}; give as many")
    return MEMORY, (np.ascontiguousarray(pages, dtype=np.uint64), np.ascontiguousarray(flags))


def yes_or_no(header: bool | str | None) -> str | None:
    """The argument `header` as the command line takes it."""
    if isinstance(header, bool):
        return "yes" if header else "no"
    return header


def _column(name: str, values: Any) -> NDArray[Any]:
    """The elements of an array, a Series, or a column of Arrow."""
    if hasattr(values, "collect") and hasattr(values, "lazy"):
        raise BadInput(f'{name}: a LazyFrame holds no numbers yet; give .collect()["COLUMN"]')
    if hasattr(values, "columns") or hasattr(values, "column_names"):
        raise BadInput(f'{name}: must be one column, not a table; give table["COLUMN"]')
    if isinstance(values, (bytes, bytearray)):
        raise BadInput(f"{name}: must be numbers, not bytes; np.frombuffer(trace, dtype) reads them")
    try:
        array = np.asanyarray(values)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name}: {error}") from None
    missing = getattr(values, "null_count", 0)
    missing = missing() if callable(missing) else missing
    if missing or mask_of(array).any():
        raise BadInput(f"{name}: elements are missing; leave out these accesses")
    array = np.asarray(array)
    if array.ndim == 1 and array.dtype.kind == "O":
        array = _of_objects(array)
    if array.ndim != 1:
        raise _wrong(name, array, "page numbers" if name == "trace" else "booleans")
    return array


def _of_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers or booleans that are objects, as pandas' nullable columns have them."""
    elements = array.tolist()
    for kind, dtype in ((bool, np.bool_), (int, np.int64)):
        if elements and all(type(element) is kind for element in elements):
            try:
                return np.array(elements, dtype=dtype)
            except OverflowError:
                return np.array(elements)
    return array


def _wrong(name: str, array: NDArray[Any], what: str) -> BadInput:
    return BadInput(f"{name}: must be a one-dimensional array of {what}, not {array.dtype} {array.shape}")

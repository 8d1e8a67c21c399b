"""Buffer pools: what a replacement policy, batched write-back and a cleaner cost over a trace."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._command import run
from ._errors import BadInput
from ._leadline import MEMORY
from ._profile import Profile
from ._progress import Progress
from ._table import Table

__all__ = ["simulate"]


def simulate(
    trace: str | os.PathLike[str] | ArrayLike,
    writes: ArrayLike | None = None,
    *,
    frames: ArrayLike | None = None,
    cache_bytes: object = None,
    policy: object = "lru",
    ace: object = "off",
    device: str | None = None,
    profile: Profile | None = None,
    progress: Progress = False,
    **options: object,
) -> Table:
    """Run a trace through simulated buffer pools; several values of arguments are swept in all combinations.

    Parameters
    ----------
    trace
        A file, ``gen:NAME``, or an array with the number of the page of each access.
    writes
        For an array: which of the accesses change their page (booleans); None for reads only.
    frames
        Size of the pool, pages.
    cache_bytes
        Instead of `frames`, for a trace whose objects have sizes: bytes that the cache holds, such as
        ``"64M"``. The columns ``objects_miss_ratio`` and ``objects_byte_miss_ratio`` are there with either.
    policy
        Replacement policies: names, or ``"all"``.
    ace
        What is written back when the victim is dirty: ``"off"`` (the victim alone), ``"cow"``, ``"cow-x"``,
        ``"cow-e"``, ``"cow-x-e"``, or ``"all"``.
    device
        Time it on a simulated device: ``sim:NAME``, or ``device:NAME`` (from published numbers). Without one,
        pages are counted and nothing is timed.
    profile
        Write back as many pages at once as this device takes (k_w).
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.
    **options
        The others of ``leadline pool simulate``: ``n``, ``cleaner``, ``clients``, ``page_bytes``,
        ``read_share``, ``alpha_1``, ``threads``, ``output`` (a page).

    Returns
    -------
    Table
        A row for each pool: its settings, ``operations``, ``misses``, ``miss_ratio``, ``writes``,
        ``batches``, ``seconds`` (NaN without a device) and others. ``info["notes"]`` has what was assumed.

    Examples
    --------
    >>> import numpy as np
    >>> from leadline import pool
    >>> pages = np.array([1, 2, 3, 1, 2, 3, 4, 1])
    >>> t = pool.simulate(pages, pages == 1, frames=[2, 3], policy=["lru", "fifo"])
    >>> t["misses"].tolist(), t["frames"].tolist()
    ([8, 8, 5, 5], [2, 2, 3, 3])
    """
    size = {"frames": frames, "cache_bytes": cache_bytes}
    given = {**size, "policy": policy, "ace": ace, "device": device, **options}
    name, arrays = _named(trace, writes)
    if profile is None:
        document, notes = run("pool simulate", name, options=given, progress=progress, trace=arrays)
    else:
        profile._refuse_to_replace(options.get("output"))
        with profile._as_argument() as path:
            given["profile"] = path
            document, notes = run("pool simulate", name, options=given, progress=progress, trace=arrays)
    return _table(document.get("cells", [document]), notes)


def _named(trace: object, writes: ArrayLike | None) -> tuple[object, tuple[Any, Any] | None]:
    """How the command line calls the trace, and what it has in memory."""
    if isinstance(trace, (str, os.PathLike)):
        if writes is not None:
            raise BadInput("writes: are for an array of pages; a trace says itself which accesses write")
        return trace, None
    pages = np.asarray(trace)
    if pages.ndim != 1 or pages.dtype.kind not in "iu":
        raise BadInput(
            f"trace: must be a one-dimensional array of page numbers, not {pages.dtype} {pages.shape}"
        )
    if pages.dtype.kind == "i" and pages.size and pages.min() < 0:
        place = int(np.argmax(pages < 0))
        raise BadInput(f"trace[{place}] = {pages[place]}: page numbers begin at 0")
    flags = np.zeros(0, dtype=np.bool_) if writes is None else np.asarray(writes)
    if flags.ndim != 1 or flags.dtype != np.bool_:
        raise BadInput(
            f"writes: must be a one-dimensional array of booleans, not {flags.dtype} {flags.shape}"
        )
    if writes is not None and flags.size != pages.size:
        raise BadInput(f"writes: has {flags.size} elements and the trace {pages.size}; give as many")
    return MEMORY, (np.ascontiguousarray(pages, dtype=np.uint64), np.ascontiguousarray(flags))


def _table(cells: list[dict[str, Any]], notes: list[str]) -> Table:
    """A row for each pool; what is nested gets the names of both, such as ``latency_us_p99``."""
    rows = [_flat(cell) for cell in cells]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns: dict[str, Any] = {}
    for name in names:
        values = [row.get(name) for row in rows]
        if all(isinstance(value, bool) for value in values):
            columns[name] = np.array(values, dtype=np.bool_)
        elif all(isinstance(value, int) for value in values):
            columns[name] = np.array(values, dtype=np.int64)
        elif all(value is None or isinstance(value, (int, float)) for value in values):
            columns[name] = np.array(
                [np.nan if value is None else value for value in values], dtype=np.float64
            )
        else:
            columns[name] = [None if value is None else str(value) for value in values]
    if rows:
        columns["miss_ratio"] = columns["misses"] / np.maximum(columns["operations"], 1)
    return Table(columns, {"notes": notes, "cells": cells})


def _flat(cell: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in cell.items():
        if isinstance(value, dict):
            flat.update({f"{name}_{key}": part for key, part in value.items()})
        else:
            flat[name] = value
    return flat

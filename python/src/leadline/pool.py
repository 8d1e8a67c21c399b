"""Buffer pools: what a replacement policy, batched write-back and a cleaner cost over a trace."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._accesses import accesses, yes_or_no
from ._command import run
from ._documents import columns_of
from ._errors import BadInput
from ._pool_replay import replay
from ._profiled import ProfileLike, named
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["replay", "simulate"]

_Path = str | os.PathLike[str]


@renamed(cache_bytes="cache_size", page_bytes="page_size", output="report")
def simulate(
    trace: _Path | ArrayLike,
    writes: ArrayLike | None = None,
    *,
    format: str | None = None,
    policy: str | Sequence[str] | None = None,
    ace: str | Sequence[str] | None = None,
    n: str | ArrayLike | None = None,
    cleaner: str | ArrayLike | None = None,
    clients: ArrayLike | None = None,
    frames: ArrayLike | None = None,
    cache_size: Size | Sequence[Size] | None = None,
    page_size: Size | None = None,
    device: _Path | None = None,
    profile: ProfileLike | None = None,
    read_share: str | ArrayLike | None = None,
    alpha_1: ArrayLike | None = None,
    threads: int | None = None,
    report: _Path | None = None,
    columns: str | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: bool | str | None = None,
    skip: int | None = None,
    comment: str | None = None,
    progress: Progress = False,
) -> Table:
    """Run a trace through simulated buffer pools; several values of arguments are swept in all combinations.

    Parameters
    ----------
    trace
        A file, ``gen:NAME``, or an array, Series or Arrow column with the number of the page of each access.
    writes
        For an array: which of the accesses change their page (booleans); None for reads only.
    format
        Format of a file, where neither its ending nor its content tells.
    policy
        Replacement policies: names, or ``"all"``; ``"lru"`` by default.
    ace
        What is written back when the victim is dirty: ``"off"`` (the victim alone, the default), ``"cow"``,
        ``"cow-x"``, ``"cow-e"``, ``"cow-x-e"``, or ``"all"``.
    n
        Pages written at once: numbers from 1 to 32768, ``"auto"`` (as many as the device or profile takes;
        the default where one is given, else 8) or ``"adaptive"`` (found by watching the device).
    cleaner
        Background cleaner: ``"off"`` (the default), writes in flight from 1 to 32768, or ``"auto"``.
    clients
        Clients that take the trace's operations in turn, from 1 (the default) to 4096.
    frames
        Size of the pool, pages: whole numbers, of which ``np.geomspace(100, 10_000, 9).round()`` makes nine.
    cache_size
        Instead of `frames`, for a trace whose objects have sizes: bytes that the cache holds, such as
        ``"64M"``. The columns ``objects_miss_ratio`` and ``objects_byte_miss_ratio`` are there with either.
    page_size
        Size of a page, bytes or text; 4K by default.
    device
        Time it on a simulated device: ``sim:NAME``, or ``device:NAME`` (from published numbers). Without one,
        pages are counted and nothing is timed.
    profile
        Write back as many pages at once as this device takes (k_w_90); a profile, or its file.
    read_share
        Of generated traces: operations that read, percent, such as ``[10, 50, 90]`` or ``"0.5%"``.
    alpha_1
        Scale the device's write times so that a write alone takes as long as this number of reads, 0.01 to
        1000.
    threads
        Pools simulated at the same time; one per processor by default.
    report
        Also write a page (HTML) with charts to this file, which is replaced if it exists.
    columns, timestamp_unit, delimiter, header, skip, comment
        How text in no known format is read: see :func:`leadline.trace.open`.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Table
        A row for each pool: its settings, ``operations``, ``misses``, ``miss_ratio`` (0 to 1), ``writes``,
        ``batches``; with a device ``seconds`` (NaN without) and ``latency_mean_us``, ``latency_p99_us`` and
        others. ``info["cells"]`` has the pools as the command line prints them, ``notes`` what was assumed.

    Raises
    ------
    BadInput
        An argument cannot be used, or the trace holds no request.

    Examples
    --------
    >>> import numpy as np
    >>> from leadline import pool
    >>> pages = np.array([1, 2, 3, 1, 2, 3, 4, 1])
    >>> t = pool.simulate(pages, pages == 1, frames=[2, 3], policy=["lru", "fifo"])
    >>> t["misses"].tolist(), t["frames"].tolist()
    ([8, 8, 5, 5], [2, 2, 3, 3])
    """
    given = {
        "format": format,
        "policy": policy,
        "ace": ace,
        "n": _whole("n", n),
        "cleaner": _whole("cleaner", cleaner),
        "clients": _whole("clients", clients),
        "frames": _whole("frames", frames),
        "cache_size": cache_size,
        "page_size": page_size,
        "device": device,
        "read_share": _percent(read_share),
        "alpha_1": _several(alpha_1),
        "threads": threads,
        "report": report,
        "columns": columns,
        "timestamp_unit": timestamp_unit,
        "delimiter": delimiter,
        "header": yes_or_no(header),
        "skip": skip,
        "comment": comment,
    }
    name, arrays = accesses(trace, writes)
    with named(profile, [report]) as (file, known_as):
        document, notes = run(
            "pool simulate",
            name,
            options={**given, "profile": file},
            progress=progress,
            trace=arrays,
            called={str(file): known_as},
        )
    return _table(document.get("cells", [document]), notes)


def _table(cells: list[dict[str, Any]], notes: list[str]) -> Table:
    """A row for each pool."""
    columns = columns_of(cells, groups=("latency_us", "objects", "wear"))
    if cells:
        columns["miss_ratio"] = columns["misses"] / np.maximum(columns["operations"], 1)
    return Table(columns, {"cells": cells}, notes)


def _several(values: Any) -> Any:
    """The numbers of an array of any shape, of a Series or of another sequence; or what was given."""
    if isinstance(values, np.ndarray):
        return values.ravel().tolist()
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping, os.PathLike)):
        return list(values)
    return values


def _whole(name: str, values: Any) -> Any:
    """Whole numbers, also where they are floats; what is no number is left to the command."""
    several = _several(values)
    for value in several if isinstance(several, list) else [several]:
        if isinstance(value, (float, np.floating)) and not value.is_integer():
            raise BadInput(f"{name}={value:g}: must be a whole number; np.round makes it one")
    if isinstance(several, list) and not several:
        raise BadInput(f"{name}: is empty; name a value, or leave it out")
    return several


def _percent(values: Any) -> Any:
    """Percents; what looks like a share of 1 can be read in two ways."""
    several = _several(values)
    for value in several if isinstance(several, list) else [several]:
        if isinstance(value, (float, np.floating)) and 0 < value < 1:
            raise BadInput(
                f"read_share={value:g}: is less than one percent, or a share; write {100 * value:g} for a "
                f'share of {value:g}, "{value:g}%" for that many percent'
            )
    return several

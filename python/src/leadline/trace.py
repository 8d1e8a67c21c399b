"""Traces: what programs asked of storage.

A trace is the path of a file (compressed or not), or a generator such as ``"gen:paper-ms?ops=1000"``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._command import run, text
from ._leadline import TraceReader
from ._progress import Progress
from ._table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["info", "miss_ratios", "open", "plot_miss_ratios"]


def open(
    trace: str | os.PathLike[str],
    *,
    format: str | None = None,
    batch: int = 65536,
    columns: str | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: str | None = None,
    skip: int = 0,
    comment: str | None = None,
) -> Iterator[Table]:
    """Iterate over a trace, `batch` requests at a time; memory does not grow with the trace.

    Parameters
    ----------
    trace
        A file, or ``gen:NAME``.
    format
        Its format, where neither its ending nor its content tells.
    batch
        Requests per table.
    columns
        Of text in no known format, what each column holds, such as
        ``"time:us,op,offset:sectors,size:bytes,volume"`` (docs/trace-formats.md, Columns).
    timestamp_unit
        Unit of the column ``time``: ``"s"``, ``"ms"``, ``"us"``, ``"ticks"`` or ``"ns"``.
    delimiter, header, skip, comment
        What separates columns, whether the first line names them (``"yes"`` or ``"no"``), lines to pass over
        at the beginning, and what comments begin with (or ``"none"``); told from the first lines by default.

    Yields
    ------
    Table
        ``at_ns`` (nanoseconds since the first request; 0 where the trace has no times), ``volume``,
        ``write``, ``address`` and ``length`` (both in pages or bytes: ``info["unit"]``), and
        ``object_bytes`` where each page is an object of its own size.

    Examples
    --------
    >>> from leadline import trace
    >>> sum(len(batch) for batch in trace.open("gen:paper-ms?ops=1000", batch=300))
    1000
    """
    dialect = (delimiter, header, skip, comment)
    reader = TraceReader(text(trace), format, batch, columns, timestamp_unit, dialect)
    return (Table(columns, {"unit": reader.unit}) for columns in reader)


def info(trace: str | os.PathLike[str], *, progress: Progress = False, **options: object) -> dict[str, Any]:
    """Describe a trace: sizes, footprint, reuse, hot pages, miss ratios of LRU caches.

    Parameters
    ----------
    trace
        A file, or ``gen:NAME``.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.
    **options
        Those of ``leadline trace info``: ``page_bytes="16K"``, ``by="file"``, ``strict=True``,
        ``columns="time:us,op,page"`` and so on.

    Returns
    -------
    dict
        The document that ``leadline trace info --json`` prints, and in ``notes`` its messages: lines that
        were skipped, for one.

    Examples
    --------
    >>> from leadline import trace
    >>> trace.info("gen:paper-ms?ops=1000")["requests"]["count"]
    1000
    """
    document, notes = run("trace info", trace, options=options, progress=progress)
    return {**document, "notes": notes}


def miss_ratios(trace: str | os.PathLike[str], **options: Any) -> Table:
    """Return the miss ratio of LRU caches of every size, from one pass over the trace.

    Returns
    -------
    Table
        ``pages`` (size of the cache) and ``miss_ratio`` (0 to 1).

    Examples
    --------
    >>> from leadline import trace
    >>> curve = trace.miss_ratios("gen:paper-ms?ops=1000")
    >>> bool(curve["miss_ratio"][0] >= curve["miss_ratio"][-1])
    True
    """
    document = info(trace, **options)
    curve = np.array(document["reuse"]["lru_miss_ratios"], dtype=np.float64).reshape(-1, 2)
    return Table({"pages": curve[:, 0], "miss_ratio": curve[:, 1]}, document)


def plot_miss_ratios(trace: str | os.PathLike[str], ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the miss ratio of LRU caches over their size (needs Matplotlib)."""
    from ._plot import miss_ratio_curve

    return miss_ratio_curve(miss_ratios(trace, **options), ax, label=text(trace))

"""Traces: what programs asked of storage.

A trace is the path of a file (compressed or not), or a generator such as ``"gen:paper-ms?ops=1000"``. Where
memory holds one, it is an array with the number of the page of each access.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._accesses import accesses, yes_or_no
from ._capture import Capture, capture
from ._command import run, text
from ._errors import BadInput
from ._leadline import TraceReader
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table
from ._traces import convert, generate, generators, predict, replay
from ._words import count_of, one_line, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Capture",
    "capture",
    "convert",
    "generate",
    "generators",
    "info",
    "miss_ratios",
    "open",
    "plot_miss_ratios",
    "predict",
    "replay",
]

_Trace = str | os.PathLike[str] | ArrayLike


def open(
    trace: str | os.PathLike[str],
    *,
    format: str | None = None,
    batch: int = 65536,
    columns: str | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: bool | str | None = None,
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
        ``"time:us,op,offset:sectors,size:bytes,volume"`` (``leadline docs trace-formats``, Columns).
    timestamp_unit
        Unit of the column ``time``: ``"s"``, ``"ms"``, ``"us"``, ``"ticks"`` or ``"ns"``.
    delimiter, header, skip, comment
        What separates columns, whether the first line names them, lines to pass over at the beginning, and
        what comments begin with (or ``"none"``); told from the first lines by default.

    Yields
    ------
    Table
        ``at_ns`` (nanoseconds since the first request; 0 where the trace has no times), ``volume``,
        ``write``, ``address`` and ``length`` (both in pages or bytes: ``info["unit"]``), and
        ``object_bytes`` where each page is an object of its own size.

    Raises
    ------
    BadInput
        There is no such trace, or its format or columns leave a doubt; or a line of it cannot be read.

    Examples
    --------
    >>> from leadline import trace
    >>> sum(len(batch) for batch in trace.open("gen:paper-ms?ops=1000", batch=300))
    1000
    """
    given: object = trace
    if not isinstance(given, (str, os.PathLike)):
        what = type(given).__name__
        raise BadInput(f"trace: must be a file or gen:NAME, not {what}; an array is open already")
    reader = TraceReader(
        text(trace),
        text_of("format", format),
        count_of("batch", batch, 1),
        text_of("columns", columns),
        text_of("timestamp_unit", timestamp_unit),
        (
            text_of("delimiter", delimiter),
            text_of("header", yes_or_no(header)),
            count_of("skip", skip),
            text_of("comment", comment),
        ),
    )
    return (Table(columns, {"unit": reader.unit}) for columns in reader)


@renamed(page_bytes="page_size", output="report")
def info(
    trace: _Trace,
    writes: ArrayLike | None = None,
    *,
    format: str | None = None,
    by: str | None = None,
    page_size: Size | None = None,
    extent: Size | None = None,
    sample_pages: int | str | None = None,
    strict: bool = False,
    report: str | os.PathLike[str] | None = None,
    columns: str | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: bool | str | None = None,
    skip: int | None = None,
    comment: str | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Describe a trace: sizes, footprint, reuse, hot pages, miss ratios of LRU caches.

    Parameters
    ----------
    trace
        A file, ``gen:NAME``, or an array, Series or Arrow column with the number of the page of each access.
    writes
        For an array: which of the accesses write (booleans); None for reads only.
    format
        Format of a file, where neither its ending nor its content tells.
    by
        ``"file"`` tells files apart: what was asked of each.
    page_size
        Size of a page, bytes or text; 4K by default, with `by` 16K.
    extent
        With `by`: what the database reads ahead at once, at least four pages; 1M by default.
    sample_pages
        Track the reuse of up to this number of distinct pages exactly, of more by a sample; 1M by default.
    strict
        Fail at the first line that is not a request, instead of skipping it.
    report
        Also write a page (HTML) with the curves to this file, which is replaced if it exists.
    columns, timestamp_unit, delimiter, header, skip, comment
        How text in no known format is read: see :func:`open`.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    dict
        The document that ``leadline trace info --json`` prints, and in ``notes`` its messages: lines that
        were skipped, for one.

    Raises
    ------
    BadInput
        The trace cannot be read or holds no request, or an argument cannot be used.

    Examples
    --------
    >>> from leadline import trace
    >>> trace.info("gen:paper-ms?ops=1000")["requests"]["count"]
    1000
    >>> trace.info([1, 2, 1])["accesses"]
    3
    """
    name, arrays = accesses(trace, writes)
    if arrays is not None and by is not None:
        raise BadInput(f"by={one_line(by)}: an array has no files to tell apart; give the trace as a file")
    options = {
        "format": format,
        "by": by,
        "page_size": page_size,
        "extent": extent,
        "sample_pages": sample_pages,
        "strict": strict,
        "report": report,
        "columns": columns,
        "timestamp_unit": timestamp_unit,
        "delimiter": delimiter,
        "header": yes_or_no(header),
        "skip": skip,
        "comment": comment,
    }
    document, notes = run("trace info", name, options=options, progress=progress, trace=arrays)
    return {**document, "notes": notes}


@renamed(page_bytes="page_size")
def miss_ratios(
    trace: _Trace,
    *,
    format: str | None = None,
    page_size: Size | None = None,
    sample_pages: int | str | None = None,
    strict: bool = False,
    columns: str | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: bool | str | None = None,
    skip: int | None = None,
    comment: str | None = None,
    progress: Progress = False,
) -> Table:
    """Return the miss ratio of LRU caches of every size, from one pass over the trace.

    Parameters
    ----------
    trace
        A file, ``gen:NAME``, or an array, Series or Arrow column with the number of the page of each access.
    format, page_size, sample_pages, strict, columns, timestamp_unit, delimiter, header, skip, comment
        As for :func:`info`.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Table
        ``pages`` (size of the cache) and ``miss_ratio`` (0 to 1). ``info`` describes the trace, and ``notes``
        has what was skipped.

    Raises
    ------
    BadInput
        As for :func:`info`.

    Examples
    --------
    >>> from leadline import trace
    >>> curve = trace.miss_ratios("gen:paper-ms?ops=1000")
    >>> bool(curve["miss_ratio"][0] >= curve["miss_ratio"][-1])
    True
    >>> trace.miss_ratios([1, 2, 1, 2])["miss_ratio"].tolist()
    [1.0, 0.5]
    """
    document = info(
        trace,
        format=format,
        page_size=page_size,
        sample_pages=sample_pages,
        strict=strict,
        columns=columns,
        timestamp_unit=timestamp_unit,
        delimiter=delimiter,
        header=header,
        skip=skip,
        comment=comment,
        progress=progress,
    )
    curve = np.array(document["reuse"]["lru_miss_ratios"], dtype=np.float64).reshape(-1, 2)
    notes = document.pop("notes")
    return Table({"pages": curve[:, 0], "miss_ratio": curve[:, 1]}, document, notes)


def plot_miss_ratios(trace: _Trace | Table, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the miss ratio of LRU caches over their size (needs Matplotlib).

    Parameters
    ----------
    trace
        As for :func:`miss_ratios`, or what that returned.
    ax
        Where to; new axes by default.
    **options
        Further arguments of :func:`miss_ratios`.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    BadInput
        As for :func:`info`.

    Examples
    --------
    >>> from leadline import trace
    >>> trace.plot_miss_ratios([1, 2, 1, 2]).get_ylabel()
    'miss ratio'
    """
    from ._plot import miss_ratio_curve

    curve = trace if isinstance(trace, Table) else miss_ratios(trace, **options)
    label = text(trace) if isinstance(trace, (str, os.PathLike)) else None
    return miss_ratio_curve(curve, ax, label=label)

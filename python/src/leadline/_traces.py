"""Traces replayed, predicted, made and converted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from ._command import run
from ._documents import columns_of
from ._errors import BadInput
from ._profiled import Path, ProfileLike, named
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["convert", "generate", "generators", "predict", "replay"]


@renamed(page_bytes="page_size", output="report")
def replay(
    trace: Path,
    target: Path,
    *,
    format: str | None = None,
    pace: str | None = None,
    page_size: Size | None = None,
    limit: int | None = None,
    size: Size | None = None,
    engine: str | None = None,
    destructive: bool = False,
    reads_only: bool = False,
    keep_scratch: bool = False,
    buffered: bool = False,
    strict: bool = False,
    report: Path | None = None,
    columns: str | Sequence[str] | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: bool | str | None = None,
    skip: int | None = None,
    comment: str | None = None,
    progress: Progress = False,
) -> Table:
    """Replay a trace on a device, real or simulated, at its own pace or as fast as the device answers.

    Parameters
    ----------
    trace
        A file, or ``gen:NAME``.
    target
        A directory (a scratch file is made in it and removed), a file, a block device (only read, unless
        ``destructive=True``), or ``sim:NAME``.
    format
        Format of the trace; recognised by its ending by default, else by its content.
    pace
        When requests start: ``"recorded"`` (the default where the trace has times), ``"xN"`` (N times as
        fast) or ``"closed:K"`` (K in flight at any time).
    page_size
        Size of a page, 512 to 16M, for traces of page numbers; 4K by default.
    limit
        Stop after this number of requests of the trace, at least 1.
    size
        Size of the scratch file or of the region used, bytes or text; a tenth of the free space by default,
        at most 1G; all of a simulated device.
    engine
        How requests reach the kernel: ``"io_uring"`` or ``"psync"``.
    destructive
        Allow a block device that is not in use to be overwritten.
    reads_only
        Replay only the trace's reads.
    keep_scratch
        Keep the scratch file, which can be the target of the next run.
    buffered
        Go through the page cache; much of what is timed is then memory.
    strict
        Fail at the first line that is not a request, instead of skipping it.
    report
        Also write a page (HTML) with the curves to this file.
    columns
        Of text in no known format, what each column holds, as in :func:`leadline.trace.open`.
    timestamp_unit, delimiter, header, skip, comment
        As in :func:`leadline.trace.open`.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Table
        Rows ``read``, ``write`` and ``all`` (``op``): ``requests``, ``bytes`` and latencies in microseconds,
        ``latency_mean_us``, ``latency_p50_us``, ``latency_p99_us``, ``latency_p99.9_us`` and others.
        ``info`` has ``seconds``, histograms, how it went over time and what was changed to fit the device.

    Raises
    ------
    BadInput
        The trace or the target cannot be used.
    Failed
        The device failed, or the disk is full.

    Examples
    --------
    >>> from leadline import trace
    >>> t = trace.replay("gen:paper-ms?ops=1000", "sim:flash")
    >>> t["op"].tolist(), t["requests"].tolist()
    (['read', 'write', 'all'], [479, 521, 1000])
    """
    options = {
        "format": format,
        "pace": pace,
        "page_size": page_size,
        "limit": limit,
        "size": size,
        "engine": engine,
        "destructive": destructive,
        "reads_only": reads_only,
        "keep_scratch": keep_scratch,
        "buffered": buffered,
        "strict": strict,
        "report": report,
        "columns": columns,
        "timestamp_unit": timestamp_unit,
        "delimiter": delimiter,
        "header": header,
        "skip": skip,
        "comment": comment,
    }
    document, notes = run("trace replay", trace, target, options=options, progress=progress)
    kinds = (("read", "reads"), ("write", "writes"), ("all", "all"))
    rows = [_latencies(op, document[key]) for op, key in kinds]
    return Table(columns_of(rows, groups=["latency_us"]), document, notes)


def _latencies(op: str, of: Mapping[str, Any]) -> dict[str, Any]:
    counts = {"op": op, "requests": of["requests"], "bytes": of["bytes"]}
    return {**counts, "latency_us": of["latency"]}


def predict(trace: Path, *devices: ProfileLike) -> Table:
    """Predict how long what a trace recorded would take on other devices.

    Parameters
    ----------
    trace
        A capture: what ``leadline trace capture`` or ``leadline emulate --trace`` recorded.
    *devices
        The devices, of which the first one is what others are faster than: profiles, files of profiles,
        ``"sim:NAME"``, ``"device:NAME"``.

    Returns
    -------
    Table
        A row for each device: ``device``, ``total_seconds``, ``io_seconds``, ``computing_seconds`` and
        ``speedup``. ``info["recorded"]`` has the times of the recording.

    Raises
    ------
    BadInput
        The trace is no capture, a device cannot be used, or there is none.

    Examples
    --------
    >>> from leadline import trace
    >>> trace.predict("gen:paper-ms", "sim:flash")  # captures only
    Traceback (most recent call last):
    leadline.BadInput: gen:paper-ms: ...
    """
    if not devices:
        raise BadInput("devices: name at least one")
    with ExitStack() as stack:
        given = [stack.enter_context(named(device, argument="devices")) for device in devices]
        called = {str(name): known_as for name, known_as in given}
        document, notes = run("trace predict", trace, *[name for name, _ in given], called=called)
    for row, (_, known_as) in zip(document["devices"], given, strict=True):
        row["device"] = known_as
    return Table(columns_of(document["devices"]), document, notes)


@renamed(from_="format", page_bytes="page_size")
def convert(
    trace: Path,
    output: Path,
    *,
    format: str | None = None,
    to: str | None = None,
    page_size: Size | None = None,
    skip_bad: bool = False,
    columns: str | Sequence[str] | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: bool | str | None = None,
    skip: int | None = None,
    comment: str | None = None,
) -> dict[str, Any]:
    """Convert a trace to another format.

    Parameters
    ----------
    trace
        A file, or ``gen:NAME``.
    output
        The file to write, which is replaced if it exists; an ending .gz, .bz2, .zst or .xz compresses it.
    format
        Format of `trace`; recognised by its ending by default, else by its content.
    to
        Format of `output`: ``"pages"``, ``"msr"``, ``"spc"``, ``"oraclegeneral"`` or ``"fio"``; by its ending
        by default.
    page_size
        Size of a page, 512 to 16M, to convert between page numbers and bytes; 4K by default.
    skip_bad
        Skip lines that are not requests, and count them.
    columns
        Of text in no known format, what each column holds, as in :func:`leadline.trace.open`.
    timestamp_unit, delimiter, header, skip, comment
        As in :func:`leadline.trace.open`.

    Returns
    -------
    dict
        ``requests`` (how many were written), ``skipped`` (lines), ``times_lost`` and ``writes_lost`` (what
        the format cannot keep), ``format``, ``output`` and ``notes``.

    Raises
    ------
    BadInput
        The trace cannot be read, or the ending does not tell the format.

    Examples
    --------
    >>> from leadline import trace
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     trace.convert("gen:paper-ms?ops=1000", Path(folder, "ms.iolog"))["requests"]
    1000
    """
    options = {
        "format": format,
        "to": to,
        "page_size": page_size,
        "skip_bad": skip_bad,
        "columns": columns,
        "timestamp_unit": timestamp_unit,
        "delimiter": delimiter,
        "header": header,
        "skip": skip,
        "comment": comment,
    }
    document, notes = run("trace convert", trace, output, options=options)
    return {**document, "notes": notes}


@renamed(page_bytes="page_size")
def generate(
    generator: str,
    output: Path,
    *,
    format: str | None = None,
    page_size: Size | None = None,
) -> dict[str, Any]:
    """Write a generated trace to a file; where a trace is read, its name alone will do.

    Parameters
    ----------
    generator
        ``"gen:NAME"`` or ``"gen:NAME?key=value&key=value"``: see :func:`generators`.
    output
        The file to write, which is replaced if it exists; an ending .gz, .bz2, .zst or .xz compresses it.
    format
        ``"pages"``, ``"msr"``, ``"spc"``, ``"oraclegeneral"`` or ``"fio"``; by the ending by default, else
        pages.
    page_size
        Size of a page, 512 to 16M, for formats that count bytes; 4K by default.

    Returns
    -------
    dict
        As of :func:`convert`.

    Raises
    ------
    BadInput
        There is no such generator, or the file cannot be made.

    Examples
    --------
    >>> from leadline import trace
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     trace.generate("gen:zipf?ops=500", Path(folder, "z.pages"))["requests"]
    500
    """
    options = {"output": output, "format": format, "page_size": page_size}
    document, notes = run("trace generate", generator, options=options)
    return {**document, "notes": notes}


def generators() -> Table:
    """List the generators of traces.

    Returns
    -------
    Table
        ``name`` (``gen:NAME``), ``about`` and ``options`` (keys with their defaults, JSON).

    Examples
    --------
    >>> from leadline import trace
    >>> "gen:zipf" in trace.generators()["name"].tolist()
    True
    """
    document, notes = run("trace generate", options={"list": True})
    columns = columns_of(document["generators"], only=["name", "about"])
    columns["options"] = [json.dumps(one["options"]) for one in document["generators"]]
    return Table(columns, document, notes)

"""Tables on a little fast storage, or the fast storage as a block cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._command import run
from ._documents import columns_of
from ._errors import BadInput
from ._profiled import Path, ProfileLike, named, paths_of
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["place"]


@renamed(block="block_size", output="report")
def place(
    traces: Path | Sequence[Path],
    *,
    fast: ProfileLike,
    slow: ProfileLike,
    fast_size: Size | Sequence[Size] | None = None,
    weights: str | Mapping[str, float] | None = None,
    migration: str | None = None,
    block_size: Size | None = None,
    report: Path | None = None,
    progress: Progress = False,
) -> Table:
    """Say what a little fast storage is best used for: tables placed on it, a block cache, or neither.

    Parameters
    ----------
    traces
        Captures of queries, which are called as their files.
    fast, slow
        The fast device, and the slow one on which everything else is: a profile, the file of one,
        ``"sim:NAME"`` or ``"device:NAME"``.
    fast_size
        Sizes of the fast device, bytes or text such as ``["64M", "1G"]``; eight by default, up to the size of
        all files.
    weights
        How often each query runs, 0 to 1e9: ``{"q3": 10, "q10": 1}``; once by default.
    migration
        When files that are placed are copied to the fast device: ``"once"`` (the default), or
        ``"per-query"``, before each run of a query.
    block_size
        Size of a cached block, bytes or text, a power of two from 512 to 16M; 16K by default.
    report
        Also write a page (HTML) with the curves to this file.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Table
        A row for each size of the fast device: ``fast_bytes``, ``choice`` (``"placement"``, ``"cache"`` or
        ``"neither"``), ``placed_seconds`` (the best files on it), ``placed_files``, ``cached_seconds``,
        ``cached_policy`` and ``cached_admission`` (the best cache), ``slow_seconds`` (everything on the slow
        device) and ``words`` (a sentence). ``info`` has each query and every choice.

    Raises
    ------
    BadInput
        A trace is no capture, a query is none of them, or a device cannot be used.

    Examples
    --------
    >>> import leadline
    >>> leadline.place("gen:paper-ms", fast="sim:optane", slow="sim:sata")  # captures only
    Traceback (most recent call last):
    leadline.BadInput: gen:paper-ms: ...
    """
    several = paths_of(traces)
    if not several:
        raise BadInput("traces: name at least one")
    with (
        named(fast, [report], "fast") as (quick, fast_name),
        named(slow, [report], "slow") as (large, slow_name),
    ):
        options = {
            "fast": quick,
            "slow": large,
            "fast_size": fast_size,
            "weights": weights,
            "migration": migration,
            "block_size": block_size,
            "report": report,
        }
        called = {str(quick): fast_name, str(large): slow_name}
        document, notes = run("place", *several, options=options, progress=progress, called=called)
    files = [file["name"] for file in document["files"]]
    slow_seconds = document["all"]["slow_seconds"]
    rows = [{**_choice(size, files), "slow_seconds": slow_seconds} for size in document["all"]["sizes"]]
    placed = ["fast_bytes", "choice", "placed_seconds", "placed_files"]
    cached = ["cached_seconds", "cached_policy", "cached_admission"]
    columns = columns_of(rows, only=[*placed, *cached, "slow_seconds", "words"])
    return Table(columns, document, [*document["notes"], *notes])


def _choice(size: dict[str, Any], files: list[str]) -> dict[str, Any]:
    """What is best of both uses at one size."""
    row = {name: size[name] for name in ("fast_bytes", "choice", "words")}
    if size["placed"]:
        placed = min(size["placed"], key=lambda one: float(one["seconds"]))
        row["placed_seconds"] = placed["seconds"]
        row["placed_files"] = ", ".join(files[file] for file in placed["files"])
    if size["cached"]:
        cached = min(size["cached"], key=lambda one: float(one["seconds"]))
        row |= {f"cached_{name}": cached[name] for name in ("seconds", "policy", "admission")}
    return row

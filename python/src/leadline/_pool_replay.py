"""A trace on the real buffer pool and a real device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._command import run
from ._profiled import Path, ProfileLike, named
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size

__all__ = ["replay"]


@renamed(page_bytes="page_size")
def replay(
    trace: Path,
    target: Path,
    *,
    frames: int,
    format: str | None = None,
    policy: str | None = None,
    ace: str | None = None,
    n: int | str | None = None,
    cleaner: int | str | None = None,
    clients: int | None = None,
    page_size: Size | None = None,
    profile: ProfileLike | None = None,
    limit: int | None = None,
    checksums: bool = False,
    no_verify: bool = False,
    destructive: bool = False,
    columns: str | Sequence[str] | None = None,
    timestamp_unit: str | None = None,
    delimiter: str | None = None,
    header: bool | str | None = None,
    skip: int | None = None,
    comment: str | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Replay a trace on the real buffer pool and a real device, and verify what it wrote.

    Parameters
    ----------
    trace
        A file, or ``gen:NAME``; it is read twice.
    target
        A directory (a scratch file is made in it and removed), a scratch file that was kept, or a block
        device with ``destructive=True``.
    frames
        Size of the pool, pages, 1 to 2^29.
    format
        Format of the trace; recognised by its ending by default, else by its content.
    policy
        Replacement policy; ``"lru"`` by default.
    ace
        What is written back when the victim is dirty: ``"off"`` (the victim alone, the default), ``"cow"``,
        ``"cow-x"``, ``"cow-e"``, ``"cow-x-e"``.
    n
        Pages written at once: 1 to 32768, ``"auto"`` (what the profile says) or ``"adaptive"`` (found by
        watching the device); ``"auto"`` with `profile` by default, else 8.
    cleaner
        Background cleaner: ``"off"`` (the default), a number of writes in flight, 1 to 32768, or ``"auto"``.
    clients
        Threads that carry out the trace's operations; 1 by default.
    page_size
        Size of a page, 4K to 64K; 4K by default.
    profile
        A profile, the file of one or ``"device:NAME"``, which says how many pages to write at once.
    limit
        Stop after this number of operations, at least 1.
    checksums
        Write a checksum with each page, and verify it when the page is read.
    no_verify
        Do not read all pages back at the end; each access is still checked.
    destructive
        Allow a block device that is not in use to be overwritten.
    columns
        Of text in no known format, what each column holds, as in :func:`leadline.trace.open`.
    timestamp_unit, delimiter, header, skip, comment
        As in :func:`leadline.trace.open`.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    dict
        What the command line prints (``leadline docs pool-replay``): ``operations``, ``misses``, ``writes``,
        ``batches``, ``seconds``, ``latency_us``, ``verified_pages`` and others, and its messages in
        ``notes``.

    Raises
    ------
    BadInput
        The trace or the target cannot be used.
    Failed
        A page was not what had been written, or the device failed.

    Examples
    --------
    >>> from leadline import pool
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory(dir=".") as folder:
    ...     done = pool.replay("gen:paper-wis?ops=200", folder, frames=20)
    >>> done["operations"], done["verified_pages"] == done["pages"]
    (200, True)
    """
    with named(profile) as (name, known_as):
        options = {
            "format": format,
            "policy": policy,
            "ace": ace,
            "n": n,
            "cleaner": cleaner,
            "clients": clients,
            "frames": frames,
            "page_size": page_size,
            "profile": name,
            "limit": limit,
            "checksums": checksums,
            "no_verify": no_verify,
            "destructive": destructive,
            "columns": columns,
            "timestamp_unit": timestamp_unit,
            "delimiter": delimiter,
            "header": header,
            "skip": skip,
            "comment": comment,
        }
        called = {} if name is None else {str(name): known_as}
        document, notes = run(
            "pool replay", trace, target, options=options, progress=progress, called=called
        )
    return {**document, "notes": notes}

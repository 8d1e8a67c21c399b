"""The costs of LSM trees, measured on the RocksDB that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._profiled import Path, ProfileLike, from_profile
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size

__all__ = ["validate"]


@renamed(scale="data", cache="cache_size", repeats="rounds", duration="seconds")
def validate(
    profile: ProfileLike,
    target: Path,
    *,
    data: Size | None = None,
    key_size: Size | None = None,
    value_size: Size | None = None,
    layouts: str | Sequence[str] | None = None,
    options: Path | Sequence[Path] | None = None,
    cache_size: Size | None = None,
    clients: int | Sequence[int] | None = None,
    jobs: int | Sequence[int] | None = None,
    rounds: int | None = None,
    seconds: float | None = None,
    profile_seconds: float | None = None,
    seed: int | None = None,
    db_bench: Path | None = None,
    output: Path | None = None,
    report: Path | None = None,
    progress: Progress = False,
) -> dict[str, Any]:
    """Measure your RocksDB over a grid of layouts with its own db_bench.

    Parameters
    ----------
    profile
        The profile of the target's device, the file of one, or ``"device:NAME"``.
    target
        A directory on the device; a scratch directory is made in it and removed.
    data
        Keys and values in each database, bytes or text; 1G by default.
    key_size, value_size
        Size of a key and of a value, bytes; 16 and 2048 by default.
    layouts
        Layouts: ``"F=2,4,8,single"`` and others; ``"F=2,4,8,16,32,single"`` by default.
    options
        OPTIONS files whose layouts are measured too.
    cache_size
        Block cache of these layouts, bytes or text; RocksDB's by default.
    clients, jobs
        Numbers of clients that query, and of compaction threads; 1, 4 and 16 by default.
    rounds
        Rounds, each of which measures everything once; 3 by default.
    seconds
        Seconds of each cell of queries, 0.1 to 86400; 5 by default.
    profile_seconds
        Seconds for which the device is measured before each round, 1 to 3600; 20 by default, and with 0
        `profile` stands for it.
    seed
        Decides the order of the cells and the order of keys; 1 by default.
    db_bench
        The program; the one in PATH by default.
    output
        Also write the result to this file (JSON); a run that was ended goes on from it.
    report
        Also write a page (HTML) with charts of predictions and measurements.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    dict
        The result, as the command line prints it (``leadline docs lsm-validate``), and in ``notes`` its
        messages.

    Raises
    ------
    BadInput
        The target is not a directory, or there is no db_bench.
    Failed
        The disk is full, or db_bench failed.

    Examples
    --------
    >>> import leadline
    >>> leadline.lsm.validate("device:p4510", "/nowhere")
    Traceback (most recent call last):
    leadline.BadInput: /nowhere: ...
    """
    given = {
        "data": data,
        "key_size": key_size,
        "value_size": value_size,
        "layouts": layouts,
        "options": options,
        "cache_size": cache_size,
        "clients": clients,
        "jobs": jobs,
        "rounds": rounds,
        "seconds": seconds,
        "profile_seconds": profile_seconds,
        "seed": seed,
        "db_bench": db_bench,
        "output": output,
        "report": report,
    }
    document, notes, _ = from_profile(
        "lsm validate", [], profile, [target], options=given, outputs=[output, report], progress=progress
    )
    return {**document, "notes": list(notes)}

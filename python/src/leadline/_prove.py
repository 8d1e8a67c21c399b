"""Advice, defaults and a grid of settings on the real system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._documents import columns_of
from ._profiled import Path, ProfileLike, from_profile
from ._progress import Progress
from ._sizes import Size
from ._table import Table

__all__ = ["prove"]


def prove(
    system: str,
    profile: ProfileLike,
    target: Path,
    *,
    quick: bool = False,
    only: str | Sequence[str] | None = None,
    bin: Path | None = None,
    set: Mapping[str, object] | None = None,
    data: Size | None = None,
    rounds: int | None = None,
    seed: int | None = None,
    output: Path | None = None,
    progress: Progress = False,
) -> Table:
    """Run a real system under its defaults, the advice and a grid of settings, in turns, and compare.

    The system is started in a temporary directory on `target`, with a socket of its own, and removed at the
    end, also after Ctrl-C; servers that run already are never touched, and nothing is installed. It takes
    from minutes to hours.

    Parameters
    ----------
    system
        ``"postgresql"``, ``"innodb"``, ``"rocksdb"``, ``"sqlite"``, ``"duckdb"``, ``"etcd"`` or
        ``"seastar"``.
    profile
        A profile of the device that `target` is on, or the file of one.
    target
        A directory on the device.
    quick
        Take about a fifth of the time: less data, fewer rounds, fewer values.
    only
        Only these parts, such as ``["scans", "plans"]`` (``leadline docs prove`` lists the parts of each
        system).
    bin
        Use the programs in this directory instead of the newest that are installed.
    set
        Prove these settings instead of the advice from the profile: ``{"effective_io_concurrency": 16}``.
    data
        Size of what is read and written, bytes or text, several times the system's own cache.
    rounds
        Rounds, in each of which every variant runs once, 1 to 1000.
    seed
        Seed of all orders and data, 0 to 2^64 - 1; 1 by default.
    output
        Also write all runs and what came of them to this file (JSON).
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Table
        A row for each variant of each comparison: ``work``, ``measure`` and ``unit``, ``variant`` and
        ``role``, ``runs``, ``median``, ``min`` and ``max`` (in `unit`), ``over_default`` (its time over the
        default's in the same round, with ``_low`` and ``_high``, a 95 % interval). Of seastar a row for each
        mix. ``info`` has the whole document (``leadline docs prove``).

    Raises
    ------
    BadInput
        The system is not installed, the profile has no advice to try, or the target is no directory.
    Failed
        The system or the disk failed.

    Examples
    --------
    >>> import leadline
    >>> leadline.prove("sqlite", "device:p4510", "/nowhere")
    Traceback (most recent call last):
    leadline.BadInput: /nowhere: is not a directory; name one on the device
    """
    options = {
        "quick": quick,
        "only": only,
        "bin": bin,
        "set": set,
        "data": data,
        "rounds": rounds,
        "seed": seed,
        "output": output,
    }
    document, notes, _ = from_profile(
        "prove", [system], profile, [target], options=options, outputs=[output], progress=progress
    )
    if "comparisons" in document:
        rows = [_result(one, result) for one in document["comparisons"] for result in one["results"]]
    else:
        # Seastar's mixes; etcd has one p99, which the document holds.
        rows = document.get("mixes", [{key: document[key] for key in ("system", "version")}])
    return Table(columns_of(rows), document, notes)


def _result(comparison: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """What came of one variant."""
    times = result["times"] or {}
    ratio = result["against_default"] or {}
    role = result["role"]
    return {
        **{name: comparison[name] for name in ("work", "measure", "unit")},
        "variant": result["variant"]["name"],
        # One key of the advice alone, of which the variant is called.
        "role": role if isinstance(role, str) else "key",
        **{name: times.get(name) for name in ("runs", "median", "min", "max")},
        "over_default": ratio.get("ratio"),
        "over_default_ci": ratio.get("interval"),
    }

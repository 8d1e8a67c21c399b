"""What is asked of a profile besides how long a workload takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._command import run
from ._documents import columns_of
from ._errors import BadInput
from ._profile import Profile
from ._profiled import named
from ._table import Table
from ._words import one_line

__all__ = ["speedups", "sustained"]


def sustained(profile: Profile, workload: Mapping[str, Any], slo: Any, mix: str | None) -> Table:
    """The load that keeps each limit of latency."""
    _refuse(workload, "slo", ("block_size",))
    limits = [slo] if isinstance(slo, str) else slo
    if not isinstance(limits, (list, tuple)) or not all(isinstance(limit, str) for limit in limits):
        raise BadInput(f"slo={one_line(slo)}: must be a percentile and a time, such as p99=1ms, or several")
    size = workload["block_size"]
    documents = [_asked(profile, {"slo": limit, "mix": mix, "block_size": size}) for limit in limits]
    notes = dict.fromkeys(note for document in documents for note in document["notes"])
    if not documents:
        raise BadInput("slo: is empty; name a limit, such as p99=1ms")
    return Table(columns_of(documents), {"limits": documents}, list(notes))


def speedups(profile: Profile, workload: Mapping[str, Any]) -> Table:
    """What batching gains, from all reads to all writes."""
    _refuse(workload, "speedup", ("block_size",))
    document = _asked(profile, {"speedup": True, "block_size": workload["block_size"]})
    return Table(columns_of(document["speedup"]), document)


def _refuse(workload: Mapping[str, Any], question: str, but: tuple[str, ...]) -> None:
    for name, value in workload.items():
        if value is not None and name not in but:
            raise BadInput(f"{name}: is of a workload, and {question} asks about the device; leave it out")


def _asked(profile: Profile, options: dict[str, Any]) -> dict[str, Any]:
    with named(profile) as (file, known_as):
        document: dict[str, Any] = run("predict", file, options=options, called={str(file): known_as})[0]
    return document

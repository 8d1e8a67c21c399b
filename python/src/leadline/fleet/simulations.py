"""Simulated buffer pools, spread over the cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._accesses import accesses
from .._errors import BadInput
from .._profile import Profile
from .._progress import Progress
from .._table import Table
from .._values import listed
from ..pool import _table, simulate
from . import cluster
from .arguments import refuse_unknown
from .spread import spread
from .targets import everywhere

__all__ = ["sweep"]

#: What a sweep is divided by: its dimensions from the outermost loop inwards, as `leadline pool simulate` has
#: them, so that the parts' rows one after the other are those of the whole. The innermost two, ace and n,
#: stay together: some of their combinations are the same pool, which is simulated once.
_DIMENSIONS = ("read_share", "alpha_1", "frames", "clients", "policy", "cleaner")
#: Parts for each CPU: enough that the last ones end at about the same time.
_PARTS_PER_CPU = 4


def sweep(
    trace: str | os.PathLike[str] | ArrayLike,
    writes: ArrayLike | None = None,
    *,
    frames: ArrayLike,
    policy: object = "lru",
    ace: object = "off",
    device: str | None = None,
    profile: Profile | None = None,
    progress: Progress = False,
    **options: object,
) -> Table:
    """Run a trace through simulated buffer pools on all nodes of a Ray cluster.

    Arguments and rows are as for :func:`leadline.pool.simulate`, and the numbers are the same. Arrays are
    sent to each node once. A trace that is a file, and a device that is described by one, must be at the same
    path on the nodes. A part that fails, or whose node dies, is tried on another node.

    Parameters
    ----------
    trace, writes, frames, policy, ace, device, profile
        As for :func:`leadline.pool.simulate`.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.
    **options
        Its others, except ``output``. ``threads`` is the number of CPUs that each part takes, 1 by default.

    Returns
    -------
    Table
        A row for each pool.

    Raises
    ------
    ImportError
        Ray is not installed.
    BadInput
        No cluster is running, or an argument cannot be used.
    Failed
        A part failed on three nodes, or on each there is.
    """
    if "output" in options:
        raise BadInput("output: is written by pool.simulate; a sweep over a cluster gives the table only")
    refuse_unknown(simulate, options)
    threads = options.pop("threads", None)
    threads = 1 if threads is None else threads
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise BadInput(f"threads={threads}: must be a whole number of at least 1")
    name, arrays = accesses(trace, writes)
    ray = cluster.connected()
    cpus = [node.cpus for node in cluster.alive(ray)]
    if max(cpus, default=0) < threads:
        raise BadInput(f"threads={threads}: no node of the cluster has as many CPUs")
    swept = {"frames": frames, "policy": policy, **options}
    fixed = {
        "ace": listed(ace),
        "device": None if device is None else everywhere(device),
        "threads": int(threads),
        **{option: value for option, value in swept.items() if option not in _DIMENSIONS},
    }
    parts = _parts(swept, math.ceil(_PARTS_PER_CPU * sum(cpus) / threads))
    # In the store once, and from there read by all tasks of a node.
    data = (_absolute(name),) if arrays is None else tuple(ray.put(array) for array in arrays)
    measured = None if profile is None else ray.put(profile.to_json())
    calls = [(fixed | part, measured, *data) for part in parts]
    answers = spread(ray, _simulation(), calls, phase="simulate", progress=progress, num_cpus=int(threads))
    cells = [cell for found, _ in answers for cell in found]
    notes = dict.fromkeys(note for _, said in answers for note in said)
    return _table(cells, list(notes))


def _absolute(trace: object) -> str:
    text = listed(trace)
    if text == "-":
        raise BadInput("trace: standard input is not on the nodes; put it into a file")
    return text if text.startswith("gen:") else os.path.abspath(text)


def _parts(swept: dict[str, Any], wanted: int) -> list[dict[str, str]]:
    """The sweep in about `wanted` parts whose rows one after the other are its rows."""
    parts: list[dict[str, str]] = [{}]
    for dimension in _DIMENSIONS:
        if swept.get(dimension) is None:
            continue
        values = _values(dimension, swept[dimension])
        # Whatever is inside of a dimension can be divided only where each part has one value of it.
        count = min(len(values), max(1, math.ceil(wanted / len(parts))))
        chunks = [",".join(chunk) for chunk in _chunks(values, count)]
        parts = [part | {dimension: chunk} for part in parts for chunk in chunks]
    return parts


def _values(dimension: str, given: object) -> list[str]:
    """The values of a dimension as the command line takes them, each once."""
    if dimension == "policy" and given == "all":
        one = np.zeros(1, dtype=np.uint64)
        return [str(name) for name in simulate(one, frames=1, policy="all")["policy"]]
    return list(dict.fromkeys(value.strip() for value in listed(_flat(given)).split(",")))


def _flat(given: object) -> object:
    """Numbers of an array of any shape, or what was given."""
    return given.ravel().tolist() if isinstance(given, np.ndarray) else given


def _chunks(values: list[str], count: int) -> Iterable[list[str]]:
    edges = [round(place * len(values) / count) for place in range(count + 1)]
    return (values[low:high] for low, high in pairwise(edges))


def _simulation() -> Callable[..., tuple[list[dict[str, Any]], list[str]]]:
    def simulation(
        options: dict[str, Any], measured: str | None, trace: Any, writes: Any = None
    ) -> tuple[list[dict[str, Any]], list[str]]:
        import leadline

        profile = None if measured is None else leadline.Profile.from_json(measured)
        if writes is not None and not len(writes):
            writes = None
        found = leadline.pool.simulate(trace, writes, profile=profile, **options)
        return found.info["cells"], list(found.notes)

    return simulation

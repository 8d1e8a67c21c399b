"""Workloads to predict, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._errors import BadInput
from ._sizes import block_bytes
from ._words import one_line, text_of

__all__ = ["Workloads", "concurrencies"]

#: Most requests in flight.
_MOST = 1 << 20


class Workloads(NamedTuple):
    """What :meth:`_leadline.Models.predict` takes."""

    arrays: tuple[Any, ...]
    #: Whether reads and writes are in flight together.
    together: bool
    model: str | None

    @classmethod
    def of(cls, given: Mapping[str, Any], one: str | None = None) -> Workloads:
        """Of the arguments of ``predict``; `one` names an argument that allows a single workload only."""
        together = given["batch_reads"] is None and given["batch_writes"] is None
        k = _whole("concurrency", given["concurrency"])
        named = {
            "reads": _numbers("reads", given["reads"], 0.0),
            "writes": _numbers("writes", given["writes"], 0.0),
            "block_size": block_bytes("4K" if given["block_size"] is None else given["block_size"]),
            "random": _numbers("random", given["random"], 1.0),
            "concurrency": k,
            "batch_reads": _whole("batch_reads", given["batch_reads"]),
            "batch_writes": _whole("batch_writes", given["batch_writes"]),
        }
        several = [name for name, values in named.items() if values.ndim and name != "concurrency"]
        if one is not None and several:
            raise BadInput(f"{several[0]}: is several workloads, and {one} is of one; give one number")
        try:
            arrays = np.broadcast_arrays(*named.values())
        except ValueError:
            shapes = ", ".join(f"{name} {values.shape}" for name, values in named.items() if values.ndim)
            raise BadInput(f"workloads: the arguments are not equally long: {shapes}") from None
        reads, writes, block, random, k, of_reads, of_writes = (
            np.ascontiguousarray(array).ravel() for array in arrays
        )
        most = np.iinfo(np.uint32).max
        counts = [np.minimum(k * batch, most).astype(np.uint32) for batch in (of_reads, of_writes)]
        return cls((reads, writes, block, random, *counts), together, text_of("model", given["model"]))


def concurrencies(given: Any) -> NDArray[np.int64]:
    """The argument `what_if`: numbers, or text such as ``"k=1,2,4"``."""
    if isinstance(given, str):
        parts = given.removeprefix("k=").split(",")
        try:
            given = [int(part) for part in parts]
        except ValueError:
            raise BadInput(
                f"what_if={one_line(given)}: must be concurrencies from 1 to {_MOST}, such as [1, 2, 4, 8]"
            ) from None
    values = _whole("what_if", given)
    if values.ndim > 1:
        raise BadInput("what_if: must have one dimension")
    return np.atleast_1d(values).astype(np.int64)


def _numbers(name: str, values: Any, default: float) -> NDArray[np.float64]:
    try:
        array = np.asarray(default if values is None else values)
        if array.dtype.kind not in "iuf":
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{name}: must be a number, or an array of numbers") from None


def _whole(name: str, values: Any) -> NDArray[np.uint64]:
    """Whole numbers of at least 1; 1 for None."""
    try:
        array = np.asarray(1 if values is None else values)
    except (TypeError, ValueError):
        array = np.asarray("")
    fits = array.dtype.kind in "iuf" and bool(((array >= 1) & (array <= _MOST)).all())
    if not fits or not bool((array == np.floor(array)).all()):
        raise BadInput(f"{name}={one_line(values)}: must be whole numbers from 1 to {_MOST}")
    return array.astype(np.uint64)

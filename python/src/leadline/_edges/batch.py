"""What all kinds of edges are made into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._leadline import ArrowColumn

__all__ = ["CHUNK", "Batch", "Edges", "Ids", "Listed", "no_edges"]

#: Edges that are converted at a time.
CHUNK = 1 << 16

#: Ids as arrays: whole numbers, or strings.
Listed = NDArray[Any] | list[str]

#: Ids as the extension takes them.
Ids = Listed | ArrowColumn


class Batch(NamedTuple):
    """Some edges, as the extension takes them."""

    sources: Ids
    targets: Ids
    weights: NDArray[Any] | ArrowColumn | None = None
    #: What errors say before the name of a column.
    place: str = ""
    #: The number of the first edge, for errors.
    first: int = 0


@dataclass
class Edges:
    """Edges, ready to be imported."""

    batches: Iterator[Batch]
    #: Whether they come from an iterator of the caller's: what was taken of it is gone.
    streamed: bool = False
    #: Further vertices, which may have no edge.
    vertices: Ids | None = None
    #: The vertices 0 to this number - 1 exist too.
    vertices_below: int | None = None
    #: Whether each edge goes one way; None where what they come from does not say.
    directed: bool | None = None


def no_edges(weighted: bool) -> Batch:
    """A batch without edges."""
    none = np.empty(0, dtype=np.uint64)
    return Batch(none, none, np.empty(0) if weighted else None)

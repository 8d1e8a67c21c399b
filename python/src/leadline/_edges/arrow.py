"""What speaks Arrow's stream interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._leadline import ArrowBatches
from .batch import Batch

__all__ = ["batches_of_stream"]


def batches_of_stream(table: Any, places: Sequence[int], place: str = "", first: int = 0) -> Iterator[Batch]:
    """Edges of batches that are read where they lie, from the columns at two or three places."""
    stream = table if isinstance(table, ArrowBatches) else ArrowBatches(table)
    for columns in stream:
        picked = [columns[at] for at in places]
        yield Batch(picked[0], picked[1], picked[2] if len(picked) > 2 else None, place, first)
        first += len(picked[0])

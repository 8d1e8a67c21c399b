"""Edges that come one batch, or one edge, after the other."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from .._errors import BadInput
from .batch import CHUNK, Batch, Edges
from .rows import Layout, batches_of_rows, has_rows, is_edge, of_pairs
from .tables import Ends, edges_of_table, is_table

__all__ = ["edges_of_iterator"]


def edges_of_iterator(source: Any, weight: Any, ends: Ends) -> Edges:
    """Edges of an iterator or a generator of batches, or of pairs and triples.

    Nothing is taken of it before the import begins, and one batch at a time then.
    """
    if weight is not None and not isinstance(weight, (bool, str)):
        raise BadInput("weight: an iterator has the weights in its batches")
    if inspect.isgenerator(source) and source.gi_frame is None:
        raise BadInput("edges: the generator was consumed before, and gives nothing; make a new one")
    return Edges(_batches(source, weight, ends), streamed=True)


def _batches(source: Any, weight: Any, ends: Ends) -> Iterator[Batch]:
    layout = Layout()
    pairs: list[Any] = []
    # Edges that came one by one.
    given = number = 0
    for number, item in enumerate(source, 1):
        if is_edge(item):
            pairs.append(item)
            if len(pairs) == CHUNK:
                yield of_pairs(pairs, _flag(weight), first=given)
                given, pairs = given + len(pairs), []
            continue
        if pairs:
            yield of_pairs(pairs, _flag(weight), first=given)
            given, pairs = given + len(pairs), []
        yield from _batch(item, weight, ends, layout, f"batch {number}: ")
    if pairs:
        yield of_pairs(pairs, _flag(weight), first=given)
    if number == 0:
        raise BadInput(
            "edges: no batch came, as of an iterator that was consumed before; if there are no edges, give "
            "two empty arrays"
        )


def _flag(weight: Any) -> Any:
    """Whether there are weights, of edges that have no columns with names."""
    if isinstance(weight, str):
        raise BadInput(f"weight={weight!r}: these edges have no columns with names; weights are their third")
    return weight


def _batch(item: Any, weight: Any, ends: Ends, layout: Layout, place: str) -> Iterator[Batch]:
    if is_table(item):
        return edges_of_table(item, weight, ends, place).batches
    if not isinstance(item, (str, bytes)) and has_rows(item):
        ends.refuse("arrays and lists")
        return batches_of_rows(item, _flag(weight), layout, place)
    raise BadInput(
        f"{place}is no batch of edges: two or three arrays, an array of two or three columns, or a table; "
        f"found {type(item).__name__}"
    )

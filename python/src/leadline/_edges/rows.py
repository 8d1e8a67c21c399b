"""Edges as rows: lists of pairs, arrays of two or three columns. And as columns in one object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import BadInput
from .batch import CHUNK, Batch, no_edges
from .columns import array_of, batches_of_columns, ids_of, masked_of, weights_of

__all__ = ["Layout", "batches_of_rows", "has_rows", "is_edge", "of_pairs"]

_DECIDE = "give both columns: from_edges(sources, targets)"


class Layout:
    """Whether what can be read as rows and as columns is one or the other, as batches before it showed."""

    def __init__(self) -> None:
        self.rows: bool | None = None

    def decide(self, rows: bool, columns: bool, shown: str, place: str) -> bool:
        """Whether edges are rows; refused where they may be both, or are neither."""
        if rows and columns:
            if self.rows is None:
                raise BadInput(
                    f"{place}edges: {shown} may be a row for each edge, or a column of sources and one of "
                    f"targets; {_DECIDE}"
                )
            return self.rows
        if not rows and not columns:
            raise BadInput(
                f"{place}edges: {shown} is neither a row of two or three for each edge nor two or three "
                "columns"
            )
        self.rows = rows
        return rows


def has_rows(source: Any) -> bool:
    """Whether it is a sequence or an array, of which parts can be taken."""
    return isinstance(source, (list, tuple, np.ndarray)) or hasattr(source, "__array__")


def batches_of_rows(source: Any, weight: Any, layout: Layout, place: str = "") -> Iterator[Batch]:
    """Edges of an array, list or tuple that has all of them, in rows or in two or three columns."""
    if weight is not None and not isinstance(weight, bool):
        raise BadInput(f"{place}weight: edges in one array or list have it as a third column, or {_DECIDE}")
    if isinstance(source, (list, tuple)):
        return _of_sequence(source, weight, layout, place)
    array = array_of(place + "edges", source)
    if array.ndim != 2:
        raise BadInput(
            f"{place}edges: an array of {array.ndim} dimension{'s' if array.ndim > 1 else ''}; give one with "
            "a row for each edge, or sources and targets"
        )
    masked = masked_of(source)
    if masked is not None and masked.any():
        raise BadInput(f"{place}edges[{int(masked.any(axis=1).argmax())}]: is masked; drop these rows")
    rows, columns = array.shape
    shown = f"an array of {rows} x {columns}"
    if not layout.decide(columns in (2, 3), rows in (2, 3) and columns > 0, shown, place):
        array = array.T
    return _of_matrix(array, weight, place)


def _of_matrix(array: NDArray[Any], weight: Any, place: str) -> Iterator[Batch]:
    """An array with a row for each edge."""
    weighted = array.shape[1] == 3 and weight is not False
    _check_third(array.shape[1], weight, place)
    for first in range(0, len(array), CHUNK):
        part = array[first : first + CHUNK]
        sources, targets = (
            ids_of(f"{place}{name}", part[:, side], first)
            for side, name in enumerate(("sources", "targets"))
        )
        weights = weights_of(part[:, 2], f"{place}weights", first) if weighted else None
        yield Batch(sources, targets, weights, place, first)
    if len(array) == 0:
        yield no_edges(weighted)


def _check_third(columns: int, weight: Any, place: str) -> None:
    if weight is True and columns == 2:
        raise BadInput(f"{place}weight=True: edges have two columns; give a third with weights")


def _is_value(value: Any) -> bool:
    """Whether it is no column."""
    if isinstance(value, (list, tuple)):
        return False
    if isinstance(value, (str, bytes, dict)):
        return True
    return getattr(value, "ndim", 0) == 0 and not hasattr(value, "__len__")


def is_edge(item: Any) -> bool:
    """Whether it is one edge: a source, a target, and perhaps a weight."""
    is_row = isinstance(item, (list, tuple)) or isinstance(item, np.ndarray) and item.ndim == 1
    return is_row and len(item) in (2, 3) and all(map(_is_value, item))


def _of_sequence(source: Sequence[Any], weight: Any, layout: Layout, place: str) -> Iterator[Batch]:
    if len(source) == 0:
        return iter([no_edges(weight is True)])
    few = len(source) in (2, 3)
    rows = all(map(is_edge, source)) if few else is_edge(source[0])
    columns = few and not any(map(_is_value, source))
    if rows and columns:
        if isinstance(source, list) and isinstance(source[0], tuple):
            # The way in which Python's graph libraries have edges.
            columns = False
        elif isinstance(source, tuple) and not isinstance(source[0], tuple):
            # As a function returns two of them.
            rows = False
    shown = f"a {type(source).__name__} of {len(source)} {type(source[0]).__name__}s"
    if layout.decide(rows, columns, shown, place):
        return _of_rows(source, weight, place)
    _check_third(len(source), weight, place)
    values = source[2] if len(source) == 3 and weight is not False else None
    return batches_of_columns(source[0], source[1], values, place)


def _of_rows(source: Sequence[Any], weight: Any, place: str) -> Iterator[Batch]:
    for first in range(0, len(source), CHUNK):
        yield of_pairs(source[first : first + CHUNK], weight, place, first)


def of_pairs(pairs: Sequence[Any], weight: Any, place: str = "", first: int = 0) -> Batch:
    """A batch of edges of which each is a pair or a triple."""
    width = len(pairs[0]) if is_edge(pairs[0]) else 2
    wrong = next((at for at, pair in enumerate(pairs) if not is_edge(pair) or len(pair) != width), None)
    if wrong is not None:
        expected = "a source and a target" if width == 2 else "a source, a target and a weight"
        raise BadInput(f"{place}edges[{first + wrong}]: expected {expected}, found {_short(pairs[wrong])}")
    _check_third(width, weight, place)
    columns = [[pair[side] for pair in pairs] for side in range(width)]
    weights = None
    if width == 3 and weight is not False:
        weights = weights_of(columns[2], f"{place}weights", first)
    sources = ids_of(f"{place}sources", columns[0], first)
    targets = ids_of(f"{place}targets", columns[1], first)
    return Batch(sources, targets, weights, place, first)


def _short(value: Any) -> str:
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 40 else f"{text[:37]}..."

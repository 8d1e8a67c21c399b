"""Edges as users have them, on their way into a store: in batches, of which one at a time is made ready."""

from __future__ import annotations

import inspect
import os
from typing import Any

from .._errors import BadInput
from .batch import Edges
from .columns import batches_of_columns, ids_of
from .graphs import edges_of_graph
from .iterators import edges_of_iterator
from .rows import Layout, batches_of_rows, has_rows
from .tables import SOURCES, TARGETS, WEIGHTS, Ends, edges_of_table, is_table

__all__ = ["SOURCES", "TARGETS", "WEIGHTS", "Edges", "edges_of", "ids_of"]


def edges_of(
    source: Any,
    target: Any = None,
    weight: Any = None,
    *,
    source_column: Any = None,
    target_column: Any = None,
) -> Edges:
    """Make edges of two or three columns, or of an object that has them all.

    Parameters
    ----------
    source, target, weight, source_column, target_column
        As for :meth:`leadline.Graph.from_edges`.

    Raises
    ------
    BadInput
        It is none of the kinds known, can be read in two ways, or holds ids or weights that no edge can have.
    """
    ends = Ends(source_column, target_column)
    if target is not None:
        ends.refuse("two columns")
        return Edges(batches_of_columns(source, target, weight))
    graph = edges_of_graph(source, weight)
    if graph is not None:
        ends.refuse(type(source).__name__)
        return graph
    if is_table(source):
        return edges_of_table(source, weight, ends)
    _refuse_what_is_no_edges(source)
    if has_rows(source):
        ends.refuse(type(source).__name__)
        return Edges(batches_of_rows(source, weight, Layout()))
    if hasattr(source, "__iter__") or hasattr(source, "__next__"):
        return edges_of_iterator(source, weight, ends)
    kind = type(source).__name__
    raise BadInput(f"edges: {kind} has no columns; give sources and targets as two arrays, or a table")


def _refuse_what_is_no_edges(source: Any) -> None:
    """Say what to call for what looks like edges and is not."""
    if isinstance(source, (str, bytes, os.PathLike)):
        raise BadInput(f"edges: {source!r} is text; Graph.import_file reads files of edges")
    if inspect.isroutine(source):
        raise BadInput("edges: a function; call it, and give what it returns")
    if hasattr(source, "__aiter__"):
        raise BadInput("edges: an asynchronous iterator; collect its batches in a list first")
    if isinstance(source, dict):
        raise BadInput("edges: an empty dictionary; give columns source and target")

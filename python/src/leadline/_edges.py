"""Edges as users have them, made into arrays: of NumPy, Arrow, pandas, polars, scipy, networkx, igraph."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import BadInput

__all__ = ["Edges", "edges_of", "ids_of"]

#: Ids as the extension takes them: whole numbers, or a list of strings.
Ids = NDArray[Any] | list[str]

#: How the columns of a table of edges may be called.
SOURCES = ("source", "src", "from", "u")
TARGETS = ("target", "dst", "to", "v")
WEIGHTS = ("weight", "w", "cost", "distance")


@dataclass
class Edges:
    """Edges, ready to be imported."""

    sources: Ids
    targets: Ids
    weights: NDArray[Any] | None = None
    #: Further vertices, which may have no edge.
    vertices: Ids | None = None
    #: The vertices 0 to this number - 1 exist too.
    vertices_below: int | None = None
    #: Whether each edge goes one way; None where what they come from does not say.
    directed: bool | None = None


def edges_of(source: Any, target: Any = None, weight: Any = None) -> Edges:
    """Make edges of two or three columns, or of an object that has them all.

    Raises
    ------
    BadInput
        It is none of the kinds known, or holds ids or weights that no edge can have.
    """
    if target is not None:
        return Edges(ids_of("sources", source), ids_of("targets", target), weights_of(weight))
    if hasattr(source, "tocoo"):
        return _of_matrix(source, weight)
    if hasattr(source, "get_edgelist") and hasattr(source, "vs"):
        return _of_igraph(source, weight)
    if hasattr(source, "is_directed") and hasattr(source, "edges"):
        return _of_networkx(source, weight)
    return _of_table(source, weight)


def ids_of(name: str, values: Any) -> Ids:
    """Ids as the extension takes them; `name` is for messages."""
    _refuse_nulls(name, values)
    array = np.asarray(values)
    if array.ndim != 1:
        raise BadInput(f"{name}: must have one dimension, not {array.ndim}")
    kind = array.dtype.kind
    if kind in "iu":
        wide = array.dtype.itemsize > 4
        return np.ascontiguousarray(array, dtype=f"{kind}{8 if wide else 4}")
    if kind in "OUT" or (kind == "f" and array.size == 0):
        # NumPy would make strings of the numbers in a list of both.
        listed = list(values) if isinstance(values, (list, tuple)) else array.tolist()
        return _strings(name, listed)
    raise BadInput(f"{name}: ids are whole numbers or strings, not {array.dtype}")


def _refuse_nulls(name: str, values: Any) -> None:
    """Refuse a column in which a value is missing: pandas, pyarrow and polars make floats of its numbers."""
    is_null = getattr(values, "isna", None) or getattr(values, "is_null", None)
    if not callable(is_null):
        return
    nulls = np.asarray(is_null(), dtype=bool)
    if nulls.any():
        kind = getattr(values, "dtype", getattr(values, "type", "values"))
        first, count = int(nulls.argmax()), int(nulls.sum())
        raise BadInput(f"{name}[{first}]: is null, one of {count} in a column of {kind}; drop these rows")


def _strings(name: str, values: list[Any]) -> Ids:
    """Ids as they stand in a list: all of them strings, or all of them numbers."""
    if all(isinstance(value, str) for value in values):
        return values
    if all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values):
        low, high = min(values), max(values)
        if low < 0 or high >= 1 << 64:
            raise BadInput(f"{name}: ids are from 0 to 2^64 - 1, not {low if low < 0 else high}")
        return np.array(values, dtype=np.uint64)
    kind = str if isinstance(values[0], str) else int
    place = next((place for place, value in enumerate(values) if not isinstance(value, kind)), 0)
    raise BadInput(f"{name}[{place}]: ids are all whole numbers or all strings, not {values[place]!r}")


def weights_of(values: Any) -> NDArray[Any] | None:
    """Weights as the extension takes them."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.ndim != 1:
        raise BadInput(f"weights: must have one dimension, not {array.ndim}")
    if array.dtype.kind not in "iufb":
        raise BadInput(f"weights: must be numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float32 else np.float64)


def _of_matrix(matrix: Any, weight: Any) -> Edges:
    """A sparse matrix, scipy's: an edge from row to column for each entry, with its value where asked for."""
    rows, columns = matrix.shape
    if rows != columns:
        raise BadInput(f"matrix: has {rows} rows and {columns} columns; a graph's has as many of both")
    entries = matrix.tocoo()
    values = entries.data if weight is True else weight
    below = int(rows)
    return Edges(ids_of("rows", entries.row), ids_of("columns", entries.col), weights_of(values), None, below)


def _of_networkx(graph: Any, weight: Any) -> Edges:
    """A networkx graph; `weight` names the attribute that has weights."""
    attribute = "weight" if weight is True else weight
    if attribute is None:
        pairs = list(graph.edges())
        weights = None
    else:
        triples = list(graph.edges(data=attribute, default=1))
        pairs = [(source, target) for source, target, _ in triples]
        weights = weights_of([value for _, _, value in triples])
    hint = "; networkx.convert_node_labels_to_integers makes them numbers"
    try:
        nodes = ids_of("nodes", _column(graph.nodes()))
        sources = ids_of("sources", _column([source for source, _ in pairs]))
        targets = ids_of("targets", _column([target for _, target in pairs]))
    except BadInput as error:
        raise BadInput(f"{error}{hint}") from None
    return Edges(sources, targets, weights, nodes, None, bool(graph.is_directed()))


def _of_igraph(graph: Any, weight: Any) -> Edges:
    """A graph of igraph; `weight` names the attribute that has weights.

    Ids are the names of the vertices where they have any, else their numbers.
    """
    pairs = np.array(graph.get_edgelist(), dtype=np.uint32).reshape(-1, 2)
    sources, targets = pairs[:, 0], pairs[:, 1]
    attribute = "weight" if weight is True else weight
    weights = None
    if attribute is not None:
        known = graph.es.attributes()
        if attribute not in known:
            said = f"they have {', '.join(known)}" if known else "they have none"
            raise BadInput(f"weight={attribute!r}: edges have no such attribute; {said}")
        weights = _given_weights(graph.es[attribute], attribute)
    one_way = bool(graph.is_directed())
    if "name" not in graph.vs.attributes():
        below = int(graph.vcount())
        return Edges(ids_of("sources", sources), ids_of("targets", targets), weights, None, below, one_way)
    names = list(graph.vs["name"])
    nodes = ids_of("names", _column(names))
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise BadInput(f"names: two vertices are called {twice!r}; rename one, or delete `name`")
    ends = [ids_of("names", _column([names[at] for at in side.tolist()])) for side in (sources, targets)]
    return Edges(ends[0], ends[1], weights, nodes, None, one_way)


def _given_weights(values: list[Any], attribute: Any) -> NDArray[Any] | None:
    """Weights from a list in which some may be missing."""
    missing = next((place for place, value in enumerate(values) if value is None), None)
    if missing is not None:
        raise BadInput(f"weight={attribute!r}: edge {missing} has none; give every edge one")
    return weights_of(values) if values else np.empty(0)


def _column(values: Any) -> Any:
    """Nodes as an array of objects: NumPy would make a table of tuples."""
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _of_table(table: Any, weight: Any) -> Edges:
    """A table with columns of sources and targets: pandas, polars, Arrow, or a dictionary of columns."""
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None and isinstance(table, dict):
        names = table
    if names is None:
        raise BadInput(
            f"edges: {type(table).__name__} has no columns; give sources and targets as two arrays"
        )
    known = {str(name).lower(): name for name in names}

    def column(wanted: tuple[str, ...]) -> Any:
        found = next((known[name] for name in wanted if name in known), None)
        return None if found is None else table[found]

    sources, targets = column(SOURCES), column(TARGETS)
    if sources is None or targets is None:
        raise BadInput(f"edges: the columns are {', '.join(known)}; name two of them source and target")
    weights = column(WEIGHTS) if weight is None or weight is True else weight if weight is not False else None
    return Edges(ids_of("sources", sources), ids_of("targets", targets), weights_of(weights))

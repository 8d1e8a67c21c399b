"""Whole graphs of other libraries: networkx, igraph, NetworKit, scipy's matrices; and parts of our own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from .._errors import BadInput
from .batch import CHUNK, Batch, Edges, Ids
from .columns import batches_of_columns, ids_of, library, weights_of

__all__ = ["edges_of_graph"]


def edges_of_graph(source: Any, weight: Any) -> Edges | None:
    """Edges of an object that is a whole graph; None for anything else."""
    if hasattr(source, "tocoo"):
        return _of_matrix(source, weight)
    if hasattr(source, "get_edgelist") and hasattr(source, "vs"):
        return _of_igraph(source, weight)
    if library(source) == "networkit" and hasattr(source, "iterEdges"):
        return _of_networkit(source, weight)
    if hasattr(source, "is_directed") and hasattr(source, "edges"):
        return _of_networkx(source, weight)
    if library(source) == "leadline":
        return _of_ours(source)
    return None


def _attribute(weight: Any, kind: str) -> str | None:
    """The attribute of edges that has weights; None for none."""
    if weight is None or weight is False:
        return None
    if weight is True:
        return "weight"
    if isinstance(weight, str):
        return weight
    given = type(weight).__name__
    raise BadInput(f"weight: names the attribute of {kind}'s edges that has weights, and is no {given}")


def _of_matrix(matrix: Any, weight: Any) -> Edges:
    """A sparse matrix, scipy's: an edge from row to column for each entry, with its value where asked for."""
    if len(matrix.shape) != 2:
        raise BadInput(f"matrix: has {len(matrix.shape)} dimensions; a graph's has two")
    rows, columns = matrix.shape
    if rows != columns:
        raise BadInput(f"matrix: has {rows} rows and {columns} columns; a graph's has as many of both")
    entries = matrix.tocoo()
    values = entries.data if weight is True else weight
    if isinstance(values, str):
        raise BadInput(f"weight={values!r}: a matrix has no attributes; weight=True takes its values")
    below = int(rows)
    return Edges(batches_of_columns(entries.row, entries.col, values), vertices_below=below)


def _parts(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Lists of as many items as are converted at a time."""
    iterator = iter(items)
    while part := list(islice(iterator, CHUNK)):
        yield part


def _of_networkx(graph: Any, weight: Any) -> Edges:
    """A networkx graph; `weight` names the attribute that has weights, 1 where an edge has none."""
    attribute = _attribute(weight, "networkx")
    hint = "; networkx.convert_node_labels_to_integers makes them numbers"

    def ids(name: str, nodes: list[Any], first: int = 0) -> Ids:
        try:
            return ids_of(name, _column(nodes), first)
        except BadInput as error:
            raise BadInput(f"{error}{hint}") from None

    def batches() -> Iterator[Batch]:
        first = 0
        for part in _parts(graph.edges() if attribute is None else graph.edges(data=attribute, default=1)):
            weights = None
            if attribute is not None:
                weights = weights_of([row[2] for row in part], f"weight={attribute!r}", first)
            sources = ids("sources", [row[0] for row in part], first)
            targets = ids("targets", [row[1] for row in part], first)
            yield Batch(sources, targets, weights, "", first)
            first += len(part)
        if first == 0 and attribute is not None:
            yield next(batches_of_columns([], [], []))

    nodes = ids("nodes", list(graph.nodes()))
    return Edges(batches(), vertices=nodes, directed=bool(graph.is_directed()))


def _of_igraph(graph: Any, weight: Any) -> Edges:
    """A graph of igraph; `weight` names the attribute that has weights.

    Ids are the names of the vertices where they have any, else their numbers.
    """
    attribute = _attribute(weight, "igraph")
    known = graph.es.attributes()
    if attribute is not None and attribute not in known:
        said = f"they have {', '.join(known)}" if known else "they have none"
        raise BadInput(f"weight={attribute!r}: edges have no such attribute; {said}")
    names = _names_of_igraph(graph)

    def batches() -> Iterator[Batch]:
        first = 0
        for part in _parts(graph.es):
            weights = None
            if attribute is not None:
                values = [edge[attribute] for edge in part]
                missing = next((at for at, value in enumerate(values) if value is None), None)
                if missing is not None:
                    raise BadInput(
                        f"weight={attribute!r}: edge {first + missing} has none; give every edge one"
                    )
                weights = weights_of(values, f"weight={attribute!r}", first)
            ends = np.fromiter(chain.from_iterable(edge.tuple for edge in part), np.uint32, 2 * len(part))
            sides = [ends[side::2] for side in range(2)]
            if names is not None:
                sides = [names[side] for side in sides]
            yield Batch(ids_of("names", sides[0]), ids_of("names", sides[1]), weights, "", first)
            first += len(part)
        if first == 0 and attribute is not None:
            yield next(batches_of_columns([], [], []))

    edges = Edges(batches(), directed=bool(graph.is_directed()))
    if names is None:
        edges.vertices_below = int(graph.vcount())
    else:
        edges.vertices = ids_of("names", names)
    return edges


def _names_of_igraph(graph: Any) -> Any:
    """The names of vertices, as an array of objects; None where they have none."""
    if "name" not in graph.vs.attributes():
        return None
    names = list(graph.vs["name"])
    ids_of("names", _column(names))
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise BadInput(f"names: two vertices are called {twice!r}; rename one, or delete `name`")
    return _column(names)


def _of_networkit(graph: Any, weight: Any) -> Edges:
    """A graph of NetworKit; its weights where asked for."""
    if weight not in (None, False, True, "weight"):
        raise BadInput(f"weight={weight!r}: NetworKit's edges have one weight; weight=True takes it")
    weighted = weight not in (None, False)
    if weighted and not graph.isWeighted():
        raise BadInput("weight=True: this graph of NetworKit has no weights")

    def batches() -> Iterator[Batch]:
        width, kind = (3, np.float64) if weighted else (2, np.uint64)
        rows = chain.from_iterable(graph.iterEdgesWeights() if weighted else graph.iterEdges())
        first = 0
        while True:
            # Nodes are numbers far below 2^53, which doubles hold exactly.
            flat = np.fromiter(islice(rows, width * CHUNK), kind)
            if flat.size == 0:
                break
            ends = [flat[side::width].astype(np.uint64) for side in range(2)]
            yield Batch(ends[0], ends[1], flat[2::3].copy() if weighted else None, "", first)
            first += len(ends[0])
        if first == 0 and weighted:
            yield next(batches_of_columns([], [], []))

    edges = Edges(batches(), directed=bool(graph.isDirected()))
    if graph.numberOfNodes() == graph.upperNodeIdBound():
        edges.vertices_below = int(graph.numberOfNodes())
    else:
        # Some were removed.
        edges.vertices = np.fromiter(graph.iterNodes(), np.uint64, graph.numberOfNodes())
    return edges


def _of_ours(graph: Any) -> Edges | None:
    """A part of a graph of Leadline's own."""
    from .tables import Ends, edges_of_table

    name = type(graph).__name__
    if name == "Graph":
        raise BadInput("edges: a Graph of Leadline; graph.edges(100_000) gives its edges in batches")
    if name != "Subgraph":
        return None
    edges = edges_of_table(graph.edges, None, Ends())
    edges.vertices, edges.directed = ids_of("vertices", graph.vertices["vertex"]), bool(graph.directed)
    return edges


def _column(values: Any) -> Any:
    """Nodes as an array of objects: NumPy would make a table of tuples."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array

"""Triangles, and how far the neighbours of a node are neighbours of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..declines import declines
from ..graph import StoredGraph


def _declined(G: Any) -> str | None:
    if G.is_directed():
        return "networkx defines clustering of directed graphs differently"
    if G.is_multigraph():
        return "parallel edges count once here"
    return None


def _coefficients(graph: StoredGraph) -> NDArray[Any]:
    """By position, the share of pairs of neighbours that are neighbours."""
    return np.asarray(graph.run("lcc")["coefficient"]) if len(graph) else np.zeros(0)


def _pairs(graph: StoredGraph) -> NDArray[Any]:
    """By position, ordered pairs of neighbours."""
    neighbours: NDArray[np.int64] = graph.edges.neighbours(len(graph))
    return neighbours * (neighbours - 1)


def _closed(graph: StoredGraph, pairs: NDArray[Any]) -> NDArray[Any]:
    """By position, those ordered pairs of neighbours that are neighbours: whole numbers again, because a
    coefficient is the nearest double to their share."""
    closed: NDArray[np.int64] = np.rint(_coefficients(graph) * pairs).astype(np.int64)
    return closed


def _chosen(graph: StoredGraph, values: list[Any], nodes: Any) -> Any:
    """The value of a node, or the values of several (all if None) by node."""
    if nodes is None:
        return graph.by_node(values)
    position = graph.nodes.position
    if nodes in graph:
        return values[position(nodes)]
    return {node: values[position(node)] for node in graph.nodes.among(nodes)}


@declines(lambda G, nodes: _declined(G))
def triangles(G: StoredGraph, nodes: Any = None) -> Any:
    return _chosen(G, (_closed(G, _pairs(G)) // 2).tolist(), nodes)


def _declined_weights(G: Any, nodes: Any, weight: Any) -> str | None:
    return "clustering by weights is not here" if weight is not None else _declined(G)


@declines(_declined_weights)
def clustering(G: StoredGraph, nodes: Any = None, weight: None = None) -> Any:
    # networkx has a whole 0 where there is no triangle.
    return _chosen(G, [value or 0 for value in _coefficients(G).tolist()], nodes)


@declines(lambda G, nodes, weight, count_zeros: _declined_weights(G, nodes, weight))
def average_clustering(
    G: StoredGraph, nodes: Any = None, weight: None = None, count_zeros: bool = True
) -> float:
    # In Python: NumPy adds up in another order, with other last digits.
    values = clustering(G, nodes).values()
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    mean: float = sum(values) / len(values)
    return mean


@declines(_declined)
def transitivity(G: StoredGraph) -> float:
    pairs = _pairs(G)
    closed = int(_closed(G, pairs).sum())
    return 0 if closed == 0 else closed / int(pairs.sum())

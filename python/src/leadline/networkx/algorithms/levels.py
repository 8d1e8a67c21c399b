"""What a breadth-first search answers: distances in edges, and what can be reached."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import networkx as nx

from ..declines import declines
from ..graph import StoredGraph


def levels(graph: StoredGraph, source: Any, *, backwards: bool = False) -> NDArray[Any]:
    """By position, edges on the shortest path from a node, or to it; -1 if there is none."""
    return graph.run("bfs", graph.nodes.id(source), backwards=backwards)["level"]


def by_distance(graph: StoredGraph, found: NDArray[Any], distances: NDArray[Any]) -> dict[Any, Any]:
    """The nodes at the positions `found` and their distances, the nearest first."""
    order = found[np.argsort(distances[found], kind="stable")]
    return dict(zip(graph.nodes.at(order), distances[order].tolist(), strict=True))


def lengths(graph: StoredGraph, source: Any, cutoff: float | None, *, backwards: bool) -> dict[Any, int]:
    """The distances of all nodes within the cutoff."""
    level = levels(graph, source, backwards=backwards)
    near = level >= 0
    if cutoff is not None:
        # networkx takes another step as long as the cutoff is above the steps taken.
        near &= (level == 0) | (level - 1 < cutoff)
    return by_distance(graph, np.flatnonzero(near), level)


def single_source_shortest_path_length(
    G: StoredGraph, source: Any, cutoff: float | None = None
) -> dict[Any, int]:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    return lengths(G, source, cutoff, backwards=False)


def single_target_shortest_path_length(
    G: StoredGraph, target: Any, cutoff: float | None = None
) -> dict[Any, int]:
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return lengths(G, target, cutoff, backwards=True)


def _needs_ends(G: Any, source: Any, target: Any) -> str | None:
    return "None as an end means all nodes" if source is None or target is None else None


@declines(_needs_ends)
def has_path(G: StoredGraph, source: Any, target: Any) -> bool:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return bool(levels(G, source)[G.nodes.position(target)] >= 0)


def _missing(graph: StoredGraph, source: Any) -> nx.NetworkXError:
    kind = "digraph" if graph.is_directed() else "graph"
    return nx.NetworkXError(f"The node {source} is not in the {kind}.")


def _others(graph: StoredGraph, source: Any, *, backwards: bool) -> set[Any]:
    """The nodes that can be reached, without the one that the search began at."""
    if source not in graph:
        raise _missing(graph, source)
    return set(graph.nodes.at(np.flatnonzero(levels(graph, source, backwards=backwards) > 0)))


def descendants(G: StoredGraph, source: Any) -> set[Any]:
    return _others(G, source, backwards=False)


def ancestors(G: StoredGraph, source: Any) -> set[Any]:
    return _others(G, source, backwards=True)


def descendants_at_distance(G: StoredGraph, source: Any, distance: int) -> set[Any]:
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if distance < 0:
        return set()
    return set(G.nodes.at(np.flatnonzero(levels(G, source) == distance)))

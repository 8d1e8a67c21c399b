"""Shortest paths by the sum of weights, as Dijkstra's algorithm has them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import networkx as nx

from ..declines import declines
from ..graph import StoredGraph
from ..weights import EXACT
from .levels import by_distance


def needs_attribute(weight: Any) -> str | None:
    """Why a `weight` cannot be used, if it cannot."""
    return "weights must be an attribute, not a function" if callable(weight) else None


def distances(
    graph: StoredGraph, sources: list[Any], weight: Any, *, backwards: bool = False
) -> NDArray[Any]:
    """By position, the distance from the nearest source, or to it; infinite if there is no path.

    Raises
    ------
    NotImplementedError
        If the weights are not of the kind that the engine's distances are exact for.
    """
    weights = graph.weights(weight)
    ids = [graph.nodes.id(source) for source in sources]
    if weights.all_one:
        level = graph.run("bfs", ids, backwards=backwards)["level"]
        return np.where(level >= 0, level, np.inf)
    lowest, highest = weights.bounds
    if lowest < 0:
        # networkx notices some of them and returns a result for others.
        raise NotImplementedError("a weight is negative")
    if weights.whole and highest * len(graph) >= EXACT:
        raise NotImplementedError("a distance may be a whole number that no double holds")
    return graph.run("sssp", ids, backwards=backwards)["distance"]


def within(
    graph: StoredGraph, sources: list[Any], cutoff: float | None, weight: Any, *, backwards: bool = False
) -> dict[Any, float]:
    """The distances of all nodes up to the cutoff."""
    distance = distances(graph, sources, weight, backwards=backwards)
    near = np.isfinite(distance)
    if cutoff is not None:
        near &= distance <= cutoff
        # A source is there whatever the cutoff is.
        near[[graph.nodes.position(source) for source in sources]] = True
    found = np.flatnonzero(near)
    lengths = by_distance(graph, found, as_in_python(graph, distance, weight))
    # networkx begins with a whole 0, and adds weights of any type to it.
    return lengths | dict.fromkeys(sources, 0)


def as_in_python(graph: StoredGraph, distance: NDArray[Any], weight: Any) -> NDArray[Any]:
    """The distances as whole numbers, if all weights are; an infinite one becomes any number."""
    if not graph.weights(weight).whole:
        return distance
    return np.where(np.isfinite(distance), distance, -1).astype(np.int64)


def _declined(G: Any, sources: Any, cutoff: Any, weight: Any) -> str | None:
    if isinstance(sources, Iterator):
        return "networkx uses up an iterator of sources when it checks them"
    return needs_attribute(weight)


@declines(_declined)
def multi_source_dijkstra_path_length(
    G: StoredGraph, sources: Collection[Any], cutoff: float | None = None, weight: Any = "weight"
) -> dict[Any, float]:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} not found in graph")
    return within(G, list(sources), cutoff, weight)


def _declined_single(G: Any, source: Any, cutoff: Any, weight: Any) -> str | None:
    return needs_attribute(weight)


@declines(_declined_single)
def single_source_dijkstra_path_length(
    G: StoredGraph, source: Any, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Any, float]:
    return multi_source_dijkstra_path_length(G, {source}, cutoff=cutoff, weight=weight)


def _declined_path(G: Any, source: Any, target: Any, weight: Any) -> str | None:
    return needs_attribute(weight)


@declines(_declined_path)
def dijkstra_path_length(G: StoredGraph, source: Any, target: Any, weight: Any = "weight") -> float:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    if source == target:
        return 0
    distance = distances(G, [source], weight)
    if target not in G or np.isinf(distance[G.nodes.position(target)]):
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    length: float = as_in_python(G, distance, weight)[G.nodes.position(target)].item()
    return length

"""networkx's function for shortest paths of every kind, in edges or weights, from or to a node."""

from __future__ import annotations

from typing import Any

import networkx as nx

from ..declines import declines
from ..graph import StoredGraph
from .distances import dijkstra_path_length, needs_attribute, single_source_dijkstra_path_length, within
from .levels import levels, single_source_shortest_path_length, single_target_shortest_path_length


def _declined(G: Any, source: Any, target: Any, weight: Any, method: Any) -> str | None:
    if source is None and target is None:
        return "all pairs of nodes need a run for each node"
    if weight is not None and method == "bellman-ford":
        return "only Dijkstra's method is here"
    return needs_attribute(weight)


@declines(_declined)
def shortest_path_length(
    G: StoredGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if weight is None:
        if target is None:
            return single_source_shortest_path_length(G, source)
        if source is None:
            if target not in G:
                # networkx searches from it, in the graph turned round.
                raise nx.NodeNotFound(f"Source {target} is not in G")
            return single_target_shortest_path_length(G, target)
        return _edges_between(G, source, target)
    if target is None:
        return single_source_dijkstra_path_length(G, source, weight=weight)
    if source is None:
        if target not in G:
            raise nx.NodeNotFound(f"Node {target} not found in graph")
        return within(G, [target], None, weight, backwards=True)
    return dijkstra_path_length(G, source, target, weight)


def _edges_between(graph: StoredGraph, source: Any, target: Any) -> int:
    """Edges on a shortest path."""
    if source not in graph:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if target not in graph:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    level = int(levels(graph, source)[graph.nodes.position(target)])
    if level < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return level

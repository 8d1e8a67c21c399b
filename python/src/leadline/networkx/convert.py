"""Graphs of networkx to stored ones, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import networkx as nx

from .edges import Edges
from .graph import StoredGraph
from .nodes import ListedNodes

#: The classes that say where neighbours are; the most special ones first.
CLASSES = (nx.MultiDiGraph, nx.MultiGraph, nx.DiGraph, nx.Graph)


def from_networkx(
    graph: nx.Graph,
    *,
    edge_attrs: dict[Any, Any] | None = None,
    node_attrs: dict[Any, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> StoredGraph:
    """A stored graph of the same nodes, in the same order, and edges. Nothing is written until a function
    needs it.

    Parameters
    ----------
    graph : networkx.Graph
        Of any of networkx's four classes, or a view of one.
    edge_attrs : dict, optional
        The attribute of edges that is their weight, and what it is where an edge has none.
    node_attrs, preserve_edge_attrs, preserve_node_attrs
        Must ask for nothing.
    preserve_graph_attrs, name, graph_name
        Not used.

    Raises
    ------
    NotImplementedError
        If the graph keeps its neighbours in a way of its own, or more is to be kept than one weight.
    """
    if preserve_edge_attrs or preserve_node_attrs or node_attrs or len(edge_attrs or {}) > 1:
        raise NotImplementedError("a stored graph keeps one weight for each edge and no other attributes")
    refuse_special(graph)
    [(attribute, default)] = edge_attrs.items() if edge_attrs else [(None, None)]
    nodes = ListedNodes(list(graph))
    edges = Edges.read(graph, nodes, attribute, default)
    return StoredGraph.converted(nodes, edges, directed=graph.is_directed(), multigraph=graph.is_multigraph())


def refuse_special(graph: Any) -> None:
    """Raise NotImplementedError for a graph whose neighbours are not what its class keeps (networkx has
    one that lists everything but them)."""
    for base in CLASSES:
        if isinstance(graph, base):
            for member in ("adj", "neighbors", "__getitem__", "__iter__"):
                if getattr(type(graph), member) is not getattr(base, member):
                    raise NotImplementedError(f"{type(graph).__name__} has a {member} of its own")
            return
    raise NotImplementedError(f"not a graph of networkx: {type(graph).__name__}")


def to_networkx(graph: StoredGraph) -> nx.Graph:
    """A networkx graph of a converted one, with its weights.

    Raises
    ------
    NotImplementedError
        For a store that was opened: its edges may not fit in memory.
    """
    edges = graph.edges
    kinds = {
        (False, False): nx.Graph,
        (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph,
        (True, True): nx.MultiDiGraph,
    }
    made = kinds[graph.is_directed(), graph.is_multigraph()]()
    made.add_nodes_from(graph)
    ends = zip(graph.nodes.at(edges.sources), graph.nodes.at(edges.targets), strict=True)
    weights = edges.weights
    if weights.values is None:
        made.add_edges_from(ends)
    else:
        numbers = weights.values.astype(np.int64) if weights.whole else weights.values
        attribute = weights.attribute
        made.add_edges_from((u, v, {attribute: w}) for (u, v), w in zip(ends, numbers.tolist(), strict=True))
    return made


def count_edges(graph: Any) -> int:
    """Edges of a graph of networkx or a stored one, without looking at each."""
    if isinstance(graph, StoredGraph):
        return graph.number_of_edges()
    listed = sum(map(len, graph._adj.values()))
    return listed if graph.is_directed() else listed // 2

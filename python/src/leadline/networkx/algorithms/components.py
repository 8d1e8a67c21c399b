"""Connected components: of undirected graphs, and of directed ones without regard to direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import networkx as nx

from ..graph import StoredGraph
from .levels import levels


def labels(graph: StoredGraph) -> NDArray[Any]:
    """By position, the number of the component, from 0 in the order of their first nodes."""
    # The engine names a component by its smallest id, which is that of its first node.
    numbers: NDArray[np.intp] = np.unique(graph.run("wcc")["component"], return_inverse=True)[1]
    return numbers


def connected_components(G: StoredGraph) -> Iterator[set[Any]]:
    if len(G) == 0:
        return iter(())
    number = labels(G)
    by_component = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[by_component])) + 1
    return (set(G.nodes.at(members)) for members in np.split(by_component, starts))


def number_connected_components(G: StoredGraph) -> int:
    return int(labels(G).max()) + 1 if len(G) else 0


def is_connected(G: StoredGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G) == 1


def node_connected_component(G: StoredGraph, n: Any) -> set[Any]:
    if n not in G:
        raise KeyError(n)
    # Reads that component only.
    return set(G.nodes.at(np.flatnonzero(levels(G, n) >= 0)))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected

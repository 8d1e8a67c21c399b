"""The networkx backend: functions of networkx on graphs whose edges are on a disk.

networkx finds it by itself (``nx.pagerank(G, backend="leadline")``). What it needs beyond that is here:
a store, opened as a graph for networkx's functions.

>>> import networkx as nx
>>> import leadline.networkx
>>> H = leadline.networkx.open("web.graph")  # doctest: +SKIP
>>> nx.pagerank(H)  # doctest: +SKIP

networkx imports this package while it is itself being imported, so nothing here imports networkx.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leadline import Graph

    from .graph import StoredGraph

__all__ = ["from_graph", "open"]


def open(path: str, **options: Any) -> StoredGraph:
    """Open a store as a graph for networkx's functions.

    Parameters
    ----------
    path : path-like
        A store, made by ``leadline graph import`` or :meth:`leadline.Graph.import_file`.
    **options
        Those of :meth:`leadline.Graph.open`, such as ``memory="64M"``.

    Returns
    -------
    StoredGraph
        Its nodes are the ids of the store.

    Raises
    ------
    leadline.BadInput
        If the file is no store, or a damaged one.
    """
    from leadline import Graph

    return from_graph(Graph.open(path, **options))


def from_graph(graph: Graph) -> StoredGraph:
    """Use an open :class:`leadline.Graph` with networkx's functions.

    Parameters
    ----------
    graph : leadline.Graph
        It stays open, and stays yours to close.

    Returns
    -------
    StoredGraph
        Its nodes are the ids of the store. If the store has weights, they are the attribute ``"weight"``.
    """
    from .graph import StoredGraph

    return StoredGraph.opened(graph)

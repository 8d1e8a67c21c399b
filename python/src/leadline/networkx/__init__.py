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
        Arguments of :meth:`leadline.Graph.open`, such as ``memory="64M"``.

    Returns
    -------
    StoredGraph
        Its nodes are the ids of the store.

    Raises
    ------
    leadline.BadInput
        If the file is no store, or a damaged one.

    Examples
    --------
    >>> import leadline, leadline.networkx, pathlib, tempfile
    >>> import networkx as nx
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "g"
    >>> leadline.Graph.from_edges([1, 2], [2, 3], path=path).close()
    >>> nx.descendants(leadline.networkx.open(path), 2)
    {3}
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

    Raises
    ------
    leadline.BadInput
        It is no :class:`leadline.Graph`.

    Examples
    --------
    >>> import leadline, leadline.networkx
    >>> import networkx as nx
    >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8], directed=False) as graph:
    ...     sorted(nx.node_connected_component(leadline.networkx.from_graph(graph), 1))
    [1, 2, 3]
    """
    from leadline import BadInput, Graph

    if not isinstance(graph, Graph):
        raise BadInput(f"graph: must be a leadline.Graph, not {type(graph).__name__}")
    from .graph import StoredGraph

    return StoredGraph.opened(graph)

"""Parts of graphs, and what other libraries make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._optional import needed
from ._table import Table

if TYPE_CHECKING:
    import igraph
    import networkx
    import scipy.sparse

__all__ = ["Subgraph"]


class Subgraph:
    """Some vertices of a graph and all edges among them; what :meth:`Graph.ego` and :meth:`Graph.subgraph`
    give.
    """

    __module__ = "leadline"

    def __init__(self, vertices: Table, edges: Table, *, directed: bool) -> None:
        #: A row for each vertex: ``vertex``, and around a vertex ``hops``, how far each is from it.
        self.vertices = vertices
        #: A row for each edge: ``source``, ``target``, and ``weight`` where the graph has weights; an
        #: undirected edge once.
        self.edges = edges
        #: Whether each edge goes one way.
        self.directed = directed

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Subgraph({len(self.vertices):,} vertices, {len(self.edges):,} edges, {kind})"

    @property
    def info(self) -> dict[str, Any]:
        """What it took to read: ``seconds``, ``bytes_read``, ``requests`` and others."""
        return self.edges.info

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of it besides, a sentence each."""
        return self.edges.notes

    def to_networkx(self) -> networkx.Graph:
        """As a networkx graph, with the weights as the attribute ``weight``.

        Parallel edges make it a MultiGraph or MultiDiGraph, in which all of them are.

        Returns
        -------
        networkx.Graph
            Its nodes are the ids.

        Raises
        ------
        ImportError
            networkx is not installed.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8]) as g:
        ...     sorted(g.ego(1, 2).to_networkx().edges)
        [(1, 2), (2, 3)]
        """
        with needed("to_networkx()", "networkx"):
            import networkx as nx

        columns = [self.edges[name].tolist() for name in self.edges.column_names]
        pairs = list(zip(columns[0], columns[1], strict=True))
        ends = pairs if self.directed else [tuple(sorted(pair)) for pair in pairs]
        parallel = len(set(ends)) < len(ends)
        made = {
            (False, False): nx.Graph,
            (True, False): nx.DiGraph,
            (False, True): nx.MultiGraph,
            (True, True): nx.MultiDiGraph,
        }[self.directed, parallel]()
        made.add_nodes_from(self.vertices["vertex"].tolist())
        if len(columns) > 2:
            made.add_weighted_edges_from(zip(*columns, strict=True))
        else:
            made.add_edges_from(pairs)
        return made

    def to_igraph(self) -> igraph.Graph:
        """As an igraph graph: ids are the vertices' attribute ``name``, weights the edges' ``weight``.

        Returns
        -------
        igraph.Graph
            Its vertices are in the order of :attr:`vertices`, its edges in the order of :attr:`edges`.

        Raises
        ------
        ImportError
            igraph is not installed.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8]) as g:
        ...     made = g.ego(1, 2).to_igraph()
        >>> made.vs["name"], made.get_edgelist()
        ([1, 2, 3], [(0, 1), (1, 2)])
        """
        with needed("to_igraph()", "igraph"):
            import igraph

        ends = self._ends()
        made = igraph.Graph(len(self.vertices), ends.tolist(), directed=self.directed)
        made.vs["name"] = self.vertices["vertex"].tolist()
        if "weight" in self.edges.column_names:
            made.es["weight"] = self.edges["weight"].tolist()
        return made

    def to_scipy(self) -> tuple[scipy.sparse.csr_array, NDArray[Any]]:
        """As a sparse matrix with a row and a column for each vertex, and the ids of these.

        Returns
        -------
        tuple
            A ``scipy.sparse.csr_array`` of doubles: weights, or 1 for each edge; weights of parallel edges
            are added up, and an undirected edge is on both sides of the diagonal. And the ids of its rows and
            columns, in the order of :attr:`vertices`.

        Raises
        ------
        ImportError
            scipy is not installed.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3], [0.5, 2], directed=False) as g:
        ...     matrix, ids = g.subgraph([1, 2, 3]).to_scipy()
        >>> matrix.toarray().tolist(), ids.tolist()
        ([[0.0, 0.5, 0.0], [0.5, 0.0, 2.0], [0.0, 2.0, 0.0]], [1, 2, 3])
        """
        with needed("to_scipy()", "scipy"):
            import scipy.sparse

        rows, columns = self._ends().T
        given = "weight" in self.edges.column_names
        values = self.edges["weight"].astype(float) if given else np.ones(len(rows))
        if not self.directed:
            # From the other end too; an edge from a vertex to itself has one.
            other = rows != columns
            rows, columns = np.append(rows, columns[other]), np.append(columns, rows[other])
            values = np.append(values, values[other])
        count = len(self.vertices)
        matrix = scipy.sparse.coo_array((values, (rows, columns)), shape=(count, count))
        return matrix.tocsr(), self.vertices["vertex"]

    def _ends(self) -> NDArray[np.int64]:
        """A row for each edge: the places of its ends among the vertices."""
        places = {vertex: place for place, vertex in enumerate(self.vertices["vertex"].tolist())}
        ends = [[places[end] for end in self.edges[side].tolist()] for side in ("source", "target")]
        return np.array(ends, dtype=np.int64).T

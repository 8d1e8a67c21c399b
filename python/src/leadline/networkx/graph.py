"""A graph whose edges are in a store, as networkx's functions take it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

import leadline
import networkx as nx

from .edges import Edges
from .nodes import Nodes, StoredNodes
from .weights import Weights

#: The attribute that a store's weights are.
STORED_WEIGHT = "weight"


class StoredGraph:
    """A graph for networkx's functions of which only the nodes are in memory.

    It is either converted from a networkx graph, and then written to a temporary store when the first
    function needs one, or it is a store that was opened. It cannot be changed.
    """

    __networkx_backend__ = "leadline"

    def __init__(self, *, directed: bool, multigraph: bool) -> None:
        # networkx keeps conversions to its own graphs here.
        self.__networkx_cache__: dict[str, Any] = {}
        self.graph: dict[Any, Any] = {}
        self._directed = directed
        self._multigraph = multigraph
        self._edges: Edges | None = None

    @classmethod
    def converted(cls, nodes: Nodes, edges: Edges, *, directed: bool, multigraph: bool) -> StoredGraph:
        """Of nodes and edges in memory. The id of a node in the store is its position."""
        graph = cls(directed=directed, multigraph=multigraph)
        graph.nodes = nodes
        graph._edges = edges
        return graph

    @classmethod
    def opened(cls, store: leadline.Graph) -> StoredGraph:
        """Of an open store. Its nodes are its ids."""
        graph = cls(directed=store.directed, multigraph=False)
        graph.store = store
        return graph

    def __repr__(self) -> str:
        kind = "directed" if self._directed else "undirected"
        return f"<StoredGraph, {kind}: {len(self)} nodes, {self.number_of_edges()} edges>"

    # What networkx asks of any graph.

    def is_directed(self) -> bool:
        """Whether edges lead one way only."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Whether there may be several edges between two nodes."""
        return self._multigraph

    def __len__(self) -> int:
        return len(self.nodes) if self._edges is not None else self.store.vertices

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        return node in self.nodes

    def number_of_nodes(self) -> int:
        """Nodes."""
        return len(self)

    order = number_of_nodes

    def number_of_edges(self) -> int:
        """Edges; an undirected one counts once."""
        return len(self._edges.sources) if self._edges is not None else self.store.edges

    def number_of_selfloops(self) -> int:
        """Edges from a node to itself."""
        if self._edges is not None:
            return self._edges.loops
        return self.store.self_loops

    # What the functions of this backend ask.

    @cached_property
    def nodes(self) -> Nodes:
        """The nodes, ascending by their ids in the store."""
        return StoredNodes(self.store.ids(memory=nx.config.backends.leadline.memory))

    @property
    def edges(self) -> Edges:
        """The edges that it was converted from.

        Raises
        ------
        NotImplementedError
            For a store that was opened.
        """
        if self._edges is None:
            raise NotImplementedError("the edges of a store that was opened are not in memory")
        return self._edges

    def weights(self, attribute: Any) -> Weights:
        """The weights for an argument `weight` of a function.

        Raises
        ------
        NotImplementedError
            If they cannot be used, or the graph was converted without them.
        """
        if attribute is None:
            return Weights()
        if self._edges is None:
            # A store without weights is a graph without the attribute, which then counts as 1.
            unseen = self.store.weighted and attribute == STORED_WEIGHT
            return Weights(attribute, whole=not unseen, unseen=unseen)
        weights = self._edges.weights
        if weights.attribute != attribute:
            raise NotImplementedError(f"the graph was converted without the weights {attribute!r}")
        if weights.refused is not None:
            raise NotImplementedError(weights.refused)
        return weights

    def run(self, algorithm: str, *arguments: Any, backwards: bool = False, **options: Any) -> leadline.Table:
        """Run an algorithm on the store, with the limits of ``nx.config.backends.leadline``.

        Parameters
        ----------
        algorithm : str
            The name of a method of :class:`leadline.Graph`.
        backwards : bool
            Follow edges from their targets to their sources.

        Returns
        -------
        leadline.Table
            One row for each node, in the order of the nodes.
        """
        store = self.transposed if backwards and self._directed else self.store
        config = nx.config.backends.leadline
        limits = {name: config[name] for name in ("memory", "threads", "concurrency")}
        limits["concurrency"] = config.depth if limits["concurrency"] is None else limits["concurrency"]
        limits = {name: limit for name, limit in limits.items() if limit is not None}
        table: leadline.Table = getattr(store, algorithm)(*arguments, **options, **limits)
        return table

    def by_node(self, values: list[Any]) -> dict[Any, Any]:
        """A value for each node, as networkx returns them."""
        return dict(zip(self.nodes, values, strict=True))

    @cached_property
    def store(self) -> leadline.Graph:
        """The store; written when it is first asked for, and removed with this object."""
        return self._written(self.edges.sources, self.edges.targets)

    @cached_property
    def transposed(self) -> leadline.Graph:
        """A store of the same edges, each the other way."""
        return self._written(self.edges.targets, self.edges.sources)

    def _written(self, sources: NDArray[Any], targets: NDArray[Any]) -> leadline.Graph:
        memory = nx.config.backends.leadline.memory
        return leadline.Graph.from_edges(
            sources,
            targets,
            self.edges.weights.values,
            directed=self._directed,
            # Core numbers need incoming edges, and searches and ranks are faster with them.
            reverse=self._directed,
            vertices=self.edges.isolated(len(self)),
            **({} if memory is None else {"memory": memory}),
        )

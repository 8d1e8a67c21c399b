"""The edges of a networkx graph as arrays, on their way into a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .nodes import ListedNodes
from .weights import Weights

#: A store has at most 2^32 vertices.
POSITION = np.uint32


@dataclass(frozen=True)
class Edges:
    """Each edge once: the positions of its ends, and its weight."""

    sources: NDArray[Any]
    targets: NDArray[Any]
    weights: Weights = field(default_factory=Weights)

    @classmethod
    def read(cls, graph: Any, nodes: ListedNodes, attribute: Any, default: Any) -> Edges:
        """Edges of a networkx graph, in the order of its adjacency.

        Parameters
        ----------
        graph : networkx.Graph
        nodes : ListedNodes
            Its nodes.
        attribute
            Of edges: their weight. None: without weights.
        default
            The weight of an edge without the attribute.
        """
        # Iterators in C, where they do: loops in Python take several times as long.
        adjacency = graph._adj
        if type(adjacency) is not dict:
            # A view, whose lengths may count what it hides.
            adjacency = {node: dict(neighbours) for node, neighbours in adjacency.items()}
        degrees = np.fromiter(map(len, adjacency.values()), np.int64, len(nodes))
        sources = np.repeat(np.arange(len(nodes), dtype=POSITION), degrees)
        positions = map(nodes.position, chain.from_iterable(adjacency.values()))
        targets = np.fromiter(positions, POSITION, len(sources))
        data: Iterable[Any] = chain.from_iterable(neighbours.values() for neighbours in adjacency.values())
        if graph.is_multigraph():
            parallel = list(map(dict, data))
            counts = np.fromiter(map(len, parallel), np.int64, len(sources))
            sources, targets = np.repeat(sources, counts), np.repeat(targets, counts)
            data = chain.from_iterable(keys.values() for keys in parallel)
        if not graph.is_directed():
            # Both ends list an edge, a self-loop is listed once.
            first = sources <= targets
            data = compress(data, first.tolist())
            sources, targets = sources[first], targets[first]
        if attribute is None:
            return cls(sources, targets)
        weights = Weights.read(attribute, (attributes.get(attribute, default) for attributes in data))
        return cls(sources, targets, weights)

    @property
    def loops(self) -> int:
        """Edges from a node to itself."""
        return int((self.sources == self.targets).sum())

    def neighbours(self, nodes: int) -> NDArray[Any]:
        """By position, how many neighbours each of the nodes has, not counting itself. For undirected edges,
        none of them parallel."""
        proper = self.sources != self.targets
        ends = np.concatenate([self.sources[proper], self.targets[proper]])
        return np.bincount(ends, minlength=nodes)

    def isolated(self, nodes: int) -> NDArray[Any]:
        """The positions of the nodes that have no edge."""
        alone = np.ones(nodes, dtype=bool)
        alone[self.sources] = False
        alone[self.targets] = False
        return np.flatnonzero(alone).astype(POSITION)

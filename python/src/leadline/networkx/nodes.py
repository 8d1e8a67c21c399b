"""The nodes of a graph by their position in it, and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

import networkx as nx


class Nodes(ABC):
    """Nodes in the order of the graph, which is the order of rows in every result."""

    @property
    @abstractmethod
    def _adj(self) -> Container[Any]:
        """The nodes: networkx's ``nbunch_iter`` asks for nothing else of a graph, and under this name."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __iter__(self) -> Iterator[Any]: ...

    @abstractmethod
    def __contains__(self, node: Any) -> bool: ...

    @abstractmethod
    def position(self, node: Any) -> int:
        """Where a node is; it must be one."""

    @abstractmethod
    def id(self, node: Any) -> Any:
        """The id of a node in the store."""

    @abstractmethod
    def at(self, positions: NDArray[Any]) -> list[Any]:
        """The nodes at these positions."""

    def among(self, nodes: Any) -> Iterable[Any]:
        """The members of `nodes` (one node, or several; all if None) that are nodes here.

        Raises
        ------
        networkx.NetworkXError
            If `nodes` is neither a node nor iterable, or has something that cannot be a node.
        """
        return self if nodes is None else nx.Graph.nbunch_iter(self, nodes)


class ListedNodes(Nodes):
    """The nodes of a networkx graph: any objects that can be keys. A node's id is its position.

    Parameters
    ----------
    listed : list
        No two are equal.
    """

    def __init__(self, listed: list[Any]) -> None:
        self.listed = listed

    @cached_property
    def _positions(self) -> dict[Any, int]:
        return {node: position for position, node in enumerate(self.listed)}

    @property
    def _adj(self) -> dict[Any, int]:
        return self._positions

    def __len__(self) -> int:
        return len(self.listed)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.listed)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self._positions
        except TypeError:  # as networkx has it: what cannot be a key is no node
            return False

    def position(self, node: Any) -> int:
        return self._positions[node]

    id = position

    def at(self, positions: NDArray[Any]) -> list[Any]:
        return [self.listed[position] for position in positions.tolist()]


class StoredNodes(Nodes):
    """The ids of a store: whole numbers or strings.

    Parameters
    ----------
    ids : numpy.ndarray
        Ascending.
    """

    def __init__(self, ids: NDArray[Any]) -> None:
        self.ids = ids

    @property
    def _adj(self) -> StoredNodes:
        return self

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ids.tolist())

    def __contains__(self, node: Any) -> bool:
        kind: Any = str if self.ids.dtype == object else Integral
        if not isinstance(node, kind) or (kind is Integral and node < 0):
            return False
        position = self.position(node)
        return position < len(self.ids) and bool(self.ids[position] == node)

    def position(self, node: Any) -> int:
        # Of the ids' own type: NumPy would compare them as doubles otherwise.
        return int(np.searchsorted(self.ids, np.array(node, dtype=self.ids.dtype)))

    def id(self, node: Any) -> Any:
        return node

    def at(self, positions: NDArray[Any]) -> list[Any]:
        nodes: list[Any] = self.ids[positions].tolist()
        return nodes

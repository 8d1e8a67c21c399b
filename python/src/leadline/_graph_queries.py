"""Small questions to an open graph: what a graph in memory would be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from . import _leadline
from ._errors import BadInput
from ._graph_ids import is_one, vertex_ids
from ._graph_run import run_options
from ._renamed import renamed
from ._sizes import Size
from ._subgraph import Subgraph
from ._table import Table

__all__ = ["EdgeCount", "Queries"]


class EdgeCount(int):
    """How many edges a graph has. Called, it gives them, in batches: ``for batch in graph.edges(10_000)``."""

    __module__ = "leadline"

    _store: _leadline.Store

    def __new__(cls, store: _leadline.Store) -> EdgeCount:
        count = super().__new__(cls, store.edges)
        count._store = store
        return count

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        # The number goes where the store cannot.
        return int, (int(self),)

    def __call__(self, batch: int = 65536, *, memory: Size | None = None) -> Iterator[Table]:
        """Give all edges in tables of this size, the rest in the last.

        Memory does not grow with the graph. Edges are in the order of the store: by source, then by target;
        an undirected edge is there once.

        Parameters
        ----------
        batch
            Edges of a table.
        memory
            Most memory for everything, as for :meth:`Graph.open`.

        Yields
        ------
        Table
            ``source``, ``target``, and ``weight`` where the graph has weights.

        Raises
        ------
        BadInput
            The memory does not hold a batch.
        """
        reader = _leadline.EdgeReader(self._store, batch, run_options(memory))
        return map(Table, reader)


class Queries:
    """What :class:`leadline.Graph` can be asked of some vertices. Each block is read once, however many."""

    _store: _leadline.Store

    @renamed(depth="concurrency")
    def neighbors(
        self,
        vertex: Any,
        *,
        direction: str = "out",
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
    ) -> Any:
        """Give the neighbours of a vertex, or of several at once.

        Parameters
        ----------
        vertex
            An id, or many: they are read together, with as many reads in flight as the graph was opened with.
        direction
            ``"out"``: where edges lead; ``"in"``: where they come from; or ``"both"``. Of an undirected graph
            all are the same. A directed graph needs incoming edges (``reverse=True``) for the other two.
        memory, threads, concurrency
            For this question only: see :meth:`open`.

        Returns
        -------
        numpy.ndarray or Table
            Of one vertex the ids of its neighbours, ascending, once for each edge. Of several a row for each
            edge, in the order of the vertices: ``vertex``, ``neighbor``, ``direction`` (with ``"both"`` in a
            directed graph) and ``weight`` (where the graph has weights).

        Raises
        ------
        BadInput
            A vertex that the graph does not have, or more neighbours than the memory holds.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 1, 7], [2, 3, 1], directed=False) as g:
        ...     g.neighbors(1).tolist(), g.degree(1)
        ...     g.neighbors([7, 2])
        ([2, 3, 7], 3)
        Table with 2 rows
        vertex  neighbor
             7         1
             2         1
        """
        options = run_options(memory, threads, concurrency)
        table = _table(_leadline.neighbors(self._store, vertex_ids(vertex), direction, options))
        return table["neighbor"] if is_one(vertex) else table

    @renamed(depth="concurrency")
    def degree(
        self,
        vertex: Any,
        *,
        direction: str = "out",
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
    ) -> Any:
        """Say how many neighbours a vertex has, or each of several, as :meth:`neighbors` gives them.

        Parallel edges count each, and an edge from a vertex to itself once in each direction asked for.

        Parameters
        ----------
        vertex, direction, memory, threads, concurrency
            As for :meth:`neighbors`.

        Returns
        -------
        int or Table
            Of one vertex a number. Of several a row for each, in their order: ``vertex`` and ``degree``.

        Raises
        ------
        BadInput
            As :meth:`neighbors`.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 1, 7], [2, 3, 1], reverse=True) as g:
        ...     g.degree(1), g.degree([1, 7], direction="both")["degree"].tolist()
        (2, [3, 1])
        """
        options = run_options(memory, threads, concurrency)
        table = _table(_leadline.degrees(self._store, vertex_ids(vertex), direction, options))
        return int(table["degree"][0]) if is_one(vertex) else table

    @renamed(depth="concurrency")
    def ego(
        self,
        vertex: Any,
        hops: int = 1,
        *,
        direction: str = "out",
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
    ) -> Subgraph:
        """Give the neighbourhood of a vertex: what few edges lead to, and all edges among that.

        Parameters
        ----------
        vertex
            The id of the vertex in the middle.
        hops
            Most edges from it to another.
        direction
            Whether edges are followed as they lead, against that, or both ways: as for :meth:`neighbors`.
        memory, threads, concurrency
            For this question only: see :meth:`open`.

        Returns
        -------
        Subgraph
            Vertices by hops, then by id.

        Raises
        ------
        BadInput
            As :meth:`neighbors`.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3, 7], [2, 3, 7, 1]) as g:
        ...     near = g.ego(1, 2)
        >>> near
        Subgraph(3 vertices, 2 edges, directed)
        >>> near.vertices.to_dicts()
        [{'vertex': 1, 'hops': 0}, {'vertex': 2, 'hops': 1}, {'vertex': 3, 'hops': 2}]
        """
        if not is_one(vertex):
            raise BadInput(f"vertex: is {type(vertex).__name__}; ego takes one id, subgraph several")
        options = run_options(memory, threads, concurrency)
        return self._part(_leadline.ego(self._store, vertex_ids(vertex), hops, direction, options))

    @renamed(depth="concurrency")
    def subgraph(
        self,
        vertices: Any,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
    ) -> Subgraph:
        """Give all edges among some vertices.

        Parameters
        ----------
        vertices
            Their ids; one that is there several times counts once.
        memory, threads, concurrency
            For this question only: see :meth:`open`.

        Returns
        -------
        Subgraph
            Vertices and edges in the order in which the vertices were given.

        Raises
        ------
        BadInput
            As :meth:`neighbors`.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 1]) as g:
        ...     g.subgraph([7, 1, 2]).edges.to_dicts()
        [{'source': 7, 'target': 1}, {'source': 1, 'target': 2}]
        """
        options = run_options(memory, threads, concurrency)
        return self._part(_leadline.subgraph(self._store, vertex_ids(vertices, "vertices"), options))

    def _part(self, found: tuple[_leadline.Columns, _leadline.Columns, str]) -> Subgraph:
        vertices, edges, info = found
        said: Mapping[str, Any] = json.loads(info)
        tables = [Table(columns, said, said["notes"]) for columns in (vertices, edges)]
        return Subgraph(*tables, directed=self._store.directed)


def _table(found: tuple[_leadline.Columns, str]) -> Table:
    columns, info = found
    said: Mapping[str, Any] = json.loads(info)
    return Table(columns, said, said["notes"])

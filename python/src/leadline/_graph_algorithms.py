"""The algorithms that run on an open graph."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _leadline
from ._edges import ids_of
from ._errors import BadInput
from ._sizes import Size, size_bytes
from ._table import Table

__all__ = ["Algorithms", "run_options"]

#: A vertex by the id that the user knows, or several.
Source = Any


class Algorithms:
    """What :class:`leadline.Graph` can be asked; each method is one run over the store."""

    _store: _leadline.Store

    def bfs(
        self,
        source: Source,
        *,
        parents: bool = False,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """Breadth-first search: how many edges away every vertex is from the nearest source.

        Parameters
        ----------
        source
            Id of the vertex to start at, or several.
        parents
            Also give, for each vertex, one that it was reached from.
        memory, threads, depth
            For this run only: see :meth:`open`.

        Returns
        -------
        Table
            ``vertex``, ``level`` (-1 where not reached), and ``parent``.
        """
        return _table(self._store.bfs(needed_source(source), parents, run_options(memory, threads, depth)))

    def wcc(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Weakly connected components.

        Returns
        -------
        Table
            ``vertex`` and ``component``, the smallest id of the vertices that are connected.
        """
        return _table(self._store.wcc(run_options(memory, threads, depth)))

    def pagerank(
        self,
        *,
        damping: float = 0.85,
        iterations: int = 10,
        tolerance: float = 0.0,
        source: Source = None,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """PageRank; the ranks sum to 1, and vertices without edges give theirs to all.

        Parameters
        ----------
        damping
            Share of a rank that goes along edges, 0 to 1.
        iterations
            The most iterations.
        tolerance
            End once the ranks change by less than this in all, from one iteration to the next.
        source
            Personalised: the rest of the ranks goes to these vertices, in equal parts.
        memory, threads, depth
            For this run only: see :meth:`open`.

        Returns
        -------
        Table
            ``vertex`` and ``rank``.
        """
        run = run_options(memory, threads, depth)
        return _table(self._store.pagerank(damping, iterations, tolerance, source_ids(source), run))

    def sssp(
        self,
        source: Source,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """Shortest paths by weights that are not negative, from the nearest source.

        Returns
        -------
        Table
            ``vertex`` and ``distance`` (infinite where not reached).
        """
        return _table(self._store.sssp(needed_source(source), run_options(memory, threads, depth)))

    def cdlp(
        self,
        *,
        iterations: int = 10,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """Communities by label propagation, as LDBC Graphalytics defines them.

        Returns
        -------
        Table
            ``vertex`` and ``label``.
        """
        return _table(self._store.cdlp(iterations, run_options(memory, threads, depth)))

    def lcc(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Local clustering coefficients, as LDBC Graphalytics defines them.

        Returns
        -------
        Table
            ``vertex`` and ``coefficient``; ``info["result"]["triangles"]`` counts them.
        """
        return _table(self._store.lcc(run_options(memory, threads, depth)))

    def kcore(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Core numbers: the largest k for which a vertex is in the k-core.

        Returns
        -------
        Table
            ``vertex`` and ``core``.
        """
        return _table(self._store.kcore(run_options(memory, threads, depth)))

    def dfs(
        self,
        source: Source = None,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """Depth-first search, from the sources in order; from every vertex where none is given.

        Returns
        -------
        Table
            ``vertex``, ``parent``, ``root`` and ``order`` (-1 where not reached).
        """
        return _table(self._store.dfs(source_ids(source), run_options(memory, threads, depth)))

    def walk(
        self,
        source: Source = None,
        *,
        walkers: int | None = None,
        per_vertex: int | None = None,
        length: int = 80,
        p: float = 1.0,
        q: float = 1.0,
        weighted: bool = False,
        seed: int = 1,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """Random walks: uniform, by weight, or node2vec's.

        Parameters
        ----------
        source
            Where walks start; by default at every vertex.
        walkers
            Number of walks from vertices chosen at random, or from each source.
        per_vertex
            Number of walks from every vertex, where neither is given.
        length
            Edges in a walk; one that reaches a vertex without edges ends there.
        p, q
            Node2vec's return and in-out parameters.
        weighted
            Take edges in proportion to their weights.
        seed
            Of the random numbers.
        memory, threads, depth
            For this run only: see :meth:`open`.

        Returns
        -------
        Table
            A row for each step: ``walk``, ``step``, ``vertex``.
        """
        run = run_options(memory, threads, depth)
        starts = (source_ids(source), walkers, per_vertex)
        return _table(self._store.walk(*starts, length, p, q, weighted, seed, run))


def run_options(
    memory: Size | None, threads: int | None, depth: int | None
) -> tuple[int | None, int | None, int | None]:
    """What a run does otherwise than how the graph was opened, as the extension takes it."""
    return size_bytes("memory", memory), threads, depth


def source_ids(source: Source) -> list[str]:
    """Ids as text, of one vertex or several; none for None."""
    if source is None:
        return []
    values = ids_of("source", [source] if isinstance(source, str) else np.atleast_1d(np.asarray(source)))
    if len(values) == 0:
        raise BadInput("source: names no vertex")
    return [str(value) for value in values]


def needed_source(source: Source) -> list[str]:
    """Ids as text, of at least one vertex."""
    if source is None:
        raise BadInput("source: names no vertex")
    return source_ids(source)


def _table(answer: tuple[_leadline.Columns, str]) -> Table:
    columns, info = answer
    return Table(columns, json.loads(info))

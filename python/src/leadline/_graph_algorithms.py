"""The algorithms that run on an open graph."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _leadline
from ._edges import ids_of
from ._errors import BadInput
from ._sizes import Size, memory_bytes
from ._table import Table

__all__ = ["Algorithms", "run_options"]

#: A vertex by the id that the user knows, or several.
Source = Any

_RunOptions = tuple[int | None, int | None, int | None]


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
        arguments = {"source": needed_source(source), "parents": parents}
        return self._run("bfs", run_options(memory, threads, depth), arguments)

    def wcc(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Weakly connected components.

        Returns
        -------
        Table
            ``vertex`` and ``component``, the smallest id of the vertices that are connected.
        """
        return self._run("wcc", run_options(memory, threads, depth))

    def scc(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Strongly connected components; a directed graph needs incoming edges (``reverse=True``).

        Returns
        -------
        Table
            ``vertex`` and ``component``, the smallest id of the vertices that each reach all the others.
        """
        return self._run("scc", run_options(memory, threads, depth))

    def pagerank(
        self,
        *,
        damping: float = 0.85,
        iterations: int = 10,
        tolerance: float = 0.0,
        source: Source = None,
        weighted: bool = False,
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
        weighted
            Give ranks along edges in proportion to their weights, which are 0 or more.
        memory, threads, depth
            For this run only: see :meth:`open`.

        Returns
        -------
        Table
            ``vertex`` and ``rank``.
        """
        run = run_options(memory, threads, depth)
        arguments = {
            "damping": damping,
            "iterations": iterations,
            "tolerance": tolerance,
            "source": source_ids(source),
            "weighted": weighted,
        }
        return self._run("pagerank", run, arguments)

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
        arguments = {"source": needed_source(source)}
        return self._run("sssp", run_options(memory, threads, depth), arguments)

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
        return self._run("cdlp", run_options(memory, threads, depth), {"iterations": iterations})

    def lcc(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Local clustering coefficients, as LDBC Graphalytics defines them.

        Returns
        -------
        Table
            ``vertex`` and ``coefficient``; ``info["result"]["triangles"]`` counts them.
        """
        return self._run("lcc", run_options(memory, threads, depth))

    def triangles(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Triangles, whichever way edges lead; a directed graph needs incoming edges (``reverse=True``).

        Returns
        -------
        Table
            ``vertex`` and ``triangles``, those that it is in; ``info["result"]["triangles"]`` counts those of
            the graph.
        """
        return self._run("triangles", run_options(memory, threads, depth))

    def louvain(
        self,
        *,
        resolution: float = 1.0,
        seed: int = 1,
        max_levels: int | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """Communities of high modularity by the Louvain method, by weights if the graph has them.

        A directed graph needs incoming edges (``reverse=True``); its edges are taken as undirected ones.

        Parameters
        ----------
        resolution
            Above 0: larger values make more and smaller communities.
        seed
            Of the order in which vertices are moved. Nothing else decides what is found.
        max_levels
            End after this many levels; by default after as many as it takes.
        memory, threads, depth
            For this run only: see :meth:`open`.

        Returns
        -------
        Table
            ``vertex`` and ``community``, the smallest id in it. ``info["result"]`` has their number
            (``communities``), their ``modularity``, and both for each of the ``levels``.
        """
        run = run_options(memory, threads, depth)
        arguments = {"resolution": resolution, "seed": seed, "max_levels": max_levels}
        return self._run("louvain", run, arguments)

    def leiden(
        self,
        *,
        resolution: float = 1.0,
        seed: int = 1,
        max_levels: int | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """Communities of high modularity by the Leiden method: each is connected.

        Parameters
        ----------
        resolution, seed, max_levels, memory, threads, depth
            As those of :meth:`louvain`.

        Returns
        -------
        Table
            As that of :meth:`louvain`.
        """
        run = run_options(memory, threads, depth)
        arguments = {"resolution": resolution, "seed": seed, "max_levels": max_levels}
        return self._run("leiden", run, arguments)

    def kcore(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Core numbers: the largest k for which a vertex is in the k-core.

        Returns
        -------
        Table
            ``vertex`` and ``core``.
        """
        return self._run("kcore", run_options(memory, threads, depth))

    def similarity(
        self,
        vertex: Source = None,
        other: Source = None,
        *,
        top: int | None = None,
        skip_above: int | None = None,
        measure: str = "jaccard",
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
    ) -> Table:
        """How many of their neighbours two vertices share: of pairs, or of each vertex and its most similar.

        Parameters
        ----------
        vertex, other
            Ids of the two vertices of each pair, as many of one as of the other.
        top
            Instead of pairs: for each vertex so many of those that share a neighbour with it. A directed
            graph needs incoming edges (``reverse=True``) for that.
        skip_above
            With `top`: do not count vertices that more edges than this lead to as neighbours of any. Their
            number decides how long it takes.
        measure
            ``"jaccard"``: common neighbours by all of both. ``"overlap"``: by those of the vertex with fewer.
        memory, threads, depth
            For this run only: see :meth:`open`.

        Returns
        -------
        Table
            ``vertex``, ``other`` and ``similarity``, 0 to 1: a row for each pair, in their order; or, with
            `top`, the most similar of each vertex one after the other, vertices in ascending order of ids.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 1, 2, 2, 2], [7, 8, 7, 8, 9]) as g:
        ...     g.similarity([1, 1], [2, 7])
        Table with 2 rows
        vertex  other  similarity
             1      2    0.666667
             1      7           0
        """
        run = run_options(memory, threads, depth)
        if top is None:
            if vertex is None or other is None:
                raise BadInput("similarity: give the pairs, vertex and other, or top")
            if skip_above is not None:
                raise BadInput("skip_above: is of top; pairs count all neighbours")
            pairs = source_ids(vertex, "vertex"), source_ids(other, "other")
            return self._run("similarity", run, {"pairs": pairs, "measure": measure})
        if vertex is not None or other is not None:
            raise BadInput("similarity: give either the pairs, vertex and other, or top")
        return self._run("similarity", run, {"top": top, "skip_above": skip_above, "measure": measure})

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
        return self._run("dfs", run_options(memory, threads, depth), {"source": source_ids(source)})

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
        arguments = {
            "source": source_ids(source),
            "walkers": walkers,
            "per_vertex": per_vertex,
            "length": length,
            "p": p,
            "q": q,
            "weighted": weighted,
            "seed": seed,
        }
        return self._run("walk", run, arguments)

    def _run(
        self, algorithm: str, options: _RunOptions, arguments: Mapping[str, object] | None = None
    ) -> Table:
        columns, info = self._store.run(algorithm, dict(arguments or {}), options)
        return Table(columns, json.loads(info))


def _method(algorithm: str, about: str) -> Callable[..., Table]:
    """Run an algorithm that has no method of its own above."""

    def method(
        self: Algorithms,
        source: Source = None,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
        **arguments: object,
    ) -> Table:
        if source is not None:
            arguments["source"] = source_ids(source)
        return self._run(algorithm, run_options(memory, threads, depth), arguments)

    method.__name__ = method.__qualname__ = algorithm
    method.__doc__ = f"{about}.\n\nThe arguments are the options of ``leadline graph {algorithm}``."
    return method


for _name, _about in _leadline.algorithms():
    if not hasattr(Algorithms, _name):
        setattr(Algorithms, _name, _method(_name, _about))


def run_options(memory: Size | None, threads: int | None, depth: int | None) -> _RunOptions:
    """What a run does otherwise than how the graph was opened, as the extension takes it."""
    return memory_bytes(memory), threads, depth


def source_ids(source: Source, name: str = "source") -> list[str]:
    """Ids as text, of one vertex or several; none for None. `name` is for messages."""
    if source is None:
        return []
    values = ids_of(name, [source] if isinstance(source, str) else np.atleast_1d(np.asarray(source)))
    if len(values) == 0:
        raise BadInput(f"{name}: names no vertex")
    return [str(value) for value in values]


def needed_source(source: Source) -> list[str]:
    """Ids as text, of at least one vertex."""
    if source is None:
        raise BadInput("source: names no vertex")
    return source_ids(source)

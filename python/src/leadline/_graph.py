"""Graphs whose edges stay on the device."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from . import _leadline
from ._command import run, text
from ._edges import edges_of, ids_of
from ._errors import BadInput
from ._profile import Profile
from ._progress import Progress, showing
from ._sizes import Size, size_bytes
from ._table import Table

__all__ = ["Graph"]

#: A vertex by the id that the user knows, or several.
Source = Any


class Graph:
    """A graph in a store, one file, of which only the index and what an algorithm needs are in memory.

    It is made by :meth:`from_edges` or :meth:`import_file`, or opened by :meth:`open`, and closed by
    :meth:`close` or at the end of a ``with``.

    Results are tables with a row for each vertex, in ascending order of ids, in a column ``vertex``. Their
    ``info`` says what the run did, as ``leadline graph --json`` does: ``seconds``, ``edges_per_second``,
    ``bytes_read``, ``requests``, ``mean_depth`` and others, and the ``result`` in short.

    Examples
    --------
    >>> import leadline
    >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8], directed=False) as g:
    ...     g.bfs(1)
    Table with 5 rows
    vertex  level
         1      0
         2      1
         3      2
         7     -1
         8     -1
    """

    __module__ = "leadline"

    def __init__(self, store: _leadline.Store, path: Path, temporary: Path | None = None) -> None:
        self._store = store
        #: The store's file.
        self.path = path
        self._end = weakref.finalize(self, _end, store, temporary)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
        profile: Profile | None = None,
    ) -> Graph:
        """Open a store.

        Parameters
        ----------
        path
            What :meth:`from_edges`, :meth:`import_file` or ``leadline graph import`` made.
        memory
            Most memory for everything, bytes or text such as ``"64M"``; by default 1G or a quarter of the
            machine's.
        threads
            Threads that read and compute; by default one per processor.
        depth
            Reads in flight, of all threads together; by default 64.
        profile
            Take the reads in flight from this device's profile.
        """
        if profile is not None and depth is None:
            depth = profile._device.read_depth()
        store = _leadline.Store(text(path), size_bytes("memory", memory), threads, depth)
        return cls(store, Path(path))

    @classmethod
    def from_edges(
        cls,
        source: Any,
        target: Any = None,
        weight: Any = None,
        *,
        path: str | os.PathLike[str] | None = None,
        directed: bool | None = None,
        dedupe: bool = False,
        drop_self_loops: bool = False,
        reverse: bool = False,
        renumber: bool = False,
        plain: bool = False,
        block: Size = "4K",
        vertices: Any = None,
        memory: Size | None = None,
        progress: Progress = False,
    ) -> Graph:
        """Make a store of edges, and open it.

        Parameters
        ----------
        source, target
            Ids at the two ends of each edge: whole numbers from 0 to 2^64 - 1, or strings, as NumPy arrays,
            Arrow, pandas or polars columns, or lists. Or one object that has both: a table with columns
            ``source`` and ``target`` (and ``weight``), a scipy.sparse matrix, a networkx graph.
        weight
            Weights, finite numbers, one per edge. ``True``: the values of the matrix, or the attribute
            ``weight`` of the networkx graph; text names another attribute.
        path
            The store's file, which is replaced if it is a store. By default a temporary one, removed when the
            graph is closed.
        directed
            Whether each edge goes one way; by default it does, unless a networkx graph says otherwise.
        dedupe
            Merge parallel edges into one, with the smallest of their weights.
        drop_self_loops
            Leave out edges from a vertex to itself.
        reverse
            Keep lists of incoming edges too; faster for BFS and PageRank on directed graphs.
        renumber
            Keep vertices by falling degree, so that those that are read most lie together.
        plain
            Keep lists uncompressed.
        block
            Bytes of a block, 4K to 64K.
        vertices
            Further ids, which may have no edge.
        memory
            Most memory for the import, beside the arrays; and for the graph.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.
        """
        edges = edges_of(source, target, weight)
        further = edges.vertices if vertices is None else ids_of("vertices", vertices)
        one_way = edges.directed if directed is None else directed
        temporary = None
        if path is None:
            temporary = Path(tempfile.mkdtemp(prefix="leadline-"))
            path = temporary / "edges.graph"
        try:
            with showing(progress) as callback:
                _leadline.import_arrays(
                    text(path),
                    edges.sources,
                    edges.targets,
                    edges.weights,
                    further,
                    edges.vertices_below,
                    undirected=one_way is False,
                    dedupe=dedupe,
                    drop_self_loops=drop_self_loops,
                    reverse=reverse,
                    renumber=renumber,
                    plain=plain,
                    block_bytes=size_bytes("block", block) or 0,
                    memory=size_bytes("memory", memory),
                    progress=callback,
                )
            store = _leadline.Store(text(path), size_bytes("memory", memory), None, None)
        except BaseException:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)
            raise
        return cls(store, Path(path), temporary)

    @classmethod
    def import_file(
        cls,
        edges: str | os.PathLike[str],
        path: str | os.PathLike[str],
        *,
        memory: Size | None = None,
        progress: Progress = False,
        **options: object,
    ) -> Graph:
        """Make a store of a file of edges, and open it.

        Parameters
        ----------
        edges
            SNAP, CSV, TSV, Matrix Market, METIS, Graphalytics, Parquet or binary pairs, compressed or not.
        path
            The store to write; a store of that name is replaced.
        memory
            Most memory to use.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.
        **options
            Those of ``leadline graph import``: ``undirected=True``, ``weights=True``, ``dedupe=True`` and so
            on.
        """
        given = {"memory": size_bytes("memory", memory), **options}
        run("graph import", edges, path, options=given, progress=progress)
        return cls.open(path, memory=memory)

    def close(self) -> None:
        """Close the store; a temporary one is removed. Closing twice does nothing."""
        self._end()

    def __enter__(self) -> Graph:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def vertices(self) -> int:
        """Number of vertices."""
        return self._store.vertices

    @property
    def edges(self) -> int:
        """Number of edges; of an undirected graph, each once."""
        return self._store.edges

    @property
    def directed(self) -> bool:
        """Whether each edge goes one way."""
        return self._store.directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._store.weighted

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.weighted else ""
        return (
            f"Graph({str(self.path)!r}: {self.vertices:,} vertices, {self.edges:,} edges, {kind}{weighted})"
        )

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
        return _table(self._store.bfs(_needed(source), parents, _options(memory, threads, depth)))

    def wcc(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Weakly connected components.

        Returns
        -------
        Table
            ``vertex`` and ``component``, the smallest id of the vertices that are connected.
        """
        return _table(self._store.wcc(_options(memory, threads, depth)))

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
        run = _options(memory, threads, depth)
        return _table(self._store.pagerank(damping, iterations, tolerance, _ids(source), run))

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
        return _table(self._store.sssp(_needed(source), _options(memory, threads, depth)))

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
        return _table(self._store.cdlp(iterations, _options(memory, threads, depth)))

    def lcc(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Local clustering coefficients, as LDBC Graphalytics defines them.

        Returns
        -------
        Table
            ``vertex`` and ``coefficient``; ``info["result"]["triangles"]`` counts them.
        """
        return _table(self._store.lcc(_options(memory, threads, depth)))

    def kcore(
        self, *, memory: Size | None = None, threads: int | None = None, depth: int | None = None
    ) -> Table:
        """Core numbers: the largest k for which a vertex is in the k-core.

        Returns
        -------
        Table
            ``vertex`` and ``core``.
        """
        return _table(self._store.kcore(_options(memory, threads, depth)))

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
        return _table(self._store.dfs(_ids(source), _options(memory, threads, depth)))

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
        run = _options(memory, threads, depth)
        starts = (_ids(source), walkers, per_vertex)
        return _table(self._store.walk(*starts, length, p, q, weighted, seed, run))


def _options(
    memory: Size | None, threads: int | None, depth: int | None
) -> tuple[int | None, int | None, int | None]:
    return size_bytes("memory", memory), threads, depth


def _ids(source: Source) -> list[str]:
    """Ids as text, of one vertex or several; none for None."""
    if source is None:
        return []
    values = ids_of("source", [source] if isinstance(source, str) else np.atleast_1d(np.asarray(source)))
    if len(values) == 0:
        raise BadInput("source: names no vertex")
    return [str(value) for value in values]


def _needed(source: Source) -> list[str]:
    """Ids as text, of at least one vertex."""
    if source is None:
        raise BadInput("source: names no vertex")
    return _ids(source)


def _table(answer: tuple[_leadline.Columns, str]) -> Table:
    columns, info = answer
    return Table(columns, json.loads(info))


def _end(store: _leadline.Store, folder: Path | None) -> None:
    """Close a store, and remove the folder that was made for it."""
    store.close()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)

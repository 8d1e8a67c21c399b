"""Searches, shortest paths and walks."""

from __future__ import annotations

from ._graph_ids import Source, source_ids
from ._graph_run import Path, Run, Runs
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["Traversal"]


class Traversal(Runs):
    """Algorithms that follow edges from vertices."""

    @renamed(depth="concurrency")
    def bfs(
        self,
        source: Source = None,
        *,
        properties: Path | None = None,
        from_: Path | None = None,
        parents: bool = False,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Breadth-first search: how many edges away every vertex is from the nearest source.

        Parameters
        ----------
        source
            Id of the vertex to start at, or several; needed without `properties`.
        properties
            Take what is not given from the graph's ``.properties`` file, as LDBC Graphalytics has it, and
            refuse a graph whose edges lead another way than it says.
        from_
            Go on from the result that an earlier run with the same arguments wrote with `output` to this
            ``.bin`` file. Edges and vertices that were added since then are followed, and deleted edges in
            undirected graphs and those with ``reverse=True``; after anything else the run is a full one, and
            ``notes`` says why.
        parents
            Also give, for each vertex, one that it was reached from.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex``, ``level`` (-1 where not reached), and ``parent`` (masked where there is none).

        Raises
        ------
        BadInput
            A source is no vertex of the graph, or an option is out of range.
        Failed
            The store cannot be read, or a directory of temporary files is full.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8]) as g:
        ...     found = g.bfs(1, parents=True)
        >>> found["level"].tolist(), found["parent"].tolist()
        ([0, 1, 2, -1, -1], [None, 1, 2, None, None])
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run(
            "bfs", run, source=source_ids(source), properties=properties, from_=from_, parents=parents
        )

    @renamed(depth="concurrency")
    def sssp(
        self,
        source: Source = None,
        *,
        properties: Path | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Shortest paths by weights that are not negative, from the nearest source.

        Parameters
        ----------
        source
            Id of the vertex to start at, or several; needed without `properties`.
        properties
            Take what is not given from the graph's ``.properties`` file, as LDBC Graphalytics has it, and
            refuse a graph whose edges lead another way than it says.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``distance`` (infinite where not reached).

        Raises
        ------
        BadInput
            The graph has no weights, or a negative one, or no such vertex.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 1, 2], [2, 3, 3], [1.5, 4.0, 2.0]) as g:
        ...     g.sssp(1)["distance"].tolist()
        [0.0, 1.5, 3.5]
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("sssp", run, source=source_ids(source), properties=properties)

    @renamed(depth="concurrency")
    def dfs(
        self,
        source: Source = None,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Depth-first search, from the sources in order; from every vertex where none is given.

        Parameters
        ----------
        source
            Id of the vertex to start at, or several; by default all vertices by their ids, each unless it was
            reached before.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex``; ``parent`` and ``root``, masked where there is none; and ``order``, in which vertices
            were first reached (-1 where not).

        Raises
        ------
        BadInput
            The source is no vertex of the graph, or `memory` is too small for the vertices.
        Failed
            The store cannot be read, or a directory of temporary files is full.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 1, 2], [2, 3, 3]) as g:
        ...     g.dfs(1)["order"].tolist()
        [0, 1, 2]
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("dfs", run, source=source_ids(source))

    @renamed(depth="concurrency")
    def walk(
        self,
        source: Source = None,
        *,
        walkers: int | None = None,
        per_vertex: int | None = None,
        length: int | None = None,
        p: float | None = None,
        q: float | None = None,
        weighted: bool = False,
        seed: int | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Random walks: uniform, by weight, or node2vec's.

        Parameters
        ----------
        source
            Id of the vertex where walks start, or several; by default every vertex.
        walkers
            Number of walks, 1 to 2^32, from vertices chosen at random, or from each source.
        per_vertex
            Number of walks from every vertex, 1 to 2^32; by default 1. Not with `source` or `walkers`.
        length
            Edges in a walk, 1 to 1,000,000; by default 80. One that reaches a vertex without edges ends
            there.
        p, q
            Node2vec's return and in-out parameters, above 0 and at most 1e6; by default 1. With a larger `p`
            walks turn back less often, with a larger `q` they stay near.
        weighted
            Take edges in proportion to their weights.
        seed
            Of the random numbers, 0 to 2^64 - 1; by default 1.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            A row for each step: ``walk``, ``step``, ``vertex``.

        Raises
        ------
        BadInput
            A source is no vertex, options exclude each other, or one is out of range.
        Failed
            The store cannot be read, or a directory of temporary files is full.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3], [2, 3, 1]) as g:
        ...     g.walk([1, 3], length=2)["vertex"].tolist()
        [1, 2, 3, 3, 1, 2]
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run(
            "walk",
            run,
            source=source_ids(source),
            walkers=walkers,
            per_vertex=per_vertex,
            length=length,
            p=p,
            q=q,
            weighted=weighted,
            seed=seed,
        )

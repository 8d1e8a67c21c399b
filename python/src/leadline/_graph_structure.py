"""Components, cores and triangles."""

from __future__ import annotations

from ._graph_run import Path, Run, Runs
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["Structure"]


class Structure(Runs):
    """Algorithms about what hangs together, and how closely."""

    @renamed(depth="concurrency")
    def wcc(
        self,
        *,
        properties: Path | None = None,
        from_: Path | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Weakly connected components.

        Parameters
        ----------
        properties
            Take what is not given from the graph's ``.properties`` file, as LDBC Graphalytics has it, and
            refuse a graph whose edges lead another way than it says.
        from_
            Go on from the result that an earlier run with the same arguments wrote with `output` to this
            ``.bin`` file. Changes of edges since then are followed, and new vertices; after anything else the
            run is a full one, and ``notes`` says why.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``component``, the smallest id of the vertices that are connected.

        Raises
        ------
        BadInput
            An option is out of range, or `memory` is too small for the graph.
        Failed
            The store cannot be read, or a directory of temporary files is full.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8]) as g:
        ...     g.wcc()["component"].tolist()
        [1, 1, 1, 7, 7]
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("wcc", run, properties=properties, from_=from_)

    @renamed(depth="concurrency")
    def scc(
        self,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Strongly connected components; a directed graph needs incoming edges (``reverse=True``).

        Parameters
        ----------
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``component``, the smallest id of the vertices that all reach each other.

        Raises
        ------
        BadInput
            The graph is directed and has no incoming edges.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 2], [2, 1, 3], reverse=True) as g:
        ...     g.scc()["component"].tolist()
        [1, 1, 3]
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("scc", run)

    @renamed(depth="concurrency")
    def kcore(
        self,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Core numbers: the largest k for which a vertex is in the k-core.

        Parameters
        ----------
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``core``.

        Raises
        ------
        BadInput
            The graph is directed and has no incoming edges.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=False) as g:
        ...     g.kcore()["core"].tolist()
        [2, 2, 2, 1]
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("kcore", run)

    @renamed(depth="concurrency")
    def lcc(
        self,
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
        """Local clustering coefficients, as LDBC Graphalytics defines them.

        Parameters
        ----------
        properties
            Take what is not given from the graph's ``.properties`` file, as LDBC Graphalytics has it, and
            refuse a graph whose edges lead another way than it says.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``coefficient``, 0 to 1; ``info["result"]["triangles"]`` counts the triangles.

        Raises
        ------
        BadInput
            The graph is directed and has no incoming edges.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=False) as g:
        ...     g.lcc()["coefficient"].round(3).tolist()
        [1.0, 1.0, 0.333, 0.0]
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("lcc", run, properties=properties)

    @renamed(depth="concurrency")
    def triangles(
        self,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Triangles, whichever way edges lead; a directed graph needs incoming edges (``reverse=True``).

        Parameters
        ----------
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``triangles``, the number of triangles with it; ``info["result"]["triangles"]``
            counts the triangles of the graph.

        Raises
        ------
        BadInput
            The graph is directed and has no incoming edges.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 4], directed=False) as g:
        ...     found = g.triangles()
        >>> found["triangles"].tolist(), found.info["result"]["triangles"]
        ([1, 1, 1, 0], 1)
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("triangles", run)

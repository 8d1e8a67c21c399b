"""Communities."""

from __future__ import annotations

from ._graph_run import Path, Run, Runs
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["Communities"]


class Communities(Runs):
    """Algorithms that find vertices that belong together."""

    @renamed(depth="concurrency")
    def cdlp(
        self,
        *,
        properties: Path | None = None,
        iterations: int | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Communities by label propagation, as LDBC Graphalytics defines them.

        Parameters
        ----------
        properties
            Take what is not given from the graph's ``.properties`` file, as LDBC Graphalytics has it, and
            refuse a graph whose edges lead another way than it says.
        iterations
            The most iterations, 1 to 1,000,000; by default 10. It ends before if one changes no label.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``label``, an id. ``info["result"]`` has ``labels``, how many are left,
            ``iterations``, and ``converged``: whether the last one changed no label.

        Raises
        ------
        BadInput
            The graph is directed and has no incoming edges.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3, 7], [2, 3, 1, 8], directed=False) as g:
        ...     found = g.cdlp()
        >>> found["label"].tolist(), found.info["result"]["labels"]
        ([1, 1, 1, 7, 8], 3)
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run("cdlp", run, properties=properties, iterations=iterations)

    @renamed(depth="concurrency")
    def louvain(
        self,
        *,
        resolution: float | None = None,
        seed: int | None = None,
        max_levels: int | None = None,
        levels: Path | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Communities of high modularity by the Louvain method, by weights if the graph has them.

        A directed graph needs incoming edges (``reverse=True``); its edges are taken as undirected ones.

        Parameters
        ----------
        resolution
            Above 0; by default 1. Larger values make more and smaller communities.
        seed
            Of the order in which vertices are moved, 0 to 2^64 - 1; by default 1. Nothing else decides what
            is found.
        max_levels
            End after this number of levels, at least 1; by default after as many as it takes.
        levels
            Also write each level's communities into this directory, as ``level-1.csv``, ``level-2.csv`` and
            so on.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``community``, the smallest id in it. ``info["result"]`` has their number
            (``communities``), their ``modularity``, and both for each of the ``levels``.

        Raises
        ------
        BadInput
            The graph is directed and has no incoming edges, or a weight is negative.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3, 3, 7, 8, 9], [2, 3, 1, 7, 8, 9, 7], directed=False) as g:
        ...     found = g.louvain()
        >>> found["community"].tolist(), round(found.info["result"]["modularity"], 3)
        ([1, 1, 1, 7, 7, 7], 0.357)
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run(
            "louvain", run, resolution=resolution, seed=seed, max_levels=max_levels, levels=levels
        )

    @renamed(depth="concurrency")
    def leiden(
        self,
        *,
        resolution: float | None = None,
        seed: int | None = None,
        max_levels: int | None = None,
        levels: Path | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """Communities of high modularity by the Leiden method: each is connected.

        What is said of :meth:`louvain` about directed graphs and weights holds here too.

        Parameters
        ----------
        resolution
            Above 0; by default 1. Larger values make more and smaller communities.
        seed
            Of the order in which vertices are moved, 0 to 2^64 - 1; by default 1. Nothing else decides what
            is found.
        max_levels
            End after this number of levels, at least 1; by default after as many as it takes.
        levels
            Also write each level's communities into this directory, as ``level-1.csv``, ``level-2.csv`` and
            so on.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``community``, the smallest id in it. ``info["result"]`` has their number
            (``communities``), their ``modularity``, and both for each of the ``levels``.

        Raises
        ------
        BadInput
            The graph is directed and has no incoming edges, or a weight is negative.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3, 3, 7, 8, 9], [2, 3, 1, 7, 8, 9, 7], directed=False) as g:
        ...     found = g.leiden()
        >>> found["community"].tolist(), round(found.info["result"]["modularity"], 3)
        ([1, 1, 1, 7, 7, 7], 0.357)
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run(
            "leiden", run, resolution=resolution, seed=seed, max_levels=max_levels, levels=levels
        )

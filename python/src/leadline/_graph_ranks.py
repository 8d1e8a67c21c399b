"""How much vertices count, and how alike they are."""

from __future__ import annotations

from ._graph_ids import Source, needed_ids, source_ids
from ._graph_run import Path, Run, Runs
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["Ranks"]


class Ranks(Runs):
    """Algorithms that compare vertices."""

    @renamed(depth="concurrency")
    def pagerank(
        self,
        *,
        properties: Path | None = None,
        from_: Path | None = None,
        iterations: int | None = None,
        tolerance: float | None = None,
        damping: float | None = None,
        source: Source = None,
        weighted: bool = False,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """PageRank; the ranks sum to 1, and vertices without edges give theirs to all.

        Parameters
        ----------
        properties
            Take what is not given from the graph's ``.properties`` file, as LDBC Graphalytics has it, and
            refuse a graph whose edges lead another way than it says.
        from_
            Go on from the result that an earlier run with the same arguments wrote with `output` to this
            ``.bin`` file, whatever changed in the graph since then. After a run of another algorithm or with
            other arguments it is a full one, and ``notes`` says why.
        iterations
            The most iterations, 1 to 1,000,000; by default 10, and 1000 with a `tolerance`. Not with `from_`.
        tolerance
            End once the ranks change by less than this in sum from one iteration to the next: 0 to 2, such as
            1e-9. By default, and with 0, all iterations are done.
        damping
            Share of a rank that goes along edges, 0 to 1; by default 0.85.
        source
            Personalised: the rest of the ranks goes to these vertices, in equal parts; by default to all.
        weighted
            Give ranks along edges in proportion to their weights, which are 0 or more.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex`` and ``rank``. ``info["result"]`` has ``iterations``, ``change`` (by the last of them,
            in sum), ``highest_rank``, and ``converged``: with a tolerance whether it was reached, else None.

        Raises
        ------
        BadInput
            A value is out of range, or the graph lacks what is asked for.

        Warns
        -----
        NotConverged
            The iterations ended before the tolerance was reached.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 3], [2, 3, 2]) as g:
        ...     found = g.pagerank(tolerance=1e-9)
        >>> found["rank"].round(3).tolist(), found.info["result"]["converged"]
        ([0.05, 0.486, 0.464], True)
        """
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run(
            "pagerank",
            run,
            properties=properties,
            from_=from_,
            iterations=iterations,
            tolerance=tolerance,
            damping=damping,
            source=source_ids(source),
            weighted=weighted,
        )

    @renamed(depth="concurrency")
    def similarity(
        self,
        vertex: Source = None,
        other: Source = None,
        *,
        measure: str | None = None,
        top: int | None = None,
        skip_above: int | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
    ) -> Table:
        """How many of their neighbours two vertices share: of pairs, or of each vertex and its most similar.

        Parameters
        ----------
        vertex, other
            Ids of the two vertices of each pair, as many of one as of the other.
        measure
            ``"jaccard"``, the default: common neighbours as a share of all of both. ``"overlap"``: as a share
            of the neighbours of the vertex with fewer.
        top
            Instead of pairs: for each vertex this number of vertices that share a neighbour with it, at least
            1. A directed graph needs incoming edges (``reverse=True``) for that.
        skip_above
            With `top`: do not count vertices that more edges than this lead to as neighbours of any. Their
            number decides how long it takes.
        memory, threads, concurrency, temp, output, runs, progress
            Of this run: see :class:`Graph`.

        Returns
        -------
        Table
            ``vertex``, ``other`` and ``similarity``, 0 to 1: a row for each pair, in their order; or, with
            `top`, the most similar of each vertex one after the other, vertices in ascending order of ids.

        Raises
        ------
        BadInput
            A vertex is not there, pairs and `top` are both given, or incoming edges are needed and missing.
        Failed
            The store cannot be read, or a directory of temporary files is full.

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
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        given = vertex is not None or other is not None
        pairs = (needed_ids(vertex, "vertex"), needed_ids(other, "other")) if given else None
        return self._run(
            "similarity", run, pairs=pairs, measure=measure, top=top, skip_above=skip_above
        )

"""Graphs whose edges stay on the device."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _leadline
from ._command import run, text
from ._edges import edges_of, ids_of
from ._edges.options import dedupe_of, flag
from ._errors import BadInput
from ._graph_algorithms import Algorithms, run_options
from ._graph_queries import EdgeCount, Queries
from ._graph_update import GraphUpdate
from ._profile import Profile
from ._progress import Progress, showing
from ._sizes import Size, memory_bytes, memory_text, size_bytes

__all__ = ["Graph"]

#: What can be estimated: the commands of ``leadline graph`` that take ``--estimate``.
_ALGORITHMS = tuple(name for name, _ in _leadline.algorithms())


class Graph(Algorithms, Queries):
    """A graph in a store, of which only the index and what an algorithm needs are in memory.

    It is made by :meth:`from_edges` or :meth:`import_file`, or opened by :meth:`open`, and closed by
    :meth:`close` or at the end of a ``with``. :meth:`update` changes the store; a graph that is open goes on
    with the version that it has.

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
        #: The store: a file, or a folder once it was changed.
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
        store = _leadline.Store(text(path), memory_bytes(memory), threads, depth)
        return cls(store, Path(path))

    @classmethod
    def from_edges(
        cls,
        source: Any,
        target: Any = None,
        weight: Any = None,
        *,
        source_column: Any = None,
        target_column: Any = None,
        path: str | os.PathLike[str] | None = None,
        directed: bool | None = None,
        dedupe: bool | str = False,
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
            Arrow, pandas or polars columns, or lists. Or one object that has both, as `source` alone:

            - a table with columns ``source`` and ``target`` (and ``weight``): pandas, polars (a LazyFrame is
              run in parts), pyarrow, a DuckDB relation, a dictionary, anything with Arrow's stream interface;
            - rows: an array of two or three columns, a list of pairs or of triples with weights;
            - an iterator or generator of pairs, or of batches: tables, such arrays and lists, pairs or
              triples of arrays. One batch at a time is taken of it, while what came before is sorted;
            - a scipy.sparse matrix, a graph of networkx, igraph or NetworKit, a :class:`Subgraph`. Of igraph
              the ids are the names of the vertices, or their numbers where they have no names.

            What can be read in two ways, such as an array of 2 x 2, is refused; two columns decide.
        weight
            Weights, finite numbers, one per edge. Text names the column of a table, or the attribute of the
            edges of networkx or igraph. ``True``: the column, attribute or third column called ``weight``,
            the values of a matrix. ``False``: none. By default a table's column ``weight`` is taken, if there
            is one, and a third column; graphs and matrices give no weights.
        source_column, target_column
            The columns of a table that have the ends of edges; by default those with known names: ``source``,
            ``src``, ``from`` or ``u``, and ``target``, ``dst``, ``to`` or ``v``.
        path
            The store's file, which is replaced if it is a store. By default a temporary one, removed when the
            graph is closed.
        directed
            Whether each edge goes one way; by default it does, unless a graph says otherwise.
        dedupe
            Merge parallel edges into one: ``True`` or ``"min"`` with the least of their weights, ``"max"``,
            ``"sum"`` or ``"first"``.
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
            Most memory for the import, beside the arrays or the batch that you hold; and for the graph.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        Graph
            The open graph.

        Raises
        ------
        BadInput
            Edges that cannot be used, with the place, or that can be read in two ways. Nothing is left
            behind, and neither is if an iterator raises an exception, which reaches the caller unchanged.
        Failed
            The disk is full.

        Examples
        --------
        >>> import leadline, numpy as np
        >>> def batches():
        ...     for begin in range(0, 1_000_000, 100_000):
        ...         ids = np.arange(begin, begin + 100_000)
        ...         yield ids, (ids * 7 + 1) % 1_000_000
        >>> with leadline.Graph.from_edges(batches(), memory="64M") as g:
        ...     g.vertices, g.edges
        (1000000, 1000000)
        >>> with leadline.Graph.from_edges([("ann", "bob", 2.5), ("bob", "eve", 1.0)]) as g:
        ...     g.sssp("ann")["distance"].tolist()
        [0.0, 2.5, 3.5]
        """
        edges = edges_of(
            source, target, weight, source_column=source_column, target_column=target_column
        )
        further = edges.vertices if vertices is None else ids_of("vertices", vertices)
        one_way = edges.directed if directed is None else flag("directed", directed)
        temporary = None
        if path is None:
            temporary = Path(tempfile.mkdtemp(prefix="leadline-"))
            path = temporary / "edges.graph"
        try:
            with showing(progress) as callback:
                _leadline.import_edges(
                    text(path),
                    edges.batches,
                    further,
                    edges.vertices_below,
                    undirected=one_way is False,
                    dedupe=dedupe_of(dedupe),
                    drop_self_loops=flag("drop_self_loops", drop_self_loops),
                    reverse=flag("reverse", reverse),
                    renumber=flag("renumber", renumber),
                    plain=flag("plain", plain),
                    block_bytes=size_bytes("block", block) or 0,
                    memory=memory_bytes(memory),
                    progress=callback,
                )
            store = _leadline.Store(text(path), memory_bytes(memory), None, None)
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
            A file of edges in any format that ``leadline graph import`` reads, compressed or not. Or a folder
            of Parquet files, above all one that :meth:`export` wrote.
        path
            The store to write; a store of that name is replaced.
        memory
            Most memory to use.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.
        **options
            Those of ``leadline graph import``: ``undirected=True``, ``weights=True``, ``dedupe="max"``,
            ``delimiter=";"``, ``header=True`` or ``False``, ``source_column="from"``, ``ignore_columns=True``
            and so on. What is not said is told from the file; where that leaves a doubt,
            :class:`leadline.BadInput` names the option that decides. :meth:`preview_file` shows how a file
            is read.
        """
        given = {"memory": memory_text(memory), **reading_options(options)}
        run("graph import", edges, path, options=given, progress=progress)
        return cls.open(path, memory=memory)

    @staticmethod
    def preview_file(edges: str | os.PathLike[str], **options: object) -> dict[str, Any]:
        """Show how :meth:`import_file` reads a file: its first five edges, and what was told from the file.

        Parameters
        ----------
        edges
            The file of edges.
        **options
            As :meth:`import_file`.
        """
        preview: dict[str, Any]
        preview, _ = run("graph import", edges, options={"preview": True, **reading_options(options)})
        return preview

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
    def edges(self) -> EdgeCount:
        """Number of edges; of an undirected graph, each once. Called, it gives them in batches.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8]) as g:
        ...     g.edges, [batch["target"].tolist() for batch in g.edges(2)]
        (3, [[2, 3], [8]])
        """
        return EdgeCount(self._store)

    @property
    def directed(self) -> bool:
        """Whether each edge goes one way."""
        return self._store.directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._store.weighted

    @property
    def self_loops(self) -> int:
        """Number of edges from a vertex to itself."""
        return self._store.self_loops

    @property
    def version(self) -> int:
        """Number of changes from the import to when the graph was opened."""
        return self._store.version

    def ids(self, *, memory: Size | None = None) -> Any:
        """Give the id of every vertex, ascending: the order of the rows of all results.

        Parameters
        ----------
        memory
            Most memory for everything, as for :meth:`open`.

        Returns
        -------
        numpy.ndarray
            Numbers (uint64), or strings as objects.

        Raises
        ------
        BadInput
            The ids take more than `memory`.
        """
        return self._store.ids(run_options(memory, None, None))["vertex"]

    def export(
        self,
        folder: str | os.PathLike[str],
        *,
        partitions: int | None = None,
        memory: Size | None = None,
        progress: Progress = False,
    ) -> dict[str, Any]:
        """Write the whole graph to a folder of Parquet files, for Spark, Dask and other programs.

        The folder appears when it is whole, in place of an older export of that name.
        :meth:`import_file` makes a store of it again. If the store was changed since the graph was opened,
        its newest version is written.

        Parameters
        ----------
        folder
            Gets ``edges/part-00000.parquet`` and on (columns ``source``, ``target``, and ``weight`` where the
            graph has weights; an undirected edge once), ``vertices/part-00000.parquet`` and on (column
            ``vertex``: all of them) and ``graph.json``.
        partitions
            Parts of the edges, 1 to 100,000, each with as many as the others; by default as many as make
            parts of 128 MiB before compression.
        memory
            Most memory to use; by default 256 MiB. With less than the ids need, the export is slower.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        dict
            ``vertices``, ``edges``, ``partitions``, ``bytes`` (of all files) and ``seconds``.

        Raises
        ------
        BadInput
            The folder holds something other than an older export, or cannot be made.
        Failed
            The disk is full, or the store cannot be read.
        """
        self._need_open()
        given = {"partitions": partitions, "memory": memory_text(memory)}
        # With a slash it is a folder, whatever it is called.
        report, _ = run("graph export", self.path, text(folder) + "/", options=given, progress=progress)
        return dict(report)

    def estimate(
        self,
        algorithm: str = "pagerank",
        *,
        memory: Size | None = None,
        threads: int | None = None,
        depth: int | None = None,
        profile: Profile | None = None,
        **options: object,
    ) -> dict[str, Any]:
        """Say what a run would need of memory, what it would read and about how long it would take.

        Nothing is run, and no block of the graph is read. If the store was changed since the graph was
        opened, the estimate is for its newest version.

        Parameters
        ----------
        algorithm
            The name of a method: ``"bfs"``, ``"wcc"``, ``"scc"``, ``"pagerank"``, ``"sssp"``, ``"cdlp"``,
            ``"lcc"``, ``"triangles"``, ``"louvain"``, ``"leiden"``, ``"kcore"``, ``"similarity"``, ``"dfs"``
            or ``"walk"``.
        memory, threads, depth
            Of the run; by default as the graph was opened.
        profile
            The device that holds the store: its read speed gives the time of reading, and its k_r the reads
            in flight.
        **options
            Those of ``leadline graph ALGORITHM``, which are those of the method: ``iterations=20``,
            ``parents=True`` and so on; of ``source`` one id at most. The pairs of ``similarity`` are a file:
            ``pairs="pairs.txt"``.

        Returns
        -------
        dict
            Bytes: ``least_memory_bytes`` with which the algorithm runs, ``least_memory_with_rows_bytes`` with
            which its table is made too, ``state_bytes``, ``cache_bytes``, ``block_bytes`` (all of the graph),
            and ``bytes_read``, ``[least, most]``. Seconds, ``[least, most]``: ``computing_seconds``, and with
            a profile ``reading_seconds`` and ``seconds`` in all. ``enough_memory`` says whether the algorithm
            runs with ``memory_cap_bytes``; where it does not, and where a time is not known, there is
            ``None``.

        Raises
        ------
        BadInput
            There is no such algorithm or option, or the graph lacks what the algorithm needs.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8]) as g:
        ...     needed = g.estimate("pagerank", memory="64M")
        >>> needed["enough_memory"], needed["least_memory_bytes"] < 1 << 20
        (True, True)
        """
        self._need_open()
        if algorithm not in _ALGORITHMS:
            raise BadInput(f"algorithm={algorithm!r}: must be one of {', '.join(_ALGORITHMS)}")
        opened = self._store
        given: dict[str, object] = {
            "memory": f"{opened.memory}B" if memory is None else memory_text(memory),
            "threads": opened.threads if threads is None else threads,
            "depth": opened.depth if depth is None and profile is None else depth,
            "estimate": True,
            **options,
        }
        with nullcontext() if profile is None else profile._as_argument() as device:
            command = f"graph {algorithm}"
            estimate, _ = run(command, self.path, options={"profile": device, **given})
        return dict(estimate)

    def update(
        self,
        *,
        one: bool = False,
        strict: bool = False,
        memory: Size | None = None,
        threads: int | None = None,
    ) -> GraphUpdate:
        """Begin to change the store; a file becomes a folder.

        This graph goes on with the version that it has. :meth:`open` of :attr:`path` gives the new one.

        Parameters
        ----------
        one
            Deleting an edge, or setting its weight, is for one of its parallel copies, the one with the
            smallest weight. By default it is for all of them.
        strict
            What is to be deleted or set and is not there is an error. By default it is counted.
        memory, threads
            For looking up what is deleted, and for changes that are not committed; by default as the graph
            was opened.

        Raises
        ------
        BadInput
            The store is being changed already, by this process or another one.
        """
        self._need_open()
        opened = self._store
        limits = run_options(
            opened.memory if memory is None else memory, opened.threads if threads is None else threads, None
        )
        return GraphUpdate(_leadline.StoreUpdate(text(self.path), one, strict, limits), self)

    def compact(self, *, progress: Progress = False) -> dict[str, Any]:
        """Put the lists of the store and its changes together: it gets smaller, and algorithms faster.

        This graph goes on with the version that it has. An exception, or a crash, leaves the store as it was.

        Parameters
        ----------
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        dict
            ``version``, ``bytes_before``, ``bytes_after``, and whether it was ``compacted``: not if there
            was nothing to do.

        Raises
        ------
        BadInput
            The store is being changed, by this process or another one.
        Failed
            The disk is full, or the store cannot be read.
        """
        self._need_open()
        with showing(progress) as callback:
            return dict(json.loads(_leadline.compact_store(text(self.path), callback)))

    def _need_open(self) -> None:
        if not self._end.alive:
            raise BadInput("the graph is closed; open it again")

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.weighted else ""
        return (
            f"Graph({str(self.path)!r}: {self.vertices:,} vertices, {self.edges:,} edges, {kind}{weighted})"
        )


def _end(store: _leadline.Store, folder: Path | None) -> None:
    """Close a store, and remove the folder that was made for it."""
    store.close()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def reading_options(options: dict[str, object]) -> dict[str, object]:
    """Options of an import as the command line has them: ``header=True`` is ``--header yes`` there."""
    given = dict(options)
    if isinstance(given.get("header"), bool):
        given["header"] = "yes" if given["header"] else "no"
    if given.get("directed") is False:
        given["undirected"] = True
    return given

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

from . import _leadline
from ._command import text
from ._edges import edges_of, ids_of
from ._edges.options import dedupe_of
from ._errors import BadInput
from ._graph_algorithms import Algorithms
from ._graph_checks import Checks
from ._graph_import import Imports
from ._graph_queries import EdgeCount, Queries
from ._graph_run import RunOptions, run_options
from ._graph_store import Upkeep
from ._profile import Profile
from ._progress import Progress, showing
from ._renamed import renamed
from ._sizes import Size, memory_bytes, size_bytes
from ._words import flag_of, one_line

__all__ = ["Graph"]


class Graph(Imports, Algorithms, Queries, Upkeep, Checks):
    """A graph in a store, of which only the index and what an algorithm needs are in memory.

    It is made by :meth:`from_edges` or :meth:`import_file`, or opened by :meth:`open`, and closed by
    :meth:`close` or at the end of a ``with``. :meth:`update` changes the store; a graph that is open goes on
    with the version that it has.

    Results are tables with a row for each vertex, in ascending order of ids, in a column ``vertex``. Their
    ``info`` says what the run did, as ``leadline graph --json`` does: ``seconds``, ``edges_per_second``,
    ``bytes_read``, ``requests``, ``mean_depth`` and others, and the ``result`` in short; ``notes`` what is to
    be known of it besides. Every algorithm takes, besides its own arguments:

    - `memory`, `threads`, `concurrency`, `temp`: for this run only, as for :meth:`open`;
    - `output`: write the result to this file, in the format of its ending: ``.csv``, ``.parquet``, ``.bin``
      or ``.graphalytics``, and ``.txt`` for walks, a line each. It may be larger than the memory; the table
      that is returned has no rows then, and only its ``info``;
    - `runs`: run so often, 1 to 1000 times, each with what the one before has cached; the result is the last
      one's, and ``info["runs"]`` has the numbers of each;
    - `progress`: ``True`` for a bar, or a function that is called with what runs, the share that is done
      (0 to 1: of the run where the algorithm can say, of a pass over the edges else) and the pass.

    A graph is pickled as its path and how it was opened, and opened again where it is unpickled; so it goes
    to other processes of joblib, multiprocessing or Ray that see the same files.

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
        #: The store: a file, or a directory once it was changed.
        self.path: Path = path
        #: What :meth:`import_file` or :meth:`from_edges` did, as ``leadline graph import --json`` has it:
        #: what was read, left out and assumed. None of a graph that was opened.
        self.imported: dict[str, Any] | None = None
        #: What was to be noted where the graph was made, a sentence each.
        self.notes: tuple[str, ...] = ()
        self._is_temporary = temporary is not None
        self._end = weakref.finalize(self, _end, store, temporary, os.getpid())

    @classmethod
    @renamed(depth="concurrency")
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: str | os.PathLike[str] | None = None,
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
            Threads that read and compute, 1 to 1024; by default one per processor.
        concurrency
            Reads in flight, of all threads together, 1 to 4096; by default 64.
        temp
            Directory of temporary files, for vertex state that exceeds the memory; by default the
            store's.
        profile
            Take the reads in flight and their size from this device's profile; not with `concurrency`.

        Returns
        -------
        Graph
            The open graph, at the newest version of the store.

        Raises
        ------
        BadInput
            There is no store, or it is damaged or of another version.

        Examples
        --------
        >>> import leadline, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "g"
        >>> leadline.Graph.from_edges([1, 2], [2, 3], path=path).close()
        >>> with leadline.Graph.open(path, memory="64M") as g:
        ...     g.vertices
        3
        """
        limit = None
        if profile is not None:
            if concurrency is not None:
                raise BadInput(f"concurrency={concurrency!r}: cannot be given together with profile")
            if not isinstance(profile, Profile):
                raise BadInput(f"profile={one_line(profile)}: must be a leadline.Profile")
            concurrency, limit = profile._device.read_limits()
        store = _leadline.Store(text(path), run_options(memory, threads, concurrency, temp), limit)
        return cls(store, Path(text(path)))

    @classmethod
    @renamed(block="block_size")
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
        block_size: Size = "4K",
        vertices: Any = None,
        memory: Size | None = None,
        force: bool = False,
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
            ``"sum"`` or ``"first"``. Updates of the store add no parallel edges either.
        drop_self_loops
            Leave out edges from a vertex to itself, also in updates of the store.
        reverse
            Keep lists of incoming edges too; faster for BFS and PageRank on directed graphs.
        renumber
            Keep vertices by falling degree, so that the most-read vertices are close together.
        plain
            Keep lists uncompressed.
        block_size
            Bytes of a block, 4K to 64K.
        vertices
            Further ids, which may have no edge.
        memory
            Most memory for the import, in addition to the arrays or the batch that you hold; and for the
            graph.
        force
            Replace `path` even if it is not a graph store.
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
        one_way = edges.directed if directed is None else flag_of("directed", directed)
        temporary = None
        if path is None:
            temporary = Path(tempfile.mkdtemp(prefix="leadline-"))
            path = temporary / "edges.graph"
        try:
            with showing(progress) as callback:
                report = _leadline.import_edges(
                    text(path),
                    edges.batches,
                    further,
                    edges.vertices_below,
                    undirected=one_way is False,
                    dedupe=dedupe_of(dedupe),
                    drop_self_loops=flag_of("drop_self_loops", drop_self_loops),
                    reverse=flag_of("reverse", reverse),
                    renumber=flag_of("renumber", renumber),
                    plain=flag_of("plain", plain),
                    block_bytes=size_bytes("block_size", block_size) or 0,
                    force=flag_of("force", force),
                    memory=memory_bytes(memory),
                    progress=callback,
                )
            store = _leadline.Store(text(path), run_options(memory))
        except BaseException:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)
            raise
        graph = cls(store, Path(text(path)), temporary)
        graph.imported = json.loads(report)
        return graph

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

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([7, 2], [3, 7]) as g:
        ...     g.ids().tolist()
        [2, 3, 7]
        """
        return self._store.ids(run_options(memory))["vertex"]

    def __reduce__(self) -> tuple[Any, ...]:
        self._need_open()
        opened = self._store
        temp = None if opened.temp is None else os.path.abspath(opened.temp)
        options = opened.memory, opened.threads, opened.depth, temp
        state = opened.identity, opened.version
        return _reopened, (os.path.abspath(self.path), state, options, opened.limit, self._is_temporary)

    def _need_open(self) -> None:
        if not self._end.alive:
            raise BadInput("the graph is closed; open it again")

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.weighted else ""
        return (
            f"Graph({str(self.path)!r}: {self.vertices:,} vertices, {self.edges:,} edges, {kind}{weighted})"
        )


def _end(store: _leadline.Store, folder: Path | None, owner: int) -> None:
    """Close a store, and remove the directory that was made for it, unless that was another process."""
    store.close()
    if folder is not None and os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _reopened(
    path: str,
    state: tuple[int, int],
    options: RunOptions,
    limit: tuple[float, float] | None,
    is_temporary: bool,
) -> Graph:
    """The graph that was pickled: the same version of the same store."""
    try:
        store = _leadline.Store(path, options, limit)
    except BadInput as error:
        if not is_temporary:
            raise
        remedy = "keep it open, or give from_edges a path"
        raise BadInput(f"{error}; it was temporary, and went when its graph was closed: {remedy}") from None
    now = store.identity, store.version
    if now != state:
        store.close()
        same = now[0] == state[0]
        what = f"at version {now[1]}, and was at {state[1]}" if same else "another store than"
        raise BadInput(f"{path}: is {what} when the graph was pickled; Graph.open opens what is there now")
    return Graph(store, Path(path))

"""Changes of a graph's store."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import TracebackType
from typing import Any

from . import _leadline
from ._edges import Edges, edges_of, ids_of
from ._edges.batch import Batch
from ._errors import BadInput
from ._progress import Progress, showing

__all__ = ["GraphUpdate"]


class GraphUpdate:
    """A store that is being changed, as :meth:`Graph.update` gives it.

    Changes take effect in their order, and all at once when they are committed: by :meth:`commit`, or at the
    end of a ``with``. If the ``with`` ends by an exception, what was not committed is dropped. One process at
    a time changes a store, by one object at a time, until :meth:`close` or the end of the ``with``.

    The changes of a call are checked before the first is taken: :class:`BadInput` leaves what is pending as
    it was, unless changes come from an iterator. :class:`Failed`, the :class:`BadInput` of ``strict=True``
    and KeyboardInterrupt drop all that is pending.

    Examples
    --------
    >>> import leadline
    >>> g = leadline.Graph.from_edges(["ann", "bob"], ["bob", "eve"], [1.0, 2.0])
    >>> with g.update() as update:
    ...     update.insert_edges(["eve"], ["zoe"], [0.5])
    ...     update.set_weights(["ann", "ann"], ["bob", "zoe"], [3.0, 1.0])
    ...     report = update.commit()
    >>> report["version"], report["changes"], report["missing"], report["edges"]
    (3, 3, 1, 3)

    What is open goes on with its version; opened again, the graph is the new one.

    >>> with leadline.Graph.open(g.path) as new:
    ...     g.edges, new.edges, new.sssp("ann")["distance"].tolist()
    (2, 3, [0.0, 3.0, 5.0, 5.5])
    >>> g.close()
    """

    __module__ = "leadline"

    def __init__(self, update: _leadline.StoreUpdate, graph: object) -> None:
        self._update = update
        # A temporary store is removed once nobody has its graph.
        self._graph = graph
        self._is_open = True

    def insert_edges(
        self,
        source: Any,
        target: Any = None,
        weight: Any = None,
        *,
        source_column: Any = None,
        target_column: Any = None,
    ) -> None:
        """Add edges, and their ends where these are not there.

        An edge that is there already gets a parallel copy. A store that was imported with ``dedupe`` leaves
        it out, unless ``multi=True``, and one that was imported with ``drop_self_loops`` leaves out edges
        from a vertex to itself; :meth:`commit` counts both.

        Parameters
        ----------
        source, target, source_column, target_column
            Ids at the two ends of each edge, numbers or strings as the store has them: whatever
            :meth:`Graph.from_edges` takes except whole graphs. Of an iterator each batch is taken before the
            next is asked for, so an error after the first drops all that is pending.
        weight
            Weights, finite numbers, one per edge, as for :meth:`Graph.from_edges`; by default 1 if the store
            has weights.

        Raises
        ------
        BadInput
            The columns have different lengths, or hold ids or weights that the store does not take.
        Failed
            The disk is full, or the store cannot be read.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g, g.update() as update:
        ...     update.insert_edges([3, 3], [4, 5])
        ...     update.insert_edges([(7, 8), (8, 9), (9, 7)])
        ...     update.pending
        5

        In a store without parallel edges an edge is added once, and its weight changes by
        :meth:`set_weights` only.

        >>> with leadline.Graph.from_edges([1, 2], [2, 3], dedupe=True) as g, g.update() as update:
        ...     update.insert_edges([1, 5, 5], [2, 6, 6])
        ...     report = update.commit()
        ...     report["edges"], report["duplicates_dropped"]
        (3, 2)
        """
        edges = _edges(source, target, weight, source_column, target_column)
        self._take(self._update.insert_edges, edges)

    def delete_edges(
        self, source: Any, target: Any = None, *, source_column: Any = None, target_column: Any = None
    ) -> None:
        """Delete edges, with all parallel copies unless ``one=True``. Their ends stay.

        Parameters
        ----------
        source, target, source_column, target_column
            As for :meth:`insert_edges`; weights are not read.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g, g.update() as update:
        ...     update.delete_edges([1, 1], [2, 3])
        ...     update.commit()["missing"]
        1
        """
        self._take(self._update.delete_edges, _edges(source, target, False, source_column, target_column))

    def set_weights(
        self,
        source: Any,
        target: Any = None,
        weight: Any = None,
        *,
        source_column: Any = None,
        target_column: Any = None,
    ) -> None:
        """Give edges other weights, to all parallel copies unless ``one=True``.

        Parameters
        ----------
        source, target, weight, source_column, target_column
            As for :meth:`insert_edges`; there has to be a weight for each edge.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3], [0.5, 1.0]) as g, g.update() as update:
        ...     update.set_weights([1], [2], [4.0])
        ...     update.commit()["changes"]
        1
        """
        edges = _edges(source, target, weight, source_column, target_column)
        self._take(self._update.set_weights, edges)

    def _take(self, take: Callable[[list[Batch]], None], edges: Edges) -> None:
        """Give changes to the store: all at once, so that all are checked before one is taken; or batch by
        batch, where they come from an iterator."""
        if not edges.streamed:
            take(list(edges.batches))
            return
        taken = False
        try:
            for batch in edges.batches:
                take([batch])
                taken = True
        except BaseException:
            if taken and self._is_open:
                self._update.discard()
            raise

    def insert_vertices(self, vertices: Any) -> None:
        """Add vertices where they are not there.

        Parameters
        ----------
        vertices
            Ids, numbers or strings as the store has them: an array, a column or a list.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g, g.update() as update:
        ...     update.insert_vertices([3, 99])
        ...     update.commit()["vertices"]
        4
        """
        self._update.insert_vertices(ids_of("vertices", vertices))

    def delete_vertices(self, vertices: Any) -> None:
        """Delete vertices with all their edges.

        In a directed store without incoming edges (``reverse=True``) all blocks are read for it.

        Parameters
        ----------
        vertices
            Ids, as for :meth:`insert_vertices`.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g, g.update() as update:
        ...     update.delete_vertices([2])
        ...     update.commit()["edges"]
        0
        """
        self._update.delete_vertices(ids_of("vertices", vertices))

    def commit(self) -> dict[str, Any]:
        """Make all that is pending durable: after a crash all of it is there or nothing.

        Returns
        -------
        dict
            ``version`` (changes since the import), ``changes`` of this commit, of which ``missing`` were of
            what is not there, ``duplicates_dropped`` and ``self_loops_dropped`` (edges that the store leaves
            out, because its import did), and the ``vertices`` and ``edges`` that there are now.

        Raises
        ------
        BadInput
            With ``strict=True``: something to be deleted or set is not there.
        Failed
            The disk is full, or the store cannot be read.
        KeyboardInterrupt
            Ctrl-C; :attr:`version` says whether the commit had been made by then.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g, g.update() as update:
        ...     update.insert_edges([3], [1])
        ...     report = update.commit()
        >>> report["version"], report["changes"], report["missing"], report["vertices"], report["edges"]
        (1, 1, 0, 3, 3)
        """
        return dict(json.loads(self._update.commit()))

    def maintain(self, *, progress: Progress = False) -> None:
        """Keep the store in shape: to be called after commits.

        What is pending is committed first. Changes are written to sorted runs, runs are merged, and the store
        is compacted, each where it is time (``leadline docs graph-update``). Until then every reader reads
        them into memory when it opens the store.

        Parameters
        ----------
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Raises
        ------
        BadInput, Failed
            As for :meth:`commit`. What is committed is safe.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g, g.update() as update:
        ...     update.insert_edges([3], [1])
        ...     update.maintain()
        ...     update.version
        1
        """
        with showing(progress) as callback:
            self._update.maintain(callback)

    def close(self) -> None:
        """Let go of the store; what is not committed is dropped. Closing twice does nothing."""
        self._is_open = False
        self._update.close()

    def __enter__(self) -> GraphUpdate:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._is_open:
                self.commit()
        finally:
            self.close()

    @property
    def version(self) -> int:
        """Number of changes since the import, without pending ones."""
        return self._update.counts()[0]

    @property
    def pending(self) -> int:
        """Number of changes that are not committed."""
        return self._update.counts()[1]

    def __repr__(self) -> str:
        if not self._is_open:
            return "GraphUpdate(closed)"
        version, pending = self._update.counts()
        return f"GraphUpdate(version {version:,}, {pending:,} changes pending)"


def _edges(source: Any, target: Any, weight: Any, source_column: Any, target_column: Any) -> Edges:
    """Edges of arrays, of a table or of batches."""
    edges = edges_of(source, target, weight, source_column=source_column, target_column=target_column)
    if edges.directed is not None or edges.vertices_below is not None:
        # Their vertices without edges, and whether edges go both ways, would be lost.
        kind = type(source).__name__
        raise BadInput(f"edges: {kind} is a whole graph; give its edges as two arrays or as a table")
    return edges

"""Changes of a graph's store."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any

from . import _leadline
from ._edges import Edges, edges_of, ids_of
from ._errors import BadInput
from ._progress import Progress, showing

__all__ = ["GraphUpdate"]


class GraphUpdate:
    """A store that is being changed, as :meth:`Graph.update` gives it.

    Changes take effect in their order, and all at once when they are committed: by :meth:`commit`, or at the
    end of a ``with``. If the ``with`` ends by an exception, what was not committed is dropped. One process at
    a time changes a store, by one object at a time, until :meth:`close` or the end of the ``with``.

    The changes of a call are checked before the first is taken: :class:`BadInput` leaves what is pending as
    it was. :class:`Failed`, the :class:`BadInput` of ``strict=True`` and KeyboardInterrupt drop all that is
    pending.

    Examples
    --------
    >>> import leadline
    >>> g = leadline.Graph.from_edges(["ann", "bob"], ["bob", "eve"], [1.0, 2.0])
    >>> with g.update() as update:
    ...     update.insert_edges(["eve"], ["zoe"], [0.5])
    ...     update.set_weights(["ann", "ann"], ["bob", "zoe"], [3.0, 1.0])
    ...     update.commit()
    {'version': 3, 'changes': 3, 'missing': 1, 'vertices': 4, 'edges': 3}

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

    def insert_edges(self, source: Any, target: Any = None, weight: Any = None) -> None:
        """Add edges, and their ends where these are not there.

        An edge that is there already gets a parallel copy.

        Parameters
        ----------
        source, target
            Ids at the two ends of each edge, as for :meth:`Graph.from_edges`: arrays, columns or lists, of
            numbers or strings as the store has them. Or a table that has both as columns.
        weight
            Weights, finite numbers, one per edge; by default 1 if the store has weights.

        Raises
        ------
        BadInput
            The columns have different lengths, or hold ids or weights that the store does not take.
        Failed
            The disk is full, or the store cannot be read.
        """
        edges = _edges(source, target, weight)
        self._update.insert_edges(edges.sources, edges.targets, edges.weights)

    def delete_edges(self, source: Any, target: Any = None) -> None:
        """Delete edges, with all parallel copies unless ``one=True``. Their ends stay.

        Parameters
        ----------
        source, target
            As for :meth:`insert_edges`.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.
        """
        edges = _edges(source, target, None)
        self._update.delete_edges(edges.sources, edges.targets)

    def set_weights(self, source: Any, target: Any = None, weight: Any = None) -> None:
        """Give edges other weights, to all parallel copies unless ``one=True``.

        Parameters
        ----------
        source, target, weight
            As for :meth:`insert_edges`; there has to be a weight for each edge.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.
        """
        edges = _edges(source, target, weight)
        if edges.weights is None:
            raise BadInput("weights: give one for each edge")
        self._update.set_weights(edges.sources, edges.targets, edges.weights)

    def insert_vertices(self, vertices: Any) -> None:
        """Add vertices where they are not there.

        Parameters
        ----------
        vertices
            Ids, as for :meth:`insert_edges`.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.
        """
        self._update.insert_vertices(ids_of("vertices", vertices))

    def delete_vertices(self, vertices: Any) -> None:
        """Delete vertices with all their edges.

        In a directed store without incoming edges (``reverse=True``) all blocks are read for it.

        Parameters
        ----------
        vertices
            Ids, as for :meth:`insert_edges`.

        Raises
        ------
        BadInput, Failed
            As for :meth:`insert_edges`.
        """
        self._update.delete_vertices(ids_of("vertices", vertices))

    def commit(self) -> dict[str, Any]:
        """Make all that is pending durable: after a crash all of it is there or nothing.

        Returns
        -------
        dict
            ``version`` (changes since the import), ``changes`` of this commit, of which ``missing`` were of
            what is not there, and the ``vertices`` and ``edges`` that there are now.

        Raises
        ------
        BadInput
            With ``strict=True``: something to be deleted or set is not there.
        Failed
            The disk is full, or the store cannot be read.
        KeyboardInterrupt
            Ctrl-C; :attr:`version` says whether the commit had been made by then.
        """
        return dict(json.loads(self._update.commit()))

    def maintain(self, *, progress: Progress = False) -> None:
        """Keep the store in shape: to be called after commits.

        What is pending is committed first. Changes are written to sorted runs, runs are merged, and the store
        is compacted, each where it is time (docs/graph-update.md). Until then every reader reads them into
        memory when it opens the store.

        Parameters
        ----------
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Raises
        ------
        BadInput, Failed
            As for :meth:`commit`. What is committed is safe.
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
        """Number of changes since the import, without those that are pending."""
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


def _edges(source: Any, target: Any, weight: Any) -> Edges:
    """Edges of arrays or of a table."""
    edges = edges_of(source, target, weight)
    if edges.directed is not None or edges.vertices_below is not None:
        # Their vertices without edges, and whether edges go both ways, would be lost.
        kind = type(source).__name__
        raise BadInput(f"edges: {kind} is a whole graph; give its edges as two arrays or as a table")
    return edges

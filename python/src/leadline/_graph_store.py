"""What is done with a store besides asking it: copies, changes, checks."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

from . import _leadline
from ._command import run, text
from ._errors import BadInput
from ._graph_algorithms import NAMES
from ._graph_run import Path, run_options
from ._graph_update import GraphUpdate
from ._profile import Profile
from ._progress import Progress, showing
from ._renamed import renamed
from ._sizes import Size, memory_text
from ._words import flag_of, one_line

__all__ = ["Upkeep"]


class Upkeep:
    """How the store of :class:`leadline.Graph` is looked at as a whole, copied and changed."""

    _store: _leadline.Store
    path: Path

    def _need_open(self) -> None:
        raise NotImplementedError

    def export(
        self,
        folder: Path,
        *,
        partitions: int | None = None,
        memory: Size | None = None,
        progress: Progress = False,
    ) -> dict[str, Any]:
        """Write the whole graph to a directory of Parquet files, for Spark, Dask and other programs.

        The directory appears when it is whole, in place of an older export of that name.
        :meth:`import_file` makes a store of it again. If the store was changed since the graph was opened,
        its newest version is written.

        Parameters
        ----------
        folder
            Gets ``edges/part-00000.parquet`` and on (columns ``source``, ``target``, and ``weight`` where the
            graph has weights; an undirected edge once), ``vertices/part-00000.parquet`` and on (column
            ``vertex``: all of them) and ``graph.json``.
        partitions
            Parts of the edges, 1 to 100,000, of equal size; by default as many as make
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
            The directory holds something other than an older export, or cannot be made.
        Failed
            The disk is full, or the store cannot be read.

        Examples
        --------
        >>> import leadline, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp()) / "exported"
        >>> with leadline.Graph.from_edges([1, 2, 7], [2, 3, 8]) as g:
        ...     g.export(folder)["edges"]
        3
        """
        self._need_open()
        given = {"partitions": partitions, "memory": memory}
        # With a slash it is a directory, whatever it is called.
        place = text(folder, "folder") + "/"
        report, _ = run("graph export", self.path, place, options=given, progress=progress)
        return dict(report)

    @renamed(depth="concurrency")
    def estimate(
        self,
        algorithm: str = "pagerank",
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
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
        memory, threads, concurrency, temp
            Of the run; by default as the graph was opened.
        output
            The file that the result would go to; it is not written.
        profile
            The device that holds the store: its read speed gives the time of reading, and its k_r the reads
            in flight.
        **options
            Options of ``leadline graph ALGORITHM``, as for the method: ``iterations=20``,
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
        if not isinstance(algorithm, str) or algorithm not in NAMES:
            raise BadInput(f"algorithm={one_line(algorithm)}: must be one of {', '.join(NAMES)}")
        if profile is not None and not isinstance(profile, Profile):
            raise BadInput(f"profile={one_line(profile)}: must be a leadline.Profile")
        opened = self._store
        given: dict[str, object] = {
            "memory": f"{opened.memory}B" if memory is None else memory_text(memory),
            "threads": opened.threads if threads is None else threads,
            "concurrency": opened.depth if concurrency is None and profile is None else concurrency,
            "temp": opened.temp if temp is None else temp,
            "output": output,
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
        multi: bool = False,
        one: bool = False,
        strict: bool = False,
        memory: Size | None = None,
        threads: int | None = None,
    ) -> GraphUpdate:
        """Begin to change the store; a file becomes a directory.

        This graph goes on with the version that it has. :meth:`open` of :attr:`path` gives the new one.

        Parameters
        ----------
        multi
            An edge that is there gets a parallel copy, also in a store that was imported with ``dedupe``,
            where it is left out by default.
        one
            Deleting an edge, or setting its weight, is for one of its parallel copies, the one with the
            smallest weight. By default it is for all of them.
        strict
            What is to be deleted or set and is not there is an error. By default it is counted.
        memory, threads
            For looking up what is deleted or may be there already, and for changes that are not
            committed; by default as the graph was opened.

        Returns
        -------
        GraphUpdate
            For a ``with``, whose end commits and lets go of the store.

        Raises
        ------
        BadInput
            The store is being changed already, by this process or another one.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g, g.update() as update:
        ...     update.insert_edges([3], [1])
        ...     update.commit()["edges"]
        3
        """
        self._need_open()
        opened = self._store
        limits = run_options(
            opened.memory if memory is None else memory, opened.threads if threads is None else threads
        )
        how = flag_of("one", one), flag_of("multi", multi), flag_of("strict", strict)
        return GraphUpdate(_leadline.StoreUpdate(text(self.path), *how, limits), self)

    def compact(
        self,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        progress: Progress = False,
    ) -> dict[str, Any]:
        """Put the lists of the store and its changes together: it gets smaller, and algorithms faster.

        This graph goes on with the version that it has. An exception, or a crash, leaves the store as it was;
        the next compaction goes on where this one ended, unless the store has changed. While others read the
        device, it works more slowly.

        Parameters
        ----------
        memory, threads
            For merging; by default as the graph was opened.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        dict
            ``version``, ``bytes_before``, ``bytes_after``, and whether it was ``compacted``: not if there
            was nothing to do. ``resumed_bytes`` of the new lists were written by a compaction that was
            interrupted; ``restarted``: there was one, but the store has changed since.

        Raises
        ------
        BadInput
            The store is being changed, by this process or another one.
        Failed
            The disk is full, or the store cannot be read.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 2], [2, 3]) as g:
        ...     g.compact()["compacted"]
        False
        """
        self._need_open()
        opened = self._store
        limits = run_options(
            opened.memory if memory is None else memory, opened.threads if threads is None else threads
        )
        with showing(progress) as callback:
            return dict(json.loads(_leadline.compact_store(text(self.path), limits, callback)))

"""A sorted map on a device."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from . import _leadline
from ._errors import BadInput, Warning
from ._index_batch import IndexBatch
from ._index_keys import Keys, pairs_of, value_of
from ._index_view import IndexSnapshot, Reads
from ._notes import warn
from ._profile import Profile
from ._progress import Progress, showing
from ._sizes import Size, memory_bytes, size_bytes
from ._words import count_of, flag_of, one_line, path_of

__all__ = ["Index"]

#: Entries that are handed over at once.
_AT_ONCE = 4096


class Index(Reads):
    """A sorted map of byte strings on disk, of which only the nodes in use are in memory.

    It is opened by :meth:`open`, and closed by :meth:`close` or at the end of a ``with``. It is used as a
    dictionary, with keys in order: ``index[key]``, ``key in index``, ``del index[key]``, ``len(index)``, and
    iteration over the keys. :meth:`multi_get` and :meth:`multi_insert` read the nodes of all keys at once.

    Keys and values are bytes; with ``key_type="integer"`` keys are integers from 0 to 2^64 - 1, which sort as
    numbers. Threads share an index, and all work is done without Python's lock. One process at a time has
    it open, or several with ``read_only=True``: ``leadline index`` and this class use the same directories.

    Examples
    --------
    >>> import leadline, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with leadline.Index.open(folder) as index:
    ...     index[b"grace"] = b"1906"
    ...     index[b"ada"] = b"1815"
    >>> with leadline.Index.open(folder) as index:
    ...     index[b"ada"], b"nobody" in index, len(index), list(index)
    (b'1815', False, 2, [b'ada', b'grace'])
    """

    __module__ = "leadline"

    def __init__(self, store: _leadline.IndexStore, path: Path, keys: Keys) -> None:
        if not isinstance(store, _leadline.IndexStore):
            raise BadInput("Index(): is made by Index.open()")
        self._store = store
        self._view = store.view()
        self._keys = keys
        self._open = weakref.WeakSet()
        #: Its directory.
        self.path: Path = path

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        memory: Size | None = None,
        concurrency: int | None = None,
        profile: Profile | None = None,
        node_size: Size | None = None,
        key_type: str = "bytes",
        durability: str | float = "commit",
        create: bool = True,
        read_only: bool = False,
    ) -> Index:
        """Open the index in a directory, or make one there.

        Parameters
        ----------
        path
            The directory.
        memory
            Memory for the most recently used nodes, bytes or text such as ``"1G"``; by default 256M. Up to
            25M more is used.
        concurrency
            Reads in flight from one call, 1 to 1024; by default 64.
        profile
            Take the reads in flight, and the nodes written at once, from this device's profile, and choose
            the size of a new index's nodes as :func:`btree.advise` does, for keys of 16 bytes and values of
            100, four times as many as fit in `memory`; not with `concurrency`.
        node_size
            Size of a new index's nodes: ``"4K"``, ``"8K"``, ``"16K"``, ``"32K"`` or ``"64K"``; by default
            what `profile` says is best, or 4K. An index that exists keeps its own.
        key_type
            ``"bytes"``, or ``"integer"`` for keys that are integers from 0 to 2^64 - 1.
        durability
            When a change is durable: ``"commit"``, when the call returns; a number of seconds, at most
            that much later; ``"never"``, at the next :meth:`checkpoint`, :meth:`sync` or :meth:`close`.
        create
            Make an index if there is none.
        read_only
            Only read it: its directory may be read-only, several processes may have it open so at once, and
            nothing is made. Changes of a process that was killed are made in `memory`, and must fit there.

        Returns
        -------
        Index
            The open index.

        Raises
        ------
        BadInput
            The directory holds something else, or an index of another version or node size; another process
            has it open; or it cannot be written.
        Failed
            The disk is full, or the log lost what had been durable.

        Examples
        --------
        >>> import leadline, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp(), key_type="integer", durability=0.1) as index:
        ...     index[10] = b"ten"
        ...     index[9] = b"nine"
        ...     list(index)
        [9, 10]
        """
        keys = Keys(key_type)
        if profile is not None:
            if concurrency is not None:
                raise BadInput(f"concurrency={one_line(concurrency)}: cannot be given together with profile")
            if not isinstance(profile, Profile):
                raise BadInput(f"profile={one_line(profile)}: must be a Profile")
        if concurrency is not None and not 1 <= count_of("concurrency", concurrency) <= 1024:
            raise BadInput(f"concurrency={one_line(concurrency)}: must be from 1 to 1024")
        nodes = size_bytes("node_size", node_size)
        if nodes is not None and nodes not in (4096, 8192, 16384, 32768, 65536):
            raise BadInput(f"node_size={one_line(node_size)}: must be 4K, 8K, 16K, 32K or 64K")
        name = path_of("path", path)
        if not name:
            raise BadInput("path='': must be a directory")
        store = _leadline.IndexStore(
            name,
            memory_bytes(memory),
            None if concurrency is None else int(concurrency),
            None if profile is None else profile._device,
            nodes,
            _seconds(durability),
            flag_of("create", create),
            flag_of("read_only", read_only),
        )
        if note := store.note():
            warn(note, Warning)
        return cls(store, Path(name), keys)

    def close(self) -> None:
        """Write all changes to their nodes and let go of the index; snapshots and ranges of it end.

        A second call changes nothing.

        Raises
        ------
        Failed
            The disk is full, or cannot be written; what was durable stays so.
        """
        for each in list(self._open):
            each.close()
        self._view.close()
        self._store.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._store.insert(self._keys.encode("key", key), value_of("value", value))

    def __delitem__(self, key: Any) -> None:
        if not self._store.remove(self._keys.encode("key", key)):
            raise KeyError(key)

    def multi_insert(self, entries: Any, values: Any = None) -> None:
        """Insert many entries as one batch, whose nodes are read at once.

        Parameters
        ----------
        entries
            A mapping of keys to values, pairs of a key and a value, or the keys alone: a list, or an array of
            shape (n,) as for :meth:`multi_get`.
        values
            The value of each key if `entries` has the keys alone: a list of bytes, or an array of bytes of
            shape (n,).

        Raises
        ------
        BadInput
            A key or a value is of another type or too long, or there are not as many values as keys. Nothing
            was inserted.
        Failed
            The disk is full, or cannot be written.

        Examples
        --------
        >>> import leadline, numpy, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp(), key_type="integer") as index:
        ...     index.multi_insert(numpy.array([3, 1]), numpy.array([b"three", b"one"]))
        ...     index.multi_insert({2: b"two"})
        ...     list(index.range())
        [(1, b'one'), (2, b'two'), (3, b'three')]
        """
        self._store.commit(list(self._encoded(pairs_of(entries, values))))

    def bulk_load(self, entries: Any, values: Any = None) -> None:
        """Fill an empty index with entries in ascending order of their keys, each node written once and full.

        Parameters
        ----------
        entries, values
            As for :meth:`multi_insert`. Of an iterator only some entries are in memory.

        Raises
        ------
        BadInput
            The index is not empty, a key is not after the one before it, or a key or a value is of another
            type or too long. The index is empty as before.
        Failed
            As for :meth:`multi_insert`.

        Examples
        --------
        >>> import leadline, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp()) as index:
        ...     index.bulk_load((b"%06d" % number, b"x" * 100) for number in range(10_000))
        ...     len(index), index.stats()["height"]
        (10000, 3)
        """
        self._store.load(_lists(self._encoded(pairs_of(entries, values))), True)

    def load(self, entries: Any, values: Any = None) -> None:
        """Fill an empty index with entries in any order; of several with the same key the last one counts.

        They are sorted in half of `memory`; what does not fit there goes through temporary files in the
        index's directory, which take as much room as the entries.

        Parameters
        ----------
        entries, values
            As for :meth:`bulk_load`.

        Raises
        ------
        BadInput
            The index is not empty, or a key or a value is of another type or too long. The index is empty as
            before.
        Failed
            As for :meth:`multi_insert`.

        Examples
        --------
        >>> import leadline, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp()) as index:
        ...     index.load([(b"b", b"2"), (b"a", b"1"), (b"b", b"3")])
        ...     list(index.range())
        [(b'a', b'1'), (b'b', b'3')]
        """
        self._store.load(_lists(self._encoded(pairs_of(entries, values))), False)

    def _encoded(self, pairs: Iterable[tuple[object, object]]) -> Iterator[tuple[bytes, bytes]]:
        for at, (key, value) in enumerate(pairs):
            yield self._keys.encode(f"key {at}", key), value_of(f"value {at}", value)

    def batch(self) -> IndexBatch:
        """Begin changes that are made together.

        Returns
        -------
        IndexBatch
            It is used as a dictionary, and committed at the end of a ``with``.

        Examples
        --------
        See :class:`IndexBatch`.
        """
        return IndexBatch(self._store, self._keys)

    def snapshot(self) -> IndexSnapshot:
        """Return the index as it is now, for reading; changes that follow are not seen.

        Returns
        -------
        IndexSnapshot
            The snapshot.

        Examples
        --------
        See :class:`IndexSnapshot`.
        """
        view = self._store.snapshot()
        self._open.add(view)
        return IndexSnapshot(view, self._keys, self._open)

    def checkpoint(self) -> None:
        """Write all changes to their nodes, so that no log has to be read when the index is opened again.

        Raises
        ------
        Failed
            The disk is full, or cannot be written; what was durable stays so.
        """
        self._store.checkpoint()

    def sync(self) -> None:
        """Make all changes durable that were made so far, whatever `durability` is.

        Raises
        ------
        Failed
            The log cannot be written.
        """
        self._store.sync()

    def verify(self, *, progress: Progress = False) -> dict[str, Any]:
        """Read every page, and say what is damaged. Nobody else uses the index meanwhile.

        Parameters
        ----------
        progress
            ``True`` for a bar, or a function that is called with the phase, the share that is done and a
            detail.

        Returns
        -------
        dict
            ``sound``, ``pages``, ``entries`` and ``problems``: for each damaged page its number, ``page``,
            and ``what`` is wrong and which keys cannot be read for it.

        Raises
        ------
        BadInput
            The index is closed.

        Examples
        --------
        >>> import leadline, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp()) as index:
        ...     index[b"ada"] = b"1815"
        ...     index.verify()["sound"]
        True
        """
        with showing(progress) as shown:
            return dict(json.loads(self._store.verify(shown)))

    def stats(self) -> dict[str, Any]:
        """Say how many entries there are, and what they take.

        Returns
        -------
        dict
            As ``leadline index stats --json``: ``entries``; ``entry_bytes`` of all keys and values;
            ``height``, nodes from the root to a leaf; ``node_bytes``; ``pages`` in use; ``fill``, the share
            of the pages that keys and values fill; ``log_bytes`` that are read after a crash;
            ``reads_in_flight``; ``memory_bytes`` for nodes.

        Examples
        --------
        >>> import leadline, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp(), concurrency=32) as index:
        ...     index[b"ada"] = b"1815"
        ...     stats = index.stats()
        ...     stats["entries"], stats["entry_bytes"], stats["reads_in_flight"]
        (1, 7, 32)
        """
        return dict(json.loads(self._store.stats()))

    def __repr__(self) -> str:
        return f"Index({os.fspath(self.path)!r}, key_type={self._keys.key_type!r})"


def _seconds(durability: object) -> float | None:
    """At most so long until a change is durable; none: no longer than to the next checkpoint."""
    if isinstance(durability, str) and durability in ("commit", "never"):
        return 0.0 if durability == "commit" else None
    is_number = isinstance(durability, (int, float)) and not isinstance(durability, bool)
    if is_number and 0.001 <= durability <= 3600:  # type: ignore[operator]
        return float(durability)  # type: ignore[arg-type]
    raise BadInput(
        f"durability={one_line(durability)}: must be 'commit', 'never' or seconds from 0.001 to 3600"
    )


def _lists(entries: Iterator[tuple[bytes, bytes]]) -> Iterator[list[tuple[bytes, bytes]]]:
    while some := list(islice(entries, _AT_ONCE)):
        yield some

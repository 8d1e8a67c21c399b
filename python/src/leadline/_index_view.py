"""What reads an index: as it is, or as it was."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from . import _leadline
from ._errors import BadInput
from ._index_keys import Keys
from ._words import flag_of

__all__ = ["IndexSnapshot", "Reads"]

#: Entries that are taken at once from a range.
_AT_ONCE = 1024


class Reads:
    """What an index and a snapshot of one can be asked."""

    _view: _leadline.IndexView
    _keys: Keys
    #: What ends with the index.
    _open: weakref.WeakSet[Any]

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key.

        Parameters
        ----------
        key
            The key: bytes, or an integer if the index has integer keys.
        default
            What is returned if the key is not there.

        Returns
        -------
        bytes
            The value, or `default`.

        Raises
        ------
        BadInput
            The key is of another type, or the index is closed.
        Failed
            A page cannot be read, or is damaged.

        Examples
        --------
        >>> import leadline, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp()) as index:
        ...     index[b"ada"] = b"1815"
        ...     index.get(b"ada"), index.get(b"nobody", b"?")
        (b'1815', b'?')
        """
        found = self._view.get(self._keys.encode("key", key))
        return default if found is None else found

    def multi_get(self, keys: Any) -> list[bytes | None]:
        """Return the values of many keys, all of which are read at once.

        Parameters
        ----------
        keys
            A list of keys, or an array of shape (n,): integers of any size if the index has integer
            keys, else bytes (kind ``S``, whose items have no zero bytes at the end).

        Returns
        -------
        list
            Shape (n,): the value of each key in the order of the keys, or None if it is not there.

        Raises
        ------
        BadInput, Failed
            As for :meth:`get`.

        Examples
        --------
        >>> import leadline, numpy, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp(), key_type="integer") as index:
        ...     index.bulk_load((number, b"%d" % number**2) for number in range(1000))
        ...     index.multi_get(numpy.array([7, 5000, 12]))
        [b'49', None, b'144']
        """
        return self._view.multi_get(self._keys.encode_all(keys))

    def range(
        self, from_: Any = None, to: Any = None, *, reverse: bool = False
    ) -> Iterator[tuple[Any, bytes]]:
        """Iterate over the entries of a range of keys, in order. The leaves that come next are read ahead.

        Parameters
        ----------
        from_
            The first key, or before it; by default the first that is there.
        to
            The key before which the range ends; by default after the last.
        reverse
            From the last entry to the first.

        Returns
        -------
        iterator
            Pairs of a key and its value. Entries that other threads change before they are read are seen as
            they are then; :meth:`Index.snapshot` stands still.

        Raises
        ------
        BadInput, Failed
            As for :meth:`get`.

        Examples
        --------
        >>> import leadline, tempfile
        >>> with leadline.Index.open(tempfile.mkdtemp()) as index:
        ...     index.multi_insert({b"a": b"1", b"b": b"2", b"c": b"3"})
        ...     list(index.range(b"b")), list(index.range(to=b"c", reverse=True))
        ([(b'b', b'2'), (b'c', b'3')], [(b'b', b'2'), (b'a', b'1')])
        """
        low = None if from_ is None else self._keys.encode("from_", from_)
        high = None if to is None else self._keys.encode("to", to)
        entries = self._view.range(low, high, flag_of("reverse", reverse))
        self._open.add(entries)
        return self._entries(entries)

    def _entries(self, entries: _leadline.IndexRange) -> Iterator[tuple[Any, bytes]]:
        while pairs := entries.take(_AT_ONCE):
            for key, value in pairs:
                yield self._keys.decode(key), value

    def __getitem__(self, key: Any) -> bytes:
        found = self._view.get(self._keys.encode("key", key))
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: Any) -> bool:
        return self._view.get(self._keys.encode("key", key)) is not None

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self.range())

    def __len__(self) -> int:
        return len(self._view)


class IndexSnapshot(Reads):
    """An index as it was when :meth:`Index.snapshot` was called. It is read like the index.

    As long as there is one, nodes that are changed are kept as they were, too: call :meth:`close`, or use
    ``with``, if it is not needed any more. It ends with its index.

    Examples
    --------
    >>> import leadline, tempfile
    >>> with leadline.Index.open(tempfile.mkdtemp()) as index:
    ...     index[b"ada"] = b"1815"
    ...     with index.snapshot() as before:
    ...         del index[b"ada"]
    ...         b"ada" in index, before[b"ada"]
    (False, b'1815')
    """

    __module__ = "leadline"

    def __init__(self, view: _leadline.IndexView, keys: Keys, open_: weakref.WeakSet[Any]) -> None:
        if not isinstance(view, _leadline.IndexView):
            raise BadInput("IndexSnapshot(): is made by Index.snapshot()")
        self._view = view
        self._keys = keys
        self._open = open_

    def close(self) -> None:
        """Let go of it. A second call changes nothing."""
        self._view.close()

    def __enter__(self) -> IndexSnapshot:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

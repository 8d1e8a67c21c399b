"""Changes of an index that are made together."""

from __future__ import annotations

from typing import Any

from . import _leadline
from ._errors import BadInput
from ._index_keys import Keys, value_of

__all__ = ["IndexBatch"]


class IndexBatch:
    """Changes that are made together or not at all, as :meth:`Index.batch` gives it.

    They are made by :meth:`commit`, or at the end of a ``with``, unless it ends by an exception. Of several
    changes of one key the last one counts.

    Examples
    --------
    >>> import leadline, tempfile
    >>> with leadline.Index.open(tempfile.mkdtemp()) as index:
    ...     index[b"grace"] = b"1906"
    ...     with index.batch() as batch:
    ...         batch[b"alan"] = b"1912"
    ...         del batch[b"grace"]
    ...     list(index.range())
    [(b'alan', b'1912')]
    """

    __module__ = "leadline"

    def __init__(self, store: _leadline.IndexStore, keys: Keys) -> None:
        if not isinstance(store, _leadline.IndexStore):
            raise BadInput("IndexBatch(): is made by Index.batch()")
        self._store = store
        self._keys = keys
        self._changes: dict[bytes, bytes | None] = {}

    def __setitem__(self, key: Any, value: Any) -> None:
        self._changes[self._keys.encode("key", key)] = value_of("value", value)

    def __delitem__(self, key: Any) -> None:
        self._changes[self._keys.encode("key", key)] = None

    def __len__(self) -> int:
        return len(self._changes)

    def commit(self) -> None:
        """Make the changes; after a crash either all or none of them are there. The batch is empty then.

        Raises
        ------
        BadInput
            A key or a value is too long, or the index is closed.
        Failed
            The disk is full, or cannot be written.
        """
        self._store.commit(list(self._changes.items()))
        self._changes.clear()

    def __enter__(self) -> IndexBatch:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is None:
            self.commit()

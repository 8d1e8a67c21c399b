"""The rows of tables."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

__all__ = ["Row", "row_type"]


class Row(tuple[Any, ...]):
    """The cells of a row in the order of the columns, and by name: ``row.rank``, ``row["latency_p99_us"]``.

    Columns with the names of a tuple's methods, ``count`` and ``index``, are there by ``row["count"]`` only.
    pandas takes the names of the columns from rows, as from named tuples.
    """

    __slots__ = ()
    __module__ = "leadline"

    _fields: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            try:
                key = self._fields.index(key)
            except ValueError:
                raise KeyError(f"{key}: the columns are {', '.join(self._fields)}") from None
        return tuple.__getitem__(self, key)

    def __getattr__(self, name: str) -> Any:
        try:
            return tuple.__getitem__(self, self._fields.index(name))
        except ValueError:
            raise AttributeError(f"{name}: the columns are {', '.join(self._fields)}") from None

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        return f"Row({', '.join(f'{name}={cell!r}' for name, cell in zip(self._fields, self, strict=True))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._fields, tuple(self))


@lru_cache(maxsize=256)
def row_type(fields: tuple[str, ...]) -> type[Row]:
    """The class of the rows with these columns."""
    return type("Row", (Row,), {"_fields": fields, "__slots__": (), "__module__": "leadline"})


def _unpickled(fields: tuple[str, ...], cells: tuple[Any, ...]) -> Row:
    return row_type(fields)(cells)

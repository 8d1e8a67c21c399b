"""Results with rows."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._leadline import Columns

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Table"]

#: Rows that are shown at the beginning and at the end of a long table.
_SHOWN = 5


class Table(Columns):
    """Rows and named columns, which never change.

    It speaks Arrow's PyCapsule protocol: ``pyarrow.table(t)``, ``polars.DataFrame(t)`` and DuckDB read the
    columns where they lie. ``t["rank"]`` is a column as a NumPy array, without a copy where it holds numbers.

    Parameters
    ----------
    columns
        By name: arrays or sequences of numbers, or sequences of strings, of which some may be None.
    info
        What else is known, such as how long a run took.

    Examples
    --------
    >>> t = Table({"vertex": [1, 2, 5], "name": ["a", None, "c"]}, {"seconds": 0.5})
    >>> int(t["vertex"].sum()), len(t), t.column_names, t.info["seconds"]
    (8, 3, ['vertex', 'name'], 0.5)
    >>> t
    Table with 3 rows
    vertex  name
         1  a
         2  None
         5  c
    """

    __module__ = "leadline"

    #: What is known besides the rows: the document that the command line prints with ``--json``.
    info: dict[str, Any]

    def __new__(cls, columns: Mapping[str, Any] | Columns, info: Mapping[str, Any] | None = None) -> Table:
        # What the extension made is shared, and not copied.
        if not isinstance(columns, Columns):
            columns = {name: _column(values) for name, values in columns.items()}
        table = super().__new__(cls, columns)
        table.info = dict(info or {})
        return table

    def to_pyarrow(self) -> pyarrow.Table:
        """As a ``pyarrow.Table``, without a copy."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.column_names})

    def to_polars(self) -> polars.DataFrame:
        """As a ``polars.DataFrame``, without a copy."""
        import polars

        return polars.DataFrame(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """As a list with a dictionary for each row."""
        columns = {name: self[name].tolist() for name in self.column_names}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _cells(self) -> tuple[list[list[str]], int]:
        """The first and last rows as text, and how many are left out between them."""
        count = len(self)
        rows = list(range(count)) if count <= 2 * _SHOWN else [*range(_SHOWN), *range(count - _SHOWN, count)]
        return [[_shown(cell) for cell in self.row(row)] for row in rows], count - len(rows)

    def __repr__(self) -> str:
        cells, left_out = self._cells()
        names = self.column_names
        numbers = [self[name].dtype.kind in "iuf" for name in names]
        widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]

        def line(row: Sequence[str]) -> str:
            padded = zip(row, widths, numbers, strict=True)
            return "  ".join(c.rjust(w) if number else c.ljust(w) for c, w, number in padded).rstrip()

        lines = [line(row) for row in (names, *cells)]
        if left_out:
            lines.insert(1 + _SHOWN, f"... {left_out} rows ...")
        plural = "" if len(self) == 1 else "s"
        return "\n".join([f"Table with {len(self)} row{plural}", *lines])

    def _repr_html_(self) -> str:
        cells, left_out = self._cells()

        def line(row: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

        rows = [line(row, "td") for row in cells]
        if left_out:
            rows.insert(_SHOWN, f'<tr><td colspan="{len(self.column_names)}">… {left_out} rows …</td></tr>')
        return f"<table><thead>{line(self.column_names, 'th')}</thead><tbody>{''.join(rows)}</tbody></table>"


def _column(values: Any) -> Any:
    """What `Columns` takes: an array of one of its types, or a list of strings."""
    array = np.asarray(values)
    if array.dtype.kind in "OUS":
        return [None if value is None else str(value) for value in values]
    kinds = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}
    if array.dtype == np.uint32:
        return np.ascontiguousarray(array)
    return np.ascontiguousarray(array, dtype=kinds.get(array.dtype.kind))


def _shown(cell: Any) -> str:
    """A cell as text."""
    return f"{cell:.6g}" if isinstance(cell, (float, np.floating)) else str(cell)

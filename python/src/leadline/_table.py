"""Results with rows."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _shown
from ._cells import (
    NoSuchRow,
    UnknownColumn,
    array_of_numbers,
    column_of,
    mask_of,
    rows_wanted,
    same_cells,
)
from ._errors import BadInput
from ._leadline import Columns
from ._names import renamed, unit_of, warn_renamed
from ._optional import needed
from ._row import Row, row_type
from ._words import count_of, flag_of, is_utf8, one_line

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from typing_extensions import Self

__all__ = ["Table"]


class Table(Columns):
    """Rows and named columns, which never change.

    Whole numbers, slices, booleans and arrays of numbers choose rows, names choose columns; its length is the
    number of rows, and a loop over it goes over the rows. As a mapping (``dict(t)``, ``t.items()``, ``name in
    t``) it has the columns.

    It speaks Arrow's PyCapsule protocol: ``pyarrow.table(t)``, ``polars.DataFrame(t)`` and DuckDB read the
    columns where they lie; ``pandas.DataFrame(t)`` reads rows, and ``t.to_pandas()`` is faster and keeps the
    types of numbers. ``t["rank"]`` is a column as a NumPy array, without a copy where it holds numbers,
    and a masked array where cells are missing.

    Parameters
    ----------
    columns
        By name: arrays or sequences of numbers, of which some may be masked, or sequences of strings, of
        which some may be None.
    info
        What else is known, such as how long a run took.
    notes
        Remarks of the command, a sentence each.
    units
        Of columns whose name does not end with it (``_us``, ``_bytes``, ...).

    Raises
    ------
    BadInput
        There are no columns, they are not equally long, or one is neither numbers nor strings.

    Examples
    --------
    >>> t = Table({"vertex": [1, 2, 5], "name": ["a", None, "c"]}, {"seconds": 0.5})
    >>> int(t["vertex"].sum()), t.shape, t.columns, t.info["seconds"]
    (8, (3, 2), ['vertex', 'name'], 0.5)
    >>> t[-1], t[1:]["vertex"].tolist(), t[t["vertex"] > 1][["name"]].to_dicts()
    (Row(vertex=5, name='c'), [2, 5], [{'name': None}, {'name': 'c'}])
    >>> [row.vertex for row in t if row.name is not None], "name" in t
    ([1, 5], True)
    >>> t
    Table with 3 rows
    vertex  name
         1  a
         2  None
         5  c
    """

    __module__ = "leadline"

    #: Arrays leave comparisons to the table, and do not take it for one of them.
    __array_ufunc__ = None

    #: What is known besides the rows: the document that the command line prints with ``--json``.
    info: dict[str, Any]
    #: What the command line would have printed in addition to the result: skipped and assumed things, and
    #: warnings.
    notes: tuple[str, ...]

    def __new__(
        cls,
        columns: Mapping[str, Any] | Columns,
        info: Mapping[str, Any] | None = None,
        notes: Sequence[str] = (),
        units: Mapping[str, str] | None = None,
    ) -> Table:
        # What the extension made is shared, and not copied.
        if not isinstance(columns, Columns):
            columns = _of_arrays(columns)
        table = super().__new__(cls, columns)
        table.info = dict(info or {})
        table.notes = tuple(notes)
        table._units = dict(units or {})
        return table

    _units: dict[str, str]

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return self.column_names

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return len(self), len(self.column_names)

    @property
    def units(self) -> dict[str, str]:
        """The units of the columns that have one, by name: what was given, or the end of the name says it."""
        found = {name: self._units.get(name) or unit_of(name) for name in self.column_names}
        return {name: unit for name, unit in found.items() if unit is not None}

    def keys(self) -> list[str]:
        """Names of the columns, in order, with which ``dict(t)`` has the columns.

        Returns
        -------
        list of str
            The names.

        Examples
        --------
        >>> Table({"vertex": [1, 2], "level": [0, 1]}).keys()
        ['vertex', 'level']
        """
        return self.column_names

    def values(self) -> list[NDArray[Any]]:
        """The columns, in order.

        Returns
        -------
        list of numpy.ndarray
            As ``t[name]`` has them.

        Examples
        --------
        >>> [column.tolist() for column in Table({"vertex": [1, 2], "level": [0, 1]}).values()]
        [[1, 2], [0, 1]]
        """
        return [self[name] for name in self.column_names]

    def items(self) -> list[tuple[str, NDArray[Any]]]:
        """Names and columns, in order.

        Returns
        -------
        list of tuple
            A name and its column, as ``t[name]`` has it.

        Examples
        --------
        >>> {name: column.tolist() for name, column in Table({"vertex": [1, 2]}).items()}
        {'vertex': [1, 2]}
        """
        return [(name, self[name]) for name in self.column_names]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.column_names

    def __iter__(self) -> Iterator[Row]:
        return self.rows()

    @overload
    def __getitem__(self, key: str, /) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, key: int | np.integer[Any], /) -> Row: ...

    @overload
    def __getitem__(self, key: slice | Sequence[Any] | NDArray[Any], /) -> Self: ...

    def __getitem__(self, key: Any, /) -> Any:
        if isinstance(key, str):
            return super().__getitem__(self._column_called(key))
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            return self.row(key)
        if isinstance(key, slice):
            return self._sliced(key)
        if isinstance(key, (list, np.ndarray)) and len(key) and all(isinstance(part, str) for part in key):
            return self._chosen(list(key))
        return self._like(self._take(rows_wanted(key, len(self))))

    def _column_called(self, name: str) -> str:
        """The column of that name, which may be the one that it had in an earlier version."""
        names = self.column_names
        if name in names:
            return name
        now = renamed(name)
        if now in names:
            warn_renamed(name, now)
            return now
        raise UnknownColumn(f"{name}: the columns are {', '.join(names)}")

    def _chosen(self, names: list[str]) -> Self:
        names = [self._column_called(name) for name in names]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise BadInput(f"columns: {twice} is there twice; name each column once")
        return self._like(self._select(names))

    def _sliced(self, rows: slice) -> Self:
        try:
            first, end, step = rows.indices(len(self))
        except (TypeError, ValueError) as error:
            raise BadInput(f"t[{one_line(rows)}]: {error}") from None
        if step == 1:
            return self._like(self._slice(first, max(end - first, 0)))
        return self._like(self._take(np.arange(first, end, step).astype(np.uint64)))

    def _like(self, columns: Columns) -> Self:
        """A table of the same kind with these columns, and what else is known of this one."""
        table: Self = Table.__new__(type(self), columns)  # type: ignore[assignment]
        table.__dict__.update(self.__dict__)
        return table

    def row(self, row: int | np.integer[Any]) -> Row:
        """Return the cells of one row, by its number; negative ones count from the end.

        Parameters
        ----------
        row
            From 0 to the number of rows less one, or from -1 down.

        Returns
        -------
        tuple
            A named tuple of the cells; a missing one is None.

        Raises
        ------
        IndexError
            There is no such row. The exception is also a BadInput.

        Examples
        --------
        >>> Table({"vertex": [1, 2], "level": [0, 1]}).row(-1)
        Row(vertex=2, level=1)
        """
        try:
            place = operator.index(row)
        except TypeError:
            raise BadInput(f"row={one_line(row)}: must be the number of a row") from None
        if not -len(self) <= place < len(self):
            raise NoSuchRow(f"row {one_line(place)}: the table has {len(self)} rows")
        return next(self[place : place + 1 or None].rows())

    def rows(self) -> Iterator[Row]:
        """Iterate over the rows as named tuples; missing cells are None.

        Yields
        ------
        tuple
            A named tuple for each row.

        Examples
        --------
        >>> [row.level for row in Table({"vertex": [1, 2], "level": [0, 1]}).rows()]
        [0, 1]
        """
        names = self.column_names
        kind = row_type(tuple(names))
        # A part at a time: the numbers become objects of Python.
        for first in range(0, len(self), 4096):
            part = self._slice(first, min(4096, len(self) - first))
            yield from map(kind, zip(*(part[name].tolist() for name in names), strict=True))

    def head(self, count: int = 5) -> Self:
        """Return the first rows, five by default.

        Parameters
        ----------
        count
            How many, 0 or more.

        Returns
        -------
        Table
            The first `count` rows, or all where there are fewer.

        Raises
        ------
        BadInput
            `count` is not a whole number of 0 or more.

        Examples
        --------
        >>> Table({"vertex": [1, 2, 7, 9]}).head(2)["vertex"].tolist()
        [1, 2]
        """
        return self[: count_of("count", count)]

    def tail(self, count: int = 5) -> Self:
        """Return the last rows, five by default.

        Parameters
        ----------
        count
            How many, 0 or more.

        Returns
        -------
        Table
            The last `count` rows, or all where there are fewer.

        Raises
        ------
        BadInput
            `count` is not a whole number of 0 or more.

        Examples
        --------
        >>> Table({"vertex": [1, 2, 7, 9]}).tail(2)["vertex"].tolist()
        [7, 9]
        """
        return self[max(len(self) - count_of("count", count), 0) :]

    def __eq__(self, other: object) -> bool:
        """Whether both have the same columns, in order, with the same cells; missing equals missing."""
        if not isinstance(other, Columns):
            return NotImplemented
        if self.column_names != other.column_names or len(self) != len(other):
            return False
        # Of the class itself: a table that inherits may show its columns otherwise.
        return all(
            same_cells(Columns.__getitem__(self, name), Columns.__getitem__(other, name))
            for name in self.column_names
        )

    # Tables that are equal need not be the same object.
    __hash__ = None  # type: ignore[assignment]

    def to_pyarrow(self) -> pyarrow.Table:
        """As a ``pyarrow.Table``, without a copy.

        Returns
        -------
        pyarrow.Table
            Of one chunk for each column.

        Examples
        --------
        >>> Table({"vertex": [1, 2]}).to_pyarrow().column_names
        ['vertex']
        """
        with needed("to_pyarrow()", "pyarrow"):
            import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a ``pandas.DataFrame``.

        Columns of whole numbers or booleans with missing cells have pandas' types that know missing values
        (``Int64``, ``UInt64``, ``boolean``): as floats, large ids would become others.

        Returns
        -------
        pandas.DataFrame
            A column for each column, and an index from 0.

        Examples
        --------
        >>> Table({"vertex": [1, 2], "level": [0, 1]}).to_pandas()["level"].sum().item()
        1
        """
        with needed("to_pandas()", "pandas"):
            import pandas

        def column(values: NDArray[Any]) -> Any:
            if not isinstance(values, np.ma.MaskedArray) or values.dtype.kind == "f":
                return values
            kind = pandas.arrays.BooleanArray if values.dtype.kind == "b" else pandas.arrays.IntegerArray
            return kind(np.array(values.data), mask_of(values).copy())

        return pandas.DataFrame({name: column(self[name]) for name in self.column_names})

    def to_polars(self) -> polars.DataFrame:
        """As a ``polars.DataFrame``, without a copy.

        Returns
        -------
        polars.DataFrame
            A column for each column.

        Examples
        --------
        >>> Table({"vertex": [1, 2]}).to_polars().shape
        (2, 1)
        """
        with needed("to_polars()", "polars"):
            import polars

        return polars.DataFrame(self)

    def to_numpy(self, *, structured: bool = False) -> NDArray[Any]:
        """As an array with a row for each row.

        Parameters
        ----------
        structured
            Give an array of one dimension whose fields are the columns, each with its own type. Without, the
            array has two dimensions and one type for all: numbers if all columns are numbers (NaN for missing
            cells), else objects.

        Returns
        -------
        numpy.ndarray
            Of shape ``(rows, columns)``, or ``(rows,)`` if it is structured.

        Raises
        ------
        BadInput
            The type for all would change a number: a whole number above 2^53 next to fractions or missing
            cells.

        Examples
        --------
        >>> Table({"x": [1, 2], "y": [0.5, 2.5]}).to_numpy().tolist()
        [[1.0, 0.5], [2.0, 2.5]]
        """
        return array_of_numbers(dict(self.items()), len(self), flag_of("structured", structured))

    def to_dicts(self) -> list[dict[str, Any]]:
        """As a list with a dictionary for each row.

        Returns
        -------
        list of dict
            By names of columns; numbers are Python's.

        Examples
        --------
        >>> Table({"vertex": [1, 2], "level": [0, 1]}).to_dicts()
        [{'vertex': 1, 'level': 0}, {'vertex': 2, 'level': 1}]
        """
        columns = {name: self[name].tolist() for name in self.column_names}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def __copy__(self) -> Self:
        return self._like(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        table = self._like(self)
        # The columns cannot change.
        table.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self._to_ipc()), self.__dict__

    def _ipython_key_completions_(self) -> list[str]:
        return self.column_names

    def __repr__(self) -> str:
        return _shown.as_text(self)

    def _repr_html_(self) -> str:
        return _shown.as_html(self, self.units)


def _unpickled(kind: type[Table], columns: NDArray[np.uint8]) -> Table:
    return Table.__new__(kind, Columns._from_ipc(columns))


def _of_arrays(given: Mapping[str, Any]) -> Columns:
    if not isinstance(given, Mapping):
        raise BadInput(f"columns: must be a dictionary of columns, not {type(given).__name__}")
    if not given:
        raise BadInput("columns: a table has at least one")
    columns: dict[str, Any] = {}
    for name, values in given.items():
        if not isinstance(name, str) or not is_utf8(name):
            raise BadInput(f"columns: the name {one_line(name)} is no text")
        columns[name] = column_of(name, values)
    lengths = {name: len(v[0] if isinstance(v, tuple) else v) for name, v in columns.items()}
    first, rows = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != rows:
            raise BadInput(f"columns: {first} has {rows} cells and {name} {length}; give as many")
    try:
        return Columns(columns)
    except TypeError:
        for name, values in columns.items():
            for cell in values:
                if isinstance(cell, str) and not is_utf8(cell):
                    raise BadInput(f"column {name}: {one_line(cell)} is no text") from None
        raise

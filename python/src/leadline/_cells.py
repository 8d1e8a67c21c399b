"""Cells of tables: from what Python has to what the extension takes, and as one array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import BadInput
from ._words import one_line

__all__ = [
    "NoSuchRow",
    "UnknownColumn",
    "array_of_numbers",
    "column_of",
    "mask_of",
    "masked",
    "rows_wanted",
    "same_cells",
]

_KINDS = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}
#: Below it, a float is as exact as a whole number.
_EXACT = 1 << 53


class UnknownColumn(BadInput, KeyError):
    """There is no column of that name."""

    # KeyError shows its argument in quotes.
    __str__ = Exception.__str__


class NoSuchRow(BadInput, IndexError):
    """There is no row with that number."""


def column_of(name: str, values: Any) -> Any:
    """What `Columns` takes: an array of one of its types, with its mask, or a list of strings."""
    if isinstance(values, np.ma.MaskedArray):
        missing = np.ascontiguousarray(mask_of(values))
        filled = column_of(name, np.asarray(values.data))
        if not isinstance(filled, list):
            return (filled, missing)
        return [None if gone else value for value, gone in zip(filled, missing.tolist(), strict=True)]
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.zeros((0, 0))
    if array.ndim != 1:
        raise BadInput(f"column {name}: must have one dimension")
    if array.dtype.kind in "OUS":
        return _strings(name, array.tolist() if array.dtype.kind == "U" else values)
    if array.dtype == np.uint32:
        return np.ascontiguousarray(array)
    kind = _KINDS.get(array.dtype.kind)
    if kind is None or array.dtype.itemsize > 8:
        raise BadInput(f"column {name}: {array.dtype} is neither numbers of up to 64 bits nor text")
    return np.ascontiguousarray(array, dtype=kind)


def _strings(name: str, values: Any) -> Any:
    cells = list(values)
    if all(cell is None or isinstance(cell, (int, float, np.number)) for cell in cells):
        numbers = [cell for cell in cells if cell is not None]
        if numbers:
            # Numbers of which some are missing.
            gone = np.array([cell is None for cell in cells])
            filled = np.zeros(len(cells), dtype=np.asarray(numbers).dtype)
            if filled.dtype.kind in _KINDS:
                filled[~gone] = numbers
                return column_of(name, masked(filled, gone))
    return [cell if cell is None else _text(name, cell) for cell in cells]


def _text(name: str, cell: Any) -> str:
    if isinstance(cell, bytes):
        raise BadInput(f"column {name}: has bytes, {one_line(cell)}; decode them to text")
    return str(cell)


def masked(values: NDArray[Any], missing: Any) -> NDArray[Any]:
    """An array of which cells are missing."""
    made: NDArray[Any] = np.ma.MaskedArray(values, mask=missing)  # type: ignore[no-untyped-call]
    return made


def mask_of(values: Any) -> NDArray[np.bool_]:
    """Which cells are missing."""
    missing: NDArray[np.bool_] = np.ma.getmaskarray(values)  # type: ignore[no-untyped-call]
    return missing


def rows_wanted(key: Any, rows: int) -> NDArray[np.uint64]:
    """The numbers of the rows that booleans or numbers choose."""
    if isinstance(key, tuple):
        raise BadInput(f"t[{one_line(key)[1:-1]}]: name columns in a list, t[[\"a\", \"b\"]]")
    if isinstance(key, list) and not key:
        raise BadInput("t[[]]: chooses no columns or no rows; t[:0] has the columns and no rows")
    try:
        chosen = np.asarray(key)
    except ValueError:  # of different lengths, or bytes among text
        chosen = np.asarray("")
    if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
        raise BadInput(
            f"t[{one_line(key)}]: rows are chosen by a number, a slice, booleans or numbers, columns by names"
        )
    if mask_of(key).any():
        raise BadInput("t[...]: whether rows are chosen is masked; say .filled(False) for those not to be")
    if chosen.dtype.kind == "b":
        if len(chosen) != rows:
            raise BadInput(f"t[...]: {len(chosen)} booleans for {rows} rows; give as many")
        return np.flatnonzero(chosen).astype(np.uint64)
    if len(chosen) and not (int(chosen.min()) >= -rows and int(chosen.max()) < rows):
        worst = int(chosen.max()) if int(chosen.max()) >= rows else int(chosen.min())
        raise NoSuchRow(f"row {worst}: the table has {rows} rows")
    signed = chosen.astype(np.int64)
    return np.where(signed < 0, signed + rows, signed).astype(np.uint64)


def same_cells(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two columns have the same cells: numbers by value, NaN as itself, missing as missing."""
    gone = mask_of(one)
    if not np.array_equal(gone, mask_of(other)):
        return False
    a, b = np.asarray(one)[~gone], np.asarray(other)[~gone]
    if "O" in (a.dtype.kind, b.dtype.kind):
        return bool(a.tolist() == b.tolist())
    if {a.dtype.kind, b.dtype.kind} & {"f"}:
        return bool(((a == b) | ((a != a) & (b != b))).all())
    return np.array_equal(a, b)


def array_of_numbers(columns: dict[str, NDArray[Any]], rows: int, structured: bool) -> NDArray[Any]:
    """The columns as one array, of two dimensions or with fields."""
    if structured:
        fields = [(name, _with_missing(name, values)) for name, values in columns.items()]
        table = np.empty(rows, dtype=[(name, values.dtype) for name, values in fields])
        # NumPy has its own name for a column that has none.
        for field, (_, values) in zip(table.dtype.names or (), fields, strict=True):
            table[field] = values
        return table
    if any(values.dtype.kind == "O" for values in columns.values()):
        objects = np.empty((rows, len(columns)), dtype=object)
        for place, values in enumerate(columns.values()):
            objects[:, place] = values.tolist()
        return objects
    numbers = {name: _with_missing(name, values) for name, values in columns.items()}
    kind = np.result_type(*(values.dtype for values in numbers.values()))
    for name, values in numbers.items():
        if kind.kind == "f":
            _refuse_inexact(name, values)
    return np.stack([values.astype(kind) for values in numbers.values()], axis=1)


def _with_missing(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """The cells, with NaN for missing ones."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    present = ~mask_of(values)
    kept = np.asarray(values)[present]
    _refuse_inexact(name, kept)
    filled = np.full(len(values), np.nan)
    filled[present] = kept
    return filled


def _refuse_inexact(name: str, values: NDArray[Any]) -> None:
    """Refuse whole numbers that a float does not hold."""
    if values.dtype.kind not in "iu" or not len(values):
        return
    if int(values.max()) > _EXACT or int(values.min()) < -_EXACT:
        raise BadInput(
            f"{name}: has numbers beyond 2^53, which would be rounded as floats; take t[{name!r}] by itself"
        )

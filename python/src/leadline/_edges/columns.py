"""Columns of ids and of weights: arrays of NumPy, of Arrow, pandas and polars, lists."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import BadInput
from .arrow import batches_of_stream
from .batch import CHUNK, Batch, Listed

__all__ = ["array_of", "batches_of_columns", "ids_of", "library", "masked_of", "weights_of"]


def batches_of_columns(source: Any, target: Any, weight: Any = None, place: str = "") -> Iterator[Batch]:
    """Edges of two columns, or of three: one batch where they are numbers that are read where they lie, and
    else parts of which one at a time is converted. `place` is for messages."""
    weight = None if weight is False else weight
    columns = {"sources": source, "targets": target}
    if weight is not None:
        columns["weights"] = weight
    columns = {name: _column(place + name, values) for name, values in columns.items()}
    counts = {name: len(values) for name, values in columns.items()}
    count = counts["sources"]
    if counts["targets"] != count:
        found = f"{count} sources and {counts['targets']} targets"
        raise BadInput(f"{place}edges: expected as many targets as sources, found {found}")
    if counts.get("weights", count) != count:
        found = f"{counts['weights']} weights and {count} edges"
        raise BadInput(f"{place}weights: expected one for each edge, found {found}")
    together = _arrow(columns)
    if together is not None:
        return batches_of_stream(together, range(len(columns)), place)
    return _parts(columns, count, place)


def _parts(columns: dict[str, Any], count: int, place: str) -> Iterator[Batch]:
    whole = all(_lies_ready(name, values) for name, values in columns.items())
    for first in range(0, count, CHUNK) if count and not whole else [0]:
        part = {
            name: values if whole else _slice(values, first, first + CHUNK)
            for name, values in columns.items()
        }
        weights = weights_of(part["weights"], place + "weights", first) if "weights" in part else None
        sources = ids_of(place + "sources", part["sources"], first)
        targets = ids_of(place + "targets", part["targets"], first)
        yield Batch(sources, targets, weights, place, first)


def _column(name: str, values: Any) -> Any:
    """A column of which parts can be taken: an array, or what is not made one as a whole."""
    if isinstance(values, np.ma.MaskedArray) or library(values) in ("pandas", "polars", "pyarrow"):
        dimensions = getattr(values, "ndim", 1)
    elif isinstance(values, (list, tuple, range)):
        dimensions = 1
    else:
        values = array_of(name, values)
        dimensions = values.ndim
    if dimensions != 1 or not hasattr(values, "__len__"):
        raise BadInput(f"{name}: must have one dimension, not {dimensions}")
    if type(values).__name__ == "DataFrame":
        raise BadInput(f"{name}: a table; give one of its columns")
    plain = getattr(values, "dtype", None)
    if library(values) == "pandas" and isinstance(plain, np.dtype) and plain.kind in "iu":
        return np.asarray(values)
    return values


def _lies_ready(name: str, values: Any) -> bool:
    """Whether the extension reads an array where it lies."""
    if type(values) is not np.ndarray or not values.flags.c_contiguous or not values.dtype.isnative:
        return False
    kinds = ("f4", "f8") if name == "weights" else ("i4", "i8", "u4", "u8")
    return values.dtype.str[1:] in kinds


def library(value: Any) -> str:
    """The library that an object's class is of."""
    return type(value).__module__.partition(".")[0]


def _slice(values: Any, first: int, end: int) -> Any:
    """Some values of a column."""
    return values.iloc[first:end] if hasattr(values, "iloc") else values[first:end]


def _arrow(columns: dict[str, Any]) -> Any:
    """A table of columns that are all Arrow's or all polars'; None where they are not."""
    libraries = {library(values) for values in columns.values()}
    if libraries == {"pyarrow"}:
        import pyarrow

        return pyarrow.table(columns)
    if libraries == {"polars"}:
        import polars

        return polars.DataFrame(columns)
    return None


def array_of(name: str, values: Any) -> NDArray[Any]:
    """Whatever it is, as an array; refused where that is impossible."""
    if isinstance(values, (str, bytes)):
        raise BadInput(f"{name}: {values!r} is one value; give a list, or an array")
    try:
        array = np.asarray(values)
    except Exception as error:
        # Libraries raise what they like, and name neither the argument nor the remedy.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput(f"{name}: cannot be made an array: {reason}") from error
    if array.ndim == 0:
        raise BadInput(f"{name}: must be an array or a list, not {type(values).__name__}")
    return array


def ids_of(name: str, values: Any, first: int = 0) -> Listed:
    """Ids as the extension takes them; `name` is for messages, and `first` the number of the first."""
    _refuse_missing(name, values, first)
    if isinstance(values, list) and values and isinstance(values[0], str):
        # As an array each would take as many bytes as the longest, four for each character.
        return _ids_of_list(name, values, first)
    array = array_of(name, values)
    if array.ndim != 1:
        raise BadInput(f"{name}: must have one dimension, not {array.ndim}")
    kind = array.dtype.kind
    if kind in "iu":
        wide = array.dtype.itemsize > 4
        return np.ascontiguousarray(array, dtype=f"{kind}{8 if wide else 4}")
    is_list = isinstance(values, (list, tuple))
    if kind in "OUT" or array.size == 0 or (kind == "f" and is_list):
        # NumPy would make strings, or doubles, of the numbers in a list of several kinds.
        return _ids_of_list(name, list(values) if is_list else array.tolist(), first)
    if kind != "f":
        raise BadInput(f"{name}: ids are whole numbers or strings, not {array.dtype}")
    whole = (array >= 0) & (array <= _exact(array.dtype)) & (array == np.floor(array))
    if not whole.all():
        at = int((~whole).argmax())
        raise BadInput(f"{name}[{first + at}]: ids are whole numbers or strings, not {array[at]}")
    return array.astype(np.uint64)


def _exact(dtype: np.dtype[Any]) -> float:
    """Up to where numbers in floating point tell whole ones apart; doubles have them all that Python has."""
    return min(2.0 ** (np.finfo(dtype).nmant + 1), 2.0**53)


def masked_of(values: Any) -> NDArray[np.bool_] | None:
    """Which values of a masked array are masked; None for anything else."""
    if not isinstance(values, np.ma.MaskedArray):
        return None
    masked: NDArray[np.bool_] = np.ma.getmaskarray(values)  # type: ignore[no-untyped-call]
    return masked


def _refuse_missing(name: str, values: Any, first: int) -> None:
    """Refuse a column in which a value is missing: pandas, pyarrow and polars make floats of its numbers, and
    NumPy forgets what is masked."""
    masked = masked_of(values)
    if masked is not None:
        if masked.any():
            raise BadInput(f"{name}[{first + int(masked.argmax())}]: is masked; drop these rows")
        return
    is_null = getattr(values, "isna", None) or getattr(values, "is_null", None)
    if not callable(is_null):
        return
    nulls = np.asarray(is_null(), dtype=bool)
    if nulls.any():
        kind = getattr(values, "dtype", getattr(values, "type", "values"))
        at, count = first + int(nulls.argmax()), int(nulls.sum())
        raise BadInput(f"{name}[{at}]: is null, one of {count} in a column of {kind}; drop these rows")


def _ids_of_list(name: str, values: list[Any], first: int) -> Listed:
    """Ids as they are in a list: all of them strings, or all of them numbers."""
    if all(isinstance(value, str) for value in values):
        return _strings(name, values, first)
    if all(map(_is_whole, values)):
        wrong = next((at for at, value in enumerate(values) if not 0 <= value < 1 << 64), None)
        if wrong is not None:
            raise BadInput(f"{name}[{first + wrong}]: ids are from 0 to 2^64 - 1, not {values[wrong]}")
        return np.array([int(value) for value in values], dtype=np.uint64)
    texts = [isinstance(value, str) for value in values]
    for at, value in enumerate(values):
        if not texts[at] and not _is_whole(value):
            raise BadInput(f"{name}[{first + at}]: ids are whole numbers or strings, not {value!r}")
    at = texts.index(not texts[0])
    raise BadInput(f"{name}[{first + at}]: ids are all whole numbers or all strings, not {values[at]!r}")


def _is_whole(value: Any) -> bool:
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return number.is_integer() and abs(number) <= _exact(np.asarray(value).dtype)
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def _strings(name: str, values: list[str], first: int) -> list[str]:
    """Strings that a store can hold: none with half of a surrogate pair."""
    for at, value in enumerate(values):
        # Fast where all is ASCII; an encoded copy of all together would take as much memory again.
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise BadInput(f"{name}[{first + at}]: {value!r} is no text in Unicode")
    return values


def weights_of(values: Any, name: str = "weights", first: int = 0) -> NDArray[Any]:
    """Weights as the extension takes them."""
    _refuse_missing(name, values, first)
    array = array_of(name, values)
    if array.ndim != 1:
        raise BadInput(f"{name}: must have one dimension, not {array.ndim}")
    kind = array.dtype.kind
    if kind == "O" or (kind in "US" and isinstance(values, (list, tuple))):
        # Strings among numbers make all of them strings.
        listed = list(values) if isinstance(values, (list, tuple)) else array.tolist()
        array = np.array([_weight(name, first + at, value) for at, value in enumerate(listed)])
    elif kind not in "iufb":
        raise BadInput(f"{name}: must be numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float32 else np.float64)


def _weight(name: str, at: int, value: Any) -> float:
    """One weight of a list of several kinds."""
    if isinstance(value, (Real, Decimal)):
        try:
            return float(value)
        except (OverflowError, ValueError):
            raise BadInput(f"{name}[{at}]: {value} is no finite number of 64 bits") from None
    missing = "is missing; give each edge one" if value is None else f"must be a number, not {value!r}"
    raise BadInput(f"{name}[{at}]: {missing}")

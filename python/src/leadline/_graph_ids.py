"""Ids of vertices as users name them, one or several, made into text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._edges import ids_of
from ._errors import BadInput

__all__ = ["Source", "is_one", "needed_ids", "source_ids", "vertex_ids"]

#: A vertex by the id that the user knows, or several.
Source = Any

#: Doubles tell whole numbers apart up to here.
_EXACT = 1 << 53


def is_one(vertex: Source) -> bool:
    """Whether this is an id, and not several."""
    if isinstance(vertex, (str, bytes)) or vertex is None:
        return True
    if isinstance(vertex, np.ndarray):
        return vertex.ndim == 0
    return not hasattr(vertex, "__iter__")


def vertex_ids(given: Source, name: str = "vertex") -> list[str]:
    """Ids as text, of one vertex or several; `name` is for messages.

    Raises
    ------
    BadInput
        They are no ids: whole numbers, also with a point and nothing behind it, or strings.
    """
    several = [given] if is_one(given) else given
    if not hasattr(several, "__len__"):
        several = list(several)
    return [str(value) for value in ids_of(name, _whole(name, several))]


def source_ids(source: Source, name: str = "source") -> list[str] | None:
    """Ids as text, of at least one vertex; None for None."""
    if source is None:
        return None
    ids = vertex_ids(source, name)
    if not ids:
        raise BadInput(f"{name}: names no vertex")
    return ids


def needed_ids(source: Source, name: str = "source") -> list[str]:
    """Ids as text, of at least one vertex."""
    ids = source_ids(source, name)
    if ids is None:
        raise BadInput(f"{name}: names no vertex")
    return ids


def _whole(name: str, values: Any) -> Any:
    """The values, as whole numbers where they are doubles: what pandas makes of a column with gaps."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise BadInput(f"{name}: must have one dimension") from None
    if array.dtype.kind != "f" or array.ndim != 1 or array.size == 0:
        return values
    whole = (array >= 0) & (array < _EXACT) & (array == np.floor(array))
    if not whole.all():
        wrong = array[~whole][0].item()
        raise BadInput(f"{name}: {wrong!r} is no id; ids are whole numbers or strings")
    return array.astype(np.uint64)

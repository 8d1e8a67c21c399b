"""Tables of what commands print as JSON: a list of objects, a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._names import nested

__all__ = ["columns_of"]


def columns_of(
    rows: Sequence[Mapping[str, Any]], groups: Sequence[str] = (), only: Sequence[str] = ()
) -> dict[str, Any]:
    """The columns of a table with a row for each of `rows`.

    Numbers in a group get the group's name before theirs (``latency_us`` with ``p99``: ``latency_p99_us``),
    and an interval, ``iops_ci``, becomes ``iops_low`` and ``iops_high``. Missing numbers are NaN; lists are
    left out. `groups` names the ones that may be missing as a whole, `only` the columns that are wanted, also
    where no row has them.
    """
    flat = [_flat(row, groups) for row in rows]
    names = only or dict.fromkeys(name for row in flat for name in row)
    return {name: _column([row.get(name) for row in flat]) for name in names}


def _flat(row: Mapping[str, Any], groups: Sequence[str]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            inner = _flat(value, groups)
            flat.update({nested(name, key): part for key, part in inner.items()})
        elif name.endswith("_ci"):
            ends = (None, None) if value is None else value
            of = name.removesuffix("_ci")
            flat.update({f"{of}_low": ends[0], f"{of}_high": ends[1]})
        elif not isinstance(value, list) and not (value is None and name in groups):
            flat[name] = value
    return flat


def _column(cells: list[Any]) -> Any:
    if all(isinstance(cell, bool) for cell in cells):
        return np.array(cells, dtype=np.bool_)
    if all(isinstance(cell, int) for cell in cells):
        return np.array(cells, dtype=np.int64)
    if all(cell is None or isinstance(cell, (int, float)) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return [None if cell is None else str(cell) for cell in cells]

"""Which node differs from the rest.

A node is an outlier in a number where more than half of the nodes that have it, itself counted among them,
differ from it in the same direction. Two of them differ where :func:`leadline.compare` says so, which is
where their 95 % intervals are apart, and by enough to matter (:mod:`.verdicts`).

Half of *all* nodes rather than of the other nodes: two nodes that differ are then no outliers, nor is either
half of a cluster with two kinds of disks, because nobody can say which is the odd one. Most nodes rather than
their median: the median of few nodes has an interval of its own, which would need a second rule. Asking for
many verdicts at once is also what keeps false alarms rare where many nodes have many numbers;
``leadline docs python-fleet`` has how rare they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

import numpy as np

from .._comparison import compare
from .._profile import Profile
from .._table import Table
from .verdicts import importance, is_speed, ratios

__all__ = ["outliers"]

_COLUMNS: dict[str, Any] = {
    "node": None,
    "pattern": None,
    "block_bytes": np.int64,
    "quantity": None,
    "value": np.float64,
    "low": np.float64,
    "high": np.float64,
    "others": np.float64,
    "ratio": np.float64,
    "differs_from": np.int64,
    "nodes": np.int64,
    "slow": np.bool_,
}


def outliers(profiles: Mapping[str, Profile]) -> Table:
    """Return a row for each number of a node that most nodes do not agree with."""
    names, measured = list(profiles), list(profiles.values())
    rows: list[dict[str, Any]] = []
    undecided: set[tuple[str, int, str]] = set()
    if len(names) > 1:
        # Against each node in turn; the comparison puts the first before the others.
        views = [
            compare(measured[i], *measured[:i], *measured[i + 1 :]).info["rows"] for i in range(len(names))
        ]
        for views_of_row in zip(*views, strict=True):
            found = [row for i, view in enumerate(views_of_row) if (row := _judge(names[i], view))]
            rows += found
            if not found and not any(_agrees_with_most(view) for view in views_of_row):
                undecided.add(_key(views_of_row[0]))
    rows.sort(key=lambda row: (not row["slow"], *importance(row), -abs(np.log(row["ratio"]))))
    columns = {
        name: [row[name] for row in rows]
        if kind is None
        else np.array([row[name] for row in rows], dtype=kind)
        for name, kind in _COLUMNS.items()
    }
    return Table(columns, {"undecided": sorted(undecided)})


def _key(view: Mapping[str, Any]) -> tuple[str, int, str]:
    return view["pattern"], view["block_bytes"], view["quantity"]


def _judge(node: str, view: Mapping[str, Any]) -> dict[str, Any] | None:
    """The row of a node, which is the first of the comparison, if most others differ from it."""
    own, *others = view["cells"]
    if own["value"] is None:
        return None
    there = [cell["value"] for cell in others if cell["value"] is not None]
    count = 1 + len(there)
    apart = [ratio for ratio in ratios(view) if ratio is not None]
    more, less = sum(ratio > 1 for ratio in apart), sum(ratio < 1 for ratio in apart)
    if max(more, less) * 2 <= count:
        return None
    pattern, block_bytes, quantity = _key(view)
    low, high = own["interval"] or (np.nan, np.nan)
    typical = median(there)
    return {
        "node": node,
        "pattern": pattern,
        "block_bytes": block_bytes,
        "quantity": quantity,
        "value": own["value"],
        "low": low,
        "high": np.inf if own["lower_bound"] else high,
        "others": typical,
        "ratio": own["value"] / typical,
        "differs_from": max(more, less),
        "nodes": count,
        # Most others have more requests per second.
        "slow": is_speed(quantity) and more > less,
    }


def _agrees_with_most(view: Mapping[str, Any]) -> bool:
    """Whether the node, which is the first of the comparison, differs from fewer than half of all."""
    return sum(ratio is not None for ratio in ratios(view)) * 2 < len(view["cells"])

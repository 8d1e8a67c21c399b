"""What changed since last time: each node against itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._comparison import compare
from .._profile import Profile
from .._table import Table
from .verdicts import ratios

__all__ = ["drift"]


def drift(then: Mapping[str, Profile], now: Mapping[str, Profile]) -> Table:
    """Return a row for each number of each node that has a profile both times."""
    rows: list[dict[str, Any]] = []
    views: list[dict[str, Any]] = []
    replaced = []
    both = [node for node in now if node in then]
    for node in both:
        document = compare(then[node], now[node]).info
        if document["relation"] == "devices":
            replaced.append(node)
        for view in document["rows"]:
            (verdict,) = view["verdicts"]
            before, after = (cell["value"] for cell in view["cells"])
            rows.append(
                {
                    "node": node,
                    "pattern": view["pattern"],
                    "block_bytes": view["block_bytes"],
                    "quantity": view["quantity"],
                    "then": np.nan if before is None else before,
                    "now": np.nan if after is None else after,
                    "ratio": verdict["differs"]["ratio"] if isinstance(verdict, dict) else np.nan,
                    "verdict": "differs" if isinstance(verdict, dict) else verdict,
                    "changed": ratios(view) != [None],
                }
            )
            views.append({"node": node, "row": view})
    words = ("node", "pattern", "quantity", "verdict")
    kinds: dict[str, Any] = {
        "block_bytes": np.int64,
        "then": np.float64,
        "now": np.float64,
        "ratio": np.float64,
        "changed": np.bool_,
    }
    order = ("node", "pattern", "block_bytes", "quantity", "then", "now", "ratio", "verdict", "changed")
    columns = {name: [row[name] for row in rows] for name in order}
    typed = {
        name: values if name in words else np.array(values, dtype=kinds[name])
        for name, values in columns.items()
    }
    info = {
        "nodes": both,
        "new": [node for node in now if node not in then],
        "gone": [node for node in then if node not in now],
        "replaced": replaced,
        "rows": views,
    }
    return Table(typed, info)

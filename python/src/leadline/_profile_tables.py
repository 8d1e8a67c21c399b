"""The lists in a profile, as tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._cells import masked
from ._table import Table

__all__ = ["checks", "parameters", "points", "timeline"]

#: What is known of latency, in the order of the document.
_LATENCY = ("mean", "p50", "p90", "p99", "p99.5", "p99.9", "p99.95", "p99.99", "max")

_INTEGERS = ("k_r", "k_r_90", "k_r_knee", "k_w", "k_w_90", "k_w_knee")
_NUMBERS = (
    *("k_r_little", "k_w_little", "alpha", "alpha_1", "alpha_durable", "alpha_1_durable"),
    *("max_read_iops", "max_write_iops", "max_durable_write_iops"),
)


def points(document: dict[str, Any]) -> Table:
    """A row for each operating point."""
    found = document["points"]
    return Table(
        {
            "op": [point["op"] for point in found],
            "pattern": [point["pattern"] for point in found],
            "block_bytes": _whole(found, "block_bytes"),
            "concurrency": _whole(found, "concurrency"),
            "durable": np.array([bool(point.get("durable")) for point in found], dtype=np.bool_),
            "iops": _floats(point["iops"] for point in found),
            **_ends(found, "iops"),
            "bandwidth_bytes": _floats(point["bandwidth_bytes"] for point in found),
            **{
                f"latency_{name}_us": _floats((point.get("latency_us") or {}).get(name) for point in found)
                for name in _LATENCY
            },
            "cpu_bound": np.array([bool(point.get("cpu_bound")) for point in found], dtype=np.bool_),
            "cpu_us_per_op": _floats(point.get("cpu_us_per_op") for point in found),
        },
        units={"bandwidth_bytes": "bytes/s", "cpu_us_per_op": "µs"},
    )


def parameters(document: dict[str, Any]) -> Table:
    """A row for each pattern and block size."""
    found = document["parameters"]
    columns: dict[str, Any] = {
        "pattern": [entry["pattern"] for entry in found],
        "block_bytes": _whole(found, "block_bytes"),
    }
    for name in (*_INTEGERS, *_NUMBERS):
        columns[name] = (_whole if name in _INTEGERS else _column)(found, name)
        if not name.endswith(("_little", "_knee")):
            columns.update(_ends(found, name))
    columns["capped"] = [entry.get("capped") for entry in found]
    for kind in ("read", "write"):
        censored = [bool((entry.get("censored") or {}).get(kind)) for entry in found]
        columns[f"censored_{kind}"] = np.array(censored, dtype=np.bool_)
    return Table(columns)


def timeline(document: dict[str, Any]) -> Table:
    """A row for each sample over the run."""
    found = document.get("timeline", [])
    return Table(
        {
            "at_seconds": _column(found, "at_seconds"),
            "phase": [sample["phase"] for sample in found],
            "bytes_per_second": _column(found, "bytes_per_second"),
            "written_bytes": _whole(found, "written_bytes"),
        }
    )


def checks(document: dict[str, Any]) -> Table:
    """A row for each check."""
    found = document["validity"]["checks"]
    return Table({key: [check[key] for check in found] for key in ("name", "status", "detail")})


def _ends(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The columns of an interval; NaN where there is none."""
    intervals = [row.get(f"{name}_ci") or (None, None) for row in rows]
    return {
        f"{name}_{end}": _floats(interval[place] for interval in intervals)
        for place, end in enumerate(("low", "high"))
    }


def _column(rows: list[dict[str, Any]], name: str) -> Any:
    return _floats(row.get(name) for row in rows)


def _floats(values: Any) -> Any:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _whole(rows: list[dict[str, Any]], name: str) -> Any:
    """Whole numbers, masked where there are none."""
    values = [row.get(name) for row in rows]
    missing = [value is None for value in values]
    numbers = np.array([0 if value is None else value for value in values], dtype=np.int64)
    return masked(numbers, missing) if any(missing) else numbers

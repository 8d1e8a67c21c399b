"""Names of columns: a quantity has one name, which ends with its unit.

What is measured comes first, then which statistic of it, then the unit: ``latency_p99_us``.
"""

from __future__ import annotations

import re

from ._notes import warn

__all__ = ["nested", "renamed", "unit_of", "warn_renamed"]

#: What the end of a name says of the unit.
_UNITS = {
    "bytes_per_second": "bytes/s",
    "requests_per_second": "requests/s",
    "bytes": "bytes",
    "iops": "requests/s",
    "ms": "ms",
    "ns": "ns",
    "pages": "pages",
    "per_s": "1/s",
    "percent": "%",
    "seconds": "s",
    "us": "µs",
}
#: What may follow the unit: the ends of an interval.
_ENDS = ("_low", "_high")


def unit_of(name: str) -> str | None:
    """The unit of the column, if its name has one."""
    for end in _ENDS:
        name = name.removesuffix(end)
    return next((unit for end, unit in _UNITS.items() if name == end or name.endswith(f"_{end}")), None)


def nested(outer: str, inner: str) -> str:
    """The name of a number in a group: of ``p99`` in ``latency_us`` it is ``latency_p99_us``."""
    inner = _WORDS.get(inner, inner)
    for unit in ("bytes", "ns", "percent", "us"):
        if outer.endswith(f"_{unit}"):
            return f"{outer.removesuffix(unit)}{inner}_{unit}"
    return f"{outer}_{inner}"


#: Statistics that documents call otherwise.
_WORDS = {"p999": "p99.9"}

#: Names of earlier versions.
_OLD = (
    (re.compile(r"^(mean|p[0-9.]+|max)_us$"), r"latency_\1_us"),
    (re.compile(r"^([a-z]+(?:_[a-z]+)*)_(us|bytes|percent)_([a-z0-9.]+)$"), r"\1_\3_\2"),
)


def renamed(name: str) -> str | None:
    """What a column that had this name in an earlier version is called now."""
    for old, new in _OLD:
        now, count = old.subn(new, name)
        if count:
            return now.replace("_p999_", "_p99.9_")
    return None


def warn_renamed(old: str, new: str) -> None:
    """Tell whoever asked for `old` its name."""
    warn(f"the column {old} is called {new}", DeprecationWarning)

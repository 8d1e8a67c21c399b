"""When two numbers count as different: where ``leadline.compare`` says so, and by enough to matter."""

from __future__ import annotations

from typing import Any

__all__ = ["WORTH", "is_speed", "times"]

#: A number that is less than this many times another, and more than one over it, is not worth a word even
#: where the intervals are apart: two drives of one model differ by as much, and so does one on two days.
WORTH = 1.1


def times(verdict: Any) -> float | None:
    """How many times the first value the other is, where the comparison says that they differ, and by enough.

    `verdict` is one of a row of the comparison's document.
    """
    if not isinstance(verdict, dict):
        return None
    ratio = float(verdict["differs"]["ratio"])
    return ratio if ratio >= WORTH or ratio <= 1 / WORTH else None


def is_speed(quantity: str) -> bool:
    """Whether it is requests per second, of which fewer are worse."""
    return quantity.endswith("_iops")

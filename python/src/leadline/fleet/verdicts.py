"""When two numbers count as different: where ``leadline.compare`` says so, and by enough to matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["WORTH", "WORTH_OF_K", "importance", "is_speed", "ratios"]

#: A number that is less than this many times another, and more than one over it, is not worth a word even
#: where the intervals are apart: two drives of one model differ by as much, and so does one on two days.
WORTH = 1.1
#: The same for k, which is read off a curve where it is flat: twice as many requests in flight, or half as
#: many, change the throughput there by some percent, and k_w of equal drives differs by half.
WORTH_OF_K = 2.0


def ratios(row: Mapping[str, Any]) -> list[float | None]:
    """Of a row of the comparison's document: each later value as a multiple of the first.

    None where the comparison does not say that the two differ, or they differ by too little to matter.
    """
    worth = WORTH_OF_K if "concurrency" in row["quantity"] else WORTH
    found = [verdict["differs"]["ratio"] if isinstance(verdict, dict) else 1.0 for verdict in row["verdicts"]]
    return [ratio if ratio >= worth or ratio <= 1 / worth else None for ratio in found]


def is_speed(quantity: str) -> bool:
    """Whether it is requests per second, of which fewer are worse."""
    return quantity.endswith("_iops")


def importance(row: Mapping[str, Any]) -> tuple[bool, bool]:
    """What to say first, for sorting: speeds before the rest, and of these random 4K."""
    return not is_speed(row["quantity"]), (row["pattern"], row["block_bytes"]) != ("random", 4096)

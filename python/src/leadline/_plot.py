"""Plots with Matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._errors import BadInput
from ._optional import needed
from ._words import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._profile import Profile
    from ._table import Table

__all__ = ["concurrency_curves", "miss_ratio_curve"]


def axes_or_new(ax: Axes | None) -> Axes:
    if ax is not None:
        if not hasattr(ax, "fill_between"):
            raise BadInput(f"ax={one_line(ax)}: must be Axes of Matplotlib")
        return ax
    with needed("a plot", "matplotlib"):
        from matplotlib import pyplot

    return pyplot.subplots(figsize=(7, 4.5), layout="constrained")[1]


def concurrency_curves(profile: Profile, ax: Axes | None = None, block_bytes: int | None = None) -> Axes:
    """Throughput over requests in flight, a line with its 95 % interval for each operation and pattern."""
    ax = axes_or_new(ax)
    points = profile.points
    sizes = points["block_bytes"]
    wanted = block_bytes if block_bytes is not None else (4096 if (sizes == 4096).any() else sizes.min())
    kinds = dict.fromkeys(zip(points["op"], points["pattern"], points["durable"].tolist(), strict=True))
    for op, pattern, durable in kinds:
        chosen = (points["op"] == op) & (points["pattern"] == pattern) & (points["durable"] == durable)
        chosen &= sizes == wanted
        if not chosen.any():
            continue
        order = np.argsort(points["concurrency"][chosen])
        k, iops = points["concurrency"][chosen][order], points["iops"][chosen][order]
        (line,) = ax.plot(k, iops, marker=".", label=f"{pattern} {op}s{', durable' if durable else ''}")
        low, high = points["iops_low"][chosen][order], points["iops_high"][chosen][order]
        ax.fill_between(k, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xlabel("requests in flight")
    ax.set_ylabel("requests per second")
    ax.set_title(f"{profile.target}: requests of {wanted} bytes")
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def miss_ratio_curve(curve: Table, ax: Axes | None = None, label: str | None = None) -> Axes:
    """Miss ratio over the size of the cache."""
    ax = axes_or_new(ax)
    ax.plot(curve["pages"], curve["miss_ratio"], label=label)
    ax.set_xscale("log", base=2)
    ax.set_ylim(0, 1)
    ax.set_xlabel("size of the cache, pages")
    ax.set_ylabel("miss ratio")
    ax.grid(alpha=0.3)
    if label is not None:
        ax.legend()
    return ax

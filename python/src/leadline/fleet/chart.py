"""The nodes side by side with Matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._plot import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .profiles import Fleet

__all__ = ["nodes_side_by_side"]

#: What the comparison calls what the table has.
NAMES = {
    "k_r": "read_concurrency",
    "k_w": "write_concurrency",
    "alpha": "alpha",
    "max_read_iops": "max_read_iops",
    "max_write_iops": "max_write_iops",
}
_UNITS = {"alpha": "reads per write", "k_r": "reads in flight", "k_w": "writes in flight"}


def nodes_side_by_side(fleet: Fleet, quantity: str, ax: Axes | None) -> Axes:
    """One number of each node with its 95 % interval; outliers in another colour."""
    ax = axes_or_new(ax)
    table = fleet.table
    measured = ~np.isnan(table[quantity])
    nodes = table["node"][measured]
    places = np.arange(len(nodes))
    odd = np.isin(
        nodes, [row["node"] for row in fleet.outliers.to_dicts() if row["quantity"] == NAMES[quantity]]
    )
    for chosen, colour in ((~odd, "C0"), (odd, "C3")):
        values = table[quantity][measured][chosen]
        low, high = (table[f"{quantity}_{end}"][measured][chosen] for end in ("low", "high"))
        # Without an interval there is no whisker.
        ends = np.nan_to_num([values - low, high - values])
        ax.errorbar(values, places[chosen], xerr=ends, fmt="o", color=colour, capsize=4)
    ax.set_yticks(places, nodes)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel(f"{quantity}, {_UNITS.get(quantity, 'requests per second')} (95 % interval)")
    ax.grid(alpha=0.3)
    return ax

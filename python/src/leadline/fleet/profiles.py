"""The profiles of a cluster's nodes, and what they say together."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._errors import BadInput
from .._profile import Profile, Report
from .._table import Table
from . import drift, folder, outliers, page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Fleet"]

#: What stands for a node in the table, each with the ends of its interval.
_HEADLINE = ("k_r", "k_w", "alpha", "max_read_iops", "max_write_iops")


class Fleet:
    """The profiles of a cluster's nodes: which disk is slow, which node failed, what changed.

    Parameters
    ----------
    profiles
        By the name of the node.
    failures
        Why nodes have no profile, one line each.
    since
        What :attr:`drift` compares with.
    """

    __module__ = "leadline.fleet"

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        failures: Mapping[str, str] | None = None,
        *,
        since: Fleet | None = None,
    ) -> None:
        self.profiles = dict(profiles)
        self.failures = dict(failures or {})
        self.since = since

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, since: Fleet | str | os.PathLike[str] | None = None
    ) -> Fleet:
        """Load what :meth:`save` wrote; `since` is an earlier one, or its directory.

        Raises
        ------
        BadInput
            It is not such a directory, a newer version wrote it, or a profile in it cannot be read.
        """
        earlier = since if since is None or isinstance(since, Fleet) else cls.load(since)
        return cls(*folder.load(Path(path)), since=earlier)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Make a directory with a file for each profile and an index, ``fleet.json``: whole or not at all.

        Raises
        ------
        BadInput
            There is something of that name; what was saved earlier is never replaced.
        Failed
            It could not be written; nothing is left.
        """
        folder.save(Path(path), self.profiles, self.failures)

    @cached_property
    def table(self) -> Table:
        """A row for each node, failed ones included.

        Columns: ``node``; ``k_r``, ``k_w``, ``alpha``, ``max_read_iops``, ``max_write_iops``, each with its
        95 % interval in ``_low`` and ``_high`` (NaN where not measured); ``verdict`` (``slow``, ``differs``,
        ``like the others``, ``undecided``, ``failed``) and ``reason``, what is behind the verdict in words.
        """
        names = [*self.profiles, *self.failures]
        columns: dict[str, Any] = {"node": names}
        for name in _HEADLINE:
            cells = [_cell(self.profiles.get(node), name) for node in names]
            for place, column in enumerate((name, f"{name}_low", f"{name}_high")):
                columns[column] = np.array([cell[place] for cell in cells], dtype=np.float64)
        verdicts = [self._verdict(node) for node in names]
        columns["verdict"] = [verdict for verdict, _ in verdicts]
        columns["reason"] = [reason for _, reason in verdicts]
        return Table(columns)

    def _verdict(self, node: str) -> tuple[str, str]:
        if node in self.failures:
            return "failed", self.failures[node]
        found = [row for row in self.outliers.to_dicts() if row["node"] == node]
        if found:
            return "slow" if found[0]["slow"] else "differs", page.numbers_in_words(found)
        if self.outliers.info["undecided"] or len(self.profiles) < 2:
            return "undecided", ""
        return "like the others", ""  # prose: kept

    @cached_property
    def outliers(self) -> Table:
        """A row for each number of a node that more than half of the nodes differ from; the slow come first.

        Two nodes differ in a number where :func:`leadline.compare` says so (their 95 % intervals are apart),
        and one is at least 1.1 times the other, twice for k. Two nodes alone have no outlier, nor has a
        cluster of two kinds of disks with as many of each: ``info["undecided"]`` lists in which numbers nodes
        differ and none is the odd one.

        Columns: ``node``, ``pattern``, ``block_bytes``, ``quantity``, ``value`` with ``low`` and ``high``
        (95 % interval), ``others`` (median of the other nodes), ``ratio`` (value / others), ``differs_from``
        (nodes that differ from it), ``nodes`` (that have the number), ``slow`` (whether it is fewer requests
        per second).
        """
        return outliers.outliers(self.profiles)

    @cached_property
    def drift(self) -> Table | None:
        """What changed since `since`: :meth:`drift_since` it; None without."""
        return None if self.since is None else self.drift_since(self.since)

    def drift_since(self, earlier: Fleet) -> Table:
        """Compare each node with itself in an earlier result.

        Returns
        -------
        Table
            Columns: ``node``, ``pattern``, ``block_bytes``, ``quantity``, ``then``, ``now``, ``ratio`` and
            ``verdict`` as :func:`leadline.compare` has them, and ``changed``: it differs by enough to matter,
            as for :attr:`outliers`. ``info`` has the ``nodes`` that were compared, the ``new`` and
            ``gone`` ones, and the ones whose device was ``replaced`` by another.
        """
        return drift.drift(earlier.profiles, self.profiles)

    def report(self, path: str | os.PathLike[str] | None = None) -> Report:
        """Make one page: what is wrong, the nodes side by side, each profile; `path` gets it as a file."""
        report = Report(page.page(self))
        if path is not None:
            report.save(path)
        return report

    def plot(self, ax: Axes | None = None, *, quantity: str | None = None) -> Axes:
        """Draw one number of all nodes with their 95 % intervals (needs Matplotlib).

        Parameters
        ----------
        ax
            Where to; new axes by default.
        quantity
            ``k_r``, ``k_w``, ``alpha``, ``max_read_iops`` or ``max_write_iops``; by default the one that is
            most wrong, else ``max_read_iops``.
        """
        if quantity is not None and quantity not in _HEADLINE:
            raise BadInput(f"quantity={quantity}: must be one of {', '.join(_HEADLINE)}")
        if quantity is None:
            wrong = [name for name in self.outliers["quantity"] if name in _HEADLINE]
            quantity = wrong[0] if wrong else "max_read_iops"
        from .chart import nodes_side_by_side

        return nodes_side_by_side(self, quantity, ax)

    def __repr__(self) -> str:
        profiled = len(self.profiles)
        return f"Fleet({profiled} of {profiled + len(self.failures)} nodes profiled: {page.heading(self)})"

    def _repr_html_(self) -> str:
        troubles = "".join(f"<li>{html.escape(trouble)}</li>" for trouble in page.troubles(self))
        listed = f"<ul>{troubles}</ul>" if troubles else ""
        # Without the intervals, which would not fit.
        table = Table({name: self.table[name] for name in ("node", *_HEADLINE, "verdict")})
        return f"<div><b>{html.escape(page.heading(self))}</b>{listed}{table._repr_html_()}</div>"


def _cell(profile: Profile | None, name: str) -> tuple[float, float, float]:
    """A number and the ends of its interval; NaN where there is none."""
    value = None if profile is None else getattr(profile, name)
    ends = None if profile is None else getattr(profile, f"{name}_ci")
    low, high = ends or (np.nan, np.nan)
    return (np.nan if value is None else value), low, high

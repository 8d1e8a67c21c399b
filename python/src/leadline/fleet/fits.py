"""The I/O models of many profiles, fitted and held out on all nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._errors import BadInput
from .._profile import Profile
from .._progress import Progress
from .._table import Table
from . import cluster
from .profiles import Fleet
from .spread import spread

__all__ = ["fit"]


def fit(profiles: Fleet | Mapping[str, Profile] | Sequence[Profile], *, progress: Progress = False) -> Table:
    """Fit every I/O model to each of the profiles, on all nodes of a Ray cluster.

    A fit that fails, or whose node dies, is tried on another node.

    Parameters
    ----------
    profiles
        A fleet, profiles by name, or a list of them.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Table
        A row for each profile and model: ``profile`` (its name, or its place in the list), ``name``,
        ``mape_percent``, ``held_out_percent`` with ``held_out_low`` and ``held_out_high`` as
        :attr:`leadline.Models.table` has them, and ``best``: whether it predicts what it was not fitted to
        best.

    Raises
    ------
    ImportError
        Ray is not installed.
    BadInput
        No cluster is running, or there is no profile.
    """
    if isinstance(profiles, Fleet):
        named = dict(profiles.profiles)
    elif isinstance(profiles, Mapping):
        named = dict(profiles)
    else:
        named = {str(place): profile for place, profile in enumerate(profiles)}
    if not named:
        raise BadInput("profiles: there is none to fit models to")
    ray = cluster.connected()
    calls = [(profile.to_json(), name) for name, profile in named.items()]
    answers = spread(ray, _fitting(), calls, phase="fit", progress=progress)
    rows = [{"profile": name, **row} for name, found in zip(named, answers, strict=True) for row in found]
    columns: dict[str, Any] = {}
    for column in rows[0] if rows else ():
        values = [row[column] for row in rows]
        columns[column] = values if isinstance(values[0], str) else np.array(values)
    return Table(columns)


def _fitting() -> Callable[..., list[dict[str, Any]]]:
    def fitting(document: str, name: str) -> list[dict[str, Any]]:
        import leadline

        models = leadline.fit(leadline.Profile.from_json(document, name))
        return [{**row, "best": row["name"] == models.best} for row in models.table.to_dicts()]

    return fitting

"""Profiles side by side."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _leadline
from ._errors import BadInput
from ._profile import Profile
from ._table import Table

__all__ = ["compare"]


def _loaded(profile: object) -> Profile:
    """A profile, also of its file or name."""
    if isinstance(profile, Profile):
        return profile
    if isinstance(profile, (str, os.PathLike)):
        return Profile.load(profile)
    raise BadInput(f"profiles: must be profiles, their files or device:NAME, not {type(profile).__name__}")


def compare(*profiles: Profile | str | os.PathLike[str]) -> Table:
    """Compare profiles with the first of them.

    Parameters
    ----------
    *profiles
        At least two: profiles, their files, or ``device:NAME``.

    Returns
    -------
    Table
        A row for each number and profile after the first: ``pattern``, ``block_bytes``, ``quantity``,
        ``profile`` (its place, from 1), ``first`` and ``value``, ``ratio`` (where they differ) and
        ``verdict``. ``info`` has the whole comparison.

    Raises
    ------
    BadInput
        There are fewer than two, or one cannot be read.

    Examples
    --------
    >>> set(compare("device:p4510", "device:p4510")["profile"].tolist())
    {1}
    """
    if len(profiles) < 2:
        raise BadInput("a comparison takes at least two profiles")
    devices = [_loaded(profile)._device for profile in profiles]
    document = json.loads(_leadline.comparison(devices))
    return _comparison_table(document)


def _comparison_table(document: dict[str, Any]) -> Table:
    """A row for each number and profile after the first."""
    rows: list[dict[str, Any]] = []
    for row in document["rows"]:
        first = row["cells"][0]
        for other, (cell, verdict) in enumerate(zip(row["cells"][1:], row["verdicts"], strict=True), 1):
            differs = verdict.get("differs") if isinstance(verdict, dict) else None
            rows.append(
                {
                    "pattern": row["pattern"],
                    "block_bytes": row["block_bytes"],
                    "quantity": row["quantity"],
                    "profile": other,
                    "first": _or_nan(first["value"]),
                    "value": _or_nan(cell["value"]),
                    "ratio": np.nan if differs is None else differs["ratio"],
                    "verdict": verdict if differs is None else "differs",
                }
            )
    numbers = {"first": np.float64, "value": np.float64, "ratio": np.float64, "profile": np.int64}
    kinds = {**numbers, "block_bytes": np.int64}
    names = ("pattern", "block_bytes", "quantity", "profile", "first", "value", "ratio", "verdict")
    columns = {name: [row[name] for row in rows] for name in names}
    typed = {
        name: np.array(values, dtype=kinds[name]) if name in kinds else values
        for name, values in columns.items()
    }
    return Table(typed, document)


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value

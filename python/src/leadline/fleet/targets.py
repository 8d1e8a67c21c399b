"""Names of files and devices that mean the same on every node."""

from __future__ import annotations

import os

__all__ = ["everywhere", "is_simulated"]

_SIMULATED = "sim:"


def is_simulated(target: str) -> bool:
    """Whether it takes no disk, so that others cannot disturb it."""
    return target.startswith(_SIMULATED)


def everywhere(target: str) -> str:
    """Return the target with an absolute path: tasks have working directories of their own."""
    if not is_simulated(target):
        return os.path.abspath(target)
    name = target.removeprefix(_SIMULATED)
    described = "/" in name or name.endswith(".toml")
    return _SIMULATED + os.path.abspath(name) if described else target

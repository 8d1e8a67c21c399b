"""Remarks about a result: notes, and Python's warnings for the most important ones."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable

from ._errors import Extrapolated, Warning

__all__ = ["warn", "warn_of"]

#: Files in this directory are the package's, at which no warning should point.
_PACKAGE = os.path.join(os.path.dirname(__file__), "")


def warn_of(notes: Iterable[str]) -> None:
    """Warn of those notes that say that a result goes beyond what was measured."""
    for note in notes:
        if "extrapolated" in note or "beyond what was measured" in note:
            warn(note, Extrapolated)


def warn(line: str, category: type[Warning] | type[DeprecationWarning]) -> None:
    """Warn, at the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(line, category, stacklevel=level)

"""Options of an import, as the extension takes them."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

from .._errors import BadInput

__all__ = ["dedupe_of", "flag"]


def flag(name: str, value: Any) -> bool:
    """The argument `name`, which is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise BadInput(f"{name}={reprlib.repr(value)}: must be True or False")
    return bool(value)


def dedupe_of(value: Any) -> str | None:
    """How parallel edges are merged; None: they are not."""
    if isinstance(value, str):
        return value
    return "min" if flag("dedupe", value) else None

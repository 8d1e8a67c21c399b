"""Options of an import, as the extension takes them."""

from __future__ import annotations

from typing import Any

from .._words import flag_of

__all__ = ["dedupe_of"]


def dedupe_of(value: Any) -> str | None:
    """How parallel edges are merged; None: they are not."""
    if isinstance(value, str):
        return value
    return "min" if flag_of("dedupe", value) else None

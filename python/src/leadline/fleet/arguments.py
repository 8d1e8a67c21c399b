"""Arguments that are passed on to the nodes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from .._errors import BadInput

__all__ = ["refuse_unknown"]


def refuse_unknown(function: Callable[..., Any], options: Mapping[str, object]) -> None:
    """Refuse what `function` does not take, before each node does."""
    known = list(inspect.signature(function).parameters)
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f"; did you mean {close[0]}= ?" if close else ""
            raise BadInput(f"{name}=: is no argument of {function.__name__}{meant}")

"""Which calls of a function are left to networkx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


def declines(check: Callable[..., str | None]) -> Callable[[AnyFunction], AnyFunction]:
    """Have a call left to networkx if `check`, called with the same arguments, gives a reason.

    The graph may still be networkx's own, so `check` must not look at more than a few edges.
    """

    def mark(function: AnyFunction) -> AnyFunction:
        function.declines = check  # type: ignore[attr-defined]
        return function

    return mark

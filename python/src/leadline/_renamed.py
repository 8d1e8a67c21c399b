"""Arguments that earlier versions called otherwise."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ._errors import BadInput
from ._notes import warn

__all__ = ["renamed"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def renamed(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function take arguments by their old names, too: ``renamed(block="block_size")``.

    The old name warns. It is no part of the signature, so that nobody is told to use it.
    """

    def of(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            for old, new in names.items():
                if old not in kwargs:
                    continue
                if new in kwargs:
                    raise BadInput(f"{old}=: is {new}=, which is given, too; leave {old} out")
                warn(f"the argument {old} is called {new}", DeprecationWarning)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return of

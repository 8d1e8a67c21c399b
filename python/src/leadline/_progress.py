"""How long work says how far it is: nothing by default, a bar where one is wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from ._errors import BadInput

__all__ = ["Progress", "showing"]

#: Called with the phase, the share of it that is done (0 to 1), and a detail in words.
Callback = Callable[[str, float, str], Any]

#: What ``progress=`` takes: ``True`` for a bar (of tqdm where it is installed), or a function of your own.
Progress = bool | Callback


class _Bar(Protocol):
    def __call__(self, phase: str, done: float, detail: str) -> None: ...

    def close(self) -> None: ...


class _Tqdm:
    """A bar per phase, in the terminal or the notebook."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._new = tqdm
        self._phase = ""
        self._bar: Any = None

    def __call__(self, phase: str, done: float, detail: str) -> None:
        if self._bar is None or phase != self._phase:
            self.close()
            self._phase = phase
            layout = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining} {postfix}"
            self._bar = self._new(total=1.0, desc=phase, bar_format=layout)
        self._bar.set_postfix_str(detail, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Line:
    """One line on stderr that is written over, for where tqdm is not installed."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, phase: str, done: float, detail: str) -> None:
        line = f"{phase} {done:4.0%} {detail}"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def _bar() -> _Bar:
    try:
        return _Tqdm()
    except ImportError:
        return _Line()


@contextmanager
def showing(progress: Progress) -> Iterator[Callback | None]:
    """Give the function to call for ``progress``; what it shows is taken away at the end."""
    if progress is True:
        bar = _bar()
        try:
            yield bar
        finally:
            bar.close()
    elif progress is False or progress is None:
        yield None
    elif callable(progress):
        yield progress
    else:
        raise BadInput(f"progress={progress!r}: must be True, False or a function")

"""Tasks on the cluster: started in turns, gathered as they end, and ended in order."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any

from .answers import Answer

__all__ = ["Lost", "Task", "Tasks"]

#: How long a task has to end in order before its process is killed, seconds.
GRACE = 20.0
#: How often somebody is told how far it is, seconds.
TICK = 0.25


@dataclass(frozen=True)
class Task:
    """Something to run once."""

    #: Whose it is; the caller's own.
    key: Any
    #: Starts it, and returns Ray's reference to the fields of an Answer.
    start: Callable[[], Any]
    #: Of the tasks of one group, one runs at a time.
    group: Hashable


@dataclass(frozen=True)
class Lost:
    """What came instead of an answer."""

    #: Why, in words.
    reason: str


@dataclass
class _Running:
    task: Task
    since: float
    #: When it was told to end because it took too long.
    cancelled: float | None = None


class Tasks:
    """Runs tasks; iterating gives each with its answer, or with why there is none.

    Leaving the context early, by Ctrl-C for instance, cancels what still runs and waits until it ended, so
    that a profile can remove its scratch file.
    """

    def __init__(
        self, ray: ModuleType, timeout: float | None = None, tick: Callable[[], None] | None = None
    ) -> None:
        self._ray = ray
        self._timeout = timeout
        self._tick = tick
        self._waiting: dict[Hashable, deque[Task]] = {}
        self._running: dict[Any, _Running] = {}

    def add(self, task: Task) -> None:
        """Queue a task behind the tasks of its group; also while other tasks run."""
        self._waiting.setdefault(task.group, deque()).append(task)

    def __enter__(self) -> Tasks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._end(list(self._running))

    def __iter__(self) -> Iterator[tuple[Task, Answer | Lost]]:
        while self._running or any(self._waiting.values()):
            self._start()
            ready, _ = self._ray.wait(list(self._running), timeout=TICK)
            for reference in ready:
                running = self._running.pop(reference)
                yield running.task, self._answer(reference, running)
            for running in self._overdue():
                yield running.task, Lost(self._too_long())
            if self._tick is not None:
                self._tick()

    def _start(self) -> None:
        busy = {running.task.group for running in self._running.values()}
        for group, tasks in self._waiting.items():
            if tasks and group not in busy:
                task = tasks.popleft()
                self._running[task.start()] = _Running(task, time.monotonic())

    def _answer(self, reference: Any, running: _Running) -> Answer | Lost:
        try:
            # What was finished while it was being cancelled is as good as any.
            return Answer(*self._ray.get(reference))
        except self._ray.exceptions.RayError as error:
            return Lost(self._too_long() if running.cancelled else reason(self._ray, error))

    def _overdue(self) -> list[_Running]:
        """Cancel what takes too long; return what did not end even so, and is given up."""
        now = time.monotonic()
        given_up = []
        for reference, running in list(self._running.items()):
            if running.cancelled is not None:
                if now - running.cancelled > GRACE:
                    self._ray.cancel(reference, force=True)
                    given_up.append(self._running.pop(reference))
            elif self._timeout is not None and now - running.since > self._timeout:
                running.cancelled = now
                self._ray.cancel(reference)
        return given_up

    def _too_long(self) -> str:
        return f"it took longer than timeout={self._timeout:g} seconds"

    def _end(self, references: list[Any]) -> None:
        """Cancel these, and wait until they ended; kill the ones that do not."""
        left = references
        try:
            for reference in references:
                self._ray.cancel(reference)
            if references:
                _, left = self._ray.wait(references, num_returns=len(references), timeout=GRACE)
        finally:
            for reference in left:
                self._ray.cancel(reference, force=True)


def reason(ray: ModuleType, error: BaseException) -> str:
    """Say in one line why a task has no result."""
    known = ray.exceptions
    if isinstance(error, known.TaskUnschedulableError):
        return "the node left the cluster before its turn came"
    if isinstance(error, known.NodeDiedError):
        return "the node died while it was at work"
    if isinstance(error, known.OutOfMemoryError):
        return "its process was killed because the node ran out of memory"
    if isinstance(error, known.WorkerCrashedError):
        return "its process died"
    if isinstance(error, known.TaskCancelledError):
        return "it was cancelled"
    cause = getattr(error, "cause", None)
    said = error if cause is None else cause
    line = next((line for line in _plain(str(said)).splitlines() if line.strip()), "")
    return f"{type(said).__name__}: {line.strip()}"


def _plain(text: str) -> str:
    """Without the codes that colour a terminal."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)

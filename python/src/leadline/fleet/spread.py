"""Calls without side effects, spread over the cluster; one that fails is tried on another node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .._errors import BadInput, Failed
from .._progress import Progress, showing
from . import cluster
from .answers import Answer, answering
from .tasks import Lost, Task, Tasks

__all__ = ["spread"]

#: On how many nodes a call is tried.
_ATTEMPTS = 3


@dataclass
class _Call:
    place: int
    arguments: Sequence[Any]
    #: What came of it so far.
    failures: list[Answer | Lost] = field(default_factory=list)


def spread(
    ray: ModuleType,
    work: Callable[..., Any],
    calls: Sequence[Sequence[Any]],
    *,
    phase: str,
    progress: Progress,
    num_cpus: float = 1,
) -> list[Any]:
    """Return what `work` returns for each of the calls, in their order.

    It was made in a function, and imports itself what it needs: see :func:`.answers.answering`.

    Raises
    ------
    BadInput, Failed
        What a call was refused or failed with on each of three nodes, or on each there is.
    """
    answers: list[Any] = [None] * len(calls)
    ended = 0
    # Ray would try it again, but perhaps on the same node; and it does not know of failures that are answers.
    remote = ray.remote(max_retries=0, num_cpus=num_cpus)(answering(work))

    def task(call: _Call) -> Task:
        def start() -> Any:
            return remote.options(scheduling_strategy=_elsewhere(ray, call, num_cpus)).remote(*call.arguments)

        return Task(call, start, call.place)

    with showing(progress) as callback, Tasks(ray) as tasks:
        for place, arguments in enumerate(calls):
            tasks.add(task(_Call(place, arguments)))
        for done, answer in tasks:
            call: _Call = done.key
            if isinstance(answer, Answer) and answer.kind == "ok":
                answers[call.place] = answer.value
                ended += 1
                if callback is not None:
                    callback(phase, ended / len(calls), f"{ended} of {len(calls)} parts")
                continue
            call.failures.append(answer)
            if len(call.failures) >= _ATTEMPTS or not _untried(ray, call, num_cpus):
                raise _worst(phase, call.failures)
            tasks.add(task(call))
    return answers


def _untried(ray: ModuleType, call: _Call, num_cpus: float) -> list[cluster.Node]:
    """The nodes where it has not failed, as far as is known."""
    tried = {failure.node for failure in call.failures if isinstance(failure, Answer)}
    return [node for node in cluster.alive(ray) if node.cpus >= num_cpus and node.id not in tried]


def _elsewhere(ray: ModuleType, call: _Call, num_cpus: float) -> object:
    """Anywhere; once it has failed on a node, on another one. Of dead nodes Ray knows itself."""
    answered = any(isinstance(failure, Answer) for failure in call.failures)
    left = _untried(ray, call, num_cpus) if answered else []
    place = call.place + len(call.failures)
    return cluster.pinned(left[place % len(left)]) if left else "SPREAD"


def _worst(phase: str, failures: Sequence[Answer | Lost]) -> Exception:
    """The first that a node said, which tells more than that others were lost."""
    reason = ""
    for failure in failures:
        if isinstance(failure, Answer):
            return (BadInput if failure.kind == "refused" else Failed)(failure.value)
        reason = failure.reason
    return Failed(f"{phase}: {reason}")

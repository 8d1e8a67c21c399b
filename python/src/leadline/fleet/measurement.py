"""Every node's disk is measured."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from types import ModuleType
from typing import Any

from .._command import text
from .._errors import BadInput
from .._measure import profile as measured
from .._profile import Profile
from .._progress import Callback, Progress, showing
from . import cluster
from .answers import Answer, answering
from .arguments import refuse_unknown
from .cluster import Node
from .profiles import Fleet
from .targets import everywhere, is_simulated
from .tasks import Lost, Task, Tasks

__all__ = ["profile"]

_Path = str | os.PathLike[str]


def profile(
    path: _Path | Mapping[str, _Path] = ".",
    *,
    nodes: Iterable[str] | None = None,
    shared: bool = False,
    since: Fleet | str | os.PathLike[str] | None = None,
    quick: bool = False,
    progress: Progress = False,
    timeout: float | None = None,
    num_cpus: float = 1,
    **options: object,
) -> Fleet:
    """Profile the disk of every node of a Ray cluster, once each.

    The cluster is the one that the program is connected to; else the one that runs on this machine or that
    RAY_ADDRESS names is connected to, and stays so. Nodes are measured at the same time, except nodes of one
    machine, which take turns unless their devices are simulated.

    A node that dies, has no such directory or takes too long is in :attr:`Fleet.failures`, and the rest are
    kept; nothing is measured twice. Ctrl-C ends the profiles in order, and no scratch file is left.

    Parameters
    ----------
    path
        What is measured, as for :func:`leadline.profile`: the same on each node (a relative path is taken
        from the program's working directory), or one for each node by its name, which then says also which
        nodes are profiled.
    nodes
        Which nodes: names (``ray start --node-name``; by default the IP address), addresses, host names, or
        the first six or more characters of Ray's node ids. All that are alive by default. Where several nodes
        have one name, ``#`` and the beginning of the id make it unambiguous.
    shared
        The nodes share one volume: one after the other.
    since
        An earlier result, or the directory where it was saved; :attr:`Fleet.drift` compares with it.
    quick
        Measure for half a minute instead of two.
    progress
        ``True`` for a bar over all nodes, or a function that is called with phase, share and detail.
    timeout
        Seconds that a node may take from when its turn comes, waiting for a free CPU included; none by
        default.
    num_cpus
        CPUs that a profile reserves on its node: as many as the node has keep other Ray tasks away. A node
        that has fewer gives what it has.
    **options
        Further arguments of :func:`leadline.profile`, such as ``max_writes="10G"``, the same for each node.

    Returns
    -------
    Fleet

    Raises
    ------
    ImportError
        Ray is not installed.
    BadInput
        No cluster is running, a node does not exist, or no node can use what was given.
    """
    for name, value in (("timeout", timeout), ("num_cpus", num_cpus)):
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise BadInput(f"{name}={value}: must be a number above 0")
    if "output" in options:
        raise BadInput("output: is of one profile; Fleet.save writes all of them")
    refuse_unknown(measured, options)
    # What is wrong with it shows before anything is measured.
    earlier = since if since is None or isinstance(since, Fleet) else Fleet.load(since)
    ray = cluster.connected()
    targets = _targets(ray, path, nodes)
    given = {"quick": quick, **options}
    profiles: dict[str, Profile] = {}
    failures = {node.name: "the node is not alive" for node in targets if not node.alive}
    answers: list[Answer] = []
    with showing(progress) as callback:
        board = None if callback is None else _board(ray)
        measure = ray.remote(max_retries=0)(answering(_measurement()))

        def started(node: Node) -> Callable[[], Any]:
            task = measure.options(
                num_cpus=min(num_cpus, node.cpus),
                scheduling_strategy=cluster.pinned(node),
                name=f"leadline.fleet.profile on {node.name}",
            )
            return lambda: task.remote(targets[node], given, node.name, board)

        def tick() -> None:
            _show(ray, callback, board, {*profiles, *failures}, len(targets))

        with Tasks(ray, timeout, None if callback is None else tick) as tasks:
            for node, target in targets.items():
                if node.alive:
                    tasks.add(Task(node.name, started(node), _turns(node, target, shared)))
            for task, answer in tasks:
                if isinstance(answer, Lost):
                    failures[task.key] = answer.reason
                    continue
                answers.append(answer)
                if answer.kind != "ok":
                    failures[task.key] = answer.value
                    continue
                try:
                    profiles[task.key] = Profile.from_json(answer.value, task.key)
                except BadInput as error:
                    # A newer version measured it.
                    failures[task.key] = str(error)
    if answers and all(answer.kind == "refused" for answer in answers):
        # No node can use it, so it is what was given that is wrong.
        raise BadInput(answers[0].value)
    order = [node.name for node in targets]
    return Fleet(
        {name: profiles[name] for name in order if name in profiles},
        {name: failures[name] for name in order if name in failures},
        since=earlier,
    )


def _targets(
    ray: ModuleType, path: _Path | Mapping[str, _Path], nodes: Iterable[str] | None
) -> dict[Node, str]:
    """What is measured on each node."""
    if isinstance(nodes, str):
        raise BadInput(f"nodes={nodes!r}: must be a list of names")
    if not isinstance(path, Mapping):
        chosen = cluster.alive(ray) if nodes is None else cluster.find(ray, nodes)
        targets = {node: everywhere(text(path)) for node in chosen}
    elif nodes is not None:
        raise BadInput("nodes: are what path has a key for; give one of the two")
    else:
        found = cluster.find(ray, path)
        if len(set(found)) < len(found):
            raise BadInput("path: two of its keys are the same node")
        targets = {node: everywhere(text(target)) for node, target in zip(found, path.values(), strict=True)}
    if not targets:
        raise BadInput("nodes: none was given; leave it out for all")
    return targets


def _turns(node: Node, target: str, shared: bool) -> Hashable:
    """Whom the node takes turns with: two measurements of one disk disturb each other."""
    if shared:
        return "shared"
    return node.id if is_simulated(target) else node.address


def _measurement() -> Callable[..., str]:
    def measure(target: str, options: dict[str, Any], node: str, board: Any) -> str:
        import leadline

        def tell(phase: str, share: float, detail: str) -> None:
            board.tell.remote(node, phase, share)

        return leadline.profile(target, progress=False if board is None else tell, **options).to_json()

    return measure


def _board(ray: ModuleType) -> Any:
    """Where tasks report their progress: an actor of its own."""

    class Board:
        def __init__(self) -> None:
            self.told: dict[str, tuple[str, float]] = {}

        def tell(self, node: str, phase: str, share: float) -> None:
            self.told[node] = phase, share

        def read(self) -> dict[str, tuple[str, float]]:
            return self.told

    return ray.remote(num_cpus=0)(Board).remote()


def _show(ray: ModuleType, callback: Callback | None, board: Any, ended: set[str], nodes: int) -> None:
    """Show how far all nodes are; that the board is late or lost is no reason to stop measuring."""
    if callback is None:
        return
    try:
        told = ray.get(board.read.remote(), timeout=1)
    except ray.exceptions.RayError:
        told = {}
    running = [
        f"{node} {phase} {share:.0%}" for node, (phase, share) in sorted(told.items()) if node not in ended
    ]
    callback("profile", len(ended) / nodes, ", ".join([f"{len(ended)} of {nodes} nodes", *running]))

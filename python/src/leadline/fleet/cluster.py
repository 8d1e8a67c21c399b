"""The cluster: how it is reached, and what its nodes are called."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from .._errors import BadInput
from .._optional import needed

__all__ = ["Node", "alive", "connected", "find", "pinned"]

#: Characters of a node's id that follow its name where several nodes have the name.
_ID_SHOWN = 6


@dataclass(frozen=True)
class Node:
    """One node, as Ray knows it."""

    #: What it is called here: unambiguous, and the same from one run to the next where Ray's names are.
    name: str
    id: str
    #: Its IP address; nodes with one address are one machine.
    address: str
    hostname: str
    cpus: float
    alive: bool


def connected() -> ModuleType:
    """Return Ray, connected to the cluster that the program uses, else to the one that runs on this machine.

    Raises
    ------
    ImportError
        Ray is not installed.
    BadInput
        No cluster is running.
    """
    with needed("leadline.fleet", "ray"):
        import ray
    if not ray.is_initialized():
        try:
            # What Ray logs of it, and what tasks print, is not for the user of a library.
            ray.init(address="auto", logging_level=logging.ERROR, log_to_driver=False)
        except ConnectionError:
            raise BadInput(
                "no Ray cluster is running: start one with `ray start --head`, or call ray.init() first"
            ) from None
    return ray


def known(ray: ModuleType) -> list[Node]:
    """Every node that Ray knows, dead ones included, by name."""
    found = ray.nodes()
    # A node that was started again has the name of the dead one, and is meant by it.
    names = Counter(node["NodeName"] for node in found if node["Alive"])

    def name(node: dict[str, str]) -> str:
        plain = node["NodeName"]
        taken = names[plain] > 1 or (not node["Alive"] and names[plain])
        return f"{plain}#{node['NodeID'][:_ID_SHOWN]}" if taken else plain

    nodes = [
        Node(
            name=name(node),
            id=node["NodeID"],
            address=node["NodeManagerAddress"],
            hostname=node["NodeManagerHostname"],
            cpus=float(node["Resources"].get("CPU", 0)),
            alive=node["Alive"],
        )
        for node in found
    ]
    return sorted(nodes, key=lambda node: node.name)


def alive(ray: ModuleType) -> list[Node]:
    """The nodes that are there, by name."""
    return [node for node in known(ray) if node.alive]


def find(ray: ModuleType, wanted: Iterable[str]) -> list[Node]:
    """Return the nodes of these names, addresses, host names or beginnings of ids, in their order.

    Raises
    ------
    BadInput
        No node is called so, or several are.
    """
    nodes = known(ray)
    return [_one(nodes, name) for name in wanted]


def _one(nodes: list[Node], wanted: str) -> Node:
    named = [node for node in nodes if node.name == wanted]
    if not named:
        named = [node for node in nodes if wanted in (node.address, node.hostname)]
        # The dead ones of an address are of interest only where it has no other.
        named = [node for node in named if node.alive] or named
    if not named and len(wanted) >= _ID_SHOWN:
        named = [node for node in nodes if node.id.startswith(wanted)]
    if len(named) == 1:
        return named[0]
    if named:
        raise BadInput(f"nodes: {wanted} may be {', '.join(node.name for node in named)}; give one of these")
    there = ", ".join(node.name for node in nodes if node.alive)
    raise BadInput(f"nodes: the cluster has no node {wanted}; its nodes are {there}")


def pinned(node: Node) -> object:
    """What lets a task run on this node and on no other."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node.id, soft=False)

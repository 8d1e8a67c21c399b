"""Random calls of networkx's functions: the backend's answers have the values, the types and the words of
networkx's own."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

nx = pytest.importorskip("networkx", "3.4")

from leadline.networkx.functions import FUNCTIONS

#: All of them with --exhaustive.
CALLS = 5_000 if os.environ.get("LEADLINE_EXHAUSTIVE") else 400

CLASSES = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
NODES = [
    ["a", "b", "c", "d", "e"],
    [3, 1, 2, 0, 9],
    [("a", 1), 3.5, frozenset([2]), "x", -4],
    [1.5, 2.0, 7, True],
]
WEIGHTS: list[Callable[[random.Random], Any]] = [
    lambda chance: None,
    lambda chance: chance.randrange(4),
    lambda chance: chance.choice([0.0, 0.25, 2.5, 1.0]),
]


def random_graph(chance: random.Random) -> Any:
    nodes = list(chance.choice(NODES))
    graph = chance.choice(CLASSES)()
    graph.add_nodes_from(nodes[: chance.randrange(len(nodes) + 1)])
    weight = chance.choice(WEIGHTS)
    for _ in range(chance.randrange(9)):
        u, v, value = chance.choice(nodes), chance.choice(nodes), weight(chance)
        graph.add_edge(u, v, **({} if value is None else {"weight": value}))
    return graph


def random_arguments(chance: random.Random, name: str, graph: Any) -> dict[str, Any]:
    """Arguments of a function, some of them wrong."""
    node = lambda: chance.choice([*graph, "nowhere"])
    several = lambda: [node() for _ in range(chance.randrange(4))]
    weight = lambda: chance.choice(["weight", None, "length"])
    cutoff = lambda: chance.choice([None, 0, 1, 2.5, -1])
    given = {
        "pagerank": {"alpha": lambda: chance.choice([0.85, 0.5, 0, 1.0]), "weight": weight},
        "node_connected_component": {"n": node},
        "single_source_shortest_path_length": {"source": node, "cutoff": cutoff},
        "single_target_shortest_path_length": {"target": node, "cutoff": cutoff},
        "has_path": {"source": node, "target": node},
        "descendants": {"source": node},
        "ancestors": {"source": node},
        "descendants_at_distance": {"source": node, "distance": lambda: chance.choice([0, 1, 2, -1])},
        "dijkstra_path_length": {"source": node, "target": node, "weight": weight},
        "single_source_dijkstra_path_length": {"source": node, "cutoff": cutoff, "weight": weight},
        "multi_source_dijkstra_path_length": {"sources": several, "cutoff": cutoff, "weight": weight},
        "shortest_path_length": {
            "source": lambda: chance.choice([node(), None]),
            "target": node,
            "weight": weight,
        },
        "triangles": {"nodes": lambda: chance.choice([None, node(), several()])},
        "clustering": {"nodes": lambda: chance.choice([None, node(), several()])},
        "average_clustering": {"count_zeros": lambda: chance.choice([True, False])},
    }
    return {argument: draw() for argument, draw in given.get(name, {}).items()}


def outcome(function: Any, graph: Any, arguments: dict[str, Any], backend: str) -> Any:
    """What a call returns, iterators as lists, or what it raises in which words."""
    try:
        result = function(graph, **arguments, backend=backend)
        return list(result) if isinstance(result, Iterator) else result
    except NotImplementedError:
        if backend == "leadline":
            return None
        raise
    except Exception as error:
        return type(error).__name__, str(error)


def same(ours: Any, theirs: Any) -> bool:
    """Equal, and of the same types; doubles but for their last digits."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, (list, tuple)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == (pytest.approx(theirs, rel=1e-9) if isinstance(ours, float) else theirs))


def test_random_calls_have_networkx_s_values_types_and_words() -> None:
    # By default the same calls each time.
    seed = random.randrange(1 << 32) if CALLS > 400 else 1
    nx.config.warnings_to_ignore.add("cache")
    chance = random.Random(seed)
    answered = 0
    for _ in range(CALLS):
        graph = random_graph(chance)
        name = chance.choice(list(FUNCTIONS))
        arguments = random_arguments(chance, name, graph)
        function = getattr(nx, name)
        try:
            theirs = outcome(function, graph, arguments, "networkx")
        except NotImplementedError:
            continue
        ours = outcome(function, graph, arguments, "leadline")
        if ours is None:
            continue
        answered += 1
        call = f"seed {seed}: {name}({graph}, {list(graph.edges(data=True))}, {arguments})"
        assert same(ours, theirs), f"{call}: {ours!r}, networkx: {theirs!r}"
    assert answered > CALLS / 2
    nx.config.warnings_to_ignore.discard("cache")

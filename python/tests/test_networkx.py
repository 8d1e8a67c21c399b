"""The networkx backend gives networkx's results, and leaves to networkx what it cannot."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

nx = pytest.importorskip("networkx", "3.4")

import leadline
import leadline.networkx
from leadline.networkx.convert import from_networkx, to_networkx
from leadline.networkx.functions import FUNCTIONS
from leadline.networkx.interface import backend_interface

CLASSES = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]

#: Nodes of several types: their order in the graph is not that of their values.
LABELS = ["b", 7, ("a", 1), 3.5, frozenset([2]), "a", -4, b"c"]


@pytest.fixture(autouse=True)
def quiet_cache() -> Iterator[None]:
    """networkx warns whenever a conversion is used again."""
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


def random_graph(kind: Any, seed: int, *, loops: bool = False, weight: Any = None) -> Any:
    """A graph of up to 40 nodes, some without edges, and of up to 90 edges, some of them parallel."""
    chance = random.Random(seed)
    nodes = LABELS + [f"n{i}" for i in range(chance.randrange(2, 32))]
    chance.shuffle(nodes)
    graph = kind()
    graph.add_nodes_from(nodes)
    for _ in range(chance.randrange(90)):
        u, v = chance.choice(nodes), chance.choice(nodes)
        if u != v or loops:
            graph.add_edge(u, v)
    if weight is not None:
        for *_, attributes in graph.edges(data=True):
            # Some edges have none, and count as 1.
            if chance.random() < 0.9:
                attributes["weight"] = weight(chance)
    return graph


def whole(chance: random.Random) -> int:
    return chance.randrange(20)


def real(chance: random.Random) -> float:
    return chance.random() * 10


def outcome(function: Any, *args: Any, **options: Any) -> Any:
    """What a call returns, iterators as lists, or the type of what it raises."""
    try:
        result = function(*args, **options)
        return list(result) if isinstance(result, Iterator) else result
    except Exception as error:
        return type(error)


def check(function: Any, *args: Any, **options: Any) -> Any:
    """Compares a call with networkx's own; the result."""
    ours = outcome(function, *args, **options, backend="leadline")
    theirs = outcome(function, *args, **options, backend="networkx")
    assert ours == theirs
    same_types(ours, theirs)
    return ours


def same_types(ours: Any, theirs: Any) -> None:
    """Equal is not enough: NumPy's numbers are equal to Python's. (networkx's distances are a mixture where
    some weights are whole; here they are doubles then.)"""
    if isinstance(theirs, dict):
        for node in theirs:
            same_types(ours[node], theirs[node])
    elif isinstance(ours, float):
        assert type(theirs) in (int, float)
    else:
        assert type(ours) is type(theirs)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("seed", range(3))
def test_components_are_networkx_s(kind: Any, seed: int) -> None:
    graph = random_graph(kind, seed, loops=True)
    # Of a directed graph the first ones are refused, of an undirected one the others.
    for name in ["connected_components", "number_connected_components", "is_connected"]:
        check(getattr(nx, name), graph)
        check(getattr(nx, name.replace("connected", "weakly_connected")), graph)
    for node in list(graph)[:3] + ["nowhere"]:
        check(nx.node_connected_component, graph, node)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("seed", range(3))
def test_searches_are_networkx_s(kind: Any, seed: int) -> None:
    graph = random_graph(kind, seed, loops=True)
    nodes = list(graph)
    for node in nodes[:2] + ["nowhere"]:
        for cutoff in [None, 0, 1, 2.5, -1]:
            check(nx.single_source_shortest_path_length, graph, node, cutoff)
            check(nx.single_target_shortest_path_length, graph, node, cutoff)
        check(nx.descendants, graph, node)
        check(nx.ancestors, graph, node)
        check(nx.shortest_path_length, graph, source=node)
        check(nx.shortest_path_length, graph, target=node)
        for distance in [0, 1, 2, 99, -1]:
            check(nx.descendants_at_distance, graph, node, distance)
        for other in [*nodes[:6], "elsewhere"]:
            check(nx.has_path, graph, node, other)
            check(nx.shortest_path_length, graph, node, other)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("weight", [None, whole, real])
def test_distances_are_networkx_s_to_the_last_bit(kind: Any, weight: Any) -> None:
    graph = random_graph(kind, 5, loops=True, weight=weight)
    nodes = list(graph)
    for node in nodes[:2] + ["nowhere"]:
        for cutoff in [None, 0, 4, -1]:
            check(nx.single_source_dijkstra_path_length, graph, node, cutoff)
        check(nx.single_source_dijkstra_path_length, graph, node, weight=None)
        check(nx.shortest_path_length, graph, source=node, weight="weight")
        check(nx.shortest_path_length, graph, target=node, weight="weight")
        for other in [*nodes[:6], "elsewhere"]:
            check(nx.dijkstra_path_length, graph, node, other)
            check(nx.shortest_path_length, graph, node, other, weight="weight")
    check(nx.multi_source_dijkstra_path_length, graph, set(nodes[:3]))
    check(nx.multi_source_dijkstra_path_length, graph, nodes[:3], cutoff=2)
    check(nx.multi_source_dijkstra_path_length, graph, [])
    check(nx.multi_source_dijkstra_path_length, graph, [nodes[0], "nowhere"])


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_core_numbers_are_networkx_s(kind: Any, loops: bool, seed: int) -> None:
    check(nx.core_number, random_graph(kind, seed, loops=loops))


@pytest.mark.parametrize("seed", range(6))
def test_clustering_is_networkx_s(seed: int) -> None:
    graph = random_graph(nx.Graph, seed, loops=seed % 2 == 1)
    some = [*list(graph)[2:9], "nowhere"]
    check(nx.transitivity, graph)
    for nodes in [None, some, some[0], "nowhere", [["no key"]]]:
        check(nx.triangles, graph, nodes)
        check(nx.clustering, graph, nodes)
        check(nx.average_clustering, graph, nodes)
    check(nx.average_clustering, graph, count_zeros=False)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_networkx_s(kind: Any, seed: int) -> None:
    graph = random_graph(kind, seed, loops=True)
    nodes = list(graph)
    jumps = [None, {nodes[0]: 3}, {nodes[0]: 0.5, nodes[1]: 1.5, "nowhere": 4}, dict.fromkeys(nodes, 2)]
    for options in [{}, {"alpha": 0.5, "tol": 1e-12}, {"alpha": 1.0, "max_iter": 500}, {"alpha": 0}]:
        for personalization in jumps:
            options["personalization"] = personalization
            ours = outcome(nx.pagerank, graph, backend="leadline", **options)
            theirs = outcome(nx.pagerank, graph, backend="networkx", **options)
            # Sums are added up in another order.
            assert ours == (theirs if isinstance(theirs, type) else pytest.approx(theirs, rel=1e-12))


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("weight", [whole, real])
@pytest.mark.parametrize("seed", range(5))
def test_ranks_by_weight_are_networkx_s(kind: Any, weight: Any, seed: int) -> None:
    # Some weights are 0, and some nodes have no others.
    graph = random_graph(kind, seed, loops=True, weight=lambda chance: chance.choice([0, weight(chance)]))
    first = next(iter(graph))
    for options in [{}, {"alpha": 0.5, "tol": 1e-12}, {"personalization": {first: 3}}, {"weight": None}]:
        ours = outcome(nx.pagerank, graph, backend="leadline", **options)
        theirs = outcome(nx.pagerank, graph, backend="networkx", **options)
        assert ours == (theirs if isinstance(theirs, type) else pytest.approx(theirs, rel=1e-12))


def test_weights_that_ranks_cannot_follow_are_left_to_networkx() -> None:
    for bad in [-1, -0.5, float("inf"), "3", 1e-300, 1e300]:
        graph = nx.DiGraph([(1, 2, {"weight": bad}), (2, 3, {"weight": 2})])
        with pytest.raises(NotImplementedError):
            nx.pagerank(graph, backend="leadline")


def test_ranks_of_a_store_follow_its_weights(tmp_path: Path) -> None:
    edges = [(1, 2, 0.5), (1, 3, 4.0), (2, 3, 1.0), (3, 1, 2.0), (2, 1, 3.0)]
    path = tmp_path / "weighted.graph"
    leadline.Graph.from_edges(*zip(*edges, strict=True), path=path).close()
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(edges)
    stored = leadline.networkx.open(path)
    for weight in ["weight", None, "other"]:
        expected = nx.pagerank(graph, weight=weight)
        assert nx.pagerank(stored, weight=weight) == pytest.approx(expected, rel=1e-12)


def test_ranks_that_do_not_converge_are_an_error_as_in_networkx() -> None:
    graph = random_graph(nx.DiGraph, 1)
    for options in [{"max_iter": 0}, {"max_iter": 2, "tol": 1e-15}, {"tol": 0}, {"tol": -1.0}]:
        assert check(nx.pagerank, graph, **options) is nx.PowerIterationFailedConvergence
    # One iteration is enough for any graph with a tolerance of 1 for each node.
    ours = nx.pagerank(nx.path_graph(3), max_iter=1, tol=1, backend="leadline")
    assert ours == pytest.approx(nx.pagerank(nx.path_graph(3), max_iter=1, tol=1), rel=1e-12)
    assert check(nx.pagerank, graph, personalization={"nowhere": 1}) is ZeroDivisionError


def test_equal_weights_do_not_matter_to_ranks() -> None:
    graph = nx.MultiDiGraph([(1, 2), (1, 2), (2, 3), (3, 1), (1, 3)])
    nx.set_edge_attributes(graph, 2.5, "weight")
    ours = nx.pagerank(graph, backend="leadline")
    assert ours == pytest.approx(nx.pagerank(graph, backend="networkx"), rel=1e-12)


@pytest.mark.parametrize("kind", CLASSES)
def test_graphs_without_nodes_or_edges_are_as_in_networkx(kind: Any) -> None:
    nothing, alone = kind(), kind()
    alone.add_nodes_from("ab")
    for name in FUNCTIONS:
        if name.startswith(("pagerank", "core", "is_", "number", "connected", "weakly")):
            check(getattr(nx, name), nothing)
            check(getattr(nx, name), alone)
    if kind is nx.Graph:
        for name in ["triangles", "clustering", "average_clustering", "transitivity"]:
            check(getattr(nx, name), nothing)
            check(getattr(nx, name), alone)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("weight", [None, whole, real])
def test_a_converted_graph_converts_back_to_the_same(kind: Any, weight: Any) -> None:
    graph = random_graph(kind, 8, loops=True, weight=weight)
    for *_, attributes in graph.edges(data=True):
        if weight is not None:
            attributes.setdefault("weight", 1)
    there = from_networkx(graph, edge_attrs=None if weight is None else {"weight": 1})
    assert len(there) == len(graph)
    assert there.number_of_edges() == graph.number_of_edges()
    assert there.number_of_selfloops() == nx.number_of_selfloops(graph)
    back = to_networkx(there)
    assert list(back) == list(graph)
    assert nx.utils.graphs_equal(back, graph)


def test_views_are_converted_as_what_they_show() -> None:
    graph = random_graph(nx.DiGraph, 3, loops=True)
    for view in [graph.reverse(copy=False), graph.subgraph(list(graph)[::2]), graph.to_undirected(True)]:
        for node in view:
            check(nx.single_source_shortest_path_length, view, node)


@pytest.mark.parametrize("kind", CLASSES)
def test_edges_that_a_view_hides_are_not_converted(kind: Any) -> None:
    graph = random_graph(kind, 3, loops=True, weight=whole)
    hidden = set(list(graph.edges)[::2])
    if not graph.is_directed():
        hidden |= {(v, u, *key) for u, v, *key in hidden}
    view = nx.subgraph_view(graph, filter_edge=lambda *edge: edge not in hidden)
    for node in view:
        check(nx.single_source_dijkstra_path_length, view, node)


def test_a_graph_is_converted_and_written_once() -> None:
    graph = random_graph(nx.Graph, 4, weight=real)
    written = []
    original = leadline.Graph.from_edges
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            leadline.Graph, "from_edges", lambda *args, **kw: written.append(1) or original(*args, **kw)
        )
        for _ in range(2):
            check(nx.single_source_dijkstra_path_length, graph, next(iter(graph)))
        # The graph with weights serves where none are asked for.
        check(nx.connected_components, graph)
        assert len(written) == 1
        graph.add_edge("new", "edge")
        assert check(nx.has_path, graph, "new", "edge") is True
        assert len(written) == 2


DECLINED = [
    ("pagerank", {"nstart": {1: 1}}, "nstart"),
    ("pagerank", {"dangling": {1: 1}}, "dangling"),
    ("pagerank", {"alpha": 1.5}, "alpha"),
    ("pagerank", {"weight": lambda *_: 1}, "function"),
    ("clustering", {"weight": "weight"}, "weights"),
    ("shortest_path_length", {}, "all pairs"),
    ("shortest_path_length", {"source": 1, "weight": "weight", "method": "bellman-ford"}, "Dijkstra"),
    ("single_source_dijkstra_path_length", {"source": 1, "weight": lambda *_: 1}, "function"),
    ("has_path", {"source": 1, "target": None}, "None"),
]


@pytest.mark.parametrize(("name", "options", "reason"), DECLINED)
def test_what_the_engine_cannot_do_is_left_to_networkx(name: str, options: Any, reason: str) -> None:
    graph = nx.Graph([(1, 2), (2, 3)])
    function = getattr(nx, name)
    assert reason in backend_interface.can_run(name, (graph,), options)
    with pytest.raises(NotImplementedError):
        function(graph, **options, backend="leadline")
    with nx.config.backend_priority(algos=["leadline"]), nx.config.backends.leadline(min_edges=0):
        ours = outcome(function, graph, **options)
    assert ours == outcome(function, graph, **options, backend="networkx")


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiGraph])
def test_clustering_of_other_graphs_is_left_to_networkx(kind: Any) -> None:
    for name in ["clustering", "transitivity"]:
        assert backend_interface.can_run(name, (kind([(1, 2)]),), {}) is not True


BAD_WEIGHTS = [None, "3", 1j, float("nan"), float("inf"), -1, 2**60, 10**400, [1]]


@pytest.mark.parametrize("bad", BAD_WEIGHTS)
def test_weights_that_the_engine_cannot_use_are_left_to_networkx(bad: Any) -> None:
    graph = nx.Graph([(1, 2, {"weight": 2}), (2, 3, {"weight": bad})])
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 1, backend="leadline")
    # The same converted graph serves where weights do not matter.
    assert check(nx.shortest_path_length, graph, 1, 3) == 2


def test_whole_weights_whose_sums_are_not_exact_are_left_to_networkx() -> None:
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 2**52, "weight")
    graph[0][1]["weight"] = 2**52 - 1
    with pytest.raises(NotImplementedError):
        nx.dijkstra_path_length(graph, 0, 2, backend="leadline")


def test_a_graph_with_neighbours_of_its_own_is_left_to_networkx() -> None:
    class Complement(nx.Graph):
        def neighbors(self, node: Any) -> Any:
            return iter(set(self) - {node} - set(self._adj[node]))

    graph = Complement([(1, 2)])
    with pytest.raises(NotImplementedError):
        nx.is_connected(graph, backend="leadline")


def test_small_graphs_stay_in_networkx_unless_the_configuration_says_otherwise() -> None:
    graph = nx.path_graph(4)
    config = nx.config.backends.leadline
    assert "fewer" in backend_interface.should_run("is_connected", (graph,), {})
    with config(min_edges=3):
        assert backend_interface.should_run("is_connected", (graph,), {}) is True
        assert backend_interface.should_run("is_connected", (), {"G": graph.to_directed()}) is True


def test_limits_of_the_configuration_reach_the_engine() -> None:
    graph = nx.path_graph(2000)
    with nx.config.backends.leadline(memory="16K"), pytest.raises(leadline.Error, match="memory"):
        nx.is_connected(graph, backend="leadline")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("strings", [False, True])
def test_a_store_is_a_graph_for_networkx_s_functions(tmp_path: Path, directed: bool, strings: bool) -> None:
    edges = [(30, 10), (10, 20), (20, 30), (20, 40), (60, 50), (70, 70)]
    if strings:
        edges = [(f"v{u}", f"v{v}") for u, v in edges]
    graph = nx.DiGraph(edges) if directed else nx.Graph(edges)
    path = tmp_path / "edges.graph"
    sources, targets = zip(*edges, strict=True)
    leadline.Graph.from_edges(sources, targets, path=path, directed=directed, reverse=directed).close()
    stored = leadline.networkx.open(path, memory="64M")
    first, other = edges[0][0], edges[4][1]
    assert stored.is_directed() == directed
    assert (len(stored), stored.number_of_edges(), stored.number_of_selfloops()) == (7, 6, 1)
    assert list(stored) == sorted(graph)
    assert first in stored and "nowhere" not in stored and 35 not in stored and -1 not in stored
    # Without saying which backend: the graph does.
    assert nx.pagerank(stored) == pytest.approx(nx.pagerank(graph), rel=1e-12)
    assert nx.single_source_shortest_path_length(stored, first) == nx.single_source_shortest_path_length(
        graph, first
    )
    assert nx.dijkstra_path_length(stored, first, edges[3][1]) == (3 if directed else 2)
    assert nx.has_path(stored, first, other) is False
    components = nx.weakly_connected_components if directed else nx.connected_components
    assert {frozenset(c) for c in components(stored)} == {frozenset(c) for c in components(graph)}
    with pytest.raises(nx.NodeNotFound):
        nx.has_path(stored, "nowhere", first)
    if directed:
        # Its edges are not in memory, to be written the other way.
        with pytest.raises(NotImplementedError):
            nx.ancestors(stored, first)


def test_networkx_can_ask_about_the_backend_without_its_being_loaded() -> None:
    program = (
        "import sys, leadline.networkx.info as info, leadline.networkx.interface\n"
        "assert 'pagerank' in info.get_info()['functions']\n"
        "assert 'networkx' not in sys.modules, 'networkx was imported'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_function_is_one_of_networkx_s_with_its_arguments() -> None:
    import inspect

    for name in FUNCTIONS:
        theirs = nx.utils.backends._registered_algorithms[name].orig_func
        ours = getattr(backend_interface, name)
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
        for parameter in inspect.signature(theirs).parameters.values():
            assert inspect.signature(ours).parameters[parameter.name].default == parameter.default


def rows(graph: Any) -> list[Any]:
    """Edges with their weights, in an order of their own."""
    found = graph.edges(data="weight")
    return sorted(found if graph.is_directed() else [(*sorted(row[:2]), row[2]) for row in found])


@pytest.mark.parametrize("nodes", [[3, 1, 2, 2**63], ["1", "02", "a", "ü"]])
@pytest.mark.parametrize("kind", CLASSES)
def test_ids_keep_their_type_on_the_way_there_and_back(kind: Any, nodes: list[Any], tmp_path: Path) -> None:
    graph = kind()
    graph.add_weighted_edges_from([(*nodes[:2], 0.5), (nodes[1], nodes[0], 1.5), (nodes[1], nodes[2], 2.0)])
    graph.add_node(nodes[3])
    with leadline.Graph.from_edges(graph, weight="weight", path=tmp_path / "g") as stored:
        back = stored.subgraph(stored.ids()).to_networkx()
        tables = [stored.wcc(), stored.neighbors([nodes[1]]), *stored.edges(2)]
        near = stored.ego(nodes[0]).to_networkx()
        opened = leadline.networkx.from_graph(stored)
        results = [nx.pagerank(opened), nx.single_source_shortest_path_length(opened, nodes[1])]
    assert {type(node) for node in back} == {type(node) for node in near} == {type(nodes[0])}
    assert sorted(back) == sorted(nodes)
    assert rows(back) == rows(graph)
    for table in tables:
        columns = [name for name in ("vertex", "neighbor", "source", "target") if name in table.column_names]
        assert all(type(id) is type(nodes[0]) for name in columns for id in table[name].tolist())
    assert all(type(node) is type(nodes[0]) for result in results for node in result)


@pytest.mark.parametrize("nodes", [[1, "a", 2], [1.5, 2.5, 3.5], [("a", 1), ("b", 2), ("c", 3)], [-1, 2, 3]])
def test_ids_that_no_store_has_are_refused_and_run_in_the_backend(nodes: list[Any]) -> None:
    graph = nx.path_graph(nodes)
    with pytest.raises(leadline.BadInput, match="convert_node_labels_to_integers makes them numbers"):
        leadline.Graph.from_edges(graph)
    ranks = nx.pagerank(graph, backend="leadline")
    assert list(map(type, ranks)) == list(map(type, nodes)) and list(ranks) == nodes

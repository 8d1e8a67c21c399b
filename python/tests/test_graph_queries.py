"""Small questions to a graph, held against networkx's answers."""

import json
import pickle

import numpy as np
import pytest

import leadline
from leadline import Graph

nx = pytest.importorskip("networkx")


def random_pair(directed, seed, *, strings=False):
    """A weighted graph in leadline and in networkx, with loops and without parallel edges."""
    random = np.random.default_rng(seed)
    names = [f"v{at:03}" if strings else at * 7 for at in range(60)]
    kind = nx.DiGraph if directed else nx.Graph
    theirs = kind()
    theirs.add_nodes_from(names)
    for source, target in random.integers(0, 60, (150, 2)).tolist():
        theirs.add_edge(names[source], names[target], weight=random.integers(1, 9) / 4)
    return Graph.from_edges(theirs, weight=True, reverse=directed), theirs


def edges_of(table, directed):
    rows = zip(*(table[name].tolist() for name in table.column_names), strict=True)
    return sorted(row if directed else (*sorted(row[:2]), *row[2:]) for row in rows)


def expected_edges(graph):
    directed = graph.is_directed()
    ends = ((u, v) if directed else sorted((u, v)) for u, v in graph.edges())
    return sorted((u, v, graph[u][v]["weight"]) for u, v in ends)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_answers_are_networkxs(directed, strings, seed):
    ours, theirs = random_pair(directed, seed, strings=strings)
    with ours:
        asked = list(theirs)[5:40:3][::-1]
        for vertex in asked[:4]:
            assert ours.neighbors(vertex).tolist() == sorted(theirs.neighbors(vertex))
            assert ours.degree(vertex) == len(list(theirs.neighbors(vertex)))
        table = ours.neighbors(asked)
        rows = [(u, v, theirs[u][v]["weight"]) for u in asked for v in sorted(theirs.neighbors(u))]
        assert [tuple(row.values()) for row in table.to_dicts()] == rows
        assert ours.degree(asked)["vertex"].tolist() == asked
        assert ours.degree(asked)["degree"].tolist() == [len(list(theirs.neighbors(u))) for u in asked]
        for hops in [0, 1, 2]:
            near, expected = ours.ego(asked[0], hops), nx.ego_graph(theirs, asked[0], hops)
            assert sorted(near.vertices["vertex"].tolist()) == sorted(expected)
            assert edges_of(near.edges, directed) == expected_edges(expected)
            made = near.to_networkx()
            assert nx.utils.graphs_equal(made, expected) and type(made) is type(expected)
        part = ours.subgraph(asked)
        assert part.vertices["vertex"].tolist() == asked
        assert edges_of(part.edges, directed) == expected_edges(theirs.subgraph(asked))


@pytest.mark.parametrize("direction", ["in", "both"])
def test_edges_are_followed_against_their_direction(direction):
    ours, theirs = random_pair(True, 9)
    with ours:
        vertex = next(iter(theirs))
        before, after = sorted(theirs.predecessors(vertex)), sorted(theirs.successors(vertex))
        found = ours.neighbors([vertex], direction=direction)
        assert found["neighbor"].tolist() == (before if direction == "in" else after + before)
        assert ours.degree(vertex, direction=direction) == len(found)
        turned = theirs.reverse() if direction == "in" else theirs.to_undirected()
        reached = nx.single_source_shortest_path_length(turned, vertex, 2)
        near = ours.ego(vertex, 2, direction=direction)
        assert {row["vertex"]: row["hops"] for row in near.vertices.to_dicts()} == reached
        assert edges_of(near.edges, True) == expected_edges(theirs.subgraph(reached))


@pytest.mark.parametrize("directed", [False, True])
def test_all_edges_come_in_batches(directed):
    ours, theirs = random_pair(directed, 3)
    with ours:
        batches = list(ours.edges(17))
        assert [len(batch) for batch in batches[:-1]] == [17] * (len(batches) - 1) and len(batches[-1]) <= 17
        found = sorted(row for batch in batches for row in edges_of(batch, directed))
        assert found == expected_edges(theirs)
        # Alone it is their number, and nothing but a number where it goes.
        count = theirs.number_of_edges()
        assert ours.edges == count and json.dumps({"edges": ours.edges}) == f'{{"edges": {count}}}'
        assert type(pickle.loads(pickle.dumps(ours.edges))) is int
        other = ours.edges(5)
        next(other)
    with pytest.raises(leadline.BadInput, match="closed"):
        next(other)


def test_parallel_edges_stay_apart():
    with Graph.from_edges([1, 2, 1, 1], [2, 1, 1, 2], [1.0, 2.0, 3.0, 4.0], directed=False) as g:
        assert g.neighbors(1).tolist() == [1, 2, 2, 2] and g.degree([2, 1])["degree"].tolist() == [3, 4]
        made = g.subgraph([2, 1]).to_networkx()
        assert isinstance(made, nx.MultiGraph) and list(made) == [2, 1]
        assert sorted(weight for *_, weight in made.edges(data="weight")) == [1, 2, 3, 4]


def test_a_new_version_is_asked_once_it_is_opened(tmp_path):
    with Graph.from_edges([1, 2], [2, 3], path=tmp_path / "g") as g:
        with g.update() as update:
            update.insert_edges([1, 9], [9, 1])
            update.delete_edges([1], [2])
        assert g.neighbors(1).tolist() == [2]
        with Graph.open(g.path) as new:
            assert new.neighbors(1).tolist() == [9] and new.degree(9) == 1
            assert new.ego(9).vertices["vertex"].tolist() == [9, 1]


def test_bad_questions_are_refused():
    with Graph.from_edges([1, 2], [2, 3]) as g:
        for ask, line in [
            (lambda: g.neighbors(7), "has no vertex 7; its ids go from 1 to 3"),
            (lambda: g.neighbors([1, "x"]), "whole numbers or all strings"),
            (lambda: g.degree([1, 9, 8]), "has no vertex 9;"),
            (lambda: g.neighbors(1, direction="up"), "direction=up: .* none of out, in and both"),
            (lambda: g.neighbors(1, direction="in"), "incoming edges"),
            (lambda: g.neighbors(1.5), "whole numbers or strings"),
            (lambda: g.subgraph([1, 2], memory="100K"), "memory=100K: the subgraph of 2 vertices needs"),
            (lambda: g.edges(0), "batch=0: must be a whole number from 1"),
            (lambda: next(g.edges(1 << 31)), "a batch of 2,147,483,648 edges needs"),
        ]:
            with pytest.raises(leadline.BadInput, match=line):
                ask()
        with pytest.raises(leadline.BadInput, match="ego takes one id"):
            g.ego([1, 2])
        assert len(g.neighbors([])) == 0 and len(g.subgraph([]).edges) == 0


def test_many_vertices_are_read_together():
    random = np.random.default_rng(5)
    source, target = random.integers(0, 40_000, (2, 400_000))
    with Graph.from_edges(source, target) as g:
        asked = np.unique(source)
        info = g.neighbors(asked, concurrency=16).info
        assert info["requests"] < len(asked) / 20 and info["depth"] == 16
        assert info["cache_misses"] * 4096 == info["bytes_read"]


def test_subgraphs_go_to_other_libraries_with_ids_and_weights():
    igraph, sparse = pytest.importorskip("igraph"), pytest.importorskip("scipy.sparse")
    ends = [["ann", "bob", "bob", "eve"], ["bob", "eve", "eve", "eve"]]
    weights = [1.0, 2.0, 3.0, 4.0]
    for directed in [False, True]:
        with Graph.from_edges(*ends, weights, directed=directed) as graph:
            part = graph.subgraph(["eve", "ann", "bob"])
        theirs = part.to_igraph()
        assert isinstance(theirs, igraph.Graph) and theirs.is_directed() == directed
        assert theirs.vs["name"] == ["eve", "ann", "bob"]
        # And back.
        with Graph.from_edges(theirs, weight=True) as graph:
            assert graph.edges == 4 and graph.directed == directed
            assert graph.sssp("ann")["distance"].tolist() == [0.0, 1.0, 3.0]
        matrix, ids = part.to_scipy()
        assert sparse.issparse(matrix) and ids.tolist() == ["eve", "ann", "bob"]
        back = 0.0 if directed else 1.0
        assert matrix.toarray().tolist() == [[4, 0, 5 * back], [0, 0, 1], [5, back, 0]]
    with Graph.from_edges([1, 1], [2, 2]) as graph:
        matrix, _ = graph.subgraph([1, 2]).to_scipy()
        assert matrix.toarray().tolist() == [[0, 2], [0, 0]]
        alone = graph.subgraph([2])
        assert alone.to_scipy()[0].shape == (1, 1) and alone.to_igraph().ecount() == 0


def test_ids_may_be_any_whole_numbers_and_nothing_else():
    with Graph.from_edges([1, 2, 7], [2, 3, 1]) as graph:
        for one in [1, 1.0, np.int8(1), np.uint64(1), np.float32(1), np.array(1)]:
            assert graph.neighbors(one).tolist() == [2] and graph.degree(one) == 1
            assert len(graph.ego(one).vertices) == 2
        for several in [[1, 2], (1.0, 2.0), np.array([1, 2], "u1"), np.array([1.0, 2.0]), range(1, 3)]:
            assert graph.neighbors(several)["neighbor"].tolist() == [2, 3]
            assert len(graph.subgraph(several).edges) == 1
        assert len(graph.neighbors(vertex for vertex in [1, 2])) == 2
        assert [len(batch) for batch in graph.edges(2.0)] == [2, 1]
        assert len(graph.ego(1, np.int64(2)).vertices) == len(graph.ego(1, 2.0).vertices) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: g.neighbors(1.5), "vertex: 1.5 is no id"),
        (lambda g: g.neighbors(float("nan")), "vertex: nan is no id"),
        (lambda g: g.neighbors(-1), "-1"),
        (lambda g: g.neighbors(True), "vertex"),
        (lambda g: g.neighbors(None), "vertex"),
        (lambda g: g.neighbors([1, None]), "vertex"),
        (lambda g: g.neighbors({1, 2}), "vertex"),
        (lambda g: g.neighbors([[1], [2, 3]]), "vertex: must have one dimension"),
        (lambda g: g.neighbors(b"1"), "vertex"),
        (lambda g: g.neighbors("\ud800"), "vertex"),
        (lambda g: g.neighbors(1, direction=7), "direction=7: must be text"),
        (lambda g: g.neighbors(1, direction="up"), "direction=up"),
        (lambda g: g.degree([1, 99]), "99"),
        (lambda g: g.ego([1, 2]), "vertex: is list; ego takes one id"),
        (lambda g: g.ego(1, 1.5), "hops=1.5: must be a whole number"),
        (lambda g: g.ego(1, -1), "hops=-1: must be a whole number"),
        (lambda g: g.ego(1, "1"), "hops='1': must be a whole number"),
        (lambda g: g.subgraph(object()), "vertices"),
        (lambda g: g.edges(0), "batch=0: must be a whole number from 1"),
        (lambda g: g.edges(2.5), "batch=2.5: must be a whole number"),
        (lambda g: g.edges(True), "batch=True: must be a whole number"),
        (lambda g: g.neighbors(1, threads=0), "threads=0"),
    ],
)
def test_wrong_questions_are_refused_in_a_sentence(call, words):
    with Graph.from_edges([1, 2, 7], [2, 3, 1]) as graph, pytest.raises(leadline.BadInput) as raised:
        call(graph)
    assert words in str(raised.value)

"""Graphs: made of what Python has, and asked."""

import os

import numpy as np
import pytest

import leadline
from leadline import Graph


def random_edges(seed, vertices=200, edges=1000):
    random = np.random.default_rng(seed)
    return random.integers(0, vertices, edges), random.integers(0, vertices, edges)


@pytest.fixture(scope="module")
def pair():
    """A graph in leadline and in networkx."""
    networkx = pytest.importorskip("networkx")
    src, dst = random_edges(1)
    theirs = networkx.DiGraph()
    theirs.add_edges_from(zip(src.tolist(), dst.tolist(), strict=True))
    with Graph.from_edges(src, dst, dedupe=True, reverse=True) as ours:
        yield ours, theirs


def as_dict(table, column):
    return dict(zip(table["vertex"].tolist(), table[column].tolist(), strict=True))


def test_bfs_is_networkxs(pair):
    ours, theirs = pair
    import networkx

    levels = as_dict(ours.bfs(3), "level")
    expected = networkx.single_source_shortest_path_length(theirs, 3)
    assert {v: level for v, level in levels.items() if level >= 0} == dict(expected)


def test_parents_are_one_level_nearer(pair):
    ours, theirs = pair
    table = ours.bfs([3, 5], parents=True)
    levels, parents = as_dict(table, "level"), as_dict(table, "parent")
    for vertex, level in levels.items():
        if level > 0:
            assert levels[parents[vertex]] == level - 1 and theirs.has_edge(parents[vertex], vertex)


def test_pagerank_is_networkxs(pair):
    ours, theirs = pair
    import networkx

    table = ours.pagerank(iterations=100, tolerance=1e-12)
    expected = networkx.pagerank(theirs, tol=1e-12, max_iter=200)
    assert as_dict(table, "rank") == pytest.approx(expected, rel=1e-6)
    assert table.info["result"]["iterations"] < 100 and table.info["seconds"] > 0


def test_weighted_pagerank_is_networkxs():
    networkx = pytest.importorskip("networkx")
    src, dst = random_edges(5)
    weights = np.random.default_rng(5).integers(0, 4, len(src)) / 4
    # Parallel edges add up, and some vertices have nothing but weights of 0.
    theirs = networkx.MultiDiGraph()
    theirs.add_weighted_edges_from(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
    expected = networkx.pagerank(theirs, tol=1e-14, max_iter=1000)
    for reverse in [False, True]:
        with Graph.from_edges(src, dst, weights, reverse=reverse) as graph:
            table = graph.pagerank(iterations=300, weighted=True)
            assert as_dict(table, "rank") == pytest.approx(expected, rel=1e-9)
            assert (graph.pagerank()["rank"] != graph.pagerank(weighted=True)["rank"]).any()


def test_strong_components_and_triangles_are_networkxs(pair):
    ours, theirs = pair
    import networkx

    components = as_dict(ours.scc(), "component")
    for members in networkx.strongly_connected_components(theirs):
        assert {components[v] for v in members} == {min(members)}
    triangles = ours.triangles()
    expected = networkx.triangles(networkx.Graph(theirs))
    assert as_dict(triangles, "triangles") == expected
    assert triangles.info["result"]["triangles"] == sum(expected.values()) // 3


@pytest.mark.parametrize("method", ["louvain", "leiden"])
def test_communities_have_the_modularity_that_networkx_finds(method):
    networkx = pytest.importorskip("networkx")
    karate = networkx.karate_club_graph()
    with Graph.from_edges(karate, weight="weight") as graph:
        table = getattr(graph, method)(seed=3)
        assert table.column_names == ["vertex", "community"]
        assert (getattr(graph, method)(seed=3)["community"] == table["community"]).all()
        small = getattr(graph, method)(resolution=4.0).info["result"]["communities"]
        one = getattr(graph, method)(max_levels=1).info["result"]
    sets = {}
    for vertex, community in as_dict(table, "community").items():
        sets.setdefault(community, set()).add(vertex)
    assert all(community == min(members) for community, members in sets.items())
    found = table.info["result"]
    assert found["communities"] == len(sets) < small
    assert found["modularity"] == pytest.approx(networkx.community.modularity(karate, sets.values()))
    assert found["modularity"] > 0.4 and found["levels"][-1]["communities"] == len(sets)
    assert len(one["levels"]) == 1


def test_similarity_of_pairs_is_networkxs_and_in_their_order():
    networkx = pytest.importorskip("networkx")
    src, dst = random_edges(6, vertices=100, edges=600)
    theirs = networkx.Graph(zip(src.tolist(), dst.tolist(), strict=True))
    theirs.remove_edges_from(list(networkx.selfloop_edges(theirs)))
    pairs = [(a, b) for a in range(30) for b in range(99, 60, -1) if a in theirs and b in theirs]
    with Graph.from_edges(src, dst, directed=False) as graph:
        table = graph.similarity(*np.array(pairs).T)
        overlap = graph.similarity(*np.array(pairs).T, measure="overlap")["similarity"]
    expected = [value for _, _, value in networkx.jaccard_coefficient(theirs, pairs)]
    assert list(zip(table["vertex"].tolist(), table["other"].tolist(), strict=True)) == pairs
    assert table["similarity"] == pytest.approx(expected)
    assert (overlap >= table["similarity"]).all()
    assert table.info["result"]["pairs"] == len(pairs)


def test_the_most_similar_of_each_vertex_come_first():
    people = ["ann", "ann", "bob", "bob", "bob", "eve", "zoe"]
    things = ["tea", "rum", "tea", "rum", "gin", "gin", "ale"]
    with Graph.from_edges(people, things, reverse=True) as graph:
        table = graph.similarity(top=1)
        rows = zip(table["vertex"].tolist(), table["other"].tolist(), strict=True)
        assert list(rows) == [("ann", "bob"), ("bob", "ann"), ("eve", "bob")]
        assert table["similarity"] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
        assert len(graph.similarity(top=5)) == 4
        # Two people lead to each thing that is shared.
        assert len(graph.similarity(top=5, skip_above=1)) == 0
        assert graph.similarity("eve", "bob", measure="overlap")["similarity"].tolist() == [1.0]


def test_components_and_cores_are_networkxs(pair):
    ours, theirs = pair
    import networkx

    components = as_dict(ours.wcc(), "component")
    for members in networkx.weakly_connected_components(theirs):
        assert {components[v] for v in members} == {min(members)}
    undirected = networkx.Graph(theirs)
    undirected.remove_edges_from(networkx.selfloop_edges(undirected))
    with Graph.from_edges(undirected) as graph:
        assert as_dict(graph.kcore(), "core") == networkx.core_number(undirected)
        clustering = as_dict(graph.lcc(), "coefficient")
        assert clustering == pytest.approx(networkx.clustering(undirected))


def test_shortest_paths_are_scipys():
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.csgraph import dijkstra

    src, dst = random_edges(2)
    weights = np.random.default_rng(2).uniform(0.1, 5, len(src))
    # csr_matrix would add parallel edges up; a store keeps the lightest of them.
    pairs = dict(sorted(zip(zip(src, dst, strict=True), weights, strict=True), key=lambda e: -e[1]))
    src, dst = np.array(list(pairs)).T
    matrix = sparse.csr_matrix((list(pairs.values()), (src, dst)), shape=(200, 200))
    with Graph.from_edges(matrix, weight=True) as graph:
        assert graph.vertices == 200 and graph.weighted
        assert graph.sssp(7)["distance"] == pytest.approx(dijkstra(matrix, indices=7))


def test_walks_go_along_edges():
    with Graph.from_edges([1, 2, 3], [2, 3, 1]) as graph:
        table = graph.walk([1, 3], length=4)
    assert table["walk"].tolist() == [0] * 5 + [1] * 5
    assert table["vertex"].tolist() == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i4", "u8", "i8", "O"])
def test_ids_of_every_type_make_the_same_store(dtype, tmp_path):
    src, dst = random_edges(3, vertices=100)
    with Graph.from_edges(src, dst, path=tmp_path / "a.graph") as graph:
        expected = graph.pagerank()
    with Graph.from_edges(src.astype(dtype), dst.astype(dtype), path=tmp_path / "b.graph") as graph:
        assert (graph.pagerank()["rank"] == expected["rank"]).all()
    assert (tmp_path / "a.graph").read_bytes() == (tmp_path / "b.graph").read_bytes()


def test_an_array_that_is_a_view_is_taken_as_it_is_seen():
    pairs = np.array([[1, 2], [2, 3]], dtype=np.uint32)
    with Graph.from_edges(pairs[:, 0], pairs[:, 1]) as graph:
        assert graph.bfs(1)["level"].tolist() == [0, 1, 2]


def test_tables_of_edges_are_known_by_their_columns():
    expected = None
    kinds = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}
    for module, make in kinds.items():
        library = pytest.importorskip(module)
        table = getattr(library, make)({"source": [1, 2], "target": [2, 3], "weight": [0.5, 1.5]})
        with Graph.from_edges(table) as graph:
            distances = graph.sssp(1)["distance"].tolist()
        assert expected in (None, distances)
        expected = distances
    assert expected == [0.0, 0.5, 2.0]


def test_strings_are_ids_too():
    with Graph.from_edges(["ann", "bob"], ["bob", "über"], vertices=["zoe"]) as graph:
        table = graph.bfs("ann")
    assert table["vertex"].tolist() == ["ann", "bob", "zoe", "über"]
    assert table["level"].tolist() == [0, 1, -1, 2]
    assert table.to_dicts()[0] == {"vertex": "ann", "level": 0}


def test_a_store_is_kept_where_it_was_asked_for_and_opened_again(tmp_path):
    path = tmp_path / "kept.graph"
    with Graph.from_edges([0], [1], path=path) as graph:
        assert graph.path == path
    with Graph.open(path, memory="32M", threads=1, concurrency=8) as graph:
        assert (graph.vertices, graph.edges, graph.directed) == (2, 1, True)
        assert graph.wcc(memory="16M").info["memory_cap_bytes"] == 16 << 20


def test_a_temporary_store_is_gone_once_the_graph_is_closed_or_forgotten():
    graph = Graph.from_edges([0], [1])
    folder = graph.path.parent
    assert folder.exists()
    graph.close()
    graph.close()
    assert not folder.exists()
    with pytest.raises(leadline.BadInput, match="closed"):
        graph.wcc()
    forgotten = Graph.from_edges([0], [1])
    folder = forgotten.path.parent
    del forgotten
    assert not folder.exists()


def test_a_file_of_edges_is_imported(tmp_path):
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target,weight\n1,2,3\n2,3,4\n")
    with Graph.import_file(edges, tmp_path / "g.graph", weights=True, undirected=True) as graph:
        assert not graph.directed and graph.sssp(3)["distance"].tolist() == [7, 4, 0]


def test_files_of_other_formats_are_imported(tmp_path):
    matrix = tmp_path / "a.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n")
    with pytest.raises(leadline.BadInput, match="line 2: expected a square matrix"):
        Graph.import_file(matrix, tmp_path / "m.graph")
    with Graph.import_file(matrix, tmp_path / "m.graph", bipartite=True) as graph:
        assert (graph.vertices, graph.edges) == (5, 2)
    edges, lonely = tmp_path / "a.adjlist", tmp_path / "v.txt"
    edges.write_text("ann bob cy\nbob\n")
    lonely.write_text("dan\n")
    with Graph.import_file(edges, tmp_path / "a.graph", vertices=str(lonely)) as graph:
        assert list(graph.ids()) == ["ann", "bob", "cy", "dan"]
    metis = tmp_path / "a.metis"
    metis.write_text("3 2\n2\n1 3\n\n")
    with pytest.raises(leadline.BadInput, match="line 3: vertex 2 lists 3 as its neighbour"):
        Graph.import_file(metis, tmp_path / "b.graph")


def test_nulls_among_ids_are_said_to_be_nulls():
    pandas = pytest.importorskip("pandas")
    targets = pandas.Series([1, None, 3], dtype="Int64")
    with pytest.raises(leadline.BadInput, match=r"targets\[1\]: is null, one of 1 in a column of Int64"):
        Graph.from_edges([0, 1, 2], targets)


def test_the_profile_says_how_many_reads_are_in_flight(tmp_path):
    path = tmp_path / "g.graph"
    Graph.from_edges([0], [1], path=path).close()
    profile = leadline.profile("sim:flash", quick=True)
    # One thread: several share reads out evenly, and 73 reads of two threads are 74.
    with Graph.open(path, profile=profile, threads=1) as graph:
        assert graph.wcc().info["depth"] == profile.at()["k_r_90"]


def test_an_empty_graph_has_empty_results():
    with Graph.from_edges(np.zeros(0, dtype="u4"), np.zeros(0, dtype="u4")) as graph:
        assert (graph.vertices, graph.edges, len(graph.pagerank())) == (0, 0, 0)


def test_another_file_is_not_replaced_by_a_store(tmp_path):
    path = tmp_path / "letters.txt"
    path.write_text("dear all")
    with pytest.raises(leadline.BadInput, match="letters.txt.*use force="):
        Graph.from_edges([0], [1], path=path)
    assert path.read_text() == "dear all"
    with Graph.from_edges([0], [1], path=path, force=True) as graph:
        assert graph.edges == 1 and graph.imported["edges"] == 1


def test_a_refused_import_leaves_no_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    with pytest.raises(leadline.BadInput):
        Graph.from_edges(np.array([-1]), np.array([2]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Graph.from_edges([1, 2], [3]), "2 sources and 1 targets"),
        (lambda: Graph.from_edges(np.array([1, -3]), np.array([1, 1])), "-3"),
        (lambda: Graph.from_edges([1.5], [2.5]), "sources[0]: ids are whole numbers or strings, not 1.5"),
        (lambda: Graph.from_edges([1], ["a"]), "strings"),
        (lambda: Graph.from_edges([[1]], [[2]]), "dimension"),
        (lambda: Graph.from_edges([1, "a"], [2, 3]), "[1]"),
        (lambda: Graph.from_edges([1], [2], [float("nan")]), "weight"),
        (lambda: Graph.from_edges([1], [2], [1.0, 2.0]), "2 weights"),
        (lambda: Graph.from_edges([1], [2], ["heavy"]), "weights"),
        (lambda: Graph.from_edges([1 << 70], [2]), "2^64"),
        (lambda: Graph.from_edges({"a": [1], "b": [2]}), "source and target"),
        (lambda: Graph.from_edges(7), "int has no columns"),
        (lambda: Graph.from_edges([1], [2], block_size="5K"), "block_size="),
        (lambda: Graph.from_edges([1], [2], memory="1K"), "memory="),
        (lambda: Graph.from_edges([1], [2], memory="lots"), "memory"),
        (lambda: Graph.from_edges([1], [2], memory=-1), "memory=-1"),
        (lambda: Graph.from_edges([1], [2]).bfs(9), "9"),
        (lambda: Graph.from_edges([1], [2]).bfs([]), "names no vertex"),
        (lambda: Graph.from_edges([1], [2]).bfs(None), "source=: needed, or properties="),
        (lambda: Graph.from_edges([1], [2]).sssp(1), "weights"),
        (lambda: Graph.from_edges([1], [2]).kcore(), "reverse"),
        (lambda: Graph.from_edges([1], [2]).scc(), "reverse"),
        (lambda: Graph.from_edges([1], [2]).triangles(), "reverse"),
        (lambda: Graph.from_edges([1], [2]).louvain(), "reverse"),
        (lambda: Graph.from_edges([1], [2]).leiden(), "reverse"),
        (lambda: Graph.from_edges([1], [2], directed=False).louvain(resolution=0), "resolution"),
        (lambda: Graph.from_edges([1], [2], directed=False).leiden(max_levels=0), "max_levels=0"),
        (lambda: Graph.from_edges([1], [2], [-1], directed=False).louvain(), "negative weight"),
        (lambda: Graph.from_edges([1], [2], [-1]).pagerank(weighted=True), "from 1 to 2"),
        (lambda: Graph.from_edges([1], [2]).pagerank(weighted=True), "weights"),
        (lambda: Graph.from_edges([1], [2]).similarity(), "top"),
        (
            lambda: Graph.from_edges([1], [2]).similarity(1, 2, top=3),
            "vertex and other: cannot be given together with top=",
        ),
        (lambda: Graph.from_edges([1], [2]).similarity(1, 2, skip_above=3), "skip_above"),
        (lambda: Graph.from_edges([1], [2]).similarity([1, 2], 1), "2 and 1"),
        (lambda: Graph.from_edges([1], [2]).similarity(1, 9), "9"),
        (lambda: Graph.from_edges([1], [2]).similarity([], []), "vertex: names no vertex"),
        (lambda: Graph.from_edges([1], [2]).similarity(1, 2, measure="cosine"), "measure"),
        (lambda: Graph.from_edges([1], [2]).similarity(top=3), "reverse"),
        (lambda: Graph.from_edges([1], [2], directed=False).similarity(top=0), "top=0"),
        (lambda: Graph.from_edges([1], [2], directed=False).similarity(top=3, memory="64K"), "memory"),
        (lambda: Graph.from_edges([1], [2]).pagerank(damping=2), "damping"),
        (lambda: Graph.from_edges([1], [2]).wcc(threads=0), "threads=0"),
        (lambda: Graph.from_edges([1], [2]).wcc(concurrency=5000), "concurrency=5000"),
        (lambda: Graph.from_edges([1], [2]).wcc(memory=1), "memory"),
        (lambda: Graph.open("/nowhere.graph"), "/nowhere.graph"),
        (lambda: Graph.open("/etc/hostname"), "/etc/hostname"),
    ],
)
def test_bad_input_is_one_line_that_names_it(call, words):
    with pytest.raises(leadline.BadInput) as raised:
        call()
    line = str(raised.value)
    assert words in line and "\n" not in line and "--" not in line


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_igraphs_graphs_are_taken_as_they_are(directed, named):
    igraph = pytest.importorskip("igraph")
    for seed in range(10):
        random = np.random.default_rng(seed)
        pairs = random.integers(0, 30, (80, 2)).tolist()
        theirs = igraph.Graph(n=33, edges=pairs, directed=directed)
        theirs.es["length"] = random.random(80).tolist()
        if named:
            theirs.vs["name"] = [f"v{at:02}" for at in random.permutation(33)]
        names = theirs.vs["name"] if named else list(range(33))
        with Graph.from_edges(theirs, weight="length") as g:
            assert g.directed == directed and g.vertices == 33 and g.weighted
            assert g.ids().tolist() == sorted(names)
            found = [tuple(row.values()) for batch in g.edges(50) for row in batch.to_dicts()]
            ends = [(names[u], names[v], w) for (u, v), w in zip(pairs, theirs.es["length"], strict=True)]
            if not directed:
                ends = [(*sorted(row[:2]), row[2]) for row in ends]
                found = [(*sorted(row[:2]), row[2]) for row in found]
            assert sorted(found) == sorted(ends)


def test_what_igraph_lacks_is_named():
    igraph = pytest.importorskip("igraph")
    plain = igraph.Graph(n=3, edges=[(0, 1)])
    with Graph.from_edges(plain) as g:
        assert (g.vertices, g.edges, g.directed, g.weighted) == (3, 1, False, False)
    with pytest.raises(leadline.BadInput, match="edges have no such attribute; they have none"):
        Graph.from_edges(plain, weight=True)
    plain.add_edges([(1, 2)], {"cost": [2.5]})
    with pytest.raises(leadline.BadInput, match="weight='cost': edge 0 has none"):
        Graph.from_edges(plain, weight="cost")
    plain.vs["name"] = ["a", "b", "a"]
    with pytest.raises(leadline.BadInput, match="two vertices are called 'a'"):
        Graph.from_edges(plain)
    with Graph.from_edges(igraph.Graph(n=2), weight=None) as g:
        assert (g.vertices, g.edges) == (2, 0)

"""Graphs as directories of Parquet files, their ids, and what a run would need."""

import json

import numpy as np
import pytest

import leadline
from leadline import Graph


@pytest.fixture
def roads():
    """Undirected and weighted, with parallel edges, a self-loop and a vertex without edges."""
    names = ["a", "b", "b", "c"], ["b", "a", "b", "a"]
    weights = [1.5, 2.5, 3.0, 1e300]
    with Graph.from_edges(*names, weights, vertices=["a", "z"], directed=False) as graph:
        yield graph


def test_a_folder_has_the_whole_graph_and_becomes_it_again(roads, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    shown = []
    report = roads.export(tmp_path / "out.d", partitions=2, progress=lambda *step: shown.append(step))
    assert {name: report[name] for name in ("vertices", "edges", "partitions")} == {
        "vertices": 4,
        "edges": 4,
        "partitions": 2,
    }
    edges = [parquet.read_table(tmp_path / f"out.d/edges/part-0000{part}.parquet") for part in (0, 1)]
    assert [part.num_rows for part in edges] == [2, 2]
    rows = [tuple(row.values()) for part in edges for row in part.to_pylist()]
    assert sorted(rows) == [("a", "b", 1.5), ("a", "b", 2.5), ("a", "c", 1e300), ("b", "b", 3.0)]
    vertices = parquet.read_table(tmp_path / "out.d/vertices/part-00000.parquet")
    assert vertices.to_pydict() == {"vertex": ["a", "b", "c", "z"]}
    graph = json.loads((tmp_path / "out.d/graph.json").read_text())
    assert graph == {
        "format": "leadline.graph-export/1",
        "directed": False,
        "weighted": True,
        "vertices": 4,
        "edges": 4,
    }
    with Graph.import_file(tmp_path / "out.d", tmp_path / "again.graph") as again:
        assert (again.vertices, again.edges, again.directed, again.weighted) == (4, 4, False, True)
        assert again.sssp("c")["distance"].tolist() == roads.sssp("c")["distance"].tolist()


@pytest.mark.parametrize("first, kind", [(0, "int64"), (1 << 63, "uint64")])
def test_ids_have_a_sign_if_they_can(tmp_path, first, kind):
    parquet = pytest.importorskip("pyarrow.parquet")
    ids = np.arange(first, first + 5, dtype=np.uint64)
    with Graph.from_edges(ids[:-1], ids[1:]) as graph:
        graph.export(tmp_path / "out")
        assert graph.ids().dtype == np.uint64 and graph.ids().tolist() == ids.tolist()
    table = parquet.read_table(tmp_path / "out/edges/part-00000.parquet")
    assert [str(field.type) for field in table.schema] == [kind, kind]
    assert table["target"].to_pylist() == ids[1:].tolist()


def test_an_export_that_cannot_be_made_says_why(roads, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    for given, said in [
        ({"folder": tmp_path / "mine"}, "is not an exported graph"),
        ({"folder": tmp_path / "none/out"}, "its directory cannot be written"),
        ({"folder": tmp_path / "out", "partitions": 0}, "partitions"),
        ({"folder": tmp_path / "out", "memory": "much"}, "memory"),
    ]:
        with pytest.raises(leadline.BadInput, match=said):
            roads.export(**given)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_ids_are_in_the_order_of_results_and_loops_are_counted(roads):
    assert roads.ids().tolist() == roads.wcc()["vertex"].tolist() == ["a", "b", "c", "z"]
    assert roads.self_loops == 1
    ids = np.arange(200_000, dtype=np.uint64) * 3
    with Graph.from_edges(ids, ids) as graph:
        with pytest.raises(leadline.BadInput, match="memory"):
            graph.ids(memory="1M")
        assert graph.self_loops == len(ids)


def test_a_run_does_with_the_least_memory_that_is_estimated():
    random = np.random.default_rng(5)
    weights = random.integers(0, 9, 60_000)
    with Graph.from_edges(*random.integers(0, 20_000, (2, 60_000)), weights, directed=False) as graph:
        for algorithm, options in [
            ("bfs", {"parents": True}),
            ("pagerank", {"iterations": 3}),
            ("pagerank", {"iterations": 3, "weighted": True}),
            ("lcc", {}),
            ("scc", {}),
            ("triangles", {}),
            ("louvain", {}),
            ("leiden", {"max_levels": 1}),
            ("similarity", {"top": 3}),
            ("walk", {"length": 4}),
        ]:
            needed = graph.estimate(algorithm, **options)["least_memory_with_rows_bytes"]
            source = {"source": int(graph.ids()[0])} if algorithm == "bfs" else {}
            run = getattr(graph, algorithm)
            assert len(run(**source, **options, memory=needed)) > 0
            assert graph.estimate(algorithm, memory=needed, **options)["enough_memory"]


def test_an_estimate_is_for_the_graph_as_it_was_opened(tmp_path):
    with Graph.from_edges([1, 2], [2, 3], path=tmp_path / "g", memory="32M") as graph:
        estimate = graph.estimate()
        assert estimate["memory_cap_bytes"] == 32 << 20 and estimate["algorithm"] == "PageRank"
        assert estimate["reading_seconds"] is None
        assert graph.estimate("wcc", memory="64M")["memory_cap_bytes"] == 64 << 20
        assert graph.estimate("wcc", memory="4K")["enough_memory"] is False


def test_a_profile_gives_the_time():
    disk = leadline.profile("sim:flash", quick=True)
    with Graph.from_edges([1, 2], [2, 3]) as graph:
        least, most = graph.estimate("pagerank", profile=disk, iterations=20)["seconds"]
        assert 0 < least <= most


def test_what_cannot_be_estimated_is_named():
    with Graph.from_edges([1, 2], [2, 3]) as graph:
        for algorithm, options, said in [
            ("import", {}, "algorithm='import'"),
            ("pagerank", {"iterations": 0}, "iterations"),
            ("pagerank", {"colour": 1}, "colour"),
            ("sssp", {}, "needs weights"),
            ("pagerank", {"weighted": True}, "weighted PageRank needs weights"),
            ("lcc", {}, "needs incoming edges"),
            ("louvain", {}, "needs incoming edges"),
        ]:
            with pytest.raises(leadline.BadInput, match=said):
                graph.estimate(algorithm, **options)
    with pytest.raises(leadline.BadInput, match="closed"):
        graph.estimate()

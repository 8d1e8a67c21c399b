"""What every run of an algorithm takes besides: files, folders, repetitions, progress."""

import csv

import numpy as np
import pytest

import leadline
from leadline import Graph


def edges(seed=1, vertices=500, count=4000):
    random = np.random.default_rng(seed)
    return random.integers(0, vertices, count), random.integers(0, vertices, count)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "g.graph"
    Graph.from_edges(*edges(), path=path, reverse=True).close()
    return path


@pytest.mark.parametrize(
    ("algorithm", "arguments", "column"),
    [("bfs", {"source": 3, "parents": True}, "parent"), ("pagerank", {}, "rank"), ("scc", {}, "component"),
     ("walk", {"length": 3}, "vertex"), ("similarity", {"top": 2}, "similarity")],
)
def test_a_result_in_a_file_is_the_table(store, tmp_path, algorithm, arguments, column):
    file = tmp_path / "result.csv"
    with Graph.open(store) as graph:
        expected = getattr(graph, algorithm)(**arguments)
        written = getattr(graph, algorithm)(**arguments, output=file)
    assert len(written) == 0 and written.info["result"] and written.info["output"] == str(file)
    with open(file) as lines:
        rows = list(csv.DictReader(lines))
    if algorithm != "similarity":
        assert len(rows) == len(expected)
    found = [float(row[column]) if row[column] else None for row in rows]
    assert found == expected[column].tolist()


def test_a_result_does_not_replace_what_it_is_made_of(store, tmp_path):
    with Graph.open(store) as graph:
        for output in [store, tmp_path / "x" / ".." / "g.graph"]:
            with pytest.raises(leadline.BadInput, match="would replace|no such|cannot be|its ending"):
                graph.wcc(output=output)
        link = tmp_path / "link.csv"
        link.symlink_to(store)
        with pytest.raises(leadline.BadInput, match="is the same file as path=.*, which it would replace"):
            graph.wcc(output=link)
        assert graph.verify()["vertices"] == graph.vertices


def test_a_run_goes_on_from_the_result_of_an_earlier_version(store, tmp_path):
    file = tmp_path / "ranks.bin"
    with Graph.open(store) as graph:
        before = graph.pagerank(tolerance=1e-10, output=file)
        with graph.update() as update:
            update.insert_edges([1], [2])
    with Graph.open(store) as graph:
        anew = graph.pagerank(tolerance=1e-10)
        after = graph.pagerank(tolerance=1e-10, from_=file)
        assert not after.notes and after["rank"] == pytest.approx(anew["rank"], abs=1e-9)
        assert after.info["result"]["iterations"] < anew.info["result"]["iterations"]
        assert before.info["version"] == 0 and after.info["version"] == 1
        other = graph.pagerank(tolerance=1e-10, damping=0.5, from_=file)
        assert len(other.notes) == 1 and "this is a full run" in other.notes[0]
        assert graph.pagerank(tolerance=1e-10, from_=file, output=file).info["output"] == str(file)
        with pytest.raises(leadline.BadInput, match="from_"):
            graph.pagerank(tolerance=1e-10, from_=file, output=tmp_path / "ranks.bin.json")


def test_a_run_goes_on_after_edges_were_deleted(tmp_path):
    source, target = np.arange(400), (np.arange(400) + 1) % 400
    kinds = {"wcc": {}, "bfs": {"source": 7}}
    with Graph.from_edges(source, target, directed=False, path=tmp_path / "ring") as graph:
        for name, options in kinds.items():
            getattr(graph, name)(**options, output=tmp_path / f"{name}.bin")
    with Graph.open(tmp_path / "ring") as graph, graph.update() as update:
        update.delete_edges([0, 200], [1, 201])
    with Graph.open(tmp_path / "ring") as graph:
        for name, options in kinds.items():
            run = getattr(graph, name)
            after, anew = run(**options, from_=tmp_path / f"{name}.bin"), run(**options)
            assert not after.notes and after.to_dicts() == anew.to_dicts()
        with graph.update() as update:
            update.delete_vertices([17])
    with Graph.open(tmp_path / "ring") as graph:
        notes = graph.wcc(from_=tmp_path / "wcc.bin").notes
        assert len(notes) == 1 and "before a vertex was deleted" in notes[0]


def test_levels_and_properties_are_files(store, tmp_path):
    properties = tmp_path / "g.properties"
    properties.write_text(
        "graph.g.directed = true\ngraph.g.bfs.source-vertex = 3\ngraph.g.pr.num-iterations = 4\n"
    )
    with Graph.open(store) as graph:
        found = graph.louvain(levels=tmp_path / "levels", max_levels=1)
        lines = (tmp_path / "levels" / "level-1.csv").read_text().splitlines()
        assert len(lines) == 1 + graph.vertices
        assert [int(line.split(",")[1]) for line in lines[1:]] == found["community"].tolist()
        assert graph.bfs(properties=properties)["level"].tolist() == graph.bfs(3)["level"].tolist()
        assert graph.pagerank(properties=properties).info["result"]["iterations"] == 4
        wrong = tmp_path / "wrong.properties"
        wrong.write_text("graph.g.directed = false\n")
        with pytest.raises(leadline.BadInput, match="directed"):
            graph.wcc(properties=wrong)


def test_runs_are_repeated_and_what_one_cached_is_there_for_the_next(store):
    with Graph.open(store) as graph:
        table = graph.wcc(runs=3)
    first, *others = table.info["runs"]
    assert len(others) == 2 and first["bytes_read"] > 0 and others[0]["bytes_read"] == 0
    assert table.info["bytes_read"] == 0 and len(table) == 500


def test_vertex_state_without_room_goes_to_the_folder_that_was_named(tmp_path):
    path, missing, memory = tmp_path / "g.graph", tmp_path / "nowhere", "10M"
    vertices = np.arange(1_000_000, dtype=np.uint32)
    Graph.from_edges(vertices, vertices[::-1].copy(), path=path).close()
    with Graph.open(path, temp=missing, threads=1) as graph:
        with pytest.raises(leadline.Error, match="nowhere"):
            graph.pagerank(iterations=2, memory=memory, output=tmp_path / "ranks.bin")
        table = graph.pagerank(iterations=2, memory=memory, temp=tmp_path, output=tmp_path / "ranks.bin")
        assert table.info["spilled_bytes"] > 0
        # What has room needs no folder.
        assert graph.pagerank(iterations=2).info["spilled_bytes"] == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["g.graph", "ranks.bin", "ranks.bin.json"]


class Seen(Exception):
    pass


def test_progress_is_told_what_runs_and_how_far_it_is(store):
    said = []

    def progress(phase, share, detail):
        said.append((phase, share, detail))
        if len(said) == 3:
            raise Seen

    with Graph.open(store) as graph:
        # So many iterations that it is asked before they are done, whatever the machine.
        with pytest.raises(Seen):
            graph.pagerank(iterations=1_000_000, progress=progress)
        # The graph is as it was.
        assert graph.pagerank().info["result"]["iterations"] == 10
    phases, shares, details = zip(*said, strict=True)
    assert set(phases) == {"PageRank"} and list(shares) == sorted(shares) and 0 <= shares[-1] <= 1
    assert all(detail.startswith("pass ") for detail in details)


def test_every_algorithm_takes_the_same_arguments_of_a_run():
    import inspect

    from leadline._graph_algorithms import NAMES

    wanted = ["memory", "threads", "concurrency", "temp", "output", "runs", "progress"]
    for name in NAMES:
        assert list(inspect.signature(getattr(Graph, name)).parameters)[-7:] == wanted, name


def test_a_store_is_verified_summed_up_and_its_results_are_validated(store, tmp_path):
    with Graph.open(store) as graph:
        assert graph.verify(progress=lambda *_: None)["vertices"] == graph.info()["vertices"] == 500
        page = tmp_path / "page.html"
        graph.info(report=page)
        assert page.read_text().startswith("<!")
        graph.bfs(3, output=tmp_path / "a.graphalytics")
        graph.bfs(4, output=tmp_path / "b.graphalytics")
        files = tmp_path / "a.graphalytics", tmp_path / "b.graphalytics"
        assert graph.validate(files[0], files[0], algorithm="bfs")["valid"]
        with pytest.raises(leadline.Failed, match="is not valid"):
            graph.validate(*files, algorithm="bfs")
    damaged = bytearray(store.read_bytes())
    damaged[-100] ^= 1
    store.write_bytes(damaged)
    with pytest.raises(leadline.BadInput, match="damaged"), Graph.open(store) as graph:
        graph.verify()

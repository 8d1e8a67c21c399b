"""A sharded store, which Python opens as any other, and on which two algorithms run."""

import subprocess
import sys

import pytest

import leadline
from leadline import Graph


@pytest.fixture
def stores(tmp_path):
    edges = tmp_path / "edges.el"
    edges.write_text("".join(f"{2 * v} {2 * v + 2}\n" for v in range(300)) + "1 3\n3 5\n")
    for name, more in [("one", []), ("sharded", ["--shard-vertices", "120"])]:
        command = [sys.executable, "-m", "leadline", "graph", "import", edges, tmp_path / name, *more]
        subprocess.run([*map(str, command), "--undirected"], check=True, capture_output=True)
    return tmp_path / "one", tmp_path / "sharded"


def test_searches_and_components_are_those_of_an_ordinary_store(stores, tmp_path):
    with Graph.open(stores[0]) as one, Graph.open(stores[1]) as sharded:
        assert (sharded.vertices, sharded.edges) == (one.vertices, one.edges)
        for run in [lambda graph: graph.bfs(4), lambda graph: graph.wcc(runs=2)]:
            expected, found = run(one), run(sharded)
            assert len(found) == 304 and found.info["algorithm"] == expected.info["algorithm"]
            for column in ["vertex", next(iter(set(expected.columns) - {"vertex"}))]:
                assert found[column].tolist() == expected[column].tolist()
        file = tmp_path / "levels.csv"
        assert sharded.bfs(4, output=file).info["result"] == one.bfs(4).info["result"]
        assert len(file.read_text().splitlines()) == 305


def test_all_else_is_refused(stores):
    with Graph.open(stores[1]) as graph:
        for refused in [graph.pagerank, lambda: graph.neighbors(4), lambda: graph.bfs(4, parents=True)]:
            with pytest.raises(leadline.BadInput, match="is a sharded graph store"):
                refused()

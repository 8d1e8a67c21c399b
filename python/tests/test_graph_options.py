"""Arguments of algorithms: the same checks as the command line's, and one meaning."""

import warnings
from decimal import Decimal

import numpy as np
import pytest

import leadline
from leadline import Graph


@pytest.fixture(scope="module")
def graph():
    with Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 7], [1.0, 2.0, 0.5, 4.0], directed=False) as graph:
        yield graph


#: Calls, and what the line says of each.
REFUSED = [
    ("pagerank", {"iterations": 0}, "iterations=0: must be a whole number from 1 to 1000000"),
    ("pagerank", {"iterations": -1}, "iterations=-1: must be a whole number from 1 to 1000000"),
    ("pagerank", {"iterations": 1_000_001}, "iterations=1000001: must be a whole number"),
    ("pagerank", {"iterations": 2.5}, "iterations=2.5: must be a whole number"),
    ("pagerank", {"iterations": True}, "iterations=True: must be a whole number"),
    ("pagerank", {"iterations": np.bool_(True)}, "must be a whole number"),
    ("pagerank", {"iterations": "10"}, "iterations='10': must be a whole number"),
    ("pagerank", {"iterations": np.array([10])}, "must be a whole number"),
    ("pagerank", {"iterations": 10**5000}, "must be a whole number"),
    ("pagerank", {"iterations": float("inf")}, "iterations=inf: must be a whole number"),
    ("pagerank", {"tolerance": -1}, "tolerance=-1: must be from 0 to 2"),
    ("pagerank", {"tolerance": float("nan")}, "tolerance=NaN: must be from 0 to 2"),
    ("pagerank", {"tolerance": "1e-9"}, "tolerance='1e-9': must be from 0 to 2"),
    ("pagerank", {"tolerance": True}, "tolerance=True: must be from 0 to 2"),
    ("pagerank", {"tolerance": np.array([0.5])}, "must be from 0 to 2"),
    ("pagerank", {"damping": 1.5}, "damping=1.5: must be from 0 to 1"),
    ("pagerank", {"weighted": 1}, "weighted=1: must be True or False"),
    ("pagerank", {"source": 1.5}, "source: 1.5 is no id"),
    ("pagerank", {"from_": "ranks.bin"}, "give tolerance= too"),
    ("cdlp", {"iterations": 0}, "iterations=0: must be a whole number from 1"),
    ("walk", {"length": 0}, "length=0: must be a whole number from 1"),
    ("walk", {"walkers": 0}, "walkers=0: must be a whole number from 1"),
    ("walk", {"walkers": 3, "per_vertex": 2}, "per_vertex=: cannot be given together with walkers="),
    ("walk", {"source": 1, "per_vertex": 2}, "per_vertex=: cannot be given together with source="),
    ("walk", {"seed": 2**64}, "seed=18446744073709551616: must be a whole number from 0 to 2^64 - 1"),
    ("walk", {"p": 0}, "p=0: must be above 0"),
    ("louvain", {"resolution": 0}, "resolution=0: must be a number above 0"),
    ("leiden", {"seed": -1}, "seed=-1: must be a whole number from 0"),
    ("leiden", {"levels": 7}, "levels=7: must be the path"),
    ("similarity", {"top": 0}, "top=0: must be a whole number from 1"),
    ("similarity", {"top": 1, "measure": "cosine"}, "measure=cosine: must be jaccard or overlap"),
    ("similarity", {"top": 1, "measure": 7}, "measure=7: must be text"),
    ("similarity", {"vertex": 1}, "other: names no vertex"),
    ("wcc", {"runs": 0}, "runs=0: must be a whole number from 1 to 1000"),
    ("wcc", {"threads": 1.5}, "threads=1.5: must be a whole number from 1 to 1024"),
    ("wcc", {"concurrency": "64"}, "concurrency='64': must be a whole number from 1 to 4096"),
    ("wcc", {"memory": 1.5}, "memory=1.5: must be a number of bytes"),
    ("wcc", {"memory": 10**5000}, "memory=over 2^64: must be a number of bytes"),
    ("wcc", {"temp": 7}, "temp=7: must be the path"),
    ("wcc", {"output": 7}, "output=7: must be the path"),
    ("wcc", {"output": "ranks.xyz"}, "its ending is no known format"),
    ("wcc", {"progress": 7}, "progress=7: must be True, False or a function"),
    ("bfs", {"source": "\ud800"}, "source"),
    ("bfs", {"source": [1, "a"]}, r"source[1]"),
    ("bfs", {"source": [[1], [2, 3]]}, "source: must have one dimension"),
]


@pytest.mark.parametrize(("algorithm", "arguments", "words"), REFUSED)
def test_what_the_command_line_refuses_is_refused_in_a_sentence(graph, algorithm, arguments, words):
    with pytest.raises(leadline.BadInput) as raised:
        getattr(graph, algorithm)(**arguments)
    line = str(raised.value)
    assert words in line and "\n" not in line and "--" not in line


def test_whole_numbers_are_taken_whatever_their_type(graph):
    expected = graph.pagerank(iterations=7)["rank"].tolist()
    for seven in [7.0, np.int8(7), np.uint64(7), np.float32(7), np.array(7), Decimal(7)]:
        assert graph.pagerank(iterations=seven)["rank"].tolist() == expected
    assert graph.walk(seed=2**64 - 1, length=2)["walk"].tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert graph.wcc(threads=1.0, concurrency=np.int64(4), memory=64e6).info["threads"] == 1
    assert graph.bfs(np.float64(1.0))["level"].tolist() == graph.bfs(1)["level"].tolist()
    half = graph.pagerank(damping=np.float64(0.5), weighted=np.bool_(True))
    assert half["rank"].tolist() == graph.pagerank(damping=0.5, weighted=True)["rank"].tolist()


def test_none_is_the_default_of_the_command_line(graph):
    assert graph.pagerank().info["result"]["iterations"] == 10
    assert graph.pagerank(iterations=None, damping=None)["rank"].tolist() == graph.pagerank()["rank"].tolist()
    assert len(graph.walk(length=None)) == 4 * 81


def test_a_tolerance_runs_to_convergence_and_says_so(graph):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = graph.pagerank(tolerance=1e-12).info["result"]
        assert graph.pagerank().info["result"]["converged"] is None
    assert found["converged"] is True and found["change"] < 1e-12 and found["iterations"] > 10


def test_what_did_not_converge_says_so_and_warns(graph):
    with pytest.warns(leadline.NotConverged, match="iteration 3 still changed the ranks by") as warned:
        table = graph.pagerank(tolerance=1e-12, iterations=3)
    # It points at the line of the program.
    assert warned[0].filename == __file__
    assert table.info["result"]["converged"] is False
    assert table.notes == (str(warned[0].message),)
    assert table.info["notes"] == list(table.notes)


def test_label_propagation_says_whether_labels_still_change():
    with Graph.from_edges([1, 1, 2, 7], [2, 3, 3, 8], directed=False) as graph:
        with warnings.catch_warnings():
            # So many iterations are asked for, and a label may go back and forth for ever.
            warnings.simplefilter("error")
            first, last = graph.cdlp(iterations=1), graph.cdlp(iterations=100)
            triangle = graph.subgraph([1, 2, 3])
    assert first.info["result"]["converged"] is False and last.info["result"]["converged"] is False
    # Those of 7 and 8 swap; in a triangle alone all take the smallest.
    with Graph.from_edges(triangle.edges["source"], triangle.edges["target"], directed=False) as graph:
        found = graph.cdlp(iterations=100)
    assert found.info["result"]["converged"] is True and found.info["result"]["iterations"] < 100
    assert found["label"].tolist() == [1, 1, 1]

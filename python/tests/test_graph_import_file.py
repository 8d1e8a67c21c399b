"""Files of edges: every option of the import by its name, and none that is silently dropped."""

import numpy as np
import pytest

import leadline
from leadline import Graph


@pytest.fixture
def edges(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target\n1,2\n2,3\n")
    return file


@pytest.mark.parametrize(
    ("arguments", "directed"),
    [
        ({}, True),
        ({"directed": None}, True),
        ({"directed": True}, True),
        ({"directed": False}, False),
        ({"directed": np.bool_(False)}, False),
        ({"undirected": True}, False),
        ({"undirected": False}, True),
        ({"directed": False, "undirected": True}, False),
        ({"directed": True, "undirected": False}, True),
    ],
)
def test_edges_go_the_way_that_is_said(edges, tmp_path, arguments, directed):
    with Graph.import_file(edges, tmp_path / "g", **arguments) as graph:
        assert graph.directed == directed
        assert graph.neighbors(2).tolist() == ([3] if directed else [1, 3])


def test_what_a_file_declares_is_overruled_by_false_too(tmp_path):
    matrix = tmp_path / "a.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n")
    with Graph.import_file(matrix, tmp_path / "a") as graph:
        assert not graph.directed
    with Graph.import_file(matrix, tmp_path / "b", undirected=False) as graph:
        assert graph.directed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"directed": True, "undirected": True}, "directed=True and undirected=True: contradict"),
        ({"directed": False, "undirected": False}, "directed=False and undirected=False: contradict"),
        ({"directed": 0}, "directed=0: must be True or False"),
        ({"header": "maybe"}, "header='maybe': must be yes or no"),
        ({"weights": "yes"}, "weights='yes': must be True or False"),
        ({"block_size": "5K"}, "block_size"),
        ({"threads": 0}, "threads"),
        ({"ids": "words"}, "ids"),
        ({"format": "xls"}, "format"),
        ({"memory": "lots"}, "memory"),
        ({"dedupe": "most"}, "dedupe"),
    ],
)
def test_arguments_that_cannot_be_are_refused_by_their_names(edges, tmp_path, arguments, words):
    with pytest.raises(leadline.BadInput) as raised:
        Graph.import_file(edges, tmp_path / "g", **arguments)
    assert words in str(raised.value) and not (tmp_path / "g").exists()
    names = Graph.preview_file.__kwdefaults__
    if set(arguments) <= set(names):
        with pytest.raises(leadline.BadInput, match=words.split(":")[0].split("=")[0]):
            Graph.preview_file(edges, **arguments)


def test_the_graph_knows_what_was_imported(tmp_path):
    file = tmp_path / "edges.txt"
    file.write_text("# a comment\n1 2\n1 2\n3 3\n")
    with Graph.import_file(file, tmp_path / "g", dedupe=True, drop_self_loops=True) as graph:
        assert graph.imported["edges_read"] == 3 and graph.imported["edges"] == graph.edges == 1
        assert graph.imported["duplicates_dropped"] == graph.imported["self_loops_dropped"] == 1
        assert isinstance(graph.notes, tuple)
    with Graph.open(tmp_path / "g") as graph:
        assert graph.imported is None


def test_columns_and_headers_are_named(tmp_path):
    file = tmp_path / "edges.txt"
    file.write_text("7;1;x;2\n8;2;y;3\n")
    columns = {"source_column": 2, "target_column": 4, "weight_column": 1}
    arguments = {"delimiter": ";", "header": False, **columns}
    with Graph.import_file(file, tmp_path / "g", **arguments) as graph:
        assert graph.sssp(1)["distance"].tolist() == [0, 7, 15]
    assert Graph.preview_file(file, **arguments)["input"]["text"]["header"] is False


def test_another_file_is_replaced_only_by_force(edges, tmp_path):
    store = tmp_path / "letters.txt"
    store.write_text("dear all")
    with pytest.raises(leadline.BadInput, match="force"):
        Graph.import_file(edges, store)
    with Graph.import_file(edges, store, force=True) as graph:
        assert graph.edges == 2

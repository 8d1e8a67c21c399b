"""Tables: what NumPy, Arrow, pandas and polars get of them."""

import gc

import numpy as np
import pytest

from leadline import Graph, Table


@pytest.fixture
def ranks():
    with Graph.from_edges([1, 2, 3], [2, 3, 1]) as graph:
        return graph.pagerank()


def test_columns_are_views_that_keep_the_table_alive():
    table = Table({"x": np.arange(1000, dtype=np.uint64), "y": np.linspace(0, 1, 1000)})
    x = table["x"]
    assert x.ctypes.data == table["x"].ctypes.data
    assert not x.flags.writeable
    del table
    gc.collect()
    assert x.sum() == 499500


def test_arrow_sees_the_same_memory_as_numpy(ranks):
    pyarrow = pytest.importorskip("pyarrow")
    arrow = ranks.to_pyarrow()
    for name in ("vertex", "rank"):
        (chunk,) = arrow[name].chunks
        assert chunk.buffers()[1].address == ranks[name].ctypes.data
    assert pyarrow.table(ranks).equals(arrow)


def test_polars_sees_the_same_memory_as_numpy(ranks):
    pytest.importorskip("polars")
    assert ranks.to_polars()["rank"].to_numpy().ctypes.data == ranks["rank"].ctypes.data


def test_pandas_has_the_columns(ranks):
    pytest.importorskip("pandas")
    frame = ranks.to_pandas()
    assert frame.columns.tolist() == ["vertex", "rank"] and frame["rank"].sum() == pytest.approx(1)


def test_missing_cells_are_masked():
    with Graph.from_edges([1, 5], [2, 6]) as graph:
        parents = graph.bfs(1, parents=True)["parent"]
    assert np.ma.isMaskedArray(parents)
    assert parents.tolist() == [None, 1, None, None]


def test_rows_and_dictionaries():
    table = Table({"vertex": [1, 2], "name": ["a", None]}, {"why": "a test"})
    assert table.to_dicts() == [{"vertex": 1, "name": "a"}, {"vertex": 2, "name": None}]
    assert table.info == {"why": "a test"}
    with pytest.raises(KeyError, match="the columns are vertex, name"):
        table["rank"]


def test_long_tables_are_shown_by_their_ends():
    shown = repr(Table({"x": np.arange(100)}))
    assert shown.startswith("Table with 100 rows") and "... 90 rows ..." in shown
    html = Table({"<x>": ["<b>"]})._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;" in html


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError):
        Table({"x": [1, 2], "y": [1]})

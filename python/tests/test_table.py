"""Tables: rows and columns, and what NumPy, Arrow, pandas and polars get of them."""

import gc
import warnings

import numpy as np
import pytest

import leadline
from leadline import Graph, Table


@pytest.fixture
def ranks():
    with Graph.from_edges([1, 2, 3], [2, 3, 1]) as graph:
        return graph.pagerank()


@pytest.fixture
def mixed():
    """A table with each type of column, and missing cells."""
    return Table(
        {
            "id": np.ma.MaskedArray(np.array([1, 2**63 + 1, 3], dtype=np.uint64), mask=[False, False, True]),
            "small": np.array([7, 8, 9], dtype=np.uint32),
            "change": np.array([-1, 0, 1]),
            "seconds": [0.5, np.nan, 2.5],
            "write": [True, False, True],
            "name": ["a", None, "ü"],
        },
        {"why": "a test"},
        notes=["one was left out"],
    )


def test_columns_are_views_that_keep_the_table_alive():
    table = Table({"x": np.arange(1000, dtype=np.uint64), "y": np.linspace(0, 1, 1000)})
    x = table["x"]
    assert x.ctypes.data == table["x"].ctypes.data
    assert not x.flags.writeable
    part = table[10:20]["x"]
    assert part.ctypes.data == x[10:].ctypes.data
    del table
    gc.collect()
    assert x.sum() == 499500 and part.sum() == 145


def test_arrow_sees_the_same_memory_as_numpy(ranks):
    pyarrow = pytest.importorskip("pyarrow")
    arrow = ranks.to_pyarrow()
    for name in ("vertex", "rank"):
        (chunk,) = arrow[name].chunks
        assert chunk.buffers()[1].address == ranks[name].ctypes.data
    assert pyarrow.table(ranks).equals(arrow)
    assert pyarrow.table(ranks[1:]).equals(arrow.slice(1))


def test_polars_sees_the_same_memory_as_numpy(ranks):
    pytest.importorskip("polars")
    assert ranks.to_polars()["rank"].to_numpy().ctypes.data == ranks["rank"].ctypes.data


def test_pandas_has_the_columns(ranks):
    pandas = pytest.importorskip("pandas")
    frame = ranks.to_pandas()
    assert frame.columns.tolist() == ["vertex", "rank"] and frame["rank"].sum() == pytest.approx(1)
    pandas.testing.assert_frame_equal(pandas.DataFrame(ranks), frame, check_dtype=False)
    pandas.testing.assert_frame_equal(pandas.DataFrame(dict(ranks)), frame)


def test_pandas_has_missing_cells_and_large_ids_as_they_are(mixed):
    pandas = pytest.importorskip("pandas")
    frame = mixed.to_pandas()
    assert frame["id"][1] == 2**63 + 1 and frame["id"].isna().tolist() == [False, False, True]
    assert str(frame["id"].dtype) == "UInt64" and frame["name"].tolist() == ["a", None, "ü"]
    # Of rows pandas makes floats where cells are missing, as it always does.
    small, frame = mixed[[0, 2]], frame.iloc[[0, 2]]
    of_rows = pandas.DataFrame(small)
    assert of_rows.columns.tolist() == frame.columns.tolist()
    for name in frame.columns:
        assert of_rows[name].isna().tolist() == frame[name].isna().tolist()
        assert of_rows[name].dropna().tolist() == frame[name].dropna().tolist()


def test_missing_cells_are_masked():
    with Graph.from_edges([1, 5], [2, 6]) as graph:
        parents = graph.bfs(1, parents=True)["parent"]
    assert np.ma.isMaskedArray(parents)
    assert parents.tolist() == [None, 1, None, None]
    assert Table({"parent": parents})["parent"].tolist() == parents.tolist()
    assert Table({"x": [1, None, 3]})["x"].tolist() == [1, None, 3]


def test_rows_and_dictionaries(mixed):
    table = Table({"vertex": [1, 2], "name": ["a", None]}, {"why": "a test"})
    assert table.to_dicts() == [{"vertex": 1, "name": "a"}, {"vertex": 2, "name": None}]
    assert table.info == {"why": "a test"}
    assert list(table) == [(1, "a"), (2, None)] and table[-1].name is None and table[0]["vertex"] == 1
    assert mixed.row(1)[:2] == (2**63 + 1, 8) and mixed.row(-1).id is None
    assert sum(1 for _ in Table({"x": np.arange(10_000)})) == 10_000
    for wrong in (10**9, -3, 2):
        for choose in (table.row, table.__getitem__, lambda at: table[[at]]):
            with pytest.raises(IndexError, match=f"row {wrong}: the table has 2 rows") as raised:
                choose(wrong)
            assert isinstance(raised.value, leadline.BadInput)


def test_columns_are_found_by_name(mixed):
    assert mixed.columns == ["id", "small", "change", "seconds", "write", "name"] == list(mixed.keys())
    assert mixed.shape == (3, 6) and "small" in mixed and "rank" not in mixed and 3 not in mixed
    part = mixed[["name", "small"]]
    assert part.columns == ["name", "small"] and part.info == mixed.info and part.notes == mixed.notes
    assert dict(mixed)["small"].tolist() == [7, 8, 9]
    for choose in (lambda: mixed["rank"], lambda: mixed[["small", "rank"]]):
        with pytest.raises(KeyError, match="the columns are id, small") as raised:
            choose()
        assert isinstance(raised.value, leadline.BadInput) and not str(raised.value).startswith("'")


def test_rows_are_chosen_as_from_an_array(mixed):
    for rows in (
        slice(1, 3), slice(None, None, 2), slice(None, None, -1), slice(5, 9), slice(-2, None),
        [0, 2, -1, 0], np.array([True, False, True]), [False] * 3, np.array([], dtype=np.int64),
        np.array([2], dtype=np.uint8),
    ):  # fmt: skip
        chosen = mixed[rows]
        assert type(chosen) is Table and chosen.info == mixed.info
        for name in mixed.columns:
            assert repr(chosen[name].tolist()) == repr(mixed[name][rows].tolist())
    assert mixed.head(2) == mixed[:2] and mixed.tail(2) == mixed[1:] and mixed.tail(0) == mixed[:0]
    assert mixed.head(99) == mixed == mixed.tail(99)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ([], "t[:0]"),
        (("id", "small"), '[["a", "b"]]'),
        (1.5, "t[1.5]"),
        (None, "t[None]"),
        (True, "t[True]"),
        ([True], "1 booleans for 3 rows"),
        (np.ma.MaskedArray([True] * 3, mask=[0, 0, 1]), ".filled(False)"),
        (["small", "small"], "small is there twice"),
        (slice("a", "b"), "slice"),
        (slice(None, None, 0), "zero"),
        (np.zeros((1, 1), dtype=int), "rows are chosen"),
    ],
)
def test_what_chooses_nothing_is_refused_with_the_remedy(mixed, key, words):
    with pytest.raises(leadline.BadInput) as raised:
        mixed[key]
    assert words in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({}, "at least one"),
        ({"x": [1, 2], "y": [1]}, "x has 2 cells and y 1"),
        ({1: [1]}, "the name 1"),
        ([1, 2], "dictionary"),
        ({"x": 3}, "one dimension"),
        ({"x": [[1], [1, 2]]}, "one dimension"),
        ({"x": np.array(["2020-01-01"], dtype="M8[s]")}, "datetime64"),
        ({"x": [1j]}, "complex"),
        ({"x": [b"a"]}, "bytes"),
        ({"x": ["\ud800"]}, "is no text"),
        ({"\ud800": [1]}, "is no text"),
    ],
)
def test_columns_that_make_no_table_are_named(columns, words):
    with pytest.raises(leadline.BadInput) as raised:
        Table(columns)
    assert words in str(raised.value)


def test_tables_are_equal_by_their_cells(mixed):
    again = Table(dict(mixed))
    assert again == mixed and again[::-1] != mixed and mixed != mixed[mixed.columns[::-1]]
    assert Table({"x": [1]}) == Table({"x": [1.0]}) != Table({"x": [2]})
    assert Table({"x": [1, None]}) != Table({"x": [1, 0]})
    assert mixed != "a table"


def test_an_array_has_the_numbers_or_refuses_to_change_them(mixed):
    numbers = mixed[["small", "change", "seconds"]].to_numpy()
    assert numbers.dtype == np.float64 and numbers[0].tolist() == [7, -1, 0.5]
    assert Table({"x": [1, None]}).to_numpy()[0].tolist() == [1]
    assert np.isnan(Table({"x": [1, None]}).to_numpy()[1, 0])
    assert mixed.to_numpy()[2].tolist() == [None, 9, 1, 2.5, True, "ü"]
    fields = mixed[["small", "name"]].to_numpy(structured=True)
    assert fields["small"].dtype == np.uint32 and fields["name"].tolist() == ["a", None, "ü"]
    with pytest.raises(leadline.BadInput, match="id: has numbers beyond 2"):
        mixed[["id", "seconds"]].to_numpy()


def test_long_and_wide_tables_are_shown_by_their_ends(monkeypatch):
    shown = repr(Table({"x": np.arange(100)}))
    assert shown.startswith("Table with 100 rows") and "... 90 rows ..." in shown
    monkeypatch.setenv("COLUMNS", "80")
    wide = Table({f"column_{at}": [at, at] for at in range(100)} | {"text": ["x" * 500, "line\nline"]})
    lines = repr(wide).splitlines()
    assert max(map(len, lines[:-1])) <= 80 and len(lines) <= 6
    assert lines[1].startswith("column_0") and lines[1].endswith("text") and "column_50" not in lines[1]
    assert "columns" in lines[-1] and "column_50" not in lines[2]
    html = Table({"<x>": ["<b>"]})._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;" in html
    assert "81 columns not shown" in wide._repr_html_()


def test_units_are_told_by_the_ends_of_names():
    table = Table(
        {"latency_p99_us": [1.5], "iops_low": [2.0], "rate": [3.0], "op": ["read"]}, units={"rate": "bytes/s"}
    )
    assert table.units == {"latency_p99_us": "µs", "iops_low": "requests/s", "rate": "bytes/s"}
    assert "<td>µs</td><td>requests/s</td><td>bytes/s</td><td></td>" in table._repr_html_()
    assert table[["rate"]].units == {"rate": "bytes/s"}


def test_names_of_earlier_versions_are_found_with_a_warning():
    table = Table({"latency_p99.9_us": [1.5], "latency_mean_us": [2.5]})
    for old, cell in [("p99.9_us", 1.5), ("latency_us_p99.9", 1.5), ("mean_us", 2.5)]:
        with pytest.warns(DeprecationWarning, match=f"column {old} is called latency_") as caught:
            assert table[old][0] == cell
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert table["latency_mean_us"][0] == 2.5 and "mean_us" not in table

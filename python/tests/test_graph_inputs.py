"""Edges from whatever has them: the same as from two arrays, or refused with what is wrong and where."""

import os
import subprocess
import sys
import textwrap
from array import array
from collections import namedtuple
from decimal import Decimal

import numpy as np
import pytest

import leadline
from leadline import Graph

SOURCES = [5, 1, 7, 7, 1, 9]
TARGETS = [1, 7, 5, 1, 7, 9]
WEIGHTS = [0.5, 1.0, 2.0, 0.25, 8.0, 3.0]
NAMES = [f"v{id}" for id in SOURCES], [f"v{id}" for id in TARGETS]
TRIPLES = list(zip(SOURCES, TARGETS, WEIGHTS, strict=True))
NAMED = list(zip(*NAMES, WEIGHTS, strict=True))
PAIRS = [row[:2] for row in TRIPLES]


def edges_of(graph):
    rows = [tuple(row.values()) for batch in graph.edges(1000) for row in batch.to_dicts()]
    return sorted(rows if graph.directed else [(*sorted(row[:2]), *row[2:]) for row in rows])


def found(*args, **options):
    with Graph.from_edges(*args, **options) as graph:
        return edges_of(graph)


def refusal(*args, **options):
    with pytest.raises(leadline.BadInput) as raised:
        Graph.from_edges(*args, **options)
    line = str(raised.value)
    assert "\n" not in line
    return line


def frame(strings, **names):
    ends = NAMES if strings else (SOURCES, TARGETS)
    columns = {"other": [0] * 6, "source": ends[0], "target": ends[1], "weight": WEIGHTS}
    return {names.get(name, name): values for name, values in columns.items()}


def tables(strings):
    columns = frame(strings)
    yield "dict", lambda: columns
    if not strings:
        kinds = [("source", "i8"), ("weight", "f4"), ("target", "u2")]
        yield "structured", lambda: np.array(
            [(s, w, t) for s, t, w in TRIPLES], dtype=kinds
        )
    yield "leadline", lambda: leadline.Table(columns)
    try:
        import pandas
    except ImportError:
        pass
    else:
        yield "pandas", lambda: pandas.DataFrame(columns)
        yield "pandas, nullable", lambda: pandas.DataFrame(columns).convert_dtypes()
    try:
        import polars
    except ImportError:
        pass
    else:
        yield "polars", lambda: polars.DataFrame(columns)
        yield "polars, lazy", lambda: polars.DataFrame(columns).lazy().filter(polars.col("other") == 0)
        yield "polars, in parts", lambda: polars.concat(
            [polars.DataFrame(columns)[:2], polars.DataFrame(columns)[2:]], rechunk=False
        )
    try:
        import pyarrow
    except ImportError:
        pass
    else:
        whole = pyarrow.table(columns)
        parts = pyarrow.concat_tables([whole[:1], whole[1:1], whole[1:]])
        yield "arrow", lambda: whole
        yield "arrow, in parts", lambda: parts
        yield "arrow, one batch", lambda: whole.to_batches()[0]
        yield "arrow, reader", parts.to_reader
        if strings:
            yield "arrow, dictionary", lambda: whole.set_column(
                1, "source", whole["source"].dictionary_encode()
            )
    try:
        import duckdb
    except ImportError:
        return
    import pyarrow

    kept = pyarrow.table(columns)
    yield "duckdb", lambda: duckdb.from_arrow(kept)


TABLES = [
    pytest.param(make, strings, id=f"{name}, {'strings' if strings else 'numbers'}")
    for strings in [False, True]
    for name, make in tables(strings)
]


@pytest.mark.parametrize(("make", "strings"), TABLES)
def test_every_table_makes_the_same_edges(make, strings):
    rows = sorted(NAMED if strings else TRIPLES)
    assert found(make()) == rows
    assert found(make(), weight=False) == sorted(row[:2] for row in rows)
    # As a batch of a generator, and twice.
    assert found(make() for _ in range(2)) == sorted(rows * 2)


@pytest.mark.parametrize(("make", "strings"), TABLES)
def test_every_table_changes_a_graph(make, strings):
    none = np.empty(0, dtype=object if strings else np.uint64)
    graph = Graph.from_edges(none, none, [], vertices=["a"] if strings else [0])
    with graph, graph.update() as update:
        update.insert_edges(make())
        update.delete_edges(make() for _ in range(1))
        update.insert_edges(make())
        update.commit()
        with Graph.open(graph.path) as new:
            assert edges_of(new) == sorted(NAMED if strings else TRIPLES)


@pytest.mark.parametrize(
    "rows",
    [
        PAIRS,
        [list(pair) for pair in PAIRS],
        tuple(PAIRS),
        np.array(PAIRS),
        np.array(PAIRS, dtype=np.uint16),
        np.array(PAIRS, dtype=np.float64),
        np.asfortranarray(PAIRS),
        np.array(PAIRS).T,
        np.array(PAIRS, dtype=object),
        (SOURCES, TARGETS),
        [np.array(SOURCES), np.array(TARGETS)],
        [namedtuple("Edge", "u v")(*pair) for pair in PAIRS],
    ],
    ids=lambda rows: f"{type(rows).__name__} of {type(rows[0]).__name__}",
)
def test_rows_make_the_same_edges(rows):
    assert found(rows) == sorted(PAIRS)
    assert found(iter([rows, rows])) == sorted(2 * PAIRS)


@pytest.mark.parametrize(
    "rows", [TRIPLES, np.array(TRIPLES), (SOURCES, TARGETS, WEIGHTS), iter(TRIPLES), (row for row in NAMED)]
)
def test_a_third_column_has_weights(rows):
    expected = sorted(NAMED if hasattr(rows, "gi_frame") else TRIPLES)
    assert found(rows) == expected


def test_pairs_come_one_by_one_from_any_iterator():
    assert found(zip(SOURCES, TARGETS, strict=True)) == sorted(PAIRS)
    assert found(set(PAIRS)) == sorted(set(PAIRS))
    assert found(dict.fromkeys(PAIRS).keys()) == sorted(set(PAIRS))
    many = ((i % 1000, i % 777) for i in range(200_000))
    with Graph.from_edges(many) as graph:
        assert (graph.vertices, graph.edges) == (1000, 200_000)


def test_batches_of_different_kinds_follow_each_other():
    pandas = pytest.importorskip("pandas")
    batches = [
        (SOURCES, TARGETS),
        np.array(PAIRS, dtype="u1"),
        pandas.DataFrame({"from": SOURCES, "to": TARGETS}),
        *PAIRS,
        (np.empty(0, dtype="i8"), []),
        # Read as those before it.
        np.array(PAIRS[:2]),
    ]
    assert found(iter(batches)) == sorted(4 * PAIRS + PAIRS[:2])


@pytest.mark.parametrize(
    "two",
    [
        np.array([[1, 2], [3, 4]]),
        np.array([[1, 2, 3], [3, 4, 5]]),
        np.array([[1, 2], [3, 4], [5, 6]]),
        [[1, 2], [3, 4]],
        ((1, 2), (3, 4)),
        [np.array([1, 2]), np.array([3, 4])],
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(two):
    line = refusal(two)
    assert "a row for each edge, or a column of sources" in line and "from_edges(sources, targets)" in line
    assert "batch 1: " in refusal(iter([two]))


def test_two_edges_in_pythons_own_way_are_two_edges():
    assert found([(1, 2), (3, 4)]) == [(1, 2), (3, 4)]
    assert found((np.array([1, 2]), np.array([3, 4]))) == [(1, 3), (2, 4)]
    assert found([]) == []


def test_columns_with_other_names_are_named():
    columns = frame(False, source="a", target="b", weight="c")
    del columns["other"]
    assert found(columns, source_column="b", target_column="a", weight="c") == sorted(
        (t, s, w) for s, t, w in TRIPLES
    )
    assert found(({**columns} for _ in range(1)), source_column="a", target_column="b") == sorted(PAIRS)
    assert "source_column= and target_column=" in refusal(columns)
    del columns["c"]
    assert "either to the other" in refusal(columns)
    assert "no column is called so; the columns are a, b" in refusal(
        columns, source_column="x", target_column="b"
    )
    both = {"source": SOURCES, "src": SOURCES, "target": TARGETS}
    assert "source and src may both be meant; source_column= says which" in refusal(both)
    assert found(both, source_column="src") == sorted(PAIRS)
    assert "source_column='a': is for tables" in refusal(SOURCES, TARGETS, source_column="a")


class Strange(Exception):
    pass


def test_an_exception_in_a_generator_arrives_unchanged_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    error = Strange("mine")

    def batches():
        yield SOURCES, TARGETS
        raise error

    for path in [None, tmp_path / "g.graph"]:
        with pytest.raises(Strange) as raised:
            Graph.from_edges(batches(), path=path)
        assert raised.value is error and list(tmp_path.iterdir()) == []
    with Graph.from_edges(SOURCES, TARGETS) as graph, graph.update() as update:
        update.insert_vertices([77])
        with pytest.raises(Strange):
            update.insert_edges(batches())
        assert update.pending == 0
        with pytest.raises(leadline.BadInput, match="consumed"):
            update.insert_edges(iter([]))


def test_generators_run_on_the_thread_of_the_caller():
    import threading

    threads = set()

    def batches():
        for _ in range(3):
            threads.add(threading.get_ident())
            yield SOURCES, TARGETS

    Graph.from_edges(batches()).close()
    assert threads == {threading.get_ident()}


def test_a_generator_that_gives_nothing_is_not_an_empty_graph():
    batches = (pair for pair in [(SOURCES, TARGETS)])
    Graph.from_edges(batches).close()
    assert "was consumed before" in refusal(batches)
    assert "no batch came" in refusal(iter([]))


def test_ctrl_c_reaches_a_generator(tmp_path):
    program = f"""
        import os, signal, threading, leadline
        def batches():
            yield [1, 2], [2, 3]
            os.kill(os.getpid(), signal.SIGINT)
            while True:
                pass
        try:
            leadline.Graph.from_edges(batches(), path={os.fspath(tmp_path / "g.graph")!r})
        except KeyboardInterrupt:
            print(os.listdir({os.fspath(tmp_path)!r}))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_networkits_graphs_are_taken_as_they_are(directed, weighted):
    networkit = pytest.importorskip("networkit")
    theirs = networkit.Graph(12, weighted=weighted, directed=directed)
    for source, target, weight in TRIPLES:
        theirs.addEdge(source, target, weight)
    expected = sorted(row if weighted else row[:2] for row in TRIPLES)
    if not directed:
        expected = sorted((*sorted(row[:2]), *row[2:]) for row in expected)
    with Graph.from_edges(theirs, weight=weighted) as graph:
        assert edges_of(graph) == expected and (graph.vertices, graph.directed) == (12, directed)
    theirs.removeNode(3)
    with Graph.from_edges(theirs) as graph:
        assert graph.ids().tolist() == [id for id in range(12) if id != 3]
    if not weighted:
        assert "has no weights" in refusal(theirs, weight=True)


def test_a_part_of_a_graph_is_a_graph():
    with Graph.from_edges(TRIPLES) as graph:
        part = graph.subgraph([1, 7, 9])
        assert found(part) == [row for row in sorted(TRIPLES) if 5 not in row[:2]]
        assert found(graph.edges(2)) == sorted(TRIPLES)
        assert "graph.edges(100_000)" in refusal(graph)


MASKED = np.ma.array([1, 2, 3], mask=[False, True, False])
#: Inputs, and what is said of them.
WRONG = [
    (([1, -3], [1, 1]), "edges[1]: source -3; ids are from 0 to 2^64 - 1"),
    (([2**64 - 1, -3], [1, 1]), "sources[1]: ids are from 0 to 2^64 - 1, not -3"),
    ((np.array([1, -3]), [1, 1]), "edges[1]: source -3"),
    (([1], [1.5]), "targets[0]: ids are whole numbers or strings, not 1.5"),
    ((np.array([0.5]), [1]), "sources[0]: ids are whole numbers or strings, not 0.5"),
    (([1], [1e300]), "targets[0]: ids are whole numbers or strings, not 1e+300"),
    ((np.array([1, 2**25], dtype="f4"), [1, 1]), "sources[1]: ids are whole numbers or strings"),
    (([1, 2**64], [1, 1]), "sources[1]: ids are from 0 to 2^64 - 1, not 18446744073709551616"),
    (([True, False], [1, 2]), "sources: ids are whole numbers or strings, not bool"),
    (([1], [None]), "targets[0]"),
    (([1], [float("nan")]), "targets[0]"),
    ((MASKED, [1, 2, 3]), "sources[1]: is masked"),
    (([1, 2, 3], [1, 2, 3], MASKED), "weights[1]: is masked"),
    ((np.array([1], "m8[s]"), [1]), "sources: ids are whole numbers or strings, not timedelta64[s]"),
    (([1], [1], np.array([1], "m8[s]")), "weights: must be numbers, not timedelta64[s]"),
    ((["a", b"b"], ["a", "b"]), "sources[1]"),
    (([1, "a"], [1, 1]), "sources[1]: ids are all whole numbers or all strings, not 'a'"),
    (([1, [2, 3]], [1, 2]), "sources: cannot be made an array"),
    ((["a\ud800"], ["b"]), "sources[0]: 'a\\ud800' is no text"),
    (([1], [2], [1 + 2j]), "weights: must be numbers, not complex128"),
    (([1], [2], [float("inf")]), "edges[0]: expected a finite number as weight, found inf"),
    (([1, 2], [2, 3], [1.0, None]), "weights[1]: is missing; give each edge one"),
    (([1, 2], [2, 3], [1.0, "x"]), "weights[1]: must be a number, not 'x'"),
    (([1], [2], [10**400]), "weights[0]"),
    (([1], [2], 3.0), "weights: must be an array or a list, not float"),
    (({1, 2}, [1, 2]), "sources: must be an array or a list, not set"),
    (("abc", ["x"]), "sources: 'abc' is one value"),
    (("edges.csv",), "Graph.import_file reads files"),
    ((len,), "a function; call it"),
    ((None,), "NoneType has no columns"),
    (([1, 2, 3],), "neither a row of two or three"),
    ((np.zeros(3, dtype=int),), "an array of 1 dimension"),
    ((np.zeros((5, 5), dtype=int),), "an array of 5 x 5 is neither"),
    ((np.array([[1, 2], [2, 3], [3, 4], [5, 1.5]]),), "targets[3]: ids are whole numbers"),
    (([(1, 2), (1, 2, 3.0)],), "edges[1]: expected a source and a target, found (1, 2, 3.0)"),
    (([(1, 2, {"weight": 3})],), "weights[0]: must be a number, not {'weight': 3}"),
    ((iter([(1, 2), 7]),), "batch 2: is no batch of edges"),
    ((iter([PAIRS, (["a"], ["b"])]),), "batch 2: edges: expected numbers as ids, as before, found strings"),
    ((iter([(SOURCES, TARGETS), (SOURCES, TARGETS, WEIGHTS)]),), "batch 2: edges: found weights"),
    ((iter([(SOURCES, TARGETS), ([1, 2], [3])]),), "batch 2: edges: expected as many targets"),
    ((iter([(SOURCES, TARGETS), ([1], [-1])]),), "batch 2: edges[0]: target -1"),
    ((iter([(SOURCES, TARGETS), (np.array([1]), np.array([-1]))]),), "batch 2: edges[0]: target -1"),
    (({"source": [], "target": [1]},), "found 0 sources and 1 targets"),
    (({},), "an empty dictionary"),
    (((range(70_000), [*range(69_999), "a"])), "targets[69999]: ids are all whole numbers"),
]


@pytest.mark.parametrize(("args", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_cannot_be_used_is_named_with_its_place(args, words):
    assert words in refusal(*args)


def test_cells_that_are_missing_are_named_with_their_row():
    for module in ["pandas", "polars", "pyarrow"]:
        library = pytest.importorskip(module)
        make = getattr(library, "table" if module == "pyarrow" else "DataFrame")
        for strings in [False, True]:
            columns = frame(strings)
            columns["target"] = [*columns["target"][:4], None, columns["target"][5]]
            if module == "pandas":
                columns["target"] = library.Series(columns["target"], dtype="string" if strings else "Int64")
            assert "targets[4]: is null" in refusal(make(columns))
        columns = frame(False)
        columns["weight"] = [None, *WEIGHTS[1:]]
        assert "weights[0]: is null" in refusal(make(columns))
    pyarrow = pytest.importorskip("pyarrow")
    decimals = pyarrow.table({"source": [Decimal(1)], "target": [1]})
    assert "sources: ids are whole numbers or strings, not Decimal128" in refusal(decimals)


def test_numbers_of_every_kind_are_ids():
    doubles = [float(id) for id in SOURCES]
    kinds = [array("H", SOURCES), np.array(SOURCES, dtype=">i4"), [np.int8(id) for id in SOURCES]]
    for ids in [*kinds, doubles, np.array(doubles), np.array(doubles, dtype="f2"), [*SOURCES[:5], 9.0]]:
        assert found(ids, TARGETS) == sorted(PAIRS)
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"source": doubles, "target": TARGETS})
    assert found(table) == sorted(PAIRS)
    halves = table.with_columns(source=table["source"] / 2)
    assert "sources[0]: ids are whole numbers or strings, not 2.5" in refusal(halves)
    assert found(SOURCES, TARGETS, [Decimal("0.5")] * 6) == sorted((s, t, 0.5) for s, t in PAIRS)


@pytest.mark.parametrize("strings", [False, True])
def test_columns_of_every_library_go_together(strings):
    pandas, polars, pyarrow = map(pytest.importorskip, ["pandas", "polars", "pyarrow"])
    ends, rows = (NAMES, NAMED) if strings else ((SOURCES, TARGETS), TRIPLES)
    columns = [*ends, WEIGHTS]
    pieces = [pyarrow.chunked_array([column[:at], column[at:]]) for at, column in enumerate(columns, 1)]
    for library in [
        pieces,
        [pyarrow.array(column) for column in columns],
        [polars.Series(column) for column in columns],
        [pandas.Series(column) for column in columns],
        [pandas.Series(columns[0], dtype="category"), *columns[1:]],
        [pieces[0], polars.Series(columns[1]), np.array(columns[2])],
    ]:
        assert found(*library) == sorted(rows)


def test_a_query_that_fails_leaves_nothing(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    bad = "case when range > {} then cast('x' as int) else 2 end"
    query = f"select 1 as source, {bad} as target from range({{}})"
    # At its beginning DuckDB raises its own exception; in its middle Arrow's interface has only a text.
    for rows in [10, 3_000_000]:
        with pytest.raises((duckdb.Error, leadline.Failed), match="convert string 'x'"):
            Graph.from_edges(duckdb.sql(query.format(rows // 2, rows)), path=tmp_path / "g.graph")
        assert list(tmp_path.iterdir()) == []


def test_edges_in_batches_stay_below_the_cap(tmp_path):
    program = f"""
        import numpy as np, os, re, leadline
        def resident(name):
            return int(re.search(name + r":\\s+(\\d+)", open("/proc/self/status").read())[1]) >> 10
        def batches(count):
            random = np.random.default_rng(1)
            for _ in range(count):
                yield random.integers(0, 1 << 20, (2, 1 << 16))
        leadline.Graph.from_edges(batches(1)).close()
        before = resident("VmRSS")
        open("/proc/self/clear_refs", "w").write("5")
        leadline.Graph.from_edges(batches(64), path={os.fspath(tmp_path / "g")!r}, memory="16M").close()
        print(resident("VmHWM") - before)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    # The edges take 64 MiB as they are given, and a batch 1 MiB.
    assert int(done.stdout) < 16 + 16 + 3

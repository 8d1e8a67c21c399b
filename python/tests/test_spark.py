"""Spark: the same results as the local engine's, from edges wherever Spark has them."""

import json
import os
import shutil
import sys
from decimal import Decimal

import numpy as np
import pytest

import leadline
from leadline import Graph
from leadline import spark as on_spark

exhaustive = pytest.mark.skipif(not os.environ.get("LEADLINE_EXHAUSTIVE"), reason="LEADLINE_EXHAUSTIVE")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """One small Spark for all tests."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java")
    folder = str(tmp_path_factory.mktemp("spark"))
    settings = {
        "spark.driver.memory": "3g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": folder,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if not os.environ.get("LEADLINE_EXHAUSTIVE"):
        # Work of milliseconds is not worth good compilers: half of the time.
        settings["spark.driver.memory"] = "512m"
        settings["spark.driver.extraJavaOptions"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        settings["spark.sql.codegen.wholeStage"] = "false"
    builder = sql.SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def by_vertex(result):
    """A result's rows by their vertex: of a table, or of a DataFrame."""
    if isinstance(result, leadline.Table):
        columns = [result[name].tolist() for name in result.column_names]
        return {row[0]: row[1:] for row in zip(*columns, strict=True)}
    rows = [tuple(row) for row in result.collect()]
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: row[1:] for row in rows}


def columns_of(result):
    return result.column_names if isinstance(result, leadline.Table) else result.columns


def same(theirs, ours, relative=None):
    assert columns_of(theirs) == columns_of(ours)
    theirs, ours = by_vertex(theirs), by_vertex(ours)
    if relative is None:
        assert theirs == ours
        return
    assert theirs.keys() == ours.keys()
    for vertex, values in ours.items():
        assert theirs[vertex] == pytest.approx(values, rel=relative), vertex


def edge_frame(session, source, target, weight=None):
    """Edges by way of Arrow, which needs no workers in Python."""
    pyarrow = pytest.importorskip("pyarrow")
    kind = pyarrow.string() if len(source) and isinstance(source[0], str) else pyarrow.int64()
    columns = {"source": pyarrow.array(source, kind), "target": pyarrow.array(target, kind)}
    if weight is not None:
        columns["weight"] = pyarrow.array(weight, pyarrow.float64())
    return session.createDataFrame(pyarrow.table(columns))


def random_edges(seed, vertices, edges):
    random = np.random.default_rng(seed)
    ends = random.integers(0, vertices, (2, edges)).tolist()
    return *ends, random.uniform(0.1, 3, edges).round(3).tolist()


def all_the_same(graph, edges, sources, **given):
    """Every algorithm, on both."""
    same(on_spark.bfs(edges, sources, parents=True, **given), graph.bfs(sources, parents=True))
    same(on_spark.wcc(edges, **given), graph.wcc())
    same(on_spark.pagerank(edges, iterations=3, **given), graph.pagerank(iterations=3), 1e-12)
    same(on_spark.sssp(edges, sources, **given), graph.sssp(sources))
    same(on_spark.cdlp(edges, iterations=3, **given), graph.cdlp(iterations=3))
    same(on_spark.lcc(edges, **given), graph.lcc(), 1e-12)
    same(on_spark.kcore(edges, **given), graph.kcore())


def test_results_are_the_local_engines_and_graphs_move_between_them(session, tmp_path):
    # With self-loops, repeated edges, edges both ways, two components and a vertex without edges.
    source, target, weight = random_edges(1, 12, 30)
    source, target, weight = source + [40, 41], target + [41, 42], weight + [1.0, 2.0]
    frame = edge_frame(session, source, target, weight)
    alone = session.range(77, 78).withColumnRenamed("id", "vertex")
    with Graph.from_edges(source, target, weight, vertices=[77], reverse=True) as graph:
        all_the_same(graph, frame, [source[0], 77], vertices=alone)
        with on_spark.import_(frame, tmp_path / "g.graph", vertices=alone, reverse=True) as imported:
            assert imported.directed and imported.weighted
            assert imported.path.read_bytes() == graph.path.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["g.graph"]


@exhaustive
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("strings", [True, False])
def test_ids_and_directions_of_every_kind(session, directed, strings):
    source, target, weight = random_edges(2, 40, 120)
    more = [1000, 2000]
    if strings:
        # Strings are in the order of their bytes, in which é follows z.
        source, target, more = ([f"{'zé'[v % 2]}{v}" for v in ids] for ids in (source, target, more))
    frame = edge_frame(session, source, target, weight)
    alone = session.createDataFrame([(v,) for v in more], f"vertex {'string' if strings else 'long'}")
    with Graph.from_edges(
        source, target, weight, vertices=more, directed=directed, reverse=directed
    ) as graph:
        all_the_same(graph, frame, [source[0], more[0]], vertices=alone, directed=directed)


@pytest.mark.parametrize(
    "call, what",
    [
        (lambda: on_spark.pagerank(None, iterations=0), "iterations=0: must be"),
        (lambda: on_spark.pagerank(None, damping=1.5), "damping=1.5: must be"),
        (lambda: on_spark.pagerank(None, tolerance=-1), "tolerance=-1: must be"),
        (lambda: on_spark.pagerank(None, tolerance=float("nan")), "tolerance=NaN: must be"),
        (lambda: on_spark.cdlp(None, iterations=2**40), "iterations=1099511627776: must be"),
        (lambda: on_spark.cdlp(None, iterations="ten"), "iterations='ten': must be"),
    ],
)
def test_options_are_checked_as_on_one_machine(call, what):
    with pytest.raises(leadline.BadInput) as refused:
        call()
    assert str(refused.value).startswith(what)


@exhaustive
def test_pagerank_stops_where_the_local_engine_stops_and_may_be_personal(session):
    source, target, _ = random_edges(3, 40, 100)
    frame = edge_frame(session, source, target)
    with Graph.from_edges(source, target) as graph:
        for options in (
            {"iterations": 1},
            {"damping": 0.5},
            {"tolerance": 1e-4},
            {"iterations": 100, "tolerance": 1e-4},
            {"source": [source[0], source[0], target[1]]},
        ):
            same(on_spark.pagerank(frame, **options), graph.pagerank(**options), 1e-12)


@exhaustive
def test_generated_graphs(session):
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies

    ids = strategies.one_of(strategies.integers(0, 6), strategies.sampled_from([2**40, 2**63 - 1]))
    weights = strategies.sampled_from([0.0, 0.1, 0.2, 1.0, 3.5])
    edges = strategies.lists(strategies.tuples(ids, ids, weights), min_size=1, max_size=25)

    @hypothesis.settings(max_examples=10, deadline=None, derandomize=True)
    @hypothesis.given(edges, strategies.booleans())
    def check(edges, directed):
        source, target, weight = map(list, zip(*edges, strict=True))
        frame = edge_frame(session, source, target, weight)
        with Graph.from_edges(source, target, weight, directed=directed, reverse=directed) as graph:
            all_the_same(graph, frame, source[0], directed=directed)

    check()


@exhaustive
def test_a_long_path_and_a_graph_without_edges(session):
    ids = list(range(60))
    frame = edge_frame(session, ids[:-1], ids[1:])
    with Graph.from_edges(ids[:-1], ids[1:]) as graph:
        same(on_spark.bfs(frame, 0), graph.bfs(0))
        same(on_spark.wcc(frame), graph.wcc())
    empty, alone = edge_frame(session, [], []), session.createDataFrame([(5,)], "vertex long")
    with Graph.from_edges(np.zeros(0, "u8"), np.zeros(0, "u8"), vertices=[5]) as graph:
        same(on_spark.pagerank(empty, vertices=alone), graph.pagerank())
        same(on_spark.wcc(empty, vertices=alone), graph.wcc())
    assert on_spark.pagerank(empty).collect() == []


@exhaustive
def test_graphs_of_files(session, tmp_path):
    source, target, weight = random_edges(4, 30, 90)
    frame = edge_frame(session, source, target, weight)
    frame.write.parquet(str(tmp_path / "parquet"))
    frame.write.csv(str(tmp_path / "csv"), header=True)
    with Graph.from_edges(source, target, weight) as graph:
        for name in ("parquet", "csv"):
            same(on_spark.sssp(tmp_path / name, source[0]), graph.sssp(source[0]))
    for name in ("edges", "vertices"):
        (tmp_path / "export" / name).mkdir(parents=True)
    frame.repartition(3).write.mode("overwrite").parquet(str(tmp_path / "export/edges"))
    vertices = sorted({*source, *target, 99})
    named = session.createDataFrame([(v,) for v in vertices], "vertex long")
    named.write.mode("overwrite").parquet(str(tmp_path / "export/vertices"))
    about = {"format": "leadline.graph-export/1", "directed": False, "weighted": True}
    about |= {"vertices": len(vertices), "edges": len(source)}
    (tmp_path / "export/graph.json").write_text(json.dumps(about))
    with Graph.from_edges(source, target, weight, vertices=[99], directed=False) as graph:
        same(on_spark.sssp(tmp_path / "export", source[0]), graph.sssp(source[0]))
    about["edges"] += 1
    (tmp_path / "export/graph.json").write_text(json.dumps(about))
    with pytest.raises(leadline.BadInput, match=r"graph\.json"):
        on_spark.wcc(tmp_path / "export")


@exhaustive
def test_what_a_run_kept_is_released_and_the_sessions_settings_stay(session):
    frame = edge_frame(session, *random_edges(5, 30, 90))
    settings = {entry: session.conf.get(entry) for entry in ("spark.sql.adaptive.enabled",)}
    shuffled = session.conf.get("spark.sql.shuffle.partitions")
    kept = session.sparkContext._jsc.getPersistentRDDs
    before = set(kept())
    results = [on_spark.pagerank(frame), on_spark.wcc(frame), on_spark.lcc(frame), on_spark.bfs(frame, 1)]
    # Each result is one, until nobody refers to it.
    assert len(set(kept()) - before) == len(results)
    assert all(result.sparkSession is session for result in results)
    assert session.conf.get("spark.sql.shuffle.partitions") == shuffled
    assert {entry: session.conf.get(entry) for entry in settings} == settings


@exhaustive
def test_checkpoints_are_files_where_a_folder_is_set(session, tmp_path):
    source, target, weight = random_edges(6, 30, 90)
    session.sparkContext.setCheckpointDir(str(tmp_path))
    try:
        with Graph.from_edges(source, target, weight) as graph:
            same(on_spark.bfs(edge_frame(session, source, target), source[0]), graph.bfs(source[0]))
        assert any(path.name.startswith("rdd-") for path in tmp_path.glob("*/*"))
    finally:
        # Spark has no way back but the JVM's.
        empty = session._jvm.scala.Option.empty()
        getattr(session.sparkContext._jsc.sc(), "checkpointDir_$eq")(empty)


@exhaustive
def test_bad_input_is_one_line_that_names_it(session, tmp_path):
    frame = edge_frame(session, [1, 2], [2, 7], [1.0, -1.0])
    plain = edge_frame(session, [1, 2], [2, 7])

    def rows(values, schema):
        return session.createDataFrame(values, schema)

    nan = rows([(1, 2, float("nan"))], "source long, target long, weight double")
    huge = rows([(Decimal(1), Decimal(2**63))], "source decimal(20,0), target decimal(20,0)")
    mixed = rows([(1, "a")], "source long, target string")
    cases = [
        (lambda: on_spark.bfs(plain, 9), "has no vertex 9; its ids go from 1 to 7"),
        (lambda: on_spark.bfs(plain, "x"), "has no vertex x"),
        (lambda: on_spark.bfs(plain, None), "names no vertex"),
        (lambda: on_spark.bfs(plain, []), "names no vertex"),
        (lambda: on_spark.sssp(plain, 1), "needs weights"),
        (lambda: on_spark.sssp(frame, 1), "from 2 to 7 has a negative weight"),
        (lambda: on_spark.pagerank(plain, damping=2), "damping=2"),
        (lambda: on_spark.wcc(rows([(1, 2)], "a long, b long")), "columns are a, b"),
        (lambda: on_spark.wcc(rows([(1, None)], "source long, target long")), "1 of the edges"),
        (lambda: on_spark.wcc(rows([(1, -3)], "source long, target long")), "-3"),
        (lambda: on_spark.wcc(rows([(1.5, 2.0)], "source double, target double")), "not double"),
        (lambda: on_spark.wcc(huge), "2^63 - 1"),
        (lambda: on_spark.wcc(mixed), "all strings"),
        (lambda: on_spark.sssp(nan, 1), "1 weights"),
        (lambda: on_spark.wcc(plain, vertices=rows([("a",)], "vertex string")), "all strings"),
        (lambda: on_spark.wcc(plain, vertices=rows([(1, 2)], "a long, b long")), "vertices"),
        (lambda: on_spark.wcc(7), "a path"),
        (lambda: on_spark.wcc(tmp_path / "nowhere"), "nowhere"),
    ]
    for call, words in cases:
        with pytest.raises(leadline.BadInput) as raised:
            call()
        line = str(raised.value)
        assert words in line and "\n" not in line
    # What cannot be reached does not matter, as in the local engine.
    assert by_vertex(on_spark.sssp(frame, 7))[7] == (0.0,)


@exhaustive
def test_what_fails_in_spark_is_one_line_and_keeps_its_reason(session):
    from pyspark.sql import functions

    broken = session.range(10).select(
        functions.col("id").alias("source"), functions.raise_error(functions.lit("no luck")).alias("target")
    )
    with pytest.raises(leadline.Failed, match="no luck") as raised:
        on_spark.wcc(broken.withColumn("target", functions.col("target").cast("long")))
    assert raised.value.__cause__ is not None and "\n" not in str(raised.value)


@exhaustive
def test_ten_million_edges(session, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    random = np.random.default_rng(7)
    # Few hubs, many leaves, and vertices that lead nowhere.
    source = (2**20 * random.random(10_000_000) ** 3).astype("i8")
    target = (2**21 * random.random(10_000_000) ** 2).astype("i8")
    parquet.write_table(pyarrow.table({"source": source, "target": target}), tmp_path / "edges.parquet")
    with Graph.from_edges(source, target, reverse=True, memory="1G") as graph:
        for name, options, relative in (
            ("bfs", {"source": 0}, None),
            ("wcc", {}, None),
            ("pagerank", {}, 1e-6),
        ):
            ours = getattr(graph, name)(**options)
            theirs = getattr(on_spark, name)(tmp_path / "edges.parquet", **options)
            theirs = theirs.orderBy("vertex").toPandas()
            column = ours.column_names[1]
            assert (theirs["vertex"].to_numpy() == ours["vertex"]).all()
            if relative is None:
                assert (theirs[column].to_numpy() == ours[column]).all()
            else:
                scaled = theirs[column].to_numpy() / theirs[column].sum()
                np.testing.assert_allclose(scaled, ours[column] / ours[column].sum(), rtol=relative)


def test_without_pyspark_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(leadline.BadInput, match=r"pip install 'pyspark>=4.0,<5' \(the extra \[spark\]"):
        on_spark.wcc("edges.parquet")


def test_without_java_one_line_says_what_to_install(monkeypatch, tmp_path):
    from leadline.spark import _session

    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(leadline.BadInput, match="JAVA_HOME"):
        _session._need_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(leadline.BadInput, match="Java 17"):
        _session._need_java()

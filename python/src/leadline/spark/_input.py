"""Edges of users: DataFrames, exported directories, Parquet and CSV, checked and with known columns."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._edges import SOURCES, TARGETS, WEIGHTS
from .._errors import BadInput
from ._session import moved

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Input", "read"]

#: What ``graph.json`` of an exported directory says it is.
EXPORT = "leadline.graph-export/1"

_WHOLE = ("tinyint", "smallint", "int", "bigint")


@dataclass
class Input:
    """Edges in columns ``source``, ``target`` and perhaps ``weight``, which were checked."""

    #: What messages call it.
    name: str
    edges: DataFrame
    #: Vertices in a column ``vertex``; None where the edges name them all.
    vertices: DataFrame | None
    #: Whether `vertices` has those of the edges too.
    complete: bool
    directed: bool
    strings: bool
    count: int
    #: The smallest weight, where edges have any.
    lightest: float | None

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return "weight" in self.edges.columns

    def all_vertices(self) -> DataFrame:
        """Every vertex once, in a column ``vertex``."""
        from pyspark.sql import functions as F

        if self.vertices is not None and self.complete:
            return self.vertices
        named = [self.edges.select(F.col(end).alias("vertex")) for end in ("source", "target")]
        every = named[0].union(named[1])
        return (every if self.vertices is None else every.union(self.vertices)).distinct()


def read(session: SparkSession, edges: Any, directed: bool | None, vertices: DataFrame | None) -> Input:
    """Edges from whatever holds them, in `session`.

    Raises
    ------
    BadInput
        They are not edges: columns are missing, ids are null, negative or not ids, weights are not finite.
    """
    if vertices is not None:
        vertices = _vertices(moved(vertices, session))
    if hasattr(edges, "sparkSession"):
        return _checked("edges", moved(edges, session), directed is not False, vertices)
    path = os.fspath(edges) if isinstance(edges, (str, os.PathLike)) else None
    if not isinstance(path, str):
        raise BadInput(f"edges: must be a DataFrame of Spark or a path, not {type(edges).__name__}")
    names = _names(session, path)
    if "graph.json" in names:
        return _exported(session, path, directed, vertices)
    if any(".csv" in name for name in names):
        frame = session.read.csv(path, header=True, inferSchema=True)
    else:
        frame = session.read.parquet(path)
    return _checked(path, frame, directed is not False, vertices)


def _names(session: SparkSession, path: str) -> list[str]:
    """Names of the file, or of the files in the directory, wherever Spark finds it."""
    jvm: Any = session._jvm
    place = jvm.org.apache.hadoop.fs.Path(path)
    system = place.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
    names = []
    for found in system.globStatus(place) or []:
        inside = system.listStatus(found.getPath()) if found.isDirectory() else [found]
        names += [status.getPath().getName() for status in inside]
    return names


def _exported(session: SparkSession, path: str, directed: bool | None, vertices: DataFrame | None) -> Input:
    """What ``leadline graph export --partitions`` wrote."""
    text = session.read.text(f"{path}/graph.json", wholetext=True).head()
    try:
        about = json.loads(text[0] if text else "")
        if about["format"] != EXPORT:
            raise BadInput(
                f"{path}: graph.json is of the format {about['format']}, not {EXPORT}; export it again"
            )
        declared, one_way = (about["vertices"], about["edges"]), bool(about["directed"])
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{path}: graph.json does not describe a graph; export it again") from None
    if directed and not one_way:
        raise BadInput(f"{path}: holds an undirected graph, as graph.json says; leave directed= out")
    listed = _vertices(session.read.parquet(f"{path}/vertices"))
    frame = session.read.parquet(f"{path}/edges")
    together = listed if vertices is None else listed.union(vertices)
    found = _checked(path, frame, one_way if directed is None else directed, together)
    if (listed.count(), found.count) != declared:
        raise BadInput(f"{path}: has not the vertices and edges that graph.json names; export it again")
    # Further vertices have then to be put together with these, and with those of the edges.
    found.complete = vertices is None
    return found


def _vertices(frame: DataFrame) -> DataFrame:
    """The column ``vertex``, or the only one."""
    from pyspark.sql import functions as F

    columns = {name.lower(): name for name in frame.columns}
    name = columns.get("vertex") or (frame.columns[0] if len(frame.columns) == 1 else None)
    if name is None:
        raise BadInput(f"vertices: the columns are {', '.join(frame.columns)}; name one of them vertex")
    return frame.select(F.col(f"`{name}`").alias("vertex"))


def _checked(name: str, frame: DataFrame, directed: bool, vertices: DataFrame | None) -> Input:
    """The columns by their names, and one look at all rows, before anything is computed of them."""
    from pyspark.sql import functions as F

    frame = _named(name, frame)
    kinds = dict(frame.dtypes)
    ids = {"source": kinds["source"], "target": kinds["target"]}
    if vertices is not None:
        ids["vertex"] = dict(vertices.dtypes)["vertex"]
    strings = [kind == "string" for kind in ids.values()]
    for column, kind in ids.items():
        if kind not in (*_WHOLE, "string", "decimal(20,0)"):
            raise BadInput(f"{name}: column {column}: ids are whole numbers or strings, not {kind}")
    if any(strings) and not all(strings):
        said = ", ".join(f"{column} {kind}" for column, kind in ids.items())
        raise BadInput(f"{name}: ids are all whole numbers or all strings, not {said}")
    count, lightest = _rows(name, frame, numbers=not any(strings))
    if vertices is not None:
        _rows_of_vertices(name, vertices, numbers=not any(strings))
    if not any(strings):
        as_long = [F.col(column).cast("long").alias(column) for column in ("source", "target")]
        frame = frame.select(*as_long, *[column for column in frame.columns if column == "weight"])
        vertices = None if vertices is None else vertices.select(F.col("vertex").cast("long"))
    return Input(name, frame, vertices, False, directed, any(strings), count, lightest)


def _named(name: str, frame: DataFrame) -> DataFrame:
    """Columns ``source``, ``target`` and ``weight``, by any of the names that the local engine knows."""
    from pyspark.sql import functions as F

    columns = {column.lower(): column for column in frame.columns}
    chosen = []
    for ours, known in (("source", SOURCES), ("target", TARGETS), ("weight", WEIGHTS)):
        theirs = next((columns[one] for one in known if one in columns), None)
        if theirs is not None:
            chosen.append(F.col(f"`{theirs}`").alias(ours))
        elif ours != "weight":
            raise BadInput(
                f"{name}: the columns are {', '.join(frame.columns)}; name two of them source and target"
            )
    frame = frame.select(*chosen)
    if "weight" in frame.columns:
        kind = dict(frame.dtypes)["weight"]
        if kind not in (*_WHOLE, "float", "double") and not kind.startswith("decimal"):
            raise BadInput(f"{name}: column weight: must be numbers, not {kind}")
        frame = frame.withColumn("weight", F.col("weight").cast("double"))
    return frame


def _rows(name: str, frame: DataFrame, *, numbers: bool) -> tuple[int, float | None]:
    """Number of edges, and the smallest weight; one pass over the rows."""
    from pyspark.sql import functions as F

    weighted = "weight" in frame.columns
    asked = [
        F.count(F.lit(1)),
        F.count(F.when(F.col("source").isNull() | F.col("target").isNull(), 1)),
        *_bounds(numbers, "source", "target"),
    ]
    if weighted:
        weight = F.col("weight")
        finite = weight.isNotNull() & ~F.isnan(weight) & (F.abs(weight) < float("inf"))
        asked += [F.count(F.when(~finite, 1)), F.min(weight)]
    count, without, low, high, *weights = frame.agg(*asked).collect()[0]
    if without:
        raise BadInput(f"{name}: {without} of the edges have no source or no target; leave these rows out")
    _check_bounds(name, low, high)
    if weighted and weights[0]:
        raise BadInput(
            f"{name}: {weights[0]} weights are missing, infinite or not a number; give finite ones"
        )
    return count, weights[1] if weighted else None


def _rows_of_vertices(name: str, vertices: DataFrame, *, numbers: bool) -> None:
    """Whether every row is the id of a vertex."""
    from pyspark.sql import functions as F

    without = F.count(F.when(F.col("vertex").isNull(), 1))
    missing, low, high = vertices.agg(without, *_bounds(numbers, "vertex")).collect()[0]
    if missing:
        raise BadInput(f"{name}: {missing} of the vertices are null; leave these rows out")
    _check_bounds(name, low, high)


def _bounds(numbers: bool, *columns: str) -> list[Any]:
    """The smallest and the largest id."""
    from pyspark.sql import functions as F

    if not numbers:
        return [F.lit(None), F.lit(None)]
    lows, highs = [F.min(column) for column in columns], [F.max(column) for column in columns]
    return [lows[0], highs[0]] if len(columns) == 1 else [F.least(*lows), F.greatest(*highs)]


def _check_bounds(name: str, low: Any, high: Any) -> None:
    if low is not None and low < 0:
        raise BadInput(f"{name}: has the id {low}; ids are from 0 to 2^63 - 1")
    if high is not None and high >= 1 << 63:
        raise BadInput(f"{name}: has the id {high}; ids beyond 2^63 - 1 are not for Spark, make them strings")

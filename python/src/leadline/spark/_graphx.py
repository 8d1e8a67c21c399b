"""GraphX's library algorithms, which have no Python of their own: called in the JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["connected_components"]


@contextmanager
def connected_components(session: SparkSession, edges: DataFrame) -> Iterator[DataFrame]:
    """The vertices of `edges` (two columns of ids), and the smallest id of each one's component.

    GraphX keeps what they are computed from until the end of the ``with``.
    """
    jvm: Any = session._jvm
    int_tag = _object(session, "scala.reflect.ClassTag").Int()
    kept = jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
    long = jvm.org.apache.spark.sql.Encoders.LONG()
    pairs = jvm.org.apache.spark.sql.Encoders.tuple(long, long)

    rows = getattr(edges.toDF("_1", "_2")._jdf, "as")(pairs).rdd()
    not_merged = jvm.scala.Option.empty()
    graphs = _object(session, "org.apache.spark.graphx.Graph")
    graph = graphs.fromEdgeTuples(rows, 1, not_merged, kept, kept, int_tag)
    try:
        found = _object(session, "org.apache.spark.graphx.lib.ConnectedComponents").run(
            graph, int_tag, int_tag
        )
        try:
            yield _frame(session, found.vertices(), pairs, "vertex", "component")
        finally:
            found.unpersist(False)
    finally:
        graph.unpersist(False)


def _object(session: SparkSession, name: str) -> Any:
    """A singleton object of Scala."""
    jvm: Any = session._jvm
    return jvm.java.lang.Class.forName(f"{name}$").getField("MODULE$").get(None)


def _frame(session: SparkSession, rows: Any, encoder: Any, *columns: str) -> DataFrame:
    """An RDD of tuples as a DataFrame."""
    from pyspark.sql import DataFrame

    return DataFrame(session._jsparkSession.createDataset(rows, encoder).toDF(), session).toDF(*columns)

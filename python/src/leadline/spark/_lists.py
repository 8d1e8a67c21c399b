"""A graph as the algorithms take it: ids as numbers, and edges where they are looked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .._errors import BadInput
from .._graph_ids import needed_ids, source_ids
from ._errors import reported
from ._input import Input, read
from ._kept import Kept
from ._session import moved, own_session, session_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Lists", "run"]

#: Edges in a partition: few enough to be sorted in some 100 MB, enough for a task to be worth its start.
_EDGES_PER_PARTITION = 1 << 21


class Lists:
    """Edges by their sources, and vertices, in the same partitions.

    Strings are numbers while they are worked on, and these are in the order of the strings, so that "the
    smallest id" is the same.
    """

    def __init__(self, session: SparkSession, found: Input, kept: Kept) -> None:
        self.session, self.kept = session, kept
        self.name, self.directed = found.name, found.directed
        self.weighted, self.lightest = found.weighted, found.lightest
        entries = found.count if found.directed else 2 * found.count
        self.partitions = max(session.sparkContext.defaultParallelism, -(-entries // _EDGES_PER_PARTITION))
        session.conf.set("spark.sql.shuffle.partitions", str(self.partitions))
        self._names: DataFrame | None = None
        edges, vertices = found.edges, found.all_vertices()
        if found.strings:
            edges, vertices = self._numbered(edges, vertices)
        #: Each edge once, as it was given.
        self.edges = edges
        #: Every vertex, in a column ``vertex``.
        self.vertices = kept.cut(vertices.repartition(self.partitions, "vertex"))

    def _numbered(self, edges: DataFrame, vertices: DataFrame) -> tuple[DataFrame, DataFrame]:
        from pyspark.sql import functions as F

        names = vertices.orderBy("vertex").select(
            F.col("vertex").alias("name"), F.monotonically_increasing_id().alias("vertex")
        )
        self._names = names = self.kept.cut(names)
        for end in ("source", "target"):
            number = names.select(F.col("name").alias(end), F.col("vertex").alias(f"{end}_"))
            edges = edges.join(number, end).drop(end).withColumnRenamed(f"{end}_", end)
        return edges, names.select("vertex")

    @cached_property
    def count(self) -> int:
        """Vertices."""
        return self.vertices.count()

    @cached_property
    def forward(self) -> DataFrame:
        """The entries of the lists: edges that lead on from ``source``, an undirected one from both ends."""
        from pyspark.sql import functions as F

        entries = self.edges
        if not self.directed:
            entries = entries.union(_turned(entries.where(F.col("source") != F.col("target"))))
        return self.by_source(entries)

    @cached_property
    def both(self) -> DataFrame:
        """Entries of the lists of both directions; of an undirected graph they are the same."""
        edges = self.edges.select("source", "target")
        return self.by_source(edges.union(_turned(edges))) if self.directed else self.forward

    @cached_property
    def distinct(self) -> DataFrame:
        """Edges without repetitions and self-loops; undirected ones from their lower end."""
        from pyspark.sql import functions as F

        source, target = F.col("source"), F.col("target")
        edges = self.edges.select(source, target).where(source != target)
        if not self.directed:
            edges = edges.select(
                F.least(source, target).alias("source"), F.greatest(source, target).alias("target")
            )
        return edges.distinct()

    def by_source(self, entries: DataFrame) -> DataFrame:
        """Keep entries in the partitions of their sources.

        In order they take less memory, and a source is looked up where the one before was.
        """
        parts = entries.repartition(self.partitions, "source")
        return self.kept.cached(parts.sortWithinPartitions("source"))

    def numbers(self, source: Any, *, needed: bool = True) -> list[int]:
        """The vertices that the user named, in their order.

        Raises
        ------
        BadInput
            There is no such vertex.
        """
        from pyspark.sql import functions as F

        given = needed_ids(source) if needed else source_ids(source) or []
        if not given:
            return []
        if self._names is not None:
            rows = self._names.where(F.col("name").isin(given)).collect()
            found = {row["name"]: row["vertex"] for row in rows}
        else:
            wanted = {text: int(text) for text in given if text.isdecimal() and int(text) < 1 << 63}
            rows = self.vertices.where(F.col("vertex").isin(list(wanted.values()))).collect()
            there = {row["vertex"] for row in rows}
            found = {text: number for text, number in wanted.items() if number in there}
        for text in given:
            if text not in found:
                raise BadInput(f"{self.name}: has no vertex {text}; {self._known()}")
        return [found[text] for text in given]

    def _known(self) -> str:
        """Which ids there are, in the words of the local engine."""
        from pyspark.sql import functions as F

        frame = self.vertices.select(F.col("vertex").alias("name")) if self._names is None else self._names
        first, last = frame.agg(F.min("name"), F.max("name")).collect()[0]
        return "it has none" if first is None else f"its ids go from {first} to {last}"

    def text(self, vertex: int) -> str:
        """The id of a vertex as the user knows it."""
        from pyspark.sql import functions as F

        row = None if self._names is None else self._names.where(F.col("vertex") == vertex).head()
        return str(vertex) if row is None else str(row["name"])

    def result(self, frame: DataFrame, *ids: str) -> DataFrame:
        """A result with the user's ids in the columns `ids`, computed."""
        from pyspark.sql import functions as F

        if self._names is not None:
            columns = frame.columns
            for column in ids:
                name = self._names.select(F.col("vertex").alias(column), F.col("name").alias(f"{column}_"))
                frame = frame.join(name, column, "left").drop(column)
                frame = frame.withColumnRenamed(f"{column}_", column)
            frame = frame.select(*columns)
        return self.kept.hand_over(self.kept.cut(frame))


def run(
    edges: Any, directed: bool | None, vertices: DataFrame | None, work: Callable[[Lists], DataFrame]
) -> DataFrame:
    """What `work` makes of a graph, in the user's session; all else that it kept is released."""
    session = session_of(edges)
    with reported():
        own = own_session(session)
        with Kept(own) as kept:
            return moved(work(Lists(own, read(own, edges, directed, vertices), kept)), session)


def _turned(edges: DataFrame) -> DataFrame:
    """Edges the other way."""
    from pyspark.sql import functions as F

    turned = {"source": "target", "target": "source"}
    return edges.select(*[F.col(turned.get(column, column)).alias(column) for column in edges.columns])

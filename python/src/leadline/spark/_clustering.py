"""Local clustering coefficients, by intersecting lists of neighbours.

Each pair of neighbours belongs to its end with fewer neighbours (of equal ones the lower), so that no list is
longer than about the square root of twice the edges. Triangles are found where such a list meets the lists of
its vertices. For that each partition of pairs gets every list that it asks for once, and not once per pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._lists import Lists, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["lcc"]


def lcc(edges: Any, *, directed: bool | None = None, vertices: DataFrame | None = None) -> DataFrame:
    """Local clustering coefficients, as LDBC Graphalytics defines them.

    Arguments and errors are as for :func:`bfs`.

    Returns
    -------
    DataFrame
        ``vertex`` and ``coefficient``; in no order.
    """
    return run(edges, directed, vertices, _coefficients)


def _coefficients(lists: Lists) -> DataFrame:
    from pyspark.sql import functions as F

    pairs = lists.kept.cached(_pairs(lists))
    ends = pairs.select(F.col("a").alias("vertex")).union(pairs.select("b"))
    degrees = lists.kept.cut(ends.groupBy("vertex").agg(F.count("*").alias("degree")))
    links = lists.kept.cached(_links(lists, pairs, degrees))
    among = _triangles(lists, links).groupBy("vertex").agg(F.sum("edges").alias("among"))
    joined = lists.vertices.join(degrees, "vertex", "left").join(among, "vertex", "left")
    could = F.col("degree") * (F.col("degree") - 1)
    share = F.when(could > 0, F.coalesce("among", F.lit(0)) / could).otherwise(0.0)
    return lists.result(joined.select("vertex", share.alias("coefficient")), "vertex")


def _pairs(lists: Lists) -> DataFrame:
    """Neighbours a < b, and whether edges lead both ways."""
    from pyspark.sql import functions as F

    low, high = F.least("source", "target").alias("a"), F.greatest("source", "target").alias("b")
    if not lists.directed:
        return lists.distinct.select(low, high, F.lit(True).alias("both"))
    counted = lists.distinct.groupBy(low, high).agg(F.count("*").alias("ways"))
    return counted.select("a", "b", (F.col("ways") == 2).alias("both"))


def _links(lists: Lists, pairs: DataFrame, degrees: DataFrame) -> DataFrame:
    """Each pair from its end with fewer neighbours, `near`, to the other, `far`."""
    from pyspark.sql import functions as F

    for end in ("a", "b"):
        degree = degrees.select(F.col("vertex").alias(end), F.col("degree").alias(f"of_{end}"))
        pairs = pairs.join(degree.hint("shuffle_hash"), end)
    # a is the lower of two with as many neighbours.
    as_is = F.col("of_a") <= F.col("of_b")
    near = F.when(as_is, F.col("a")).otherwise(F.col("b"))
    far = F.when(as_is, F.col("b")).otherwise(F.col("a"))
    part = F.pmod(F.hash(near), F.lit(lists.partitions)).alias("part")
    links = pairs.select(part, near.alias("near"), far.alias("far"), "both")
    return links.repartition(lists.partitions, "part")


def _triangles(lists: Lists, links: DataFrame) -> DataFrame:
    """Rows of a vertex and edges between two of its neighbours: all that there are, in any number of rows."""
    from pyspark.sql import functions as F

    ends = links.groupBy("part", "near").agg(
        F.collect_list("far").alias("ends"),
        F.collect_list(F.when(F.col("both"), F.col("far"))).alias("twice"),
    )
    far = ends.select(
        F.col("near").alias("far"), F.col("ends").alias("far_ends"), F.col("twice").alias("far_twice")
    )
    wanted = links.select("part", "far").distinct().join(far, "far").repartition(lists.partitions, "part")
    # Sorted by `far` before the lists of `near` are there: they would be sorted with the rows.
    met = links.join(wanted, ["part", "far"]).join(ends.hint("shuffle_hash"), ["part", "near"])
    third = F.array_intersect("ends", "far_ends")
    met = met.select("near", "far", "both", "twice", "far_twice", third.alias("third")).where(
        F.size("third") > 0
    )

    def between(lists_of_other: str) -> Any:
        """Edges from a vertex to the third ones: one each, and one more where they lead both ways."""
        return (F.size("third") + F.size(F.array_intersect("third", lists_of_other))).cast("long")

    def row(vertex: Any, edges: Any) -> Any:
        return F.struct(vertex.alias("vertex"), edges.alias("edges"))

    own = F.when(F.col("both"), 2).otherwise(1).cast("long")
    rows = F.concat(
        F.array(row(F.col("near"), between("far_twice")), row(F.col("far"), between("twice"))),
        F.transform("third", lambda vertex: row(vertex, own)),
    )
    return met.select(F.explode(rows).alias("row")).select("row.vertex", "row.edges")

"""Searches from sources: breadth-first, and shortest paths by weights. Frontier by frontier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._errors import BadInput
from ._lists import Lists, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["bfs", "sssp"]


def bfs(
    edges: Any,
    source: Any,
    *,
    parents: bool = False,
    directed: bool | None = None,
    vertices: DataFrame | None = None,
) -> DataFrame:
    """Breadth-first search: how many edges away every vertex is from the nearest source.

    Parameters
    ----------
    edges
        A DataFrame with columns ``source`` and ``target`` (``weight``), or the path of a directory that
        :meth:`leadline.Graph.export` wrote, or of Parquet or CSV.
    source
        Id of the vertex to start at, or several.
    parents
        Also give, for each vertex, the smallest one that it was reached from.
    directed
        Whether each edge goes one way. By default it does, unless an exported directory says otherwise.
    vertices
        A DataFrame with further ids in a column ``vertex``, which may have no edge.

    Returns
    -------
    DataFrame
        ``vertex``, ``level`` (-1 where not reached), and ``parent``; in no order.

    Raises
    ------
    leadline.BadInput
        The edges cannot be used, or have no such vertex.
    leadline.Failed
        Spark failed.
    """
    return run(edges, directed, vertices, lambda lists: _levels(lists, source, parents))


def sssp(
    edges: Any, source: Any, *, directed: bool | None = None, vertices: DataFrame | None = None
) -> DataFrame:
    """Shortest paths by weights that are not negative, from the nearest source.

    Arguments and errors are as for :func:`bfs`; the edges have a column ``weight``.

    Returns
    -------
    DataFrame
        ``vertex`` and ``distance`` (infinite where not reached); in no order.
    """
    return run(edges, directed, vertices, lambda lists: _distances(lists, source))


def _levels(lists: Lists, source: Any, parents: bool) -> DataFrame:
    from pyspark.sql import functions as F

    starts = lists.numbers(source)
    begun = F.when(F.col("vertex").isin(starts), 0).otherwise(-1).cast("long")
    columns = [begun.alias("level")] + [F.lit(None).cast("long").alias("parent")] * parents
    state = lists.kept.cut(lists.vertices.select("vertex", *columns))
    level = 0
    while not (frontier := state.where(F.col("level") == level)).isEmpty():
        level += 1
        reached = (
            lists.forward.join(
                frontier.select(F.col("vertex").alias("source")).hint("shuffle_hash"), "source"
            )
            .groupBy(F.col("target").alias("vertex"))
            .agg(F.min("source").alias("by"))
        )
        new = (F.col("level") < 0) & F.col("by").isNotNull()
        columns = [F.when(new, level).otherwise(F.col("level")).cast("long").alias("level")]
        if parents:
            columns.append(F.when(new, F.col("by")).otherwise(F.col("parent")).alias("parent"))
        joined = state.join(reached.hint("shuffle_hash"), "vertex", "left")
        state = lists.kept.cut(joined.select("vertex", *columns), instead_of=state)
    return lists.result(state, "vertex", *["parent"] * parents)


def _distances(lists: Lists, source: Any) -> DataFrame:
    from pyspark.sql import functions as F

    if not lists.weighted:
        raise BadInput(
            f"{lists.name}: sssp needs weights, which this graph does not have; add a column weight"
        )
    starts = lists.numbers(source)
    is_start = F.col("vertex").isin(starts)
    begun = F.when(is_start, 0.0).otherwise(float("inf"))
    state = lists.kept.cut(lists.vertices.select("vertex", begun.alias("distance"), is_start.alias("fell")))
    while not (frontier := state.where("fell")).isEmpty():
        steps = lists.forward.join(
            frontier.select(F.col("vertex").alias("source"), "distance").hint("shuffle_hash"), "source"
        )
        _refuse_negative(lists, steps)
        reached = steps.groupBy(F.col("target").alias("vertex")).agg(
            F.min(F.col("distance") + F.col("weight")).alias("by")
        )
        falls = F.col("by").isNotNull() & (F.col("by") < F.col("distance"))
        joined = state.join(reached.hint("shuffle_hash"), "vertex", "left").select(
            "vertex",
            F.when(falls, F.col("by")).otherwise(F.col("distance")).alias("distance"),
            falls.alias("fell"),
        )
        state = lists.kept.cut(joined, instead_of=state)
    return lists.result(state.select("vertex", "distance"), "vertex")


def _refuse_negative(lists: Lists, steps: DataFrame) -> None:
    """Negative weights matter only where they are reached, as in the local engine."""
    from pyspark.sql import functions as F

    if lists.lightest is None or lists.lightest >= 0:
        return
    edge = steps.where(F.col("weight") < 0).head()
    if edge is not None:
        source, target = lists.text(edge["source"]), lists.text(edge["target"])
        raise BadInput(
            f"{lists.name}: the edge from {source} to {target} has a negative weight; "
            "shortest paths need weights of 0 and more"
        )

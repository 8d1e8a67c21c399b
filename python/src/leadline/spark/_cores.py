"""Core numbers, by h-indices.

The local engine peels, which takes a round for each layer of a core, hundreds of them. Here a round is a job
over all edges, so each vertex takes the h-index of its neighbours' values instead, until none changes (Lü et
al., Nature Communications 7, 2016; Montresor, De Pellegrini, Miorandi, IEEE TPDS 24, 2013): a few dozen
rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._lists import Lists, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["kcore"]


def kcore(edges: Any, *, directed: bool | None = None, vertices: DataFrame | None = None) -> DataFrame:
    """Core numbers: the largest k for which a vertex is in the k-core.

    Arguments and errors are as for :func:`bfs`.

    Returns
    -------
    DataFrame
        ``vertex`` and ``core``; in no order.
    """
    return run(edges, directed, vertices, _cores)


def _cores(lists: Lists) -> DataFrame:
    from pyspark.sql import functions as F

    # A neighbour with edges both ways is listed twice, and counts twice.
    turned = lists.distinct.select(F.col("target").alias("source"), F.col("source").alias("target"))
    entries = lists.by_source(lists.distinct.union(turned))
    degrees = entries.groupBy(F.col("source").alias("vertex")).agg(F.count("*").alias("core"))
    begun = lists.vertices.join(degrees.hint("shuffle_hash"), "vertex", "left")
    core = F.coalesce("core", F.lit(0).cast("long")).alias("core")
    state = lists.kept.cut(begun.select("vertex", core, (F.col("core") > 0).alias("fell")))
    while not state.where("fell").isEmpty():
        values = state.select(F.col("vertex").alias("source"), "core").hint("shuffle_hash")
        listed = (
            entries.join(values, "source")
            .groupBy(F.col("target").alias("vertex"))
            .agg(F.sort_array(F.collect_list("core"), asc=False).alias("cores"))
        )
        # The i-th largest value, counted from 0, is above i for as many places as the h-index says.
        h = F.size(F.filter("cores", lambda value, place: value > place)).cast("long")
        joined = state.join(listed.select("vertex", h.alias("h")).hint("shuffle_hash"), "vertex", "left")
        core = F.coalesce("h", "core")
        lowered = joined.select("vertex", core.alias("core"), (core < F.col("core")).alias("fell"))
        state = lists.kept.cut(lowered, instead_of=state)
    return lists.result(state.select("vertex", "core"), "vertex")

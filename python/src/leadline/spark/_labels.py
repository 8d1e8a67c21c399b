"""Communities by label propagation.

GraphX's LabelPropagation breaks ties by the order of a hash map, and so cannot give the result that
Graphalytics defines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._leadline import cdlp_iterations
from ._lists import Lists, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["cdlp"]


def cdlp(
    edges: Any,
    *,
    iterations: int | None = None,
    directed: bool | None = None,
    vertices: DataFrame | None = None,
) -> DataFrame:
    """Communities by label propagation, as LDBC Graphalytics defines them.

    Parameters
    ----------
    iterations
        Do this number, 1 to 1,000,000; 10 by default.
    edges, directed, vertices
        See :func:`bfs`, which also says what is raised.

    Returns
    -------
    DataFrame
        ``vertex`` and ``label``; in no order.
    """
    most = cdlp_iterations({"iterations": iterations})
    return run(edges, directed, vertices, lambda lists: _labels(lists, most))


def _labels(lists: Lists, iterations: int) -> DataFrame:
    from pyspark.sql import functions as F

    own = F.col("vertex").alias("label")
    state = lists.kept.cut(lists.vertices.select("vertex", own, F.lit(True).alias("changed")))
    for _ in range(iterations):
        if state.where("changed").isEmpty():
            break
        labels = state.select(F.col("vertex").alias("source"), "label").hint("shuffle_hash")
        votes = (
            lists.both.join(labels, "source")
            .select(F.col("target").alias("vertex"), F.col("label").alias("vote"))
            # Counted where the winner is chosen, so that the counts are not shuffled too.
            .repartition(lists.partitions, "vertex")
            .groupBy("vertex", "vote")
            .count()
        )
        # Of labels that are equally frequent the smallest wins; numbers are never negative.
        best = F.max(F.struct("count", (-F.col("vote")).alias("minus")))
        won = votes.groupBy("vertex").agg((-best["minus"]).alias("won"))
        label = F.coalesce("won", "label")
        joined = state.join(won.hint("shuffle_hash"), "vertex", "left")
        voted = joined.select("vertex", label.alias("label"), (label != F.col("label")).alias("changed"))
        state = lists.kept.cut(voted, instead_of=state)
    return lists.result(state.select("vertex", "label"), "vertex", "label")

"""PageRank, as the local engine has it.

GraphX's own PageRank lets the rank of vertices without outgoing edges vanish in every iteration, and scales
the sum at the end. At convergence that is the same; after a given number of iterations it is not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from .._errors import NotConverged
from .._leadline import pagerank_options
from .._notes import warn
from ._lists import Lists, run

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["pagerank"]


def pagerank(
    edges: Any,
    *,
    damping: float | None = None,
    iterations: int | None = None,
    tolerance: float | None = None,
    source: Any = None,
    directed: bool | None = None,
    vertices: DataFrame | None = None,
) -> DataFrame:
    """PageRank; the ranks sum to 1, and vertices without edges give theirs to all.

    Parameters
    ----------
    damping
        Share of a rank that goes along edges, 0 to 1; 0.85 by default.
    iterations
        The most iterations, 1 to 1,000,000; by default 10, or 1000 where there is a tolerance.
    tolerance
        End once the ranks change by less than this in all, from one iteration to the next, 0 to 2. Where
        the most iterations end before, there is a :class:`leadline.NotConverged` warning.
    source
        Personalised: the rest of the ranks goes to these vertices, in equal parts.
    edges, directed, vertices
        See :func:`bfs`, which also says what is raised.

    Returns
    -------
    DataFrame
        ``vertex`` and ``rank``; in no order.
    """
    given: dict[str, object] = {"damping": damping, "iterations": iterations, "tolerance": tolerance}
    share, most, least = pagerank_options(given)
    return run(edges, directed, vertices, lambda lists: _ranks(lists, share, most, least, source))


def _ranks(lists: Lists, damping: float, iterations: int, tolerance: float, source: Any) -> DataFrame:
    from pyspark.sql import functions as F

    degrees = lists.forward.groupBy(F.col("source").alias("vertex")).agg(F.count("*").alias("degree"))
    jump = _jump(lists, lists.numbers(source, needed=False))
    begun = lists.vertices.join(degrees.hint("shuffle_hash"), "vertex", "left")
    start = F.lit(1.0 / max(lists.count, 1)).alias("rank")
    # So that the first iteration is done whatever the tolerance.
    before = F.lit(float("inf")).alias("before")
    state = lists.kept.cut(begun.select("vertex", "degree", start, before))
    for _ in range(iterations):
        dangling, change = _totals(state)
        if change < tolerance:
            break
        gives = state.where(F.col("degree").isNotNull()).select(
            F.col("vertex").alias("source"), (F.col("rank") / F.col("degree")).alias("give")
        )
        given = (
            lists.forward.join(gives.hint("shuffle_hash"), "source")
            .groupBy(F.col("target").alias("vertex"))
            .agg(F.sum("give").alias("given"))
        )
        rank = F.lit(1 - damping + damping * dangling) * jump + F.lit(damping) * F.coalesce(
            "given", F.lit(0.0)
        )
        joined = state.join(given.hint("shuffle_hash"), "vertex", "left")
        ranked = joined.select("vertex", "degree", rank.alias("rank"), F.col("rank").alias("before"))
        state = lists.kept.cut(ranked, instead_of=state)
    else:
        _warn_of_change(state, iterations, tolerance)
    return lists.result(state.select("vertex", "rank"), "vertex")


def _warn_of_change(state: DataFrame, iterations: int, tolerance: float) -> None:
    """Warn where the last iteration changed more than the tolerance; without one none was asked for."""
    if tolerance == 0:
        return
    _, change = _totals(state)
    if change >= tolerance:
        line = f"iteration {iterations} still changed the ranks by {change:.1e} in sum"
        remedy = "give more iterations, or a larger tolerance"
        warn(f"PageRank has not converged: {line}; {remedy}", NotConverged)


def _jump(lists: Lists, starts: list[int]) -> Column:
    """The share of the jumps that go to a vertex."""
    from pyspark.sql import functions as F

    if not starts:
        return F.lit(1.0 / max(lists.count, 1))
    jump = F.lit(0.0)
    named = Counter(starts)
    for times in set(named.values()):
        those = [start for start, count in named.items() if count == times]
        jump = F.when(F.col("vertex").isin(those), times / len(starts)).otherwise(jump)
    return jump


def _totals(state: DataFrame) -> tuple[float, float]:
    """The rank of all vertices without outgoing edges, and how much the last iteration changed."""
    from pyspark.sql import functions as F

    dangling = F.sum(F.when(F.col("degree").isNull(), F.col("rank")))
    change = F.sum(F.abs(F.col("rank") - F.col("before")))
    row = state.agg(dangling, change).collect()[0]
    return row[0] or 0.0, row[1] or 0.0

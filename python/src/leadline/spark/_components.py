"""Weakly connected components, by GraphX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._graphx import connected_components
from ._lists import Lists, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["wcc"]


def wcc(edges: Any, *, directed: bool | None = None, vertices: DataFrame | None = None) -> DataFrame:
    """Weakly connected components.

    Arguments and errors are as for :func:`bfs`; directions do not matter.

    Returns
    -------
    DataFrame
        ``vertex`` and ``component``, the smallest id of the vertices that are connected; in no order.
    """
    return run(edges, directed, vertices, _components)


def _components(lists: Lists) -> DataFrame:
    from pyspark.sql import functions as F

    edges = lists.edges.select("source", "target").repartition(lists.partitions, "source")
    with connected_components(lists.session, edges) as found:
        # GraphX knows the vertices of edges only.
        joined = lists.vertices.join(found.hint("shuffle_hash"), "vertex", "left")
        component = F.coalesce("component", "vertex").alias("component")
        return lists.result(joined.select("vertex", component), "vertex", "component")

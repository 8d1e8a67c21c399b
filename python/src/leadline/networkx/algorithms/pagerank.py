"""PageRank. The engine iterates as networkx does, from the same start, so both stop at the same iteration."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import leadline
import networkx as nx

from ..declines import declines
from ..graph import StoredGraph

#: Most iterations that the engine does.
MOST_ITERATIONS = 1_000_000

#: Most times that nodes are named as the ends of jumps, each as often as its share says.
MOST_JUMPS = 100_000


def _declined(
    G: Any,
    alpha: Any,
    personalization: Any,
    max_iter: Any,
    tol: Any,
    nstart: Any,
    weight: Any,
    dangling: Any,
) -> str | None:
    if nstart is not None:
        return "the engine starts with equal ranks, not with nstart"
    if dangling is not None:
        return "the rank of dangling nodes goes where jumps go, not to dangling"
    if not 0 <= alpha <= 1:
        return "alpha is not from 0 to 1"
    if max_iter > MOST_ITERATIONS:
        return f"max_iter is above {MOST_ITERATIONS}"
    if callable(weight):
        return "weights must be an attribute, not a function"
    return None


def _jumps(graph: StoredGraph, personalization: dict[Any, float] | None) -> list[Any] | None:
    """The ids that jumps go to, each as often as its share says; None: to all alike."""
    if personalization is None:
        return None
    shares = np.array([personalization.get(node, 0) for node in graph], dtype=float)
    if shares.sum() == 0:
        raise ZeroDivisionError
    given = np.flatnonzero(shares)
    times = shares[given] / shares[given].min()
    if not (shares >= 0).all() or not np.isfinite(times).all() or (times != np.rint(times)).any():
        raise NotImplementedError("values of personalization are not multiples of the smallest")
    if len(given) == len(graph) and (times == 1).all():
        return None
    if times.sum() > MOST_JUMPS:
        raise NotImplementedError(f"values of personalization add up to over {MOST_JUMPS} times the smallest")
    named = zip(graph.nodes.at(given), times.astype(int).tolist(), strict=True)
    return [graph.nodes.id(node) for node, count in named for _ in range(count)]


@declines(_declined)
def pagerank(
    G: StoredGraph,
    alpha: float = 0.85,
    personalization: dict[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: None = None,
    weight: Any = "weight",
    dangling: None = None,
) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    weights = G.weights(weight)
    if weights.bounds[0] < 0:
        raise NotImplementedError("a weight is negative")
    jumps = _jumps(G, personalization)
    # Ranks add up to 1, so they never change by more than 2 in sum, and any iteration converges.
    tolerance = len(G) * tol
    iterations = min(max_iter, 1) if tolerance > 2 else max_iter
    if iterations < 1 or not tolerance > 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    try:
        with warnings.catch_warnings():
            # It is raised below, as networkx does.
            warnings.simplefilter("ignore", leadline.NotConverged)
            table = G.run(
                "pagerank",
                damping=alpha,
                iterations=iterations,
                tolerance=min(tolerance, 2.0),
                source=jumps,
                weighted=not weights.alike,
            )
    except leadline.BadInput as error:
        if weights.unseen or weights.alike:
            raise
        # Weights of a node that add up to nearly nothing, or to more than a double holds.
        raise NotImplementedError(str(error)) from None
    if not table.info["result"]["change"] < tolerance:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(table["rank"].tolist())

"""Which functions of networkx are here, in which module, and what to add to their documentation.

networkx reads this while it is itself being imported, so nothing here imports networkx.
"""

from __future__ import annotations

from typing import NamedTuple


class Function(NamedTuple):
    """A function of networkx that is implemented here."""

    #: In the directory ``algorithms``.
    module: str
    #: What differs from networkx, for the documentation that networkx shows; empty: nothing.
    note: str = ""


_BY_LEVEL = "The dictionary ascends by distance; nodes at the same distance are in the order of the graph."
_WEIGHTS = "Weights must be finite numbers of 0 or more. " + _BY_LEVEL
_WHOLE = "Runs over the whole graph, whatever `nodes` is. Undirected graphs without parallel edges only."

FUNCTIONS = {
    "pagerank": Function(
        "pagerank",
        "Weights must be finite numbers of 0 or more, and `nstart` and `dangling` are not supported. "
        "Values of `personalization` must be multiples of the smallest.",
    ),
    "connected_components": Function("components"),
    "number_connected_components": Function("components"),
    "is_connected": Function("components"),
    "node_connected_component": Function("components"),
    "weakly_connected_components": Function("components"),
    "number_weakly_connected_components": Function("components"),
    "is_weakly_connected": Function("components"),
    "single_source_shortest_path_length": Function("levels", _BY_LEVEL),
    "single_target_shortest_path_length": Function("levels", _BY_LEVEL),
    "has_path": Function("levels"),
    "descendants": Function("levels"),
    "ancestors": Function("levels"),
    "descendants_at_distance": Function("levels"),
    "dijkstra_path_length": Function("distances", _WEIGHTS),
    "single_source_dijkstra_path_length": Function("distances", _WEIGHTS),
    "multi_source_dijkstra_path_length": Function("distances", _WEIGHTS),
    "shortest_path_length": Function("lengths", "Needs a source or a target. " + _WEIGHTS),
    "core_number": Function("cores"),
    "triangles": Function("clustering", _WHOLE),
    "clustering": Function("clustering", _WHOLE),
    "average_clustering": Function("clustering", _WHOLE),
    "transitivity": Function("clustering", "Undirected graphs without parallel edges only."),
}

"""Core numbers."""

from __future__ import annotations

from typing import Any

import networkx as nx

from ..graph import StoredGraph


def core_number(G: StoredGraph) -> dict[Any, int]:
    if G.number_of_selfloops() > 0:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return G.by_node(G.run("kcore")["core"].tolist()) if len(G) else {}

#!/usr/bin/env python3
"""igraph as a peer of `cargo xtask bench graph memory-vs --peer-prints-seconds igraph=THIS`. It has one
thread; it lists triangles and does not count them, so they are left out."""

import igraph
from library_peer import serve

ALGORITHMS = {
    "bfs": lambda graph, source: lambda: graph.distances(source),
    "wcc": lambda graph, _: lambda: graph.connected_components(mode="weak"),
    "cdlp": lambda graph, _: lambda: graph.community_label_propagation(),
    "kcore": lambda graph, _: graph.coreness,
    "lcc": lambda graph, _: lambda: graph.transitivity_local_undirected(mode="zero"),
}


def build(vertices, pairs, _):
    return igraph.Graph(n=vertices, edges=pairs)


if __name__ == "__main__":
    serve(build, ALGORITHMS)

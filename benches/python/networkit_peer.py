#!/usr/bin/env python3
"""NetworKit as a peer of `cargo xtask bench graph memory-vs --peer-prints-seconds networkit=THIS`."""

import networkit as nk
from library_peer import serve

ALGORITHMS = {
    "bfs": lambda graph, source: nk.distance.BFS(graph, source, False).run,
    "wcc": lambda graph, _: nk.components.ParallelConnectedComponents(graph).run,
    "cdlp": lambda graph, _: nk.community.PLP(graph, maxIterations=10).run,
    "kcore": lambda graph, _: nk.centrality.CoreDecomposition(graph).run,
    "lcc": lambda graph, _: nk.centrality.LocalClusteringCoefficient(graph, turbo=True).run,
    "triangles": lambda graph, _: nk.sparsification.TriangleEdgeScore(graph).run,
}


def build(vertices, pairs, threads):
    nk.setNumberOfThreads(threads)
    graph = nk.GraphFromCoo((pairs[:, 0], pairs[:, 1]), n=vertices, directed=False)
    graph.sortEdges()
    graph.indexEdges()
    return graph


if __name__ == "__main__":
    serve(build, ALGORITHMS)

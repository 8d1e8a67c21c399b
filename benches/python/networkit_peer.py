#!/usr/bin/env python3
"""NetworKit as a peer of `cargo xtask bench graph memory-vs --peer-prints-seconds networkit=THIS`.

networkit_peer.py GRAPH DIR ALGORITHM CAP_BYTES THREADS: reads DIR/GRAPH.u32, which `bench graph generate`
wrote, runs the algorithm twice, and prints the seconds of the second run.
"""

import sys
import time
from pathlib import Path

import networkit as nk
import numpy as np

ALGORITHMS = {
    "bfs": lambda graph, source: nk.distance.BFS(graph, source, False),
    "wcc": lambda graph, _: nk.components.ParallelConnectedComponents(graph),
    "cdlp": lambda graph, _: nk.community.PLP(graph, maxIterations=10),
    "kcore": lambda graph, _: nk.centrality.CoreDecomposition(graph),
    "lcc": lambda graph, _: nk.centrality.LocalClusteringCoefficient(graph, turbo=True),
    "triangles": lambda graph, _: nk.sparsification.TriangleEdgeScore(graph),
}


def main():
    name, folder, algorithm, _, threads = sys.argv[1:]
    nk.setNumberOfThreads(int(threads))
    vertices, _, source = map(int, (Path(folder) / f"{name}.meta").read_text().split())
    pairs = np.fromfile(Path(folder) / f"{name}.u32", dtype=np.uint32).reshape(-1, 2)
    # Both directions of each edge are there; an undirected graph takes one.
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    graph = nk.GraphFromCoo((pairs[:, 0], pairs[:, 1]), n=vertices, directed=False)
    graph.sortEdges()
    graph.indexEdges()
    for _ in range(2):
        run = ALGORITHMS[algorithm](graph, source)
        begun = time.perf_counter()
        run.run()
        seconds = time.perf_counter() - begun
    print(f"{seconds:.6f}")


if __name__ == "__main__":
    main()

"""A library that holds a graph in memory as a peer of `cargo xtask bench graph memory-vs`.

The peer's program is called with GRAPH DIR ALGORITHM CAP_BYTES THREADS: it reads DIR/GRAPH.u32, which `bench
graph generate` wrote, runs the algorithm twice, and prints the seconds of the second run.
"""

import sys
import time
from pathlib import Path

import numpy as np


def serve(build, algorithms):
    """`build` makes a graph of its vertices, its edges (each once) and the threads to use; `algorithms` make
    of a graph and a source what is timed."""
    name, folder, algorithm, _, threads = sys.argv[1:]
    vertices, _, source = map(int, (Path(folder) / f"{name}.meta").read_text().split())
    pairs = np.fromfile(Path(folder) / f"{name}.u32", dtype=np.uint32).reshape(-1, 2)
    # Both directions of each edge are there; an undirected graph takes one.
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    graph = build(vertices, pairs, int(threads))
    for _ in range(2):
        run = algorithms[algorithm](graph, source)
        begun = time.perf_counter()
        run()
        seconds = time.perf_counter() - begun
    print(f"{seconds:.6f}")

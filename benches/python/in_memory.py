"""Leadline beside libraries that hold a graph in memory, from Python, in alternating runs.

python in_memory.py FOLDER [--scale 20] [--rounds 3]; FOLDER is on the disk that the store is to lie on.
Libraries that are not installed are left out: networkx, igraph, networkit, scipy. Leadline has all blocks in
its cache from the second run on; its edges are read from the disk in the first, which is shown apart.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np

import leadline
from rmat import rmat


def timed(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def engines(source, target, folder, root):
    """By name: seconds to build, and the work of each algorithm."""
    vertices = int(max(source.max(), target.max())) + 1

    def local():
        graph = leadline.Graph.from_edges(
            source, target, path=folder / "memory.graph", dedupe=True, reverse=True, memory="4G"
        )
        return {
            "bfs": lambda: graph.bfs(root),
            "wcc": lambda: graph.wcc(),
            "pagerank": lambda: graph.pagerank(iterations=20),
        }

    def scipy():
        from scipy import sparse
        from scipy.sparse import csgraph

        ones = np.ones(len(source), dtype=np.float32)
        matrix = sparse.csr_matrix((ones, (source, target)), shape=(vertices, vertices))
        matrix.data[:] = 1
        transposed = matrix.T.tocsr()

        def pagerank():
            degrees = np.maximum(np.diff(matrix.indptr), 1)
            dangling = np.diff(matrix.indptr) == 0
            ranks = np.full(vertices, 1 / vertices)
            for _ in range(20):
                spread = transposed @ (ranks / degrees)
                ranks = 0.15 / vertices + 0.85 * (spread + ranks[dangling].sum() / vertices)

        return {
            "bfs": lambda: csgraph.breadth_first_order(matrix, root),
            "wcc": lambda: csgraph.connected_components(matrix, connection="weak"),
            "pagerank": pagerank,
        }

    def igraph():
        import igraph

        graph = igraph.Graph(vertices, np.stack([source, target], axis=1), directed=True).simplify(
            loops=False
        )
        return {
            "bfs": lambda: graph.distances(root),
            "wcc": lambda: graph.connected_components(mode="weak"),
            "pagerank": lambda: graph.pagerank(),
        }

    def networkit():
        import networkit

        graph = networkit.GraphFromCoo((source, target), n=vertices, directed=True)
        graph.removeMultiEdges()
        return {
            "bfs": lambda: networkit.distance.BFS(graph, root, False).run(),
            "wcc": lambda: networkit.components.WeaklyConnectedComponents(graph).run(),
            "pagerank": lambda: pagerank(networkit, graph),
        }

    def pagerank(networkit, graph):
        ranks = networkit.centrality.PageRank(graph, 0.85, 0)
        ranks.maxIterations = 20
        ranks.run()

    def networkx():
        import networkx

        graph = networkx.DiGraph()
        graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
        return {
            "bfs": lambda: dict(networkx.single_source_shortest_path_length(graph, root)),
            "wcc": lambda: list(networkx.weakly_connected_components(graph)),
            "pagerank": lambda: networkx.pagerank(graph, max_iter=20, tol=1e-4),
        }

    return {"leadline": local, "scipy": scipy, "igraph": igraph, "networkit": networkit, "networkx": networkx}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without", default="", help="libraries to leave out, with commas between them")
    given = parser.parse_args()
    source, target = rmat(given.scale)
    root = int(source[0])
    works = {}
    for name, build in engines(source, target, given.folder, root).items():
        if name in given.without.split(","):
            continue
        begun = time.perf_counter()
        try:
            works[name] = build()
        except ImportError:
            print(f"{name}: not installed")
            continue
        print(f"{name}: built in {time.perf_counter() - begun:.1f} s", flush=True)
    for algorithm in ("bfs", "wcc", "pagerank"):
        times = {name: [] for name in works}
        for _ in range(given.rounds + 1):
            for name, work in works.items():
                times[name].append(timed(work[algorithm]))
        ours = statistics.median(times["leadline"][1:])
        for name, each in times.items():
            rest = each[1:]
            median = statistics.median(rest)
            print(
                f"{algorithm:9} {name:10} first {each[0]:.3f} s, then {median:.3f} s "
                f"({min(rest):.3f} to {max(rest):.3f}), {median / ours:.2f} times Leadline's",
                flush=True,
            )


if __name__ == "__main__":
    main()

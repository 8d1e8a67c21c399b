"""Compares what Leadline found, one JSON document a line on standard input, with networkx; prints errors."""
import json
import sys

import networkx as nx


def close(a, b, error, least):
    return a == b or abs(a - b) <= max(error * max(abs(a), abs(b)), least)


def levels_of(graph, source):
    found = nx.single_source_shortest_path_length(graph, source)
    return [found.get(v, -1) for v in range(len(graph))]


def distances_of(graph, source):
    found = nx.single_source_dijkstra_path_length(graph, source)
    return [found.get(v, -1) for v in range(len(graph))]


def components_of(graph):
    lists = nx.weakly_connected_components(graph) if graph.is_directed() else nx.connected_components(graph)
    lowest = {v: min(part) for part in lists for v in part}
    return [lowest[v] for v in range(len(graph))]


def strong_components_of(graph):
    if not graph.is_directed():
        return components_of(graph)
    lowest = {v: min(part) for part in nx.strongly_connected_components(graph) for v in part}
    return [lowest[v] for v in range(len(graph))]


def clustering_of(graph):
    """As Graphalytics defines it; networkx has another definition for directed graphs."""
    if not graph.is_directed():
        found = nx.clustering(graph)
        return [found[v] for v in range(len(graph))]
    around = [(set(graph.successors(v)) | set(graph.predecessors(v))) - {v} for v in range(len(graph))]
    among = [sum(len(near & set(graph.successors(v))) for v in near) for near in around]
    return [e / (len(a) * (len(a) - 1)) if len(a) > 1 else 0 for e, a in zip(among, around)]


def jaccard_of(graph, pairs):
    if not graph.is_directed():
        return [value for _, _, value in nx.jaccard_coefficient(graph, pairs)]
    sets = [(set(graph[u]), set(graph[v])) for u, v in pairs]
    return [len(a & b) / len(a | b) if a | b else 0 for a, b in sets]


def all_of(graph):
    ranks = nx.pagerank(graph, alpha=0.85, max_iter=1000, tol=1e-12, weight=None)
    cores = nx.core_number(graph)
    triangles = nx.triangles(graph.to_undirected() if graph.is_directed() else graph)
    pairs = [(v, 3 * v % len(graph)) for v in range(1, len(graph)) if v != 3 * v % len(graph)]
    return {
        "jaccard": jaccard_of(graph, pairs),
        "strong_components": strong_components_of(graph),
        "triangles_per_vertex": [triangles[v] for v in range(len(graph))],
        "levels": levels_of(graph, 0),
        "distances": distances_of(graph, 0),
        "components": components_of(graph),
        "ranks": [ranks[v] for v in range(len(graph))],
        "cores": [cores[v] for v in range(len(graph))],
        "coefficients": clustering_of(graph),
        "triangles": [sum(triangles.values()) // 3],
    }


def weighted_ranks_of(graph, personal):
    personal = {v: 1 for v in personal} or None
    ranks = nx.pagerank(graph, 0.85, personal, max_iter=1000, tol=1e-17, weight="weight")
    return {"weighted_ranks": [ranks[v] for v in range(len(graph))]}


bad = 0
for line in sys.stdin:
    case = json.loads(line)
    if "weighted_ranks" in case:
        graph = nx.MultiDiGraph() if case["directed"] else nx.MultiGraph()
    else:
        graph = nx.DiGraph() if case["directed"] else nx.Graph()
    graph.add_nodes_from(range(case["vertices"]))
    graph.add_weighted_edges_from(case["edges"])
    if "weighted_ranks" in case:
        right, error = weighted_ranks_of(graph, case["personal"]), 1e-9
        # The ranks of what no jump leads to fall towards 0, with every iteration.
        least = 1e-12 if case["personal"] else 0
    else:
        right, error, least = all_of(graph), 1e-4, 0
    for what, values in right.items():
        for v, (found, value) in enumerate(zip(case[what], values, strict=True)):
            if not close(found, value, error, least):
                print(f"{case['name']}: {what} of {v}: {found}, networkx says {value}")
                bad += 1
                break
    print(f"{case['name']}: compared", file=sys.stderr)
sys.exit(1 if bad else 0)

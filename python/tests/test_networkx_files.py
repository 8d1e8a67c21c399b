"""Files that networkx writes come back as the graphs they were: names, edges, direction and weights."""

import os
import random

import networkx as nx
import pytest

from leadline import Graph

GRAPHS = 200 if os.environ.get("LEADLINE_EXHAUSTIVE") else 15

# How each is written, its ending, whether it says the direction, and whether names may have blanks.
WRITERS = {
    "gml": (nx.write_gml, ".gml", True, True),
    "graphml": (nx.write_graphml, ".graphml", True, True),
    "gexf": (nx.write_gexf, ".gexf", True, True),
    "pajek": (nx.write_pajek, ".net", True, True),
    "adjacency list": (nx.write_adjlist, ".adjlist", False, False),
    "multiline adjacency list": (nx.write_multiline_adjlist, ".multiline_adjlist", False, False),
}

NAMES = ["ann", "b c", "Zoë", "x&y", "q<r", "#hash", "ta'il", "semi;colon", "a,b", '"quoted"']


def some_graph(rng: random.Random, with_blanks: bool, weighted: bool) -> nx.Graph:
    """A graph with edges, some of them from a vertex to itself, and vertices without any."""
    count = rng.randrange(2, 25)
    nodes = list(range(count))
    if rng.random() < 0.5:
        nodes = [f"v{node}" for node in nodes]
        if with_blanks:
            nodes = [rng.choice(NAMES) + node for node in nodes]
    graph = rng.choice([nx.Graph, nx.DiGraph])()
    graph.add_nodes_from(nodes)
    for _ in range(rng.randrange(1, 3 * count)):
        weight = {"weight": rng.choice([1.0, 0.5, 3, -2.25, rng.random() * 100])} if weighted else {}
        graph.add_edge(rng.choice(nodes), rng.choice(nodes), **weight)
    return graph


def edges_of(rows, directed):
    """Edges with their weights, each once."""

    def edge(row):
        source, target, weight = (*row, 0)[:3]
        ends = (str(source), str(target))
        return (ends if directed else tuple(sorted(ends))), float(weight)

    return sorted({edge(row) for row in rows})


@pytest.mark.parametrize("name", WRITERS)
def test_what_networkx_writes_comes_back(name, tmp_path):
    write, ending, says_direction, with_blanks = WRITERS[name]
    rng = random.Random(37)
    for trial in range(GRAPHS):
        weighted = rng.random() < 0.5 and name != "adjacency list"
        graph = some_graph(rng, with_blanks, weighted)
        file = tmp_path / f"g{trial}{ending}"
        write(graph, file)
        options = {"weights": weighted, "undirected": not says_direction and not graph.is_directed()}
        options = {option: value for option, value in options.items() if value}
        with Graph.import_file(file, tmp_path / "g.graph", **options) as found:
            assert found.directed == graph.is_directed(), trial
            assert sorted(str(vertex) for vertex in found.ids()) == sorted(str(node) for node in graph), trial
            columns = ["source", "target", "weight"][: 3 if weighted else 2]
            batches = [zip(*(batch[column].tolist() for column in columns)) for batch in found.edges(100)]
            rows = [row for batch in batches for row in batch]
        weight = (lambda data: (data["weight"],)) if weighted else (lambda data: ())
        expected = [(source, target, *weight(data)) for source, target, data in graph.edges(data=True)]
        assert edges_of(rows, graph.is_directed()) == edges_of(expected, graph.is_directed()), trial

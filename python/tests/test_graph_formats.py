"""What networkx and igraph write comes back as the same graph."""

import os
import random

import pytest

from leadline import Graph

networkx = pytest.importorskip("networkx")

SEEDS = range(200 if os.environ.get("LEADLINE_EXHAUSTIVE") else 20)

WORDS = ["ann", "bob", "cy", "dan", "eve", "fay", "gil", "hal", "ida", "jo", "kim", "lee"]
# In formats that say where a name ends.
NAMES = ["New York", "a & b", "<c>", "d'Arc", "Zoë", "日本", "x,y", "7 bis", "p/q", "#1", "%2", "[z]"]


def weight(pick):
    """A weight that is whole, a half, small, or of all digits."""
    return pick.choice([pick.randrange(100), pick.randrange(-20, 20) / 2, 1e-9, pick.random()])


def random_graph(seed, names):
    """A graph of networkx: sparse or dense, with loops, with vertices without edges, or without edges."""
    pick = random.Random(seed)
    graph = networkx.DiGraph() if seed % 2 else networkx.Graph()
    nodes = list(names) if seed % 3 else pick.sample(range(1000), 12)
    pick.shuffle(nodes)
    nodes = nodes[: pick.randrange(1, len(nodes) + 1)]
    graph.add_nodes_from(nodes)
    for _ in range(pick.randrange(2 * len(nodes) + 1)):
        graph.add_edge(pick.choice(nodes), pick.choice(nodes), weight=weight(pick))
    return graph


def edge(source, target, weight, directed):
    """An edge that compares equal with the same one from elsewhere."""
    ends = (str(source), str(target))
    return (ends if directed else tuple(sorted(ends)), weight)


def edges_of(graph, weighted):
    """The edges of a graph of ours."""
    edges = []
    for batch in graph.edges(1000):
        weights = batch["weight"].tolist() if weighted else [None] * len(batch["source"])
        ends = zip(batch["source"].tolist(), batch["target"].tolist(), weights, strict=True)
        edges.extend(edge(source, target, w, graph.directed) for source, target, w in ends)
    return sorted(edges, key=str)


def check(tmp_path, file, vertices, edges, directed, **options):
    """Imports a file, and compares edges, direction, weights and, where a format has all, vertices."""
    with Graph.import_file(file, tmp_path / "store", **options) as graph:
        weighted = options.get("weights", False)
        found = edges_of(graph, weighted)
        assert graph.directed == directed or not edges
        expected = [edge(s, t, w if weighted else None, graph.directed) for s, t, w in edges]
        assert found == sorted(expected, key=str)
        if vertices is not None:
            assert sorted(map(str, graph.ids().tolist())) == sorted(map(str, vertices))


def triples(graph):
    return [(s, t, float(w)) for s, t, w in graph.edges(data="weight")]


@pytest.mark.parametrize("seed", SEEDS)
def test_edge_lists_of_networkx(tmp_path, seed):
    theirs = random_graph(seed, WORDS)
    directed = theirs.is_directed()
    options = {"weights": True, "undirected": not directed}
    networkx.write_edgelist(theirs, tmp_path / "g.edgelist")
    check(tmp_path, tmp_path / "g.edgelist", None, triples(theirs), directed, **options)
    networkx.write_weighted_edgelist(theirs, tmp_path / "weighted.txt")
    check(tmp_path, tmp_path / "weighted.txt", None, triples(theirs), directed, **options)


@pytest.mark.parametrize("seed", SEEDS)
def test_adjacency_lists_of_networkx(tmp_path, seed):
    theirs = random_graph(seed, WORDS)
    directed = theirs.is_directed()
    edges = [(s, t, None) for s, t in theirs.edges]
    networkx.write_adjlist(theirs, tmp_path / "g.adjlist")
    check(tmp_path, tmp_path / "g.adjlist", theirs, edges, directed, undirected=not directed)
    networkx.write_multiline_adjlist(theirs, tmp_path / "g.multiline_adjlist")
    options = {"weights": True, "undirected": not directed}
    check(tmp_path, tmp_path / "g.multiline_adjlist", theirs, triples(theirs), directed, **options)


def label(node):
    """A node as a text that all of networkx's formats hold."""
    return f"n{node}" if isinstance(node, int) else node


WRITERS = {
    "gml": networkx.write_gml,
    "graphml": networkx.write_graphml,
    "gexf": networkx.write_gexf,
    "net": networkx.write_pajek,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ending", WRITERS)
def test_files_of_networkx_that_say_all(tmp_path, ending, seed):
    theirs = networkx.relabel_nodes(random_graph(seed, NAMES), label)
    file = tmp_path / f"g.{ending}"
    WRITERS[ending](theirs, file)
    check(tmp_path, file, theirs, triples(theirs), theirs.is_directed(), weights=True)


def of_igraph(seed):
    """A graph of igraph with names, and its edges by place and weight."""
    igraph = pytest.importorskip("igraph")
    theirs = random_graph(seed, WORDS)
    names = [str(name) for name in theirs]
    places = {name: place for place, name in enumerate(theirs)}
    # It writes 15 digits.
    edges = [(places[s], places[t], float(f"{w:.12g}")) for s, t, w in triples(theirs)]
    graph = igraph.Graph(n=len(names), edges=[e[:2] for e in edges], directed=theirs.is_directed())
    graph.vs["name"] = names
    graph.es["weight"] = [w for _, _, w in edges]
    return graph, names, edges


def named(edges, names):
    return [(names[s], names[t], w) for s, t, w in edges]


@pytest.mark.parametrize("seed", SEEDS)
def test_edge_lists_of_igraph(tmp_path, seed):
    graph, names, edges = of_igraph(seed)
    undirected = not graph.is_directed()
    graph.write_edgelist(str(tmp_path / "g.edgelist"))
    check(tmp_path, tmp_path / "g.edgelist", None, edges, not undirected, undirected=undirected)
    graph.write_ncol(str(tmp_path / "g.ncol"), names="name", weights="weight")
    options = {"undirected": undirected, "weights": True}
    check(tmp_path, tmp_path / "g.ncol", None, named(edges, names), not undirected, **options)


@pytest.mark.parametrize("seed", SEEDS)
def test_files_of_igraph_that_say_all(tmp_path, seed):
    graph, names, edges = of_igraph(seed)
    directed = graph.is_directed()
    graph.write_gml(str(tmp_path / "g.gml"))
    check(tmp_path, tmp_path / "g.gml", names, named(edges, names), directed, weights=True)
    graph.write_pajek(str(tmp_path / "g.net"))
    check(tmp_path, tmp_path / "g.net", names, named(edges, names), directed, weights=True)
    # GraphML's names are attributes; its vertices are called n0, n1 and so on.
    numbered = [f"n{place}" for place in range(len(names))]
    graph.write_graphml(str(tmp_path / "g.graphml"))
    check(tmp_path, tmp_path / "g.graphml", numbered, named(edges, numbered), directed, weights=True)

//! Results that go on from those of an earlier version: after any changes they are what a full run finds.

use std::path::{Path, PathBuf};

use leadline_graph::algorithms::{Continued, GoesOn, PageRankOptions, Previous, Stamp, UNREACHED};
use leadline_graph::format::Vertex;
use leadline_graph::import::{ImportOptions, import_edges};
use leadline_graph::input::ArrayEdges;
use leadline_graph::{Graph, GraphUpdate, Options, UpdateOptions};
use serde_json::json;
use tempfile::{TempDir, tempdir};

/// A store that changes, and the edges that it has.
struct Store {
    folder: TempDir,
    directed: bool,
    edges: Vec<(u64, u64)>,
    rng: fastrand::Rng,
}

impl Store {
    fn new(vertices: u64, edges: Vec<(u64, u64)>, options: &ImportOptions, seed: u64) -> Store {
        let folder = tempdir().unwrap();
        let column = |of: fn(&(u64, u64)) -> u64| edges.iter().map(of).collect::<Vec<u64>>();
        let input = ArrayEdges::new(column(|edge| edge.0), column(|edge| edge.1)).unwrap();
        let input = input.with_vertices_below(vertices).unwrap();
        import_edges(Box::new(input), folder.path().join("g"), options, &mut |_| {}).unwrap();
        Store { folder, directed: !options.undirected, edges, rng: fastrand::Rng::with_seed(seed) }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("g")
    }

    fn open(&self) -> Graph {
        Graph::open(self.path(), Options { threads: 2, memory: 64 << 20, ..Options::default() }).unwrap()
    }

    fn update(&self) -> GraphUpdate {
        GraphUpdate::open(self.path(), UpdateOptions::default()).unwrap()
    }

    /// Deletes and adds some edges, all copies of each; some of them several times.
    fn change(&mut self, deleted: usize, added: usize) {
        let mut update = self.update();
        for _ in 0..deleted {
            let (a, b) = self.edges[self.rng.usize(..self.edges.len())];
            self.edges.retain(|edge| *edge != (a, b) && (self.directed || *edge != (b, a)));
            update.delete_edge(a, b).unwrap();
            if self.rng.u8(..8) == 0 {
                self.edges.push((a, b));
                update.insert_edge(a, b, None).unwrap();
            }
        }
        update.commit().unwrap();
        for _ in 0..added {
            let some = |rng: &mut fastrand::Rng, edges: &[(u64, u64)]| edges[rng.usize(..edges.len())];
            let (a, b) =
                (some(&mut self.rng, &self.edges).0, some(&mut self.rng, &self.edges).1 + self.rng.u64(..2));
            update.insert_edge(a, b, None).unwrap();
            // One that comes and goes is in no version that anybody looks at.
            if self.rng.bool() {
                self.edges.push((a, b));
            } else {
                update.commit().unwrap();
                self.edges.retain(|edge| *edge != (a, b) && (self.directed || *edge != (b, a)));
                update.delete_edge(a, b).unwrap();
            }
        }
        update.commit().unwrap();
        if self.rng.bool() {
            // Not kept in shape: so small a store would be compacted.
            update.flush().unwrap();
        }
    }
}

/// Writes a result as runs do: by id, a number.
fn write(graph: &Graph, path: &Path, stamp: &Stamp, value: impl Fn(Vertex) -> u64) {
    let (mut ids, mut bytes) = (graph.ids(), Vec::new());
    for rank in 0..graph.vertices() {
        let (id, vertex) = (ids.number(rank).unwrap(), ids.vertex(rank).unwrap());
        bytes.extend([id, value(vertex)].map(u64::to_le_bytes).concat());
    }
    std::fs::write(path, bytes).unwrap();
    stamp.write(path).unwrap();
}

/// What three algorithms find, where later versions go on from.
struct Results {
    folder: TempDir,
    source: String,
}

impl Results {
    fn of(graph: &Graph, source: &str) -> Results {
        let results = Results { folder: tempdir().unwrap(), source: source.to_owned() };
        let mut ids = graph.ids();
        let mut by_vertex = vec![0; graph.vertices() as usize];
        for rank in 0..graph.vertices() {
            by_vertex[ids.vertex(rank).unwrap() as usize] = ids.number(rank).unwrap();
        }
        let components = graph.wcc().unwrap().components.into_vec().unwrap();
        let named = |vertex| by_vertex[components[vertex as usize] as usize];
        write(graph, &results.path("wcc"), &results.stamp(graph, "wcc"), named);
        let levels = graph.bfs(&[graph.vertex(source).unwrap()]).unwrap().levels.into_vec().unwrap();
        let level = |vertex: Vertex| match levels[vertex as usize] {
            UNREACHED => u64::MAX,
            level => level.into(),
        };
        write(graph, &results.path("bfs"), &results.stamp(graph, "bfs"), level);
        results
    }

    fn with_ranks(self, graph: &Graph) -> Results {
        let ranks = graph.pagerank(&exact()).unwrap().ranks.into_vec().unwrap();
        let rank = |vertex: Vertex| ranks[vertex as usize].to_bits();
        write(graph, &self.path("pagerank"), &self.stamp(graph, "pagerank"), rank);
        self
    }

    fn path(&self, algorithm: &str) -> PathBuf {
        self.folder.path().join(format!("{algorithm}.bin"))
    }

    fn stamp(&self, graph: &Graph, algorithm: &str) -> Stamp {
        Stamp::new(graph, algorithm, json!({}))
    }

    fn open(&self, graph: &Graph, algorithm: &str) -> Continued {
        let goes_on = match algorithm {
            "wcc" => GoesOn::AfterChangesOfEdges,
            "bfs" => GoesOn::AfterDeletionsByIncoming,
            _ => GoesOn::Always,
        };
        let stamp = self.stamp(graph, algorithm);
        Previous::open(graph, &self.path(algorithm), &stamp, 1, goes_on).unwrap()
    }

    fn previous(&self, graph: &Graph, algorithm: &str) -> Previous {
        match self.open(graph, algorithm) {
            Continued::From(previous) => previous,
            Continued::FullRun(why) => panic!("{algorithm}: {why}"),
        }
    }

    /// Compares what goes on from them with full runs; how many entries of lists WCC and BFS looked at, and
    /// how many a full run did.
    fn compare(&self, graph: &Graph, told: &str) -> [(u64, u64); 2] {
        let sources = [graph.vertex(&self.source).unwrap()];
        let (after, full) = (graph.wcc_after(&self.previous(graph, "wcc")).unwrap(), graph.wcc().unwrap());
        assert_eq!(after.count, full.count, "{told}");
        assert_eq!(after.components.into_vec().unwrap(), full.components.into_vec().unwrap(), "{told}");
        let of_wcc = (after.stats.edges, graph.header().edges);
        let previous = self.previous(graph, "bfs");
        let (after, full) = (graph.bfs_after(&sources, &previous).unwrap(), graph.bfs(&sources).unwrap());
        assert_eq!((after.reached, after.depth), (full.reached, full.depth), "{told}");
        assert_eq!(after.levels.into_vec().unwrap(), full.levels.into_vec().unwrap(), "{told}");
        [of_wcc, (after.stats.edges, graph.header().edges)]
    }
}

fn exact() -> PageRankOptions {
    PageRankOptions { tolerance: 1e-13, iterations: 1000, ..PageRankOptions::default() }
}

fn random(vertices: u64, edges: usize, rng: &mut fastrand::Rng) -> Vec<(u64, u64)> {
    (0..edges).map(|_| (rng.u64(..vertices), rng.u64(..vertices))).collect()
}

fn grid(side: u64) -> Vec<(u64, u64)> {
    let at = |x: u64, y: u64| y * side + x;
    let right = (0..side * side).filter(|id| id % side + 1 < side).map(|id| (id, id + 1));
    right.chain((0..side * (side - 1)).map(|id| (id, at(id % side, id / side + 1)))).collect()
}

/// What it is called, its vertices, and its edges.
type Shape = (&'static str, u64, Vec<(u64, u64)>);

/// Graphs that come apart in different ways: a name, vertices and edges.
fn shapes(rng: &mut fastrand::Rng) -> Vec<Shape> {
    let mut hubs: Vec<(u64, u64)> = (0..4000).map(|at| (at % 3, rng.u64(..3000))).collect();
    hubs.extend(random(3000, 900, rng));
    vec![
        ("many components", 3000, random(3000, 1700, rng)),
        ("one component and leaves", 3000, random(3000, 6000, rng)),
        ("grid", 2500, grid(50)),
        ("chain", 2000, (1..2000).map(|id| (id - 1, id)).collect()),
        ("hubs", 3000, hubs),
    ]
}

#[test]
fn after_any_changes_of_edges_results_are_those_of_full_runs() {
    let mut rng = fastrand::Rng::with_seed(42);
    let thorough = std::env::var_os("LEADLINE_EXHAUSTIVE").is_some();
    for round in 0..if thorough { 20 } else { 1 } {
        for kind in 0..3 {
            for (name, vertices, edges) in shapes(&mut rng) {
                let options = ImportOptions::default()
                    .with_undirected(kind < 2)
                    .with_renumber(kind == 1)
                    .with_reverse(kind == 2);
                let mut store = Store::new(vertices, edges, &options, round);
                let mut results = Results::of(&store.open(), "7");
                for step in 0..6 {
                    // Few changes mostly, so that a small part of the graph is looked at.
                    store.change([1, 3, 12, 40][step % 4], [0, 4, 9][step % 3]);
                    let graph = store.open();
                    results.compare(&graph, &format!("{name}, kind {kind}, step {step}"));
                    if step % 2 == 1 {
                        results = Results::of(&graph, "7");
                    }
                }
            }
        }
    }
}

#[test]
fn without_incoming_edges_components_come_apart_and_a_search_begins_anew() {
    let mut rng = fastrand::Rng::with_seed(3);
    for (name, vertices, edges) in shapes(&mut rng) {
        let mut store = Store::new(vertices, edges, &ImportOptions::default(), 5);
        let results = Results::of(&store.open(), "7");
        store.change(0, 5);
        // One that came and went in between was a deletion too.
        for deleted in [1, 4, 30] {
            store.change(deleted, 3);
            let graph = store.open();
            let (after, full) =
                (graph.wcc_after(&results.previous(&graph, "wcc")).unwrap(), graph.wcc().unwrap());
            let found = after.components.into_vec().unwrap();
            assert_eq!(found, full.components.into_vec().unwrap(), "{name}, {deleted} deleted");
            let Continued::FullRun(why) = results.open(&graph, "bfs") else { panic!("{name}") };
            assert!(why.contains("no lists of incoming edges"), "{why}");
        }
    }
}

#[test]
fn a_small_change_of_a_large_component_is_a_small_run() {
    for edges in [grid(80), random(6400, 20_000, &mut fastrand::Rng::with_seed(9))] {
        let options = ImportOptions::default().with_undirected(true);
        let mut store = Store::new(6400, edges, &options, 8);
        let results = Results::of(&store.open(), "7");
        store.change(3, 0);
        for (after, all) in results.compare(&store.open(), "small") {
            assert!(after < all / 8, "looked at {after} of {all} entries");
        }
        // A vertex that loses its last edge is a component of its own, found without looking at the rest.
        let mut update = store.update();
        let (alone, _) = store.edges[0];
        let lost = store.edges.iter().filter(|(a, b)| *a == alone || *b == alone);
        lost.for_each(|(a, b)| update.delete_edge(*a, *b).unwrap());
        update.commit().unwrap();
        let [(after, all), _] = results.compare(&store.open(), "one alone");
        assert!(after < all / 8, "looked at {after} of {all} entries");
    }
}

#[test]
fn ranks_go_on_after_anything_and_the_rest_begins_anew_where_vertices_or_the_changes_are_gone() {
    let mut rng = fastrand::Rng::with_seed(4);
    let options = ImportOptions::default().with_reverse(true);
    let store = Store::new(600, random(600, 3000, &mut rng), &options, 6);
    let results = Results::of(&store.open(), "7").with_ranks(&store.open());
    let ranks = |told: &str| {
        let graph = store.open();
        let after = graph.pagerank_after(&exact(), &results.previous(&graph, "pagerank")).unwrap();
        let full = graph.pagerank(&exact()).unwrap();
        assert!(after.iterations < full.iterations, "{told}: {} of {}", after.iterations, full.iterations);
        let (after, full) = (after.ranks.into_vec().unwrap(), full.ranks.into_vec().unwrap());
        let apart = after.iter().zip(&full).map(|(after, full)| (after - full).abs()).sum::<f64>();
        assert!(apart < 1e-11, "{told}: {apart}");
    };
    let anew = |algorithm: &str, says: &str| match results.open(&store.open(), algorithm) {
        Continued::FullRun(why) => assert!(why.contains(says), "{why}"),
        Continued::From(_) => panic!("{algorithm} went on"),
    };
    let mut update = store.update();
    update.delete_edge(store.edges[0].0, store.edges[0].1).unwrap();
    update.commit().unwrap();
    ranks("an edge deleted");
    update.compact(None, &mut |_| {}).unwrap();
    ranks("compacted");
    anew("wcc", "before the store was compacted");
    // The last vertex, whose number nobody gets, and another one.
    for vertex in [599, 20] {
        update.delete_vertex(vertex).unwrap();
        update.insert_edge(1000 + vertex, 3, None).unwrap();
        update.commit().unwrap();
        ranks("a vertex deleted");
        anew("wcc", "before a vertex was deleted");
        anew("bfs", "before a vertex was deleted");
    }
}

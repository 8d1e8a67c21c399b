//! Small questions to a graph: what lists in memory would say, whatever the store, its changes and the
//! memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use leadline_graph::import::{ImportOptions, import_edges};
use leadline_graph::input::ArrayEdges;
use leadline_graph::output::{RowFile, RowValues, Rows};
use leadline_graph::{Graph, GraphError, GraphUpdate, Options, Side, UpdateOptions, VertexId};
use proptest::prelude::*;

/// An edge: its ends and its weight.
type Edge = (u64, u64, u32);

/// What a graph is, and how its store is made.
#[derive(Debug, Clone)]
struct Plain {
    directed: bool,
    weighted: bool,
    strings: bool,
    renumbered: bool,
    compressed: bool,
    vertices: BTreeSet<u64>,
    edges: Vec<Edge>,
}

/// A commit of changes.
#[derive(Debug, Clone)]
enum Change {
    Insert(u64, u64, u32),
    Delete(u64, u64),
    DeleteVertex(u64),
}

impl Plain {
    fn id(&self, vertex: u64) -> String {
        // Of one length, so that they have the order of numbers.
        if self.strings { format!("v, {vertex:05}") } else { (vertex * 3 + 5).to_string() }
    }

    fn update_id(&self, vertex: u64) -> VertexId {
        let id = self.id(vertex);
        if self.strings { (&*id).into() } else { id.parse::<u64>().unwrap().into() }
    }

    fn write(&self, store: &Path) {
        let ids =
            |vertices: Vec<u64>| vertices.iter().map(|vertex| self.id(*vertex)).collect::<Vec<String>>();
        let ends = |end: fn(&Edge) -> u64| self.edges.iter().map(end).collect::<Vec<u64>>();
        let (sources, targets) = (ids(ends(|edge| edge.0)), ids(ends(|edge| edge.1)));
        let vertices = ids(self.vertices.iter().copied().collect());
        let numbers = |ids: Vec<String>| ids.iter().map(|id| id.parse().unwrap()).collect::<Vec<u64>>();
        let mut edges = match self.strings {
            true => ArrayEdges::new(sources, targets).unwrap().with_vertices(vertices).unwrap(),
            false => {
                let edges = ArrayEdges::new(numbers(sources), numbers(targets)).unwrap();
                edges.with_vertices(numbers(vertices)).unwrap()
            }
        };
        if self.weighted {
            let weights: Vec<f64> = self.edges.iter().map(|edge| f64::from(edge.2)).collect();
            edges = edges.with_weights(weights).unwrap();
        }
        let options = ImportOptions {
            compressed: self.compressed,
            undirected: !self.directed,
            reverse: self.directed,
            renumber: self.renumbered,
            ..ImportOptions::default()
        };
        import_edges(Box::new(edges), store, &options, &mut |_| {}).unwrap();
    }

    /// Makes the same changes to the store.
    fn change(&mut self, store: &Path, changes: &[Change]) {
        let mut update = GraphUpdate::open(store, UpdateOptions::default()).unwrap();
        for change in changes {
            match *change {
                Change::Insert(a, b, weight) => {
                    self.edges.push((a, b, weight));
                    self.vertices.extend([a, b]);
                    let (a, b) = (self.update_id(a), self.update_id(b));
                    update.insert_edge(a, b, self.weighted.then_some(f64::from(weight))).unwrap();
                }
                Change::Delete(a, b) => {
                    let directed = self.directed;
                    let is_it =
                        |edge: &Edge| (edge.0, edge.1) == (a, b) || !directed && (edge.0, edge.1) == (b, a);
                    self.edges.retain(|edge| !is_it(edge));
                    update.delete_edge(self.update_id(a), self.update_id(b)).unwrap();
                }
                Change::DeleteVertex(vertex) => {
                    self.edges.retain(|edge| edge.0 != vertex && edge.1 != vertex);
                    self.vertices.remove(&vertex);
                    update.delete_vertex(self.update_id(vertex)).unwrap();
                }
            }
        }
        update.commit().unwrap();
    }

    /// The other ends of the edges of a vertex, and their weights.
    fn list(&self, vertex: u64, outward: bool) -> Vec<(u64, u32)> {
        let of_edge = |&(a, b, weight): &Edge| match self.directed {
            true if outward => (a == vertex).then_some((b, weight)),
            true => (b == vertex).then_some((a, weight)),
            false if a == vertex => Some((b, weight)),
            false => (b == vertex).then_some((a, weight)),
        };
        let mut list: Vec<(u64, u32)> = self.edges.iter().filter_map(of_edge).collect();
        list.sort_unstable();
        list
    }

    /// The vertex of which most edges are.
    fn hub(&self) -> u64 {
        let mut counts: BTreeMap<u64, usize> = self.vertices.iter().map(|vertex| (*vertex, 0)).collect();
        for vertex in self.edges.iter().flat_map(|edge| [edge.0, edge.1]) {
            *counts.entry(vertex).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map_or(0, |(vertex, _)| vertex)
    }

    /// Which ways a question looks: the name of each, and whether it is outward.
    fn ways(&self, side: Side) -> &'static [(&'static str, bool)] {
        match side {
            _ if !self.directed => &[("out", true)],
            Side::Out => &[("out", true)],
            Side::In => &[("in", false)],
            Side::Both => &[("out", true), ("in", false)],
        }
    }

    fn weight(&self, weight: u32) -> Option<String> {
        self.weighted.then(|| weight.to_string())
    }

    fn neighbor_rows(&self, asked: &[u64], side: Side) -> Vec<Vec<String>> {
        let ways = self.ways(side);
        let mut rows = Vec::new();
        for vertex in asked {
            for (way, outward) in ways {
                for (other, weight) in self.list(*vertex, *outward) {
                    let mut row = vec![self.id(*vertex), self.id(other)];
                    row.extend((ways.len() > 1).then(|| (*way).to_owned()));
                    row.extend(self.weight(weight));
                    rows.push(row);
                }
            }
        }
        rows
    }

    fn degree_rows(&self, asked: &[u64], side: Side) -> Vec<Vec<String>> {
        let degree = |vertex: u64| self.ways(side).iter().map(|way| self.list(vertex, way.1).len()).sum();
        asked.iter().map(|vertex| vec![self.id(*vertex), usize::to_string(&degree(*vertex))]).collect()
    }

    /// The edges among vertices, in their order.
    fn edge_rows(&self, among: &[u64]) -> Vec<Vec<String>> {
        let places: BTreeMap<u64, usize> =
            among.iter().rev().map(|vertex| (*vertex, place(among, *vertex))).collect();
        let mut edges: Vec<(usize, usize, u32)> = Vec::new();
        for (a, b, weight) in &self.edges {
            if let (Some(&a), Some(&b)) = (places.get(a), places.get(b)) {
                let swap = !self.directed && b < a;
                edges.push(if swap { (b, a, *weight) } else { (a, b, *weight) });
            }
        }
        edges.sort_unstable();
        let row = |(a, b, weight): (usize, usize, u32)| {
            let mut row = vec![self.id(among[a]), self.id(among[b])];
            row.extend(self.weight(weight));
            row
        };
        edges.into_iter().map(row).collect()
    }

    /// Vertices by their distance from one, then by id.
    fn around(&self, centre: u64, hops: u32, side: Side) -> Vec<(u64, u32)> {
        let mut reached = BTreeMap::from([(centre, 0)]);
        let mut frontier = vec![centre];
        for hop in 1..=hops {
            let ends = frontier.iter().flat_map(|vertex| {
                self.ways(side).iter().flat_map(|way| self.list(*vertex, way.1)).collect::<Vec<_>>()
            });
            let next: BTreeSet<u64> =
                ends.map(|(end, _)| end).filter(|end| !reached.contains_key(end)).collect();
            reached.extend(next.iter().map(|vertex| (*vertex, hop)));
            frontier = next.into_iter().collect();
        }
        let mut all: Vec<(u64, u32)> = reached.into_iter().collect();
        all.sort_by_key(|(vertex, hop)| (*hop, *vertex));
        all
    }
}

/// Shows the first row that differs, and not all.
fn assert_rows(found: &[Vec<String>], expected: &[Vec<String>], told: &str) {
    let differs = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert_eq!((differs, found.len()), (None, expected.len()), "{told}");
}

fn place(among: &[u64], vertex: u64) -> usize {
    among.iter().position(|other| *other == vertex).unwrap()
}

/// Rows as text.
fn texts(rows: &Rows) -> Vec<Vec<String>> {
    let cell = |values: &RowValues, row: usize| match values {
        RowValues::Integers(values) => values[row].to_string(),
        RowValues::Doubles(values) => values[row].to_string(),
        RowValues::Ids(values) => values[row].to_string(),
        RowValues::Texts(texts) => texts.text(row).into_owned(),
        other => panic!("{other:?}"),
    };
    let row = |row: usize| rows.columns.iter().map(|column| cell(&column.values, row)).collect();
    (0..rows.count()).map(row).collect()
}

fn names(rows: &Rows) -> Vec<&str> {
    rows.columns.iter().map(|column| column.name).collect()
}

fn options(memory: u64) -> Options {
    Options { memory, threads: 2, depth: 8, ..Options::default() }
}

/// What a question answers with little memory; where it is refused, with as much as it says that it needs.
fn ask(
    graph: &mut Graph,
    memory: u64,
    question: impl Fn(&Graph) -> Result<Vec<Vec<String>>, GraphError>,
) -> Vec<Vec<String>> {
    let (mut memory, mut refusals) = (memory, Vec::new());
    // Each part of an answer may be what is refused.
    for _ in 0..40 {
        graph.set_options(options(memory));
        match question(graph) {
            Err(GraphError::Memory { needed, given, what }) => {
                refusals.push(format!("{what}: {given}, {needed}"));
                assert!(needed > given, "{needed} bytes are refused with {given}");
                memory += needed - given;
            }
            answer => return answer.unwrap(),
        }
    }
    panic!("refused again and again: {refusals:?}");
}

/// Whether a graph answers as the lists do.
fn check(plain: &Plain, graph: &mut Graph, asked: &[u64], hops: u32, memory: u64) {
    let ids: Vec<String> = asked.iter().map(|vertex| plain.id(*vertex)).collect();
    let vertices = graph.vertices_of(&ids).unwrap();
    let is_each = |(id, vertex): (&String, &u32)| graph.vertex(id).unwrap() == *vertex;
    assert!(ids.iter().zip(&vertices).all(is_each));
    for side in [Side::Out, Side::In, Side::Both] {
        let found = ask(graph, memory, |graph| Ok(texts(&graph.neighbors(&vertices, side)?.rows(graph)?)));
        assert_rows(&found, &plain.neighbor_rows(asked, side), &format!("neighbors {side:?}"));
        let found = ask(graph, memory, |graph| Ok(texts(&graph.degree(&vertices, side)?.rows(graph)?)));
        assert_rows(&found, &plain.degree_rows(asked, side), &format!("degrees {side:?}"));
        let Some(centre) = asked.first() else { continue };
        let around = plain.around(*centre, hops, side);
        let found =
            ask(graph, memory, |graph| Ok(texts(&graph.ego(vertices[0], hops, side)?.vertex_rows(graph)?)));
        let expected: Vec<_> =
            around.iter().map(|(vertex, hop)| vec![plain.id(*vertex), hop.to_string()]).collect();
        assert_rows(&found, &expected, &format!("{hops} hops {side:?}"));
        let among: Vec<u64> = around.iter().map(|(vertex, _)| *vertex).collect();
        let found =
            ask(graph, memory, |graph| Ok(texts(&graph.ego(vertices[0], hops, side)?.edge_rows(graph)?)));
        assert_rows(&found, &plain.edge_rows(&among), &format!("edges of {hops} hops {side:?}"));
    }
    let mut once: Vec<u64> = Vec::new();
    asked.iter().for_each(|vertex| {
        if !once.contains(vertex) {
            once.push(*vertex)
        }
    });
    let found = ask(graph, memory, |graph| Ok(texts(&graph.subgraph(&vertices)?.edge_rows(graph)?)));
    assert_rows(&found, &plain.edge_rows(&once), "subgraph");
    let found = ask(graph, memory, |graph| Ok(texts(&graph.subgraph(&vertices)?.vertex_rows(graph)?)));
    let expected: Vec<_> = once.iter().map(|vertex| vec![plain.id(*vertex)]).collect();
    assert_rows(&found, &expected, "vertices of the subgraph");
    check_batches(plain, graph, memory);
}

/// Whether all edges come, in batches of one size.
fn check_batches(plain: &Plain, graph: &mut Graph, memory: u64) {
    for batch in [1, 7, 100_000] {
        if batch == 1 && plain.edges.len() > 300 {
            continue;
        }
        let mut found = ask(graph, memory, |graph| {
            let (mut all, mut cursor) = (Vec::new(), leadline_graph::EdgeCursor::new(batch));
            while let Some(rows) = cursor.next_rows(graph)? {
                assert!(all.len() % batch == 0 && rows.count() <= batch, "only the last is smaller");
                all.extend(texts(&rows));
            }
            Ok(all)
        });
        let edges: usize = graph.edges(batch).map(|batch| batch.unwrap().sources.len()).sum();
        assert_eq!(edges, plain.edges.len());
        let all: Vec<u64> = plain.vertices.iter().copied().collect();
        let mut expected = plain.edge_rows(&all);
        if !plain.directed {
            // From either end.
            found.iter_mut().chain(&mut expected).for_each(|row| row[..2].sort());
        }
        found.sort();
        expected.sort();
        assert_rows(&found, &expected, &format!("batches of {batch}"));
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0u64..44, 0u64..44, 1u32..9).prop_map(|(a, b, weight)| Change::Insert(a, b, weight)),
        2 => (0u64..40, 0u64..40).prop_map(|(a, b)| Change::Delete(a, b)),
        1 => (0u64..40).prop_map(Change::DeleteVertex),
    ]
}

prop_compose! {
    fn plain()(
        kind in prop::array::uniform5(any::<bool>()),
        pairs in prop::collection::vec((0u64..40, 0u64..40, 1u32..9), 0..120),
        hub in prop::option::of(0u64..40),
    ) -> Plain {
        let mut edges = pairs;
        // Its list has several blocks.
        let hub_edges = hub.into_iter().flat_map(|hub| {
            (0..2500).map(move |at| if at % 7 == 0 { (at, hub, 1) } else { (hub, at % 1800, 2) })
        });
        edges.extend(hub_edges);
        let vertices = edges.iter().flat_map(|edge| [edge.0, edge.1]).chain(0..40).collect();
        let [directed, weighted, strings, renumbered, compressed] = kind;
        Plain { directed, weighted, strings, renumbered, compressed, vertices, edges }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if leadline_testing::exhaustive() { 400 } else { 24 }))]
    #[test]
    fn the_answers_are_those_of_lists_in_memory(
        mut plain in plain(),
        commits in prop::collection::vec(prop::collection::vec(change(), 1..25), 0..3),
        asked in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        hops in 0u32..4,
        little in prop::bool::ANY,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("g");
        plain.write(&store);
        for commit in 0..=commits.len() {
            if let Some(changes) = commit.checked_sub(1).map(|at| &commits[at]) {
                plain.change(&store, changes);
            }
            let all: Vec<u64> = plain.vertices.iter().copied().collect();
            if all.is_empty() {
                continue;
            }
            let mut asked: Vec<u64> = asked.iter().map(|index| *index.get(&all)).collect();
            // A hub's list comes in pieces.
            asked.push(plain.hub());
            asked.rotate_right(hops as usize % 2);
            let plenty = 64 << 20;
            let mut graph = Graph::open(&store, options(plenty)).unwrap();
            let of_changes = plenty - graph.options().memory;
            let memory = if little { of_changes + (300 << 10) } else { plenty };
            check(&plain, &mut graph, &asked, hops, memory);
        }
    }
}

#[test]
fn a_lighter_copy_that_an_update_adds_comes_first_whether_vertices_are_renumbered_or_not() {
    for kind in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("g");
        let mut plain = Plain {
            directed: kind & 1 == 1,
            weighted: true,
            strings: false,
            renumbered: kind & 2 == 2,
            compressed: false,
            vertices: (0..4).collect(),
            edges: vec![(1, 2, 3), (1, 2, 5), (1, 0, 2), (1, 3, 2)],
        };
        plain.write(&store);
        plain.change(&store, &[Change::Insert(1, 2, 1), Change::Insert(1, 2, 4)]);
        let mut graph = Graph::open(&store, options(64 << 20)).unwrap();
        check(&plain, &mut graph, &[2, 1], 1, 64 << 20);
    }
}

fn hub_and_others(store: &Path) -> Graph {
    let hub = (0..4000).map(|at| (17, at, 1));
    let edges = hub.chain((0..20_000u32).map(|at| (at.into(), u64::from(at) * 7 % 20_000, 2))).collect();
    let plain = Plain {
        directed: true,
        weighted: true,
        strings: false,
        renumbered: false,
        compressed: false,
        vertices: (0..20_000).collect(),
        edges,
    };
    plain.write(store);
    Graph::open(store, options(64 << 20)).unwrap()
}

#[test]
fn each_block_is_read_once_however_many_ask_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = hub_and_others(&folder.path().join("g"));
    let directory = graph.directory(leadline_graph::format::Direction::Forward);
    let (blocks, hub) = (u64::from(directory.blocks()), 17);
    let of_hub = u64::from(directory.last_block_of(hub) - directory.block_of(hub)) + 1;
    assert!(of_hub > 5 && blocks > 50, "{of_hub} of {blocks} blocks are the hub's");
    // Without a cache that could answer the second time.
    let read = |vertices: &[u32]| {
        let graph = Graph::open(folder.path().join("g"), options(16 << 20)).unwrap();
        graph.neighbors(vertices, Side::Out).unwrap().stats.bytes_read / 4096
    };
    assert_eq!(read(&[hub]), of_hub);
    assert_eq!(read(&[19_999, 19_998, 19_999]), 1);
    let backwards: Vec<u32> = (0..20_000).rev().chain(0..20_000).collect();
    assert_eq!(read(&backwards), blocks);
    assert_eq!(read(&[]), 0);
}

#[test]
fn columns_say_what_is_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let graph = hub_and_others(&folder.path().join("g"));
    let rows = |side| graph.neighbors(&[1], side).unwrap().rows(&graph).unwrap();
    assert_eq!(names(&rows(Side::In)), ["vertex", "neighbor", "weight"]);
    assert_eq!(names(&rows(Side::Both)), ["vertex", "neighbor", "direction", "weight"]);
    assert_eq!(names(&graph.degree(&[1], Side::Out).unwrap().rows(&graph).unwrap()), ["vertex", "degree"]);
    let around = graph.ego(1, 1, Side::Out).unwrap();
    assert_eq!(names(&around.vertex_rows(&graph).unwrap()), ["vertex", "hops"]);
    assert_eq!(names(&around.edge_rows(&graph).unwrap()), ["source", "target", "weight"]);
}

#[test]
fn an_answer_without_room_is_refused_with_what_it_would_need() {
    let folder = tempfile::tempdir().unwrap();
    let mut graph = hub_and_others(&folder.path().join("g"));
    let all: Vec<u32> = (0..20_000).collect();
    graph.set_options(options(1 << 20));
    let refused = graph.neighbors(&all, Side::Out).unwrap_err();
    let GraphError::Memory { needed, .. } = refused else { panic!("{refused}") };
    assert!(refused.to_string().starts_with("the neighbours of 20,000 vertices needs at least"), "{refused}");
    graph.set_options(options(needed));
    assert_eq!(graph.neighbors(&all, Side::Out).unwrap().count(), 24_000);
    // No batch is larger than what holds it; nothing follows the refusal.
    graph.set_options(options(1 << 20));
    let mut edges = graph.edges(1 << 40);
    assert!(matches!(edges.next(), Some(Err(GraphError::Memory { .. }))));
    assert!(edges.next().is_none());
}

#[test]
fn the_first_id_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let graph = hub_and_others(&folder.path().join("g"));
    let error = graph.vertices_of(&["5", "60002", "8", "6", "x"]).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("has no vertex 6;"), "{error}");
    let error = graph.vertices_of(&["x"]).unwrap_err();
    assert!(error.to_string().contains("has no vertex x; its ids go from 5 to 60002"), "{error}");
}

#[test]
fn incoming_edges_that_a_store_does_not_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("g");
    let edges = ArrayEdges::new(vec![1u32], vec![2u32]).unwrap();
    import_edges(Box::new(edges), &store, &ImportOptions::default(), &mut |_| {}).unwrap();
    let graph = Graph::open(&store, options(64 << 20)).unwrap();
    for side in [Side::In, Side::Both] {
        assert!(matches!(graph.neighbors(&[0], side), Err(GraphError::NeedsReverse { .. })));
        assert!(matches!(graph.ego(0, 1, side), Err(GraphError::NeedsReverse { .. })));
    }
    assert_eq!(graph.degree(&[0, 1], Side::Out).unwrap().degrees, [1, 0]);
}

#[test]
fn rows_are_the_same_on_paper_and_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let edges =
        ArrayEdges::new(vec!["a, b".to_owned(), "c".to_owned()], vec!["c".to_owned(), "c".to_owned()]);
    let edges = edges.unwrap().with_weights(vec![0.5f64, 1e-7]).unwrap();
    import_edges(Box::new(edges), path("g"), &ImportOptions::default(), &mut |_| {}).unwrap();
    let graph = Graph::open(path("g"), options(64 << 20)).unwrap();
    let rows = graph.neighbors(&[1, 0], Side::Out).unwrap().rows(&graph).unwrap();
    let expected = "vertex,neighbor,weight\nc,c,1e-7\n\"a, b\",c,0.5\n";
    let mut text = String::new();
    rows.each_csv::<()>(|lines| {
        text.push_str(lines);
        Ok(())
    })
    .unwrap();
    assert_eq!(text, expected);
    RowFile::create(&path("r.csv")).unwrap().write(&graph, &rows).unwrap();
    assert_eq!(std::fs::read_to_string(path("r.csv")).unwrap(), expected);
    RowFile::create(&path("r.parquet")).unwrap().write(&graph, &rows).unwrap();
    let file = std::fs::File::open(path("r.parquet")).unwrap();
    let rows = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let rows: Vec<String> = rows.into_iter().map(|row| row.unwrap().to_string()).collect();
    let expected = [
        "{vertex: \"c\", neighbor: \"c\", weight: 0.0000001}",
        "{vertex: \"a, b\", neighbor: \"c\", weight: 0.5}",
    ];
    assert_eq!(rows, expected);
    for name in ["r.bin", "r", "r.txt"] {
        let error = RowFile::create(&path(name)).unwrap_err();
        assert!(error.is_input() && error.to_string().contains("name a .csv or .parquet"), "{error}");
    }
}

//! Small questions to a graph: what lists in memory would say, whatever the store, its changes and the
//! memory.

mod answers;
mod limits;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use leadline_graph::import::{ImportOptions, import_edges};
use leadline_graph::input::ArrayEdges;
use leadline_graph::output::{RowValues, Rows};
use leadline_graph::{Graph, GraphError, GraphUpdate, Options, Side, UpdateOptions, VertexId};

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

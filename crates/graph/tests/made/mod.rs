//! Small stores for tests of what runs on them.
#![allow(dead_code)]

use std::path::Path;

use leadline_graph::format::{Layout, StoreWriter, Vertex, Weights};
use leadline_graph::{Graph, Options};

/// A store's layout and what is left to say of it.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub layout: Layout,
}

impl Shape {
    pub fn new(vertices: u64, directed: bool) -> Shape {
        let layout =
            Layout { block_bytes: 4096, compressed: false, directed, weights: Weights::None, vertices };
        Shape { layout }
    }

    pub fn compressed(mut self) -> Shape {
        self.layout.compressed = true;
        self
    }

    pub fn blocks(mut self, bytes: u32) -> Shape {
        self.layout.block_bytes = bytes;
        self
    }

    pub fn weighted(mut self) -> Shape {
        self.layout.weights = Weights::F32;
        self
    }

    /// Edges, in any order, and their weights; of an undirected graph one of both directions is enough.
    pub fn writer(&self, path: &Path, edges: &[(Vertex, Vertex, f64)]) -> StoreWriter {
        let mut all = edges.to_vec();
        if !self.layout.directed {
            all.extend(edges.iter().filter(|(a, b, _)| a != b).map(|(a, b, w)| (*b, *a, *w)));
        }
        all.sort_by_key(|(from, to, _)| (*from, *to));
        let mut writer = StoreWriter::create(path, self.layout).unwrap();
        for (from, to, weight) in &all {
            writer.edge(*from, *to, *weight).unwrap();
        }
        if self.layout.directed {
            writer.start_reverse().unwrap();
            all.sort_by_key(|(from, to, _)| (*to, *from));
            for (from, to, weight) in &all {
                writer.edge(*to, *from, *weight).unwrap();
            }
        }
        writer
    }

    /// The graph of a new store.
    pub fn open(&self, path: &Path, edges: &[(Vertex, Vertex, f64)], options: Options) -> Graph {
        self.writer(path, edges).finish().unwrap();
        Graph::open(path, options).unwrap()
    }
}

pub fn options(memory: u64, threads: usize, depth: u32) -> Options {
    Options { memory, threads, depth, ..Options::default() }
}

/// Edges chosen by chance, without repeats; `hub` has so many more.
pub fn edges(
    vertices: u32,
    count: usize,
    hub: Option<(Vertex, u32)>,
    seed: u64,
) -> Vec<(Vertex, Vertex, f64)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut edges: Vec<(Vertex, Vertex)> =
        (0..count).map(|_| (random.u32(..vertices), random.u32(..vertices))).collect();
    if let Some((hub, degree)) = hub {
        edges.extend((0..degree).map(|_| (hub, random.u32(..vertices))));
    }
    edges.iter_mut().for_each(|(a, b)| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
    edges.sort_unstable();
    edges.dedup();
    let mut directed = |(a, b): (Vertex, Vertex)| {
        // Either direction, and whole weights, whose sums are exact.
        let (from, to) = if random.bool() { (a, b) } else { (b, a) };
        (from, to, f64::from(random.u32(1..6)))
    };
    edges.into_iter().map(&mut directed).collect()
}

/// By vertex, where its edges lead to.
pub fn lists(vertices: u32, directed: bool, edges: &[(Vertex, Vertex, f64)]) -> Vec<Vec<Vertex>> {
    let mut lists = vec![Vec::new(); vertices as usize];
    for (from, to, _) in edges {
        lists[*from as usize].push(*to);
        if !directed && from != to {
            lists[*to as usize].push(*from);
        }
    }
    lists.iter_mut().for_each(|list| list.sort_unstable());
    lists
}

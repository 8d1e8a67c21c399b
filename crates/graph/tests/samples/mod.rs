//! Graphs for tests: how to make a store of them, and what is true of them, found in the most obvious way.
#![allow(dead_code)] // Each test file uses its part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use leadline_graph::format::{Layout, StoreWriter, Weights};

/// A graph as a user has it. Vertices are named by the ranks of their ids.
#[derive(Debug, Clone)]
pub struct Sample {
    pub vertices: u32,
    pub directed: bool,
    /// Undirected edges stand here once.
    pub edges: Vec<(u32, u32, f64)>,
    /// By rank: the vertex in the store, where it is another.
    pub order: Option<Vec<u32>>,
}

impl Sample {
    /// The lists of outgoing edges.
    pub fn out(&self) -> Vec<Vec<(u32, f64)>> {
        let mut lists = vec![Vec::new(); self.vertices as usize];
        for &(from, to, weight) in &self.edges {
            lists[from as usize].push((to, weight));
            if !self.directed && from != to {
                lists[to as usize].push((from, weight));
            }
        }
        lists
    }

    /// The lists of incoming edges.
    pub fn incoming(&self) -> Vec<Vec<(u32, f64)>> {
        let mut lists = vec![Vec::new(); self.vertices as usize];
        for (from, list) in self.out().iter().enumerate() {
            for &(to, weight) in list {
                lists[to as usize].push((from as u32, weight));
            }
        }
        lists
    }

    /// The vertex of a rank.
    pub fn vertex(&self, rank: u32) -> u32 {
        self.order.as_ref().map_or(rank, |order| order[rank as usize])
    }

    /// What stands by vertex, by rank.
    pub fn by_rank<T: Copy>(&self, values: &[T]) -> Vec<T> {
        assert_eq!(values.len(), self.vertices as usize);
        (0..self.vertices).map(|rank| values[self.vertex(rank) as usize]).collect()
    }

    /// Writes a store, with reverse lists where the graph is directed.
    pub fn write(&self, path: &Path, block_bytes: u32, compressed: bool, weights: Weights) {
        self.write_lists(path, block_bytes, compressed, weights, true);
    }

    /// Writes a store, with reverse lists where the graph is directed and they are wanted.
    pub fn write_lists(
        &self,
        path: &Path,
        block_bytes: u32,
        compressed: bool,
        weights: Weights,
        reverse: bool,
    ) {
        let (vertices, directed) = (u64::from(self.vertices), self.directed);
        let layout = Layout { block_bytes, compressed, directed, weights, vertices };
        let mut writer = StoreWriter::create(path, layout).unwrap();
        let put = |writer: &mut StoreWriter, lists: Vec<Vec<(u32, f64)>>| {
            let mut edges: Vec<(u32, u32, f64)> = Vec::new();
            for (rank, list) in (0..).zip(lists) {
                edges.extend(
                    list.iter().map(|(other, weight)| (self.vertex(rank), self.vertex(*other), *weight)),
                );
            }
            edges.sort_by_key(|edge| (edge.0, edge.1));
            for (vertex, neighbour, weight) in edges {
                writer.edge(vertex, neighbour, weight).unwrap();
            }
        };
        put(&mut writer, self.out());
        if self.directed && reverse {
            writer.start_reverse().unwrap();
            put(&mut writer, self.incoming());
        }
        if let Some(order) = &self.order {
            writer.order(order.iter().copied().map(Ok)).unwrap();
        }
        writer.finish().unwrap();
    }

    /// Levels by a queue.
    pub fn bfs(&self, sources: &[u32]) -> Vec<u32> {
        let out = self.out();
        let mut levels = vec![u32::MAX; self.vertices as usize];
        let mut queue = std::collections::VecDeque::new();
        for source in sources {
            levels[*source as usize] = 0;
            queue.push_back(*source);
        }
        while let Some(vertex) = queue.pop_front() {
            for &(neighbour, _) in &out[vertex as usize] {
                if levels[neighbour as usize] == u32::MAX {
                    levels[neighbour as usize] = levels[vertex as usize] + 1;
                    queue.push_back(neighbour);
                }
            }
        }
        levels
    }

    /// Distances by the rule of Bellman and Ford, until none falls.
    pub fn sssp(&self, sources: &[u32]) -> Vec<f64> {
        let out = self.out();
        let mut distances = vec![f64::INFINITY; self.vertices as usize];
        for source in sources {
            distances[*source as usize] = 0.0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (from, list) in out.iter().enumerate() {
                for &(to, weight) in list {
                    if distances[from] + weight < distances[to as usize] {
                        distances[to as usize] = distances[from] + weight;
                        changed = true;
                    }
                }
            }
        }
        distances
    }

    /// For each vertex the lowest rank that hangs together with it.
    pub fn wcc(&self) -> Vec<u32> {
        let mut lowest: Vec<u32> = (0..self.vertices).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for &(a, b, _) in &self.edges {
                let both = lowest[a as usize].min(lowest[b as usize]);
                changed |= lowest[a as usize] != both || lowest[b as usize] != both;
                (lowest[a as usize], lowest[b as usize]) = (both, both);
            }
        }
        lowest
    }

    /// PageRank with jumps to anywhere, by weights or by numbers of edges.
    pub fn pagerank(&self, damping: f64, iterations: u32, weighted: bool) -> Vec<f64> {
        let (mut out, n) = (self.out(), f64::from(self.vertices));
        if !weighted {
            out.iter_mut().flatten().for_each(|(_, weight)| *weight = 1.0);
        }
        let totals: Vec<f64> = out.iter().map(|list| list.iter().map(|(_, weight)| weight).sum()).collect();
        let mut ranks = vec![1.0 / n; self.vertices as usize];
        for _ in 0..iterations {
            let dangling: f64 = (0..out.len()).filter(|v| totals[*v] == 0.0).map(|v| ranks[v]).sum();
            let mut next = vec![(1.0 - damping + damping * dangling) / n; out.len()];
            for (vertex, list) in out.iter().enumerate() {
                for (neighbour, weight) in list.iter().filter(|(_, weight)| *weight != 0.0) {
                    next[*neighbour as usize] += damping * ranks[vertex] * weight / totals[vertex];
                }
            }
            ranks = next;
        }
        ranks
    }

    /// Core numbers: for each k, whatever is left when all with fewer than k neighbours are gone.
    pub fn kcore(&self) -> Vec<u32> {
        let distinct = |lists: Vec<Vec<(u32, f64)>>| -> Vec<BTreeSet<u32>> {
            let own = lists.iter().enumerate();
            own.map(|(v, list)| list.iter().map(|e| e.0).filter(|o| *o as usize != v).collect()).collect()
        };
        let mut sides = vec![distinct(self.out())];
        if self.directed {
            sides.push(distinct(self.incoming()));
        }
        let neighbours = |v: usize| sides.iter().flat_map(move |side| side[v].iter());
        let mut cores = vec![0; self.vertices as usize];
        let mut left = vec![true; self.vertices as usize];
        for k in 1.. {
            loop {
                let degree = |v: usize| neighbours(v).filter(|other| left[**other as usize]).count();
                let gone: Vec<usize> = (0..left.len()).filter(|v| left[*v] && degree(*v) < k).collect();
                if gone.is_empty() {
                    break;
                }
                gone.iter().for_each(|v| left[*v] = false);
            }
            if !left.contains(&true) {
                return cores;
            }
            (0..left.len()).filter(|v| left[*v]).for_each(|v| cores[v] = k as u32);
        }
        cores
    }

    /// Labels after so many synchronous iterations.
    pub fn cdlp(&self, iterations: u32) -> Vec<u32> {
        let mut sides = vec![self.out()];
        if self.directed {
            sides.push(self.incoming());
        }
        let mut labels: Vec<u32> = (0..self.vertices).collect();
        for _ in 0..iterations {
            let label = |v: usize| {
                let mut counts = BTreeMap::new();
                for (neighbour, _) in sides.iter().flat_map(|side| &side[v]) {
                    *counts.entry(labels[*neighbour as usize]).or_insert(0u32) += 1;
                }
                let most = counts.values().max().copied();
                counts.iter().find(|(_, count)| Some(**count) == most).map_or(labels[v], |(label, _)| *label)
            };
            labels = (0..labels.len()).map(label).collect();
        }
        labels
    }

    /// Clustering coefficients by their definition, and triangles.
    pub fn lcc(&self) -> (Vec<f64>, u64) {
        let mut out = vec![BTreeSet::new(); self.vertices as usize];
        let mut around = out.clone();
        for &(a, b, _) in self.edges.iter().filter(|edge| edge.0 != edge.1) {
            out[a as usize].insert(b);
            around[a as usize].insert(b);
            around[b as usize].insert(a);
            if !self.directed {
                out[b as usize].insert(a);
            }
        }
        let among = |edges: &[BTreeSet<u32>], v: usize| -> u64 {
            let from = around[v].iter();
            from.map(|u| edges[*u as usize].intersection(&around[v]).count() as u64).sum()
        };
        let coefficient = |v: usize| match around[v].len() as f64 {
            d if d < 2.0 => 0.0,
            d => among(&out, v) as f64 / (d * (d - 1.0)),
        };
        let triangles: u64 = (0..out.len()).map(|v| among(&around, v)).sum();
        ((0..out.len()).map(coefficient).collect(), triangles / 6)
    }
}

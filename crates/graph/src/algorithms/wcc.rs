//! Weakly connected components: which vertices hang together, whichever way edges lead.
//!
//! One pass over the edges, whatever the graph: a forest over the vertices in memory, in which the roots of both ends of each
//! edge are joined, the higher under the lower. Threads join without locks (Jayanti, Tarjan, "A Randomized Concurrent
//! Algorithm for Disjoint Set Union", PODC 2016, with linking by index as in Afforest: Sutton, Ben-Nun, Barak,
//! "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018).

use std::sync::atomic::{AtomicU32, Ordering};

use crate::format::{Direction, Vertex};
use crate::{Engine, Frontier, Graph, GraphError, RunStats, Which};

use super::{numbers, plain};

/// The components of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Wcc {
    /// By vertex: the first vertex, in the order of the users' ids, of its component.
    pub components: Vec<Vertex>,
    /// Components.
    pub count: u64,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// Weakly connected components.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 4 bytes a vertex; what the device or a damaged
    /// store gives.
    pub fn wcc(&self) -> Result<Wcc, GraphError> {
        let renumbered = self.header().renumbered;
        let bytes = self.vertices() * 4 + if renumbered { Frontier::bytes(self.vertices()) } else { 0 };
        let (components, stats) = Engine::run(self, "connected components", bytes, |engine| {
            let roots = join_all(engine)?;
            if renumbered { first_ids(self, roots) } else { Ok(roots) }
        })?;
        let count = components.iter().zip(0..).filter(|(root, vertex)| *root == vertex).count() as u64;
        Ok(Wcc { components, count, stats })
    }
}

/// From the lowest vertex of each component, by vertex, to the one whose id is the first.
fn first_ids(graph: &Graph, mut roots: Vec<Vertex>) -> Result<Vec<Vertex>, GraphError> {
    // Roots whose place holds the first vertex of their component, and no longer themselves.
    let named = Frontier::new(graph.vertices());
    let mut ids = graph.ids();
    for rank in 0..graph.vertices() {
        let vertex = ids.vertex(rank)?;
        let root = if named.contains(vertex) { vertex } else { roots[vertex as usize] };
        if named.insert(root) {
            roots[root as usize] = vertex;
        }
    }
    for vertex in 0..roots.len() {
        if !named.contains(vertex as Vertex) {
            roots[vertex] = roots[roots[vertex] as usize];
        }
    }
    Ok(roots)
}

/// By vertex, the root of its tree.
fn join_all(engine: &mut Engine<'_>) -> Result<Vec<Vertex>, GraphError> {
    let graph = engine.graph();
    let parents = numbers(graph.vertices(), |vertex| vertex);
    // Of an undirected edge, which both ends list, one side is enough.
    let directed = graph.header().directed;
    let scanned = engine.sweep(
        Direction::Forward,
        Which::All,
        || 0,
        |scanned: &mut u64, block| {
            for vertex in block.vertices() {
                let mut root = None;
                block.scan(vertex, |neighbour| {
                    if !directed && neighbour >= vertex {
                        return false;
                    }
                    *scanned += 1;
                    let from = root.unwrap_or_else(|| find(&parents, vertex));
                    root = Some(join(&parents, from, neighbour));
                    true
                });
            }
        },
    )?;
    engine.looked_at(scanned.into_iter().sum());
    let mut roots = plain(parents);
    // Every parent is lower than its child, so one pass in ascending order ends at the roots.
    for vertex in 0..roots.len() {
        roots[vertex] = roots[roots[vertex] as usize];
    }
    Ok(roots)
}

/// The root of a vertex's tree; makes the way shorter for the next.
#[inline]
fn find(parents: &[AtomicU32], mut vertex: Vertex) -> Vertex {
    loop {
        let parent = parents[vertex as usize].load(Ordering::Relaxed);
        if parent == vertex {
            return vertex;
        }
        let above = parents[parent as usize].load(Ordering::Relaxed);
        if above == parent {
            return parent;
        }
        // Only ever towards the root, so a race is won by either.
        parents[vertex as usize].store(above, Ordering::Relaxed);
        vertex = above;
    }
}

/// Joins the tree of root `from` with that of `other`; returns the root of both.
#[inline]
fn join(parents: &[AtomicU32], from: Vertex, other: Vertex) -> Vertex {
    let (mut a, mut b) = (from, other);
    // Mostly they hang together already.
    if parents[b as usize].load(Ordering::Relaxed) == a {
        return a;
    }
    loop {
        (a, b) = (find(parents, a), find(parents, b));
        if a == b {
            return a;
        }
        let (low, high) = (a.min(b), a.max(b));
        let root = &parents[high as usize];
        if root.compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return low;
        }
    }
}

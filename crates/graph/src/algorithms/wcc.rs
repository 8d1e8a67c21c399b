//! Weakly connected components: which vertices hang together, whichever way edges lead.
//!
//! One pass over the blocks, whatever the graph: a forest over the vertices in memory, in which the roots of
//! both ends of each edge are joined, the higher under the lower. Threads join without locks (Jayanti,
//! Tarjan, "A Randomized Concurrent Algorithm for Disjoint Set Union", PODC 2016, with linking by index as in
//! Afforest: Sutton, Ben-Nun, Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
//! Sampling", IPDPS 2018). Where all blocks fit in the cache, two passes are cheaper, since they leave out
//! most of the edges (also from Afforest).

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::format::{Direction, NO_VERTEX, Vertex};
use crate::{Engine, Frontier, Graph, GraphError, RunStats, Which};

use super::{numbers, plain};

/// Lower neighbours of each vertex that are joined first, as many as in Afforest.
const FEW: u64 = 2;

/// Vertices that are asked for the largest component.
const SAMPLE: usize = 1024;

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
    /// [`GraphError::Memory`] below about 4 bytes per vertex; what the device or a damaged
    /// store gives.
    pub fn wcc(&self) -> Result<Wcc, GraphError> {
        let (components, stats) = Engine::run(self, "connected components", wcc_bytes(self), |engine| {
            let roots = join_all(engine)?;
            if self.header().renumbered {
                first_ids(self, &roots)?;
            }
            Ok(plain(roots))
        })?;
        let count = components.iter().zip(0..).filter(|(root, vertex)| *root == vertex).count() as u64;
        Ok(Wcc { components, count, stats })
    }
}

/// Bytes of vertex state of connected components.
pub(crate) fn wcc_bytes(graph: &Graph) -> u64 {
    let named = if graph.header().renumbered { Frontier::bytes(graph.vertices()) } else { 0 };
    graph.vertices() * 4 + named
}

/// From the lowest vertex of each component, by vertex, to the one whose id is the first.
fn first_ids(graph: &Graph, roots: &[AtomicU32]) -> Result<(), GraphError> {
    // Roots whose place holds the first vertex of their component, and no longer themselves.
    let named = Frontier::new(graph.vertices());
    graph.ids().each_vertex(|vertex| {
        let root = roots[vertex as usize].load(Ordering::Relaxed);
        if !named.contains(root) && !named.contains(vertex) {
            named.insert(root);
            roots[root as usize].store(vertex, Ordering::Relaxed);
        }
    })?;
    // Of all others the root is lower than they are.
    roots.par_iter().zip(0..roots.len() as u32).for_each(|(place, vertex)| {
        let root = place.load(Ordering::Relaxed);
        if root < vertex {
            place.store(roots[root as usize].load(Ordering::Relaxed), Ordering::Relaxed);
        }
    });
    Ok(())
}

/// By vertex, the root of its tree.
fn join_all(engine: &mut Engine<'_>) -> Result<Vec<AtomicU32>, GraphError> {
    let parents = numbers(engine.graph().vertices(), |vertex| vertex);
    let lower_only = !engine.graph().header().directed;
    if lower_only && engine.holds_all() {
        // A few edges of each vertex make nearly all of the largest component. What leads out of it is listed
        // at the other end too, so the lists of those that are not in it are enough for the rest.
        let few = Part { skipped: NO_VERTEX, lower_only, most: FEW };
        join_lists(engine, &parents, few)?;
        flatten(&parents);
        let rest = Part { skipped: most_frequent(&parents), lower_only: false, most: u64::MAX };
        join_lists(engine, &parents, rest)?;
    } else {
        join_lists(engine, &parents, Part { skipped: NO_VERTEX, lower_only, most: u64::MAX })?;
    }
    flatten(&parents);
    Ok(parents)
}

/// Which edges are joined.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// None of vertices whose parent this is.
    skipped: Vertex,
    /// Only those to lower vertices: of an undirected edge, which both ends list, one side is enough.
    lower_only: bool,
    /// At most so many of each list.
    most: u64,
}

/// Joins vertices with their neighbours.
fn join_lists(engine: &mut Engine<'_>, parents: &[AtomicU32], part: Part) -> Result<(), GraphError> {
    let scanned = engine.sweep(
        Direction::Forward,
        Which::All,
        || 0,
        |scanned: &mut u64, block| {
            for vertex in block.vertices() {
                if parents[vertex as usize].load(Ordering::Relaxed) == part.skipped {
                    continue;
                }
                let (mut root, mut joined) = (None, 0);
                block.scan(vertex, |neighbour| {
                    if part.lower_only && neighbour >= vertex {
                        return false;
                    }
                    let from = root.unwrap_or_else(|| find(parents, vertex));
                    root = Some(join(parents, from, neighbour));
                    joined += 1;
                    joined < part.most
                });
                *scanned += joined;
            }
        },
    )?;
    engine.looked_at(scanned.into_iter().sum());
    Ok(())
}

/// Makes each vertex's parent the root of its tree.
fn flatten(parents: &[AtomicU32]) {
    parents.par_iter().zip(0..parents.len() as u32).for_each(|(parent, vertex)| {
        parent.store(find(parents, vertex), Ordering::Relaxed);
    });
}

/// The most frequent number in a sample.
fn most_frequent(numbers: &[AtomicU32]) -> u32 {
    let step = (numbers.len() / SAMPLE).max(1);
    let mut sample: Vec<u32> =
        numbers.iter().step_by(step).map(|number| number.load(Ordering::Relaxed)).collect();
    sample.sort_unstable();
    sample.chunk_by(|a, b| a == b).max_by_key(|same| same.len()).map_or(NO_VERTEX, |same| same[0])
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

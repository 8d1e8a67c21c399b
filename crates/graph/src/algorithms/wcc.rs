//! Weakly connected components: which vertices are connected, ignoring direction.
//!
//! One pass over the blocks, whatever the graph: a forest over the vertices in memory, in which the roots of
//! both ends of each edge are joined, the higher under the lower. Threads join without locks (Jayanti,
//! Tarjan, "A Randomized Concurrent Algorithm for Disjoint Set Union", PODC 2016, with linking by index as in
//! Afforest: Sutton, Ben-Nun, Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
//! Sampling", IPDPS 2018). Where all blocks fit in the cache, two passes are cheaper, since they leave out
//! most of the edges (also from Afforest).
//!
//! Where the cap has no room for a number per vertex, part by part (`in_parts`).

mod after;
mod forest;
mod in_parts;
mod on_lists;
mod pairs;
mod run;
pub(crate) mod sharded;

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Block, Direction, NO_VERTEX, Vertex};
use rayon::prelude::*;

use crate::engine::Passes;
use crate::prefetch::prefetch;
use crate::{Engine, Frontier, Graph, GraphError, PerVertex, RunStats, Which};

use super::memory_plan::{MemoryPlan, StateBytes};
use super::parts::EqualPartitions;
use super::previous::Previous;
use super::{numbers, plain};
use forest::{find, flatten, join};
pub(super) use run::DEFINITION;
pub(super) use run::NAME;
pub use run::WccRun;

/// Lower neighbours of each vertex that are joined first, as many as in Afforest.
const FEW: u64 = 2;

/// Vertices that are asked for the largest component.
const SAMPLE: usize = 1024;

/// The components of a graph.
#[derive(Debug, Clone)]
pub struct Wcc {
    /// By vertex: the first vertex, in the order of the users' ids, of its component.
    pub components: PerVertex<Vertex>,
    /// Components.
    pub count: u64,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// Weakly connected components.
    ///
    /// Below about 4 bytes of memory per vertex, it works on one part of the vertices after the other, with
    /// their state in a temporary file ([`Options::temp`]).
    ///
    /// [`Options::temp`]: crate::Options::temp
    ///
    /// # Errors
    /// [`GraphError::Memory`] where not even small parts fit, below about 0.3 bytes per vertex and 3.2 MiB;
    /// what the device, the temporary file or a damaged store gives.
    pub fn wcc(&self) -> Result<Wcc, GraphError> {
        let MemoryPlan { bytes, parts } = state_bytes(self).plan(self, self.options().memory)?;
        let ((components, count), stats) = Engine::run(self, NAME, bytes, |engine| match parts {
            None => components(engine),
            Some(parts) => in_parts::components(engine, &parts),
        })?;
        Ok(Wcc { components, count, stats })
    }
}

impl Graph {
    /// The same components, from the components of an earlier version. After additions no block of the lists
    /// is read; after deletions, few are where the ends of a deleted edge have another way to each other, or
    /// one of them is in a small component now, and otherwise the lists of the components that lost an edge.
    ///
    /// It takes 16 bytes per earlier component and 256 per deleted edge in addition to [`Graph::wcc`]; where
    /// the cap has no room for that, or for a number per vertex, it is [`Graph::wcc`].
    ///
    /// # Errors
    /// As [`Graph::wcc`]; [`GraphError::Malformed`] where the result is not one of components.
    pub fn wcc_after(&self, previous: &Previous) -> Result<Wcc, GraphError> {
        let before = after::Before::of(self, previous)?;
        let beside = before.bytes(self);
        let memory = self.options().memory.saturating_sub(beside);
        let plan = state_bytes(self).plan(self, memory);
        let Ok(MemoryPlan { bytes, parts: None }) = plan else { return self.wcc() };
        let ((components, count), stats) = Engine::run(self, NAME, bytes + beside, |engine| {
            match after::roots(engine, previous, &before)? {
                Some(roots) => named(self, roots),
                None => components(engine),
            }
        })?;
        Ok(Wcc { components, count, stats })
    }
}

/// What the vertex state takes.
fn state_bytes(graph: &Graph) -> StateBytes<EqualPartitions> {
    let named = if graph.header().renumbered { Frontier::bytes(graph.vertices()) } else { 0 };
    let in_memory = graph.vertices() * 4 + named;
    StateBytes { what: NAME, in_memory, in_parts: in_parts::bytes(graph) }
}

/// The components of all vertices, and how many there are, with a number per vertex in memory.
fn components(engine: &mut Engine<'_>) -> Result<(PerVertex<Vertex>, u64), GraphError> {
    let roots = join_all(engine)?;
    named(engine.graph(), roots)
}

/// Components by their first ids, and how many there are, from the roots of all trees.
fn named(graph: &Graph, roots: Vec<AtomicU32>) -> Result<(PerVertex<Vertex>, u64), GraphError> {
    if graph.header().renumbered {
        first_ids(graph, &roots)?;
    }
    let components = plain(roots);
    let count = components.iter().zip(0..).filter(|(root, vertex)| *root == vertex).count() as u64;
    Ok((components.into(), count))
}

/// From the lowest vertex of each component, by vertex, to the one whose id is the first.
pub(super) fn first_ids(graph: &Graph, roots: &[AtomicU32]) -> Result<(), GraphError> {
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
    if lower_only && let Some(lists) = engine.csr(Direction::Forward, Passes::One, 0)? {
        on_lists::join_all(engine, &lists, &parents)?;
    } else if lower_only && engine.holds_all() {
        // A few edges of each vertex make nearly all of the largest component. What leads out of it is listed
        // at the other end too, so the lists of those that are not in it are enough for the rest.
        let few = Part { skipped: NO_VERTEX, lower_only, most: FEW, is_all: false };
        join_lists(engine, &parents, few)?;
        flatten(&parents, 0);
        let rest = Part { skipped: largest(&parents), lower_only: false, most: u64::MAX, is_all: false };
        join_lists(engine, &parents, rest)?;
        flatten(&parents, 0);
    } else {
        join_lists(engine, &parents, Part { skipped: NO_VERTEX, lower_only, most: u64::MAX, is_all: true })?;
        flatten(&parents, 0);
    }
    Ok(parents)
}

/// Which edges are joined.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// None of vertices whose parent this is.
    skipped: Vertex,
    /// Only those to lower vertices: of an undirected edge, which both ends list, one side is enough.
    lower_only: bool,
    /// At most this many of each list.
    most: u64,
    /// Whether these are all edges.
    is_all: bool,
}

/// Has the processor load the numbers of the neighbours in a block. To decode all lists once more takes less
/// time than to wait for each number; to decode the beginning of each, or few of the lists, takes more.
fn fetch_ahead(block: &Block<'_>, parents: &[AtomicU32], lower_only: bool) {
    for vertex in block.vertices() {
        block.scan(vertex, |neighbour| {
            prefetch(&parents[neighbour as usize]);
            !lower_only || neighbour < vertex
        });
    }
}

/// Joins vertices with their neighbours.
fn join_lists(engine: &mut Engine<'_>, parents: &[AtomicU32], part: Part) -> Result<(), GraphError> {
    let scanned = engine.sweep(
        Direction::Forward,
        Which::All,
        || 0,
        |scanned: &mut u64, block| {
            if part.is_all {
                fetch_ahead(block, parents, part.lower_only);
            }
            for vertex in block.vertices() {
                if parents[vertex as usize].load(Ordering::Relaxed) == part.skipped {
                    continue;
                }
                let (mut root, mut joined) = (None, 0);
                block.scan(vertex, |neighbour| {
                    if part.lower_only && neighbour >= vertex {
                        return false;
                    }
                    let from = root.unwrap_or_else(|| find(parents, 0, vertex));
                    root = Some(join(parents, 0, from, neighbour, |root, _| root));
                    joined += 1;
                    joined < part.most
                });
                *scanned += joined;
            }
        },
    )?;
    engine.add_scanned_edges(scanned.into_iter().sum());
    Ok(())
}

/// The root that most vertices have, judged by a sample.
fn largest(roots: &[AtomicU32]) -> Vertex {
    let [(root, _), _] = most_frequent(roots, |root| Some(root.load(Ordering::Relaxed)), NO_VERTEX);
    root
}

/// The number that is most frequent in a sample, of several the lowest, and how often it is there; and how
/// often `other` is.
fn most_frequent(
    places: &[AtomicU32],
    number: impl Fn(&AtomicU32) -> Option<u32>,
    other: u32,
) -> [(u32, usize); 2] {
    let step = (places.len() / SAMPLE).max(1);
    let mut sample: Vec<u32> = places.iter().step_by(step).filter_map(number).collect();
    sample.sort_unstable();
    let same = sample.chunk_by(|a, b| a == b).rev().max_by_key(|same| same.len());
    let most = same.map_or((NO_VERTEX, 0), |same| (same[0], same.len()));
    [most, (other, sample.iter().filter(|number| **number == other).count())]
}

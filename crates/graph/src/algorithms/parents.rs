//! The tree of a breadth-first search: for each vertex a vertex that it was reached from.

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Direction, NO_VERTEX, Vertex};

use crate::engine::EnginePlan;
use crate::output::{ranks, vertex_table};
use crate::{Engine, Frontier, Graph, GraphError, PerVertex, RunStats, Which};

use super::bfs::bfs_bytes;
use super::{UNREACHED, numbers, plain};

/// The parents of a breadth-first search.
#[derive(Debug, Clone, PartialEq)]
pub struct Parents {
    /// By vertex: of those one level nearer that have an edge to it, the one with the smallest id of the
    /// user's. [`NO_VERTEX`] for sources and for what was not reached.
    pub parents: Vec<Vertex>,
    /// What it took.
    pub stats: RunStats,
}

vertex_table!(Parents { parents: "parent" Vertices }, spills: false);

impl Graph {
    /// The parents that belong to the levels of [`Graph::bfs`], in one pass over the edges of what was
    /// reached.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 8.2 bytes per vertex (12.2 where the store was renumbered), the
    /// levels among them, or where these are in a file; what the device or a damaged store gives.
    ///
    /// # Panics
    /// Where there is not a level for each vertex.
    pub fn parents(&self, levels: &PerVertex<u32>) -> Result<Parents, GraphError> {
        assert_eq!(levels.len() as u64, self.vertices(), "a level for each vertex");
        let bytes = parents_bytes(self);
        let what = "parents of a breadth-first search";
        let levels = levels.in_memory().ok_or_else(|| {
            let (header, options, blocks) = (self.header(), self.options(), self.all_blocks());
            let needed = EnginePlan::least_memory(header, options, blocks, bytes.max(bfs_bytes(self)));
            GraphError::Memory {
                what: what.into(),
                given: options.memory,
                needed: needed.next_multiple_of(1 << 10),
            }
        })?;
        let (parents, stats) = Engine::run(self, what, bytes, |engine| find(engine, levels))?;
        Ok(Parents { parents, stats })
    }
}

/// Bytes of vertex state of the search for parents, the levels among them.
pub(super) fn parents_bytes(graph: &Graph) -> u64 {
    let a_vertex = if graph.header().renumbered { 12 } else { 8 };
    graph.vertices() * a_vertex + Frontier::bytes(graph.vertices())
}

fn find(engine: &mut Engine<'_>, levels: &[u32]) -> Result<Vec<Vertex>, GraphError> {
    let graph = engine.graph();
    let ranks = ranks(graph)?;
    let rank = |vertex: Vertex| ranks.get(vertex as usize).copied().unwrap_or(vertex);
    let reached = Frontier::new(graph.vertices());
    for (vertex, _) in (0..).zip(levels).filter(|(_, level)| **level != UNREACHED) {
        reached.insert(vertex);
    }
    let parents = numbers(graph.vertices(), |_| NO_VERTEX);
    let which = Which::Holding(&reached);
    let scanned = engine.sweep(
        Direction::Forward,
        which,
        || 0,
        |scanned: &mut u64, block| {
            for vertex in reached.iter(block.vertices()) {
                let next = levels[vertex as usize] + 1;
                block.scan(vertex, |neighbour| {
                    *scanned += 1;
                    if levels[neighbour as usize] == next {
                        offer(&parents[neighbour as usize], vertex, rank);
                    }
                    true
                });
            }
        },
    )?;
    engine.add_scanned_edges(scanned.into_iter().sum());
    Ok(plain(parents))
}

/// Puts a vertex in place of one of higher rank.
#[inline]
fn offer(place: &AtomicU32, vertex: Vertex, rank: impl Fn(Vertex) -> u32) {
    let mut before = place.load(Ordering::Relaxed);
    while before == NO_VERTEX || rank(vertex) < rank(before) {
        match place.compare_exchange_weak(before, vertex, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => before = now,
        }
    }
}

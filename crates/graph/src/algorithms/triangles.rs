//! Triangles: three vertices with an edge between each two of them, whichever way edges lead.
//!
//! Found as `upward.rs` says: each edge belongs to its end with the shorter list (Chiba, Nishizeki,
//! "Arboricity and Subgraph Listing Algorithms", SIAM Journal on Computing 14, 1985), so that all
//! intersections together take O(m^1.5) steps, and where the lists do not fit in memory they are streamed
//! past as many as do (Hu, Tao, Chung, "Massive Graph Triangulation", SIGMOD 2013). Three passes over the
//! blocks, and one more each time the lists are streamed; 16 bytes per vertex, 24 where triangles are counted
//! for each vertex, and at least 16 √m for the lists.

use std::sync::atomic::{AtomicU64, Ordering};

use super::by_vertex;
use super::upward::{self, Count, Room, Upward};
use crate::format::Vertex;
use crate::{Engine, Graph, GraphError, RunStats};

/// The triangles of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Triangles {
    /// By vertex: triangles that it is in; empty where they were counted for the whole graph only.
    pub counts: Vec<u64>,
    /// Triangles of the graph, each counted once.
    pub total: u64,
    /// How often the edges were streamed past lists in memory; 1: all lists were held at once.
    pub passes: u64,
    /// What it took.
    pub stats: RunStats,
}

/// What it is called.
const WHAT: &str = "counting triangles";

impl Graph {
    /// How many triangles there are, in the whole graph and, if `per_vertex`, with each vertex. The direction
    /// of edges, their repetitions and self-loops do not count.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::TooManyVertices`] above 2^31 - 1; [`GraphError::Memory`] below about 16 bytes per
    /// vertex, 24 with `per_vertex`; what the device or a damaged store gives.
    pub fn triangles(&self, per_vertex: bool) -> Result<Triangles, GraphError> {
        upward::check(self, WHAT)?;
        let (room, bytes) = room(self, self.options().memory, per_vertex);
        let ((counts, total, passes), stats) = Engine::run(self, WHAT, bytes, |engine| {
            let upward = Upward::measure(engine)?;
            if !per_vertex {
                let (total, passes) = upward.close_all(engine, room, &Total, |_| ())?;
                return Ok((Vec::new(), total, passes));
            }
            let counts = PerVertex(by_vertex(engine.graph().vertices(), |_| AtomicU64::new(0)));
            let (total, passes) = upward.close_all(engine, room, &counts, |_| ())?;
            Ok((counts.0.into_iter().map(AtomicU64::into_inner).collect(), total, passes))
        })?;
        Ok(Triangles { counts, total, passes, stats })
    }
}

/// Entries of lists that there is room for under a cap of `memory`, and the bytes of all state.
pub(crate) fn room(graph: &Graph, memory: u64, per_vertex: bool) -> (Room, u64) {
    Room::of(graph, memory, if per_vertex { 8 } else { 0 })
}

/// Nothing but the total.
struct Total;

impl Count for Total {
    const PER_VERTEX: bool = false;

    #[inline]
    fn brings(_: u32) -> u64 {
        0
    }

    #[inline]
    fn add(&self, _: Vertex, _: u64) {}
}

/// By vertex: triangles found so far.
struct PerVertex(Vec<AtomicU64>);

impl Count for PerVertex {
    const PER_VERTEX: bool = true;

    #[inline]
    fn brings(_: u32) -> u64 {
        1
    }

    #[inline]
    fn add(&self, vertex: Vertex, brought: u64) {
        self.0[vertex as usize].fetch_add(brought, Ordering::Relaxed);
    }
}

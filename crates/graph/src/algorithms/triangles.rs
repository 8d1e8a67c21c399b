//! Triangles: three vertices with an edge between each two of them, whichever way edges lead.
//!
//! Found as `upward.rs` says: each edge belongs to its end with the shorter list (Chiba, Nishizeki,
//! "Arboricity and Subgraph Listing Algorithms", SIAM Journal on Computing 14, 1985), so that all
//! intersections together take O(m^1.5) steps, and where the lists do not fit in memory they are streamed
//! past as many as do (Hu, Tao, Chung, "Massive Graph Triangulation", SIGMOD 2013). Three passes over the
//! blocks, and one more each time the lists are streamed; 16 bytes per vertex, 24 where triangles are counted
//! for each vertex, and at least 16 √m for the lists.

use std::sync::atomic::{AtomicU64, Ordering};

use leadline_graph_store::format::Vertex;

use super::by_vertex;
use super::upward::{self, Count, MemoryPlan, Upward};
use crate::algorithm::{Algorithm, Definition, Destination, Job, Needs, Ran, TableShape};
use crate::estimate::{Blocks, Size};
use crate::output::{grouped, outcome, vertex_table};
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

vertex_table!(Triangles { counts: "triangles" Counts }, spills: false);

outcome!(
    Triangles,
    found: { "triangles": found.total, "passes": found.passes },
    format!("{} triangles", grouped(found.total))
);

pub(super) static DEFINITION: Definition = Definition {
    name: "triangles",
    about: "Triangles: how many, and how many each vertex is in",
    examples: "\
Examples:
  leadline graph triangles web.store
  # Also for each vertex
  leadline graph triangles web.store -o triangles.parquet

The direction of edges does not matter.",
    options: &[],
    one_of: &[],
    // Only a table has room for what is counted for each vertex.
    make: |call| Ok(Box::new(TrianglesRun { per_vertex: *call.to() != Destination::Nowhere })),
};

/// [`Graph::triangles`].
#[derive(Debug, Clone, Copy)]
pub struct TrianglesRun {
    /// Whether the triangles of each vertex are wanted.
    pub per_vertex: bool,
}

impl Algorithm for TrianglesRun {
    fn name(&self) -> &'static str {
        "triangles"
    }

    fn what(&self) -> &'static str {
        "counting triangles"
    }

    fn needs(&self) -> Needs {
        Needs::REVERSE
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Triangles>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        memory_plan(graph, memory, self.per_vertex).1
    }

    fn least_memory_with_result(&self, graph: &Graph) -> [u64; 2] {
        // A table needs what is counted for each vertex.
        let alone = TrianglesRun { per_vertex: true }.least_memory(graph);
        TableShape::of::<Triangles>().least_memory(graph).map(|least| least.max(alone))
    }

    fn scans(&self) -> bool {
        true
    }

    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        upward::reads(blocks, memory_plan(blocks.graph, blocks.memory(), self.per_vertex).0)
    }

    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        Some(upward::computing(size))
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, None, || graph.triangles(self.per_vertex))
    }
}

impl Graph {
    /// How many triangles there are, in the whole graph and, if `per_vertex`, with each vertex. The direction
    /// of edges, their repetitions and self-loops do not count.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::TooManyVertices`] above 2^31 - 1; [`GraphError::Memory`] below about 16 bytes per
    /// vertex, 24 with `per_vertex`; what the device or a damaged store gives.
    pub fn triangles(&self, per_vertex: bool) -> Result<Triangles, GraphError> {
        let run = TrianglesRun { per_vertex };
        upward::check(self, &run)?;
        let (plan, bytes) = memory_plan(self, self.options().memory, per_vertex);
        let ((counts, total, passes), stats) = Engine::run(self, run.what(), bytes, |engine| {
            let upward = Upward::measure(engine)?;
            if !per_vertex {
                let (total, passes) = upward.close_all(engine, plan, &Total, |_| ())?;
                return Ok((Vec::new(), total, passes));
            }
            let counts = PerVertex(by_vertex(engine.graph().vertices(), |_| AtomicU64::new(0)));
            let (total, passes) = upward.close_all(engine, plan, &counts, |_| ())?;
            Ok((counts.0.into_iter().map(AtomicU64::into_inner).collect(), total, passes))
        })?;
        Ok(Triangles { counts, total, passes, stats })
    }
}

/// Entries of lists that there is room for under a cap of `memory`, and the bytes of all state.
fn memory_plan(graph: &Graph, memory: u64, per_vertex: bool) -> (MemoryPlan, u64) {
    MemoryPlan::of(graph, memory, if per_vertex { 8 } else { 0 })
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

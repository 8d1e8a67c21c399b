//! Local clustering: how many of a vertex's neighbours are neighbours of each other. And triangles.
//!
//! The triangles are found as `upward.rs` says (Chiba, Nishizeki 1985; Hu, Tao, Chung 2013); each adds its
//! three edges to the pairs of neighbours of the vertices opposite to them, an edge of a directed graph for
//! each way it leads.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::lists::Lists;
use super::upward::{self, Count, MemoryPlan, Upward};
use super::{by_vertex, numbers};
use crate::algorithm::{Algorithm, AlgorithmOption, Definition, Job, Needs, Ran, TableShape};
use crate::estimate::{Blocks, Size};
use crate::output::{grouped, outcome, vertex_table};
use crate::{Engine, Graph, GraphError, RunStats};

/// The clustering of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Lcc {
    /// By vertex: edges among its neighbours by those there could be, 0 to 1; 0 where it has fewer than two
    /// neighbours.
    pub coefficients: Vec<f64>,
    /// Triangles of the graph, whichever way edges lead, each counted once.
    pub triangles: u64,
    /// How often the edges were streamed past lists in memory; 1: all lists were held at once.
    pub passes: u64,
    /// What it took.
    pub stats: RunStats,
}

vertex_table!(Lcc { coefficients: "coefficient" Doubles }, spills: false);

outcome!(
    Lcc,
    found: { "triangles": found.triangles, "mean_coefficient": found.mean() },
    format!("{} triangles; mean coefficient {:.6}", grouped(found.triangles), found.mean())
);

impl Lcc {
    /// The mean coefficient; 0 where there are no vertices.
    pub fn mean(&self) -> f64 {
        self.coefficients.iter().sum::<f64>() / self.coefficients.len().max(1) as f64
    }
}

pub(super) static DEFINITION: Definition = Definition {
    name: "lcc",
    about: "Local clustering coefficients, and the triangles of the graph",
    examples: "\
Examples:
  leadline graph lcc web.store -o coefficients.csv

The coefficient of a vertex is the share of pairs of its neighbours that an edge joins.",
    options: &[AlgorithmOption::PROPERTIES],
    one_of: &[],
    make: |call| {
        call.properties()?;
        Ok(Box::new(LccRun))
    },
};

/// [`Graph::lcc`].
#[derive(Debug, Clone, Copy)]
pub struct LccRun;

impl Algorithm for LccRun {
    fn name(&self) -> &'static str {
        "local clustering"
    }

    fn needs(&self) -> Needs {
        Needs::REVERSE
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Lcc>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        memory_plan(graph, memory).1
    }

    fn scans(&self) -> bool {
        true
    }

    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        upward::reads(blocks, memory_plan(blocks.graph, blocks.memory()).0)
    }

    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        Some(upward::computing(size))
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, None, || graph.lcc())
    }
}

impl Graph {
    /// Local clustering coefficients and triangles. Neighbours are those on outgoing and on incoming edges;
    /// in a directed graph an edge among them counts for each way it leads. Self-loops and repetitions of an
    /// edge do not count.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::TooManyVertices`] above 2^31 - 1; [`GraphError::Memory`] below about 28 bytes per
    /// vertex; what the device or a damaged store gives.
    pub fn lcc(&self) -> Result<Lcc, GraphError> {
        upward::check(self, &LccRun)?;
        let (plan, bytes) = memory_plan(self, self.options().memory);
        let ((coefficients, triangles, passes), stats) =
            Engine::run(self, LccRun.name(), bytes, |engine| count(engine, plan))?;
        Ok(Lcc { coefficients, triangles, passes, stats })
    }
}

/// Entries of lists that there is room for under a cap of `memory`, and the bytes of all state: in addition
/// to the lists, 4 bytes per vertex for its neighbours and 8 for the edges among them.
fn memory_plan(graph: &Graph, memory: u64) -> (MemoryPlan, u64) {
    MemoryPlan::of(graph, memory, 4 + 8)
}

/// By vertex: edges among its neighbours.
struct Clustering(Vec<AtomicU64>);

/// Coefficients, triangles and passes.
fn count(engine: &mut Engine<'_>, plan: MemoryPlan) -> Result<(Vec<f64>, u64, u64), GraphError> {
    let vertices = engine.graph().vertices();
    let among = Clustering(by_vertex(vertices, |_| AtomicU64::new(0)));
    let upward = Upward::measure(engine)?;
    if let Some(decoded) = upward.decoded() {
        let (triangles, passes) = upward.close_all(engine, plan, &among, |_| ())?;
        return Ok((among.coefficients(|vertex| decoded.neighbours(vertex)), triangles, passes));
    }
    let degrees = numbers(vertices, |_| 0);
    let (triangles, passes) =
        upward.close_all(engine, plan, &among, |lists| count_neighbours(&degrees, lists))?;
    let degree = |vertex| degrees[vertex as usize].load(Ordering::Relaxed);
    Ok((among.coefficients(degree), triangles, passes))
}

/// How many neighbours each vertex has: those above it, and those it is above.
fn count_neighbours(degrees: &[AtomicU32], lists: &Lists) {
    lists.vertices().into_par_iter().for_each(|vertex| {
        let list = lists.list(vertex);
        degrees[vertex as usize].fetch_add(list.len() as u32, Ordering::Relaxed);
        for entry in list {
            degrees[(entry >> 1) as usize].fetch_add(1, Ordering::Relaxed);
        }
    });
}

impl Clustering {
    /// Coefficients, in the memory of what they are made of. The number of neighbours is asked for only where
    /// there are edges among them.
    fn coefficients(mut self, neighbours: impl Fn(Vertex) -> u32 + Sync) -> Vec<f64> {
        self.0.par_iter_mut().enumerate().for_each(|(vertex, among)| {
            let among = among.get_mut();
            if *among > 0 {
                let degree = f64::from(neighbours(vertex as Vertex));
                *among = (*among as f64 / (degree * (degree - 1.0))).to_bits();
            }
        });
        // Zero has the same bits as a count and as a coefficient.
        self.0.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect()
    }
}

impl Count for Clustering {
    const PER_VERTEX: bool = true;

    /// In how many ways the edge leads.
    #[inline]
    fn brings(entry: u32) -> u64 {
        u64::from(1 + (entry & 1))
    }

    #[inline]
    fn add(&self, vertex: Vertex, brought: u64) {
        self.0[vertex as usize].fetch_add(brought, Ordering::Relaxed);
    }
}

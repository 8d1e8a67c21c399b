//! Similarity: the share of their neighbours that two vertices have in common.
//!
//! Jaccard's coefficient is the share of common neighbours in all of both (Jaccard, "Étude comparative de la
//! distribution florale", Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901), the overlap
//! coefficient that in the smaller set (Simpson, "Mammals and the Nature of Continents", American Journal of
//! Science 241, 1943). Neighbours are the vertices that edges lead to, each once, and not the vertex itself.
//!
//! Of given pairs (`pairs`), the shorter list of each is held in memory, as many as there is room for, and
//! the rest are streamed past them. To find the most similar ones (`top`), every path of two edges that ends
//! where edges from two vertices meet is counted, for as many vertices at a time as there is room for.

mod given;
mod pairs;
mod run;
mod top;

use leadline_graph_store::format::Vertex;
pub(super) use run::DEFINITION;
pub use run::{MostSimilarRun, SimilaritiesRun};
use run::{NAME, PAIRS};
pub use top::{MostSimilar, TopOptions};
use {pairs::MemoryPlan as PairsPlan, top::MemoryPlan as TopPlan};

use super::lists::merged;
use crate::algorithm::Needs;
use crate::{Engine, Graph, GraphError, RunStats};

/// How similarity is measured, from 0 to 1; 0 where nothing is in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Measure {
    /// Common neighbours as a share of all neighbours of both.
    #[default]
    Jaccard,
    /// Common neighbours as a share of the neighbours of the vertex with fewer.
    Overlap,
}

impl std::str::FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Measure, String> {
        match name {
            "jaccard" => Ok(Measure::Jaccard),
            "overlap" => Ok(Measure::Overlap),
            _ => Err("must be jaccard or overlap".to_owned()),
        }
    }
}

impl Measure {
    /// The similarity of sets of these sizes that have that many members in common.
    #[inline]
    fn of(self, common: u32, sizes: [u32; 2]) -> f64 {
        let [a, b] = sizes.map(u64::from);
        let whole = match self {
            Measure::Jaccard => a + b - u64::from(common),
            Measure::Overlap => a.min(b),
        };
        if common == 0 { 0.0 } else { f64::from(common) / whole as f64 }
    }
}

/// The similarity of pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Similarities {
    /// By pair, in their order.
    pub values: Vec<f64>,
    /// What it took.
    pub stats: RunStats,
}

impl Graph {
    /// The similarity of each of some pairs of vertices. `sink_bytes` are held by the caller meanwhile and
    /// afterwards, and go against the cap.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 80 bytes per pair and 4 per neighbour of the vertex with most; what
    /// the device or a damaged store gives.
    ///
    /// # Panics
    /// Where a vertex is none of the graph, or there are more than 2^31 pairs.
    pub fn similarities(
        &self,
        pairs: &[(Vertex, Vertex)],
        measure: Measure,
        sink_bytes: u64,
    ) -> Result<Similarities, GraphError> {
        let plan = PairsPlan::new(self, self.options().memory, pairs.len() as u64, sink_bytes);
        let (values, stats) =
            Engine::run(self, PAIRS, plan.bytes, |engine| pairs::compare(engine, pairs, measure, &plan))?;
        Ok(Similarities { values, stats })
    }

    /// For each vertex, in the order of ids, the vertices most similar to it that share a
    /// neighbour with it: calls `each` with the vertex and at most that many, the most similar first, of
    /// equal ones the one with the smallest id. Vertices that share no neighbour with any are left out.
    ///
    /// It looks at every path of two edges from a vertex to a neighbour and back to others: as many as the
    /// sum of the squares of how many edges lead to each vertex. A vertex that a million edges lead to makes
    /// 10^12 of them, so the time is decided by hubs; [`TopOptions::skip_above`] leaves them out.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::Memory`] below about 17 bytes per vertex and 12 per neighbour of the vertex with most;
    /// what the device or a damaged store gives, and what `each` fails with.
    pub fn most_similar(
        &self,
        options: &TopOptions,
        each: impl FnMut(Vertex, &[(Vertex, f64)]) -> Result<(), GraphError> + Send,
    ) -> Result<MostSimilar, GraphError> {
        Needs::REVERSE.check(self, NAME)?;
        let plan = TopPlan::new(self, self.options().memory, options);
        let ((vertices, pairs, batches), stats) =
            Engine::run(self, NAME, plan.bytes, |engine| top::find(engine, options, &plan, each))?;
        Ok(MostSimilar { vertices, pairs, batches, stats })
    }
}

/// What a thread has at hand in a sweep.
#[derive(Default)]
struct Worker {
    values: Vec<Vertex>,
    /// Of pieces of hubs, as [`distinct`](super::lists::distinct) gives them.
    ends: Vec<(Vertex, Vertex)>,
    edges: u64,
}

/// The ends of all pieces, each once; counts what was looked at.
fn ends(engine: &mut Engine<'_>, workers: Vec<Worker>) -> Vec<(Vertex, Vertex)> {
    workers.iter().for_each(|worker| engine.add_scanned_edges(worker.edges));
    merged(workers.into_iter().map(|worker| worker.ends))
}

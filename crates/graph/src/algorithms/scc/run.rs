//! Strongly connected components as an algorithm that is asked for: what they need, cost, and look like.

use leadline_graph_store::format::Direction;

use super::{MemoryPlan, Scc};
use crate::algorithm::{Algorithm, Definition, Job, Needs, Ran, TableShape};
use crate::algorithms::WccRun;
use crate::estimate::Blocks;
use crate::output::{grouped, outcome, vertex_table};
use crate::{Graph, GraphError};

/// Most passes where not everything is finished in memory at once: somewhat more than graphs of random edges
/// and grids took with hardly any cache (tests/estimate.rs: 5.0). Grids whose ids are at random take more.
const MOST_PASSES: u64 = 16;

vertex_table!(Scc { components: "component" Vertices }, spills: true);

outcome!(
    Scc,
    found: { "components": found.count },
    format!("{} strongly connected components", grouped(found.count))
);

pub(crate) static DEFINITION: Definition = Definition {
    name: "scc",
    about: "Strongly connected components: vertices that reach each other",
    examples: "\
Examples:
  leadline graph scc web.store --memory 64M -o components.parquet

The store needs lists of incoming edges (`leadline graph import --reverse`). In an undirected graph the \
components are the weakly connected ones.",
    options: &[],
    one_of: &[],
    make: |_| Ok(Box::new(SccRun)),
};

/// [`Graph::scc`].
#[derive(Debug, Clone, Copy)]
pub struct SccRun;

impl Algorithm for SccRun {
    fn name(&self) -> &'static str {
        "strongly connected components"
    }

    fn needs(&self) -> Needs {
        Needs::REVERSE
    }

    fn instead(&self, graph: &Graph) -> Option<Box<dyn Algorithm>> {
        (!graph.header().directed).then(|| Box::new(WccRun::default()) as Box<dyn Algorithm>)
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Scc>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        MemoryPlan::new(graph, memory).bytes
    }

    /// Two passes over forward lists if everything is finished in memory at once, else one over each
    /// direction at least.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let mut passes = blocks.passes();
        if MemoryPlan::new(blocks.graph, blocks.memory()).at_once {
            passes.repeat(2, |passes| passes.pass(Direction::Forward));
            return [passes.read; 2];
        }
        passes.pass_all();
        [passes.read, blocks.again(blocks.all(), MOST_PASSES)]
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, None, || graph.scc())
    }
}

//! Weakly connected components as an algorithm that is asked for: what they need, cost, and look like.

use serde_json::json;

use super::{Wcc, in_parts, state_bytes};
use crate::algorithm::{Algorithm, AlgorithmOption, Definition, Job, Ran, TableShape};
use crate::algorithms::{GoesOn, Previous, Stamp};
use crate::estimate::{Blocks, Cost, Size, Spilled};
use crate::output::{grouped, outcome, vertex_table};
use crate::{Graph, GraphError};

/// From benches/RESULTS.md, "Graphs: in memory": two threads, rmat20 (550,326 vertices, 16,477,062 entries)
/// and grid1k (1,000,000 and 3,996,000). The times on both give both numbers.
const COST: Cost = Cost { vertex: 50.0, entry: 1.4 };

/// What it is called.
pub(in crate::algorithms) const NAME: &str = "connected components";

vertex_table!(Wcc { components: "component" Vertices }, spills: true);

outcome!(
    Wcc,
    found: { "components": found.count },
    format!("{} components", grouped(found.count))
);

pub(crate) static DEFINITION: Definition = Definition {
    name: "wcc",
    about: "Weakly connected components, ignoring direction",
    examples: "\
Examples:
  leadline graph wcc web.store --memory 64M -o components.bin
  # Again, after changes
  leadline graph wcc web.store --from components.bin -o components.bin",
    options: &[AlgorithmOption::PROPERTIES, AlgorithmOption::FROM],
    one_of: &[],
    make: |call| {
        call.properties()?;
        let stamp = Stamp::new(call.graph(), "wcc", json!({}));
        let previous = call.previous(&stamp, 1, GoesOn::AfterChangesOfEdges)?;
        Ok(Box::new(WccRun { stamp: Some(stamp), previous }))
    },
};

/// [`Graph::wcc`], or [`Graph::wcc_after`] a previous result.
#[derive(Debug, Default)]
pub struct WccRun {
    /// What a result is of, where later runs are to go on from it.
    pub stamp: Option<Stamp>,
    /// What it goes on from.
    pub previous: Option<Previous>,
}

impl Algorithm for WccRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Wcc>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        state_bytes(graph).resident_bytes(graph, memory)
    }

    fn least_memory(&self, graph: &Graph) -> u64 {
        state_bytes(graph).least_memory(graph)
    }

    fn scans(&self) -> bool {
        true
    }

    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        [blocks.forward; 2]
    }

    /// One pass; two parts may have lists in the same block, which is read for both.
    fn spilled(&self, blocks: &Blocks<'_>) -> Option<Spilled> {
        let graph = blocks.graph;
        let parts = state_bytes(graph).plan(graph, blocks.memory()).ok()?.parts?;
        let more = (parts.ranges.len() as u64).saturating_sub(1);
        let bytes = in_parts::spilled_bytes(graph, &parts);
        Some(Spilled { blocks: [blocks.forward, blocks.forward + more], bytes })
    }

    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        Some([size.pass(COST, size.forward); 2])
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, self.stamp.as_ref(), || match &self.previous {
            Some(previous) => graph.wcc_after(previous),
            None => graph.wcc(),
        })
    }
}

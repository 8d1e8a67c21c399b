//! Breadth-first search as an algorithm that is asked for: what it needs, costs, and looks like.

use leadline_graph_store::format::Vertex;
use leadline_graph_store::graphalytics::Properties;
use serde_json::json;

use super::found::InFile;
use super::{Bfs, MemoryPlan, bfs_bytes};
use crate::algorithm::{Algorithm, AlgorithmOption, Definition, Job, OptionKind, Ran, TableShape};
use crate::algorithms::parents::parents_bytes;
use crate::algorithms::{GoesOn, Parents, Previous, Stamp, pagerank};
use crate::estimate::{Blocks, Cost, Size, Spilled};
use crate::output::{Column, Kind, VertexTable, grouped, outcome, vertex_table};
use crate::{Graph, GraphError};

/// Most passes where not all blocks fit: somewhat more than graphs of random edges and grids took with hardly
/// any cache (tests/estimate.rs: 4.7). Grids whose ids are at random take more.
const MOST_PASSES: u64 = 6;

/// From benches/RESULTS.md, "Graphs: in memory": two threads, rmat20 (550,326 vertices, 16,477,062 entries)
/// and grid1k (1,000,000 and 3,996,000). A search leaves out most entries of rmat20, so that no two numbers
/// give both times: these are within 1.6 of them.
const COST: Cost = Cost { vertex: 80.0, entry: 0.5 };

/// What it is called.
pub(in crate::algorithms) const NAME: &str = "breadth-first search";

vertex_table!(Bfs { levels: "level" Integers }, spills: true);

outcome!(
    Bfs,
    found: { "reached": found.reached, "depth": found.depth },
    format!("reached {} vertices; the farthest {} edges away", grouped(found.reached), found.depth)
);

/// A search with its parents.
impl VertexTable for (Bfs, Parents) {
    const COLUMNS: &'static [(&'static str, Kind)] = &[Bfs::COLUMNS[0], Parents::COLUMNS[0]];
    const SPILLS: bool = false;

    fn make_room(&mut self, _: &Graph) -> Result<(), GraphError> {
        Ok(())
    }

    fn columns(&self) -> Vec<Column<'_>> {
        [self.0.columns(), self.1.columns()].concat()
    }

    fn into_columns(self) -> Vec<Column<'static>> {
        [self.0.into_columns(), self.1.into_columns()].into_iter().flatten().collect()
    }
}

pub(crate) static DEFINITION: Definition = Definition {
    name: "bfs",
    about: "Breadth-first search: hops from the nearest source",
    examples: "\
Examples:
  leadline graph bfs web.store --source 0 --memory 64M
  # From two vertices, with parents
  leadline graph bfs web.store --source 0 --source 17 -o levels.csv --parents
  # Reads in flight from the profile of the device, three runs
  leadline graph bfs web.store --source 0 --profile profile.json --runs 3",
    options: &[
        AlgorithmOption::PROPERTIES,
        AlgorithmOption::new(
            "source",
            "ID",
            OptionKind::Ids,
            "Start at the vertex with this id; may be given several times",
        )
        .needed_without(&["estimate", "properties"]),
        AlgorithmOption::FROM,
        AlgorithmOption::flag("parents", "Also write a vertex from which each one was reached")
            .with_one_of(&["output", "estimate"]),
    ],
    one_of: &[],
    make: |call| {
        let properties = call.properties()?;
        let sources = call.sources(properties.as_ref(), Properties::bfs_source)?;
        let (vertices, parents) = (call.vertices(&sources)?, call.flag("parents"));
        let stamp = Stamp::new(call.graph(), "bfs", json!({ "source": sources, "parents": parents }));
        let columns = if parents { 2 } else { 1 };
        let previous = call.previous(&stamp, columns, GoesOn::AfterDeletionsByIncoming)?;
        Ok(Box::new(BfsRun { sources: vertices, parents, stamp: Some(stamp), previous }))
    },
};

/// [`Graph::bfs`], or [`Graph::bfs_after`] a previous result; and [`Graph::parents`] where they are wanted.
#[derive(Debug, Default)]
pub struct BfsRun {
    /// Where it begins.
    pub sources: Vec<Vertex>,
    /// Whether the table has parents too.
    pub parents: bool,
    /// What a result is of, where later runs are to go on from it.
    pub stamp: Option<Stamp>,
    /// What it goes on from.
    pub previous: Option<Previous>,
}

impl Algorithm for BfsRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn table(&self) -> Option<TableShape> {
        Some(if self.parents { TableShape::of::<(Bfs, Parents)>() } else { TableShape::of::<Bfs>() })
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        match self.parents {
            false => MemoryPlan::new(graph, memory).bytes,
            true => bfs_bytes(graph).max(parents_bytes(graph)),
        }
    }

    /// Pushes read forward lists, pulls reverse ones; what is reached is read in one of both at least. If
    /// vertices are numbered by degree, a block has vertices of like degrees, which are reached on the same
    /// level, so that fewer than half of the blocks may be wanted (0.48 to 0.67 of those of R-MAT graphs).
    /// Parents are one more pass over forward lists.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let header = blocks.graph.header();
        let least = if blocks.reverse > 0 { blocks.forward.min(blocks.reverse) } else { blocks.forward };
        let least = if header.renumbered && header.has_reverse() { least * 2 / 5 } else { least };
        let most = blocks.again(blocks.all(), MOST_PASSES);
        match self.parents && blocks.again(1, 2) > 1 {
            true => [least + blocks.not_cached(blocks.forward), most + blocks.forward],
            false => [least, most],
        }
    }

    /// No level is left for later, to be finished block by block.
    fn spilled(&self, blocks: &Blocks<'_>) -> Option<Spilled> {
        if self.parents || !MemoryPlan::new(blocks.graph, blocks.memory()).is_in_file {
            return None;
        }
        let [least, most] = self.reads(blocks);
        Some(Spilled { blocks: [least, 2 * most], bytes: InFile::moved(blocks.graph) })
    }

    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        let parents = if self.parents { size.pass(pagerank::COST, size.forward) } else { 0.0 };
        Some([size.pass(COST, size.forward) + parents; 2])
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        let search = || match &self.previous {
            Some(previous) => graph.bfs_after(&self.sources, previous),
            None => graph.bfs(&self.sources),
        };
        let stamp = self.stamp.as_ref();
        if !self.parents {
            return job.table(graph, stamp, search);
        }
        job.table_of(graph, stamp, search, |found| {
            let parents = graph.parents(&found.levels)?;
            Ok((found, parents))
        })
    }
}

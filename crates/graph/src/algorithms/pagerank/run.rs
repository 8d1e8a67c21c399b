//! PageRank as an algorithm that is asked for: what it needs, costs, and looks like.

use std::ops::Range;

use leadline_graph_store::format::{Direction, Vertex};
use serde_json::json;

use super::{PageRank, PageRankOptions, Precision, spilled_bytes, state_bytes};
use crate::algorithm::{
    Algorithm, AlgorithmOption, Call, Definition, Job, Needs, OptionKind, Ran, TableShape, Within,
};
use crate::algorithms::parts::Partitioning;
use crate::algorithms::{GoesOn, Previous, Stamp};
use crate::estimate::{Blocks, Cost, Size, Spilled};
use crate::output::{outcome, vertex_table};
use crate::{Graph, GraphError};

/// From benches/RESULTS.md, "Graphs: in memory": two threads, rmat20 (550,326 vertices, 16,477,062 entries)
/// and grid1k (1,000,000 and 3,996,000). The times on both give both numbers.
pub(crate) const COST: Cost = Cost { vertex: 4.4, entry: 4.3 };

/// On decoded lists, from "Graphs: decoded lists, next to GAPBS in memory": two threads, rmat20 (546,785
/// vertices, 16.1 million entries) and grid1k. The times on both give both numbers.
const COST_ON_LISTS: Cost = Cost { vertex: 1.1, entry: 1.0 };

/// To decode them, from the same table: 6 ns for an entry of rmat20, 8 of grid1k, 10 of graphs that are
/// beyond the processor's cache.
const COST_TO_DECODE: Cost = Cost { vertex: 0.0, entry: 8.0 };

/// With weights an entry took 1.1 to 1.8 times as long, on a random graph of 500,000 vertices and 16,000,000
/// entries on a busy machine: about the middle of that.
const WEIGHTED_COST: Cost = Cost { vertex: 4.4, entry: 6.5 };

/// What it is called.
pub(super) const NAME: &str = "PageRank";

/// What it is called where edges count by their weights.
pub(super) const WEIGHTED: &str = "weighted PageRank";

vertex_table!(PageRank { ranks: "rank" Doubles }, spills: true);

outcome!(
    PageRank,
    found: {
        "iterations": found.iterations,
        "highest_rank": found.highest,
        "change": found.change,
        "converged": found.converged
    },
    format!(
        "highest rank {:e} of {} vertices; the last iteration changed the ranks by {:.1e}",
        found.highest,
        found.ranks.len(),
        found.change
    ),
    iterations: found.iterations.into(),
    unfinished: match found.converged {
        Some(false) => Some(format!(
            "PageRank has not converged: iteration {} still changed the ranks by {:.1e} in sum; give more \
             iterations, or a larger tolerance",
            found.iterations, found.change
        )),
        _ => None,
    }
);

pub(crate) static DEFINITION: Definition = Definition {
    name: "pagerank",
    about: "PageRank: the share of time a random surfer spends at each vertex",
    examples: "\
Examples:
  leadline graph pagerank web.store --iterations 10 -o ranks.csv
  # Until the ranks hardly change
  leadline graph pagerank web.store --tolerance 1e-9
  # Personal to vertex 17
  leadline graph pagerank web.store --source 17
  leadline graph pagerank roads.store --weighted -o ranks.csv
  # Again, after changes
  leadline graph pagerank web.store --tolerance 1e-9 --from ranks.bin \\
    -o ranks.bin",
    options: &[
        AlgorithmOption::PROPERTIES,
        AlgorithmOption::FROM,
        AlgorithmOption::new(
            "iterations",
            "N",
            OptionKind::U32(1, 1_000_000),
            "Iterations, 1 to 1000000 [default: 10, or at most 1000 with --tolerance]",
        )
        .not_with(&["from"]),
        AlgorithmOption::new(
            "tolerance",
            "CHANGE",
            OptionKind::F64(Within {
                holds: |change| (0.0..=2.0).contains(&change),
                must: "must be from 0 to 2, such as 1e-9",
            }),
            "Stop when the sum of all changes is below this, 0 to 2, such as 1e-9",
        ),
        AlgorithmOption::new(
            "damping",
            "D",
            OptionKind::F64(Within {
                holds: |damping| (0.0..=1.0).contains(&damping),
                must: "must be from 0 to 1",
            }),
            "Probability of following an edge, from 0 to 1 [default: 0.85]",
        ),
        AlgorithmOption::new(
            "source",
            "ID",
            OptionKind::Ids,
            "Jump only to this vertex; may be given several times [default: to any vertex]",
        ),
        AlgorithmOption::flag("weighted", "Follow edges in proportion to their weights"),
    ],
    one_of: &[],
    make,
};

fn make(call: &mut Call<'_>) -> Result<Box<dyn Algorithm>, GraphError> {
    let tolerance = call.double("tolerance");
    if call.path("from").is_some() && tolerance.is_none() {
        let what = "give --tolerance too, such as 1e-9: it says when to end";
        return Err(GraphError::argument("from", what));
    }
    let properties = call.properties()?;
    let usual = PageRankOptions::usual(tolerance);
    let damping = call.double("damping").or(properties.as_ref().and_then(|of_file| of_file.damping()));
    let damping = damping.unwrap_or(usual.damping);
    let of_file =
        properties.filter(|_| tolerance.is_none()).and_then(|of_file| of_file.pagerank_iterations());
    let iterations = call.number("iterations").or(of_file).unwrap_or(usual.iterations);
    let (source, weighted) = (call.ids("source"), call.flag("weighted"));
    let personal = call.vertices(&source)?;
    let arguments = json!({ "damping": damping, "source": source, "weighted": weighted });
    let stamp = Stamp::new(call.graph(), "pagerank", arguments);
    let previous = call.previous(&stamp, 1, GoesOn::Always)?;
    let options = PageRankOptions { damping, iterations, personal, weighted, ..usual };
    Ok(Box::new(PageRankRun { options, stamp: Some(stamp), previous }))
}

/// [`Graph::pagerank`], or [`Graph::pagerank_after`] a previous result.
#[derive(Debug, Default)]
pub struct PageRankRun {
    /// How it is computed.
    pub options: PageRankOptions,
    /// What a result is of, where later runs are to go on from it.
    pub stamp: Option<Stamp>,
    /// What it goes on from.
    pub previous: Option<Previous>,
}

impl PageRankRun {
    /// From the beginning.
    pub fn new(options: PageRankOptions) -> PageRankRun {
        PageRankRun { options, stamp: None, previous: None }
    }

    /// Whether a first run decodes lists: as in `on_lists`.
    fn decodes(&self, size: &Size) -> bool {
        let give = Precision::of(size.vertices as u64, &self.options).value_bytes().give;
        let has_room = size.beside_lists.is_some_and(|beside| beside >= size.vertices as u64 * give);
        has_room && size.reverse && !self.options.weighted && self.options.iterations > 1
    }

    /// Iterations at least: with a tolerance there may be a single one.
    fn fewest(&self) -> u32 {
        let PageRankOptions { iterations, tolerance, .. } = self.options;
        if tolerance > 0.0 { iterations.min(1) } else { iterations }
    }
}

impl Algorithm for PageRankRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn what(&self) -> &'static str {
        if self.options.weighted { WEIGHTED } else { NAME }
    }

    fn needs(&self) -> Needs {
        Needs::weights(self.options.weighted)
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<PageRank>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        state_bytes(graph, &self.options).resident_bytes(graph, memory)
    }

    fn least_memory(&self, graph: &Graph) -> u64 {
        state_bytes(graph, &self.options).least_memory(graph)
    }

    fn scans(&self) -> bool {
        true
    }

    /// A pass for degrees or for the sums of weights, then one per iteration.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let side = side(blocks.graph);
        [self.fewest(), self.options.iterations].map(|iterations| {
            let mut passes = blocks.passes();
            passes.pass(Direction::Forward);
            passes.repeat(iterations, |passes| passes.pass(side));
            passes.read
        })
    }

    fn spilled(&self, blocks: &Blocks<'_>) -> Option<Spilled> {
        let graph = blocks.graph;
        let parts = state_bytes(graph, &self.options).plan(graph, blocks.memory()).ok()?.parts?;
        Some(self.spilled_parts(blocks, &parts))
    }

    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        let (cost, first) = match self.decodes(size) {
            true => (COST_ON_LISTS, size.pass(COST_TO_DECODE, size.forward)),
            false if self.options.weighted => (WEIGHTED_COST, 0.0),
            false => (COST, 0.0),
        };
        let iteration = size.pass(cost, size.forward);
        let all = [self.fewest(), self.options.iterations];
        Some(all.map(|iterations| first + f64::from(iterations) * iteration))
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, self.stamp.as_ref(), || match &self.previous {
            Some(previous) => graph.pagerank_after(&self.options, previous),
            None => graph.pagerank(&self.options),
        })
    }
}

impl PageRankRun {
    /// A pass for degrees; then, in each iteration, a pass for each part of neighbours. Where lists are read
    /// for sums of their own, those of one part are read again and again, and may stay in the cache
    /// meanwhile.
    fn spilled_parts(&self, blocks: &Blocks<'_>, parts: &Partitioning) -> Spilled {
        let (graph, frames) = (blocks.graph, u64::from(blocks.frames));
        let directory = graph.directory(side(graph));
        let blocks_of = |range: &Range<Vertex>| {
            u64::from(directory.last_block_of(range.end - 1) - directory.block_of(range.start) + 1)
        };
        // Two parts may have lists in the same block, which is read for both.
        let all: u64 = parts.lists.iter().map(blocks_of).sum();
        let times = parts.neighbours.len() as u64;
        let (least, most) = if graph.header().has_reverse() {
            let again: u64 = parts.lists.iter().map(|range| blocks_of(range).saturating_sub(frames)).sum();
            let stay = parts.lists.iter().all(|range| blocks_of(range) <= frames);
            // What the part before left in the cache goes only when it was not used twice.
            let least = all.saturating_sub(frames).max(times * again);
            (least, if stay { times.min(3) * all } else { times * all })
        } else {
            (times * all.saturating_sub(frames), times * all)
        };
        let (fewest, iterations) = (u64::from(self.fewest()), u64::from(self.options.iterations));
        let [begin, fixed, again] = spilled_bytes(graph, &self.options, parts);
        Spilled {
            blocks: [
                blocks.forward + fewest * least.saturating_sub(parts.lists.len() as u64),
                (blocks.forward + all).saturating_add(iterations.saturating_mul(most)),
            ],
            bytes: [begin + fewest * fixed, begin.saturating_add(iterations.saturating_mul(fixed + again))],
        }
    }
}

/// Whose lists are read for sums.
fn side(graph: &Graph) -> Direction {
    if graph.header().has_reverse() { Direction::Reverse } else { Direction::Forward }
}

//! Communities by label propagation: each vertex takes the label that most of its neighbours have, again and
//! again.
//!
//! Synchronous and without chance (Raghavan, Albert, Kumara, Physical Review E 76, 2007, in the version of
//! Graphalytics: Iosup et al., VLDB 2016): ties go to the smallest label. Where lists are in memory, each
//! vertex votes by its own (`on_lists`). Otherwise an undirected vertex with its list in one block votes
//! while it is visited. The neighbours' labels of all others are collected, for as many vertices at a time as
//! there is room.

mod on_lists;
mod vote;

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::{Block, Direction, Directory, Vertex};

use on_lists::Voters;
use vote::vote;

use super::lists::{Gathering, batches, directions, most_values, spare, sweep_range};
use super::{numbers, plain};
use crate::algorithm::{Algorithm, AlgorithmOption, Definition, Job, Needs, OptionKind, Ran, TableShape};
use crate::estimate::{Blocks, Cost, Passes, Size};
use crate::output::{grouped, outcome, vertex_table};
use crate::{Engine, Frontier, Graph, GraphError, RunStats, Which};

/// The communities of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Cdlp {
    /// By vertex: its label, the rank of the id of the vertex whose label it first was.
    pub labels: Vec<u32>,
    /// Labels that are left.
    pub count: u64,
    /// Iterations until the last one that changed a label, and one more if there was another.
    pub iterations: u32,
    /// Whether the last iteration changed no label, so that more of them would not either.
    pub converged: bool,
    /// What it took.
    pub stats: RunStats,
}

vertex_table!(Cdlp { labels: "label" Ranks }, spills: false);

outcome!(
    Cdlp,
    found: { "labels": found.count, "iterations": found.iterations, "converged": found.converged },
    format!("{} labels", grouped(found.count)),
    iterations: found.iterations.into()
);

/// Iterations where nobody says: the benchmark's.
const ITERATIONS: u32 = 10;

/// From benches/RESULTS.md, "The other algorithms": whole runs on rmat20 with all blocks cached, the first
/// read included; two threads.
const COST: Cost = Cost { vertex: 0.0, entry: 14.0 };

pub(super) static DEFINITION: Definition = Definition {
    name: "cdlp",
    about: "Communities by label propagation",
    examples: "\
Examples:
  leadline graph cdlp web.store --iterations 10 -o labels.parquet

In each iteration every vertex takes the label that most of its neighbours have.",
    options: &[
        AlgorithmOption::PROPERTIES,
        AlgorithmOption::new(
            "iterations",
            "N",
            OptionKind::U32(1, 1_000_000),
            "Iterations, 1 to 1000000 [default: 10]",
        ),
    ],
    one_of: &[],
    make: |call| {
        let of_file = call.properties()?.and_then(|properties| properties.cdlp_iterations());
        let iterations = call.number("iterations").or(of_file).unwrap_or(CdlpRun::default().iterations);
        Ok(Box::new(CdlpRun { iterations }))
    },
};

/// [`Graph::cdlp`].
#[derive(Debug, Clone, Copy)]
pub struct CdlpRun {
    /// Most iterations.
    pub iterations: u32,
}

impl Default for CdlpRun {
    fn default() -> CdlpRun {
        CdlpRun { iterations: ITERATIONS }
    }
}

impl Algorithm for CdlpRun {
    fn name(&self) -> &'static str {
        "label propagation"
    }

    fn needs(&self) -> Needs {
        Needs::REVERSE
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Cdlp>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        MemoryPlan::new(graph, memory).bytes
    }

    fn scans(&self) -> bool {
        true
    }

    /// A pass for degrees, then one per iteration, if all are done.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let mut passes = blocks.passes();
        passes.pass_all();
        passes.repeat(self.iterations, Passes::pass_all);
        let at_once = MemoryPlan::new(blocks.graph, blocks.memory()).at_once;
        // One more for the blocks in which lists of two batches meet.
        [passes.read, blocks.at_most(passes.read, at_once, 2 + u64::from(self.iterations))]
    }

    fn computing(&self, size: &Size) -> Option<[f64; 2]> {
        Some([f64::from(self.iterations) * size.pass(COST, size.both); 2])
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        job.table(graph, None, || graph.cdlp(self.iterations))
    }
}

struct CdlpState {
    labels: Vec<AtomicU32>,
    next: Vec<AtomicU32>,
    /// By vertex: neighbours whose labels must be collected; 0 where it votes while it is visited.
    counts: Vec<AtomicU32>,
}

impl Graph {
    /// Label propagation for that many iterations, or until no label changes. Labels begin as the ranks of
    /// the users' ids ([`crate::format::Ids::text`]). In a directed graph the neighbours on incoming and on
    /// outgoing edges count, on both twice. A repeated edge counts as often as it is listed, and a self-loop
    /// is an edge like others. Without neighbours a label stays.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`] where the graph is directed and its incoming edges are not known;
    /// [`GraphError::Memory`] below about 16 bytes per vertex and 4 for each neighbour of the vertex with the
    /// most; what the device or a damaged store gives.
    pub fn cdlp(&self, iterations: u32) -> Result<Cdlp, GraphError> {
        let run = CdlpRun { iterations };
        run.check(self)?;
        let MemoryPlan { most, bytes, .. } = MemoryPlan::new(self, self.options().memory);
        let ((labels, iterations, converged), stats) =
            Engine::run(self, run.name(), bytes, |engine| propagate(engine, iterations, most))?;
        let seen = Frontier::new(self.vertices());
        labels.iter().for_each(|label| _ = seen.insert(*label));
        Ok(Cdlp { count: seen.count(), labels, iterations, converged, stats })
    }
}

/// How memory is shared out.
struct MemoryPlan {
    /// Labels that are collected at a time.
    most: u64,
    /// Whether all are collected at once that must be in an iteration.
    at_once: bool,
    /// Bytes of all.
    bytes: u64,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes.
    fn new(graph: &Graph, memory: u64) -> MemoryPlan {
        let list = most_values(graph) * 4 * 2;
        let fixed = graph.vertices() * 16
            + u64::from(graph.all_blocks()) * 4
            + graph.options().threads.max(1) as u64 * list;
        let (least, all) = collected(graph);
        // Half of what is left: the other half keeps blocks.
        let most = (spare(graph, memory, fixed) / 2 / 4).min(all).max(least);
        MemoryPlan { most, at_once: most >= all, bytes: fixed + most * 4 }
    }
}

/// At most how many labels are collected for one vertex, and for all.
fn collected(graph: &Graph) -> (u64, u64) {
    let (values, header) = (most_values(graph), graph.header());
    let (mut least, mut all) = (0, 0);
    for direction in directions(graph) {
        let (blocks, pieces) = hubs(graph.directory(*direction));
        let longest = match blocks {
            // No list is longer than a quarter of a block, unless it is a piece.
            0 if header.directed => values.div_ceil(4),
            blocks => blocks * values,
        };
        let known = if *direction == Direction::Forward { header.max_degree } else { u64::MAX };
        least += longest.min(known).min(header.edges);
        all += if header.directed { u64::MAX / 4 } else { pieces * values }.min(header.edges);
    }
    (least, all)
}

/// The most blocks that a vertex's list runs over, 0 if none runs over two, and how many blocks hold pieces.
fn hubs(directory: &Directory) -> (u64, u64) {
    let (mut most, mut run, mut pieces) = (0, 1, 0);
    for block in 1..directory.blocks() {
        if !directory.is_continued(block) {
            run = 1;
            continue;
        }
        let same =
            directory.first_of(block - 1) == directory.first_of(block) && directory.is_continued(block - 1);
        run = if same { run + 1 } else { 2 };
        // The block before is counted with the first that goes on from it.
        pieces += if same { 1 } else { 2 };
        most = most.max(run);
    }
    (most, pieces)
}

/// Labels, iterations that it took, and whether the last one changed none.
fn propagate(
    engine: &mut Engine<'_>,
    iterations: u32,
    most: u64,
) -> Result<(Vec<u32>, u32, bool), GraphError> {
    let graph = engine.graph();
    // A pass to count or to decode, and one per iteration.
    let share = |passes: u32| f64::from(passes) / (1.0 + f64::from(iterations));
    engine.expect(0.0..share(1));
    let mut voters = Voters::of(engine, iterations, collected(graph).0)?;
    let counts = match voters {
        Some(_) => Vec::new(),
        None => neighbours_to_collect(engine)?,
    };
    let batches = batches(&counts, most);
    let mut state = CdlpState { labels: ranks(graph)?, next: numbers(graph.vertices(), |_| 0), counts };
    let (mut done, mut settled) = (0, false);
    while done < iterations && !settled {
        engine.expect(share(done + 1)..share(done + 2));
        let mut changed = false;
        match &mut voters {
            Some(voters) => changed = voters.vote_all(engine, &state.labels, &state.next)?,
            None => {
                for range in &batches {
                    changed |= state.vote_all(engine, range)?;
                }
            }
        }
        std::mem::swap(&mut state.labels, &mut state.next);
        done += 1;
        settled = !changed;
    }
    Ok((plain(state.labels), done, settled))
}

/// By vertex, the rank of its id.
fn ranks(graph: &Graph) -> Result<Vec<AtomicU32>, GraphError> {
    let ranks = numbers(graph.vertices(), |vertex| vertex);
    let mut ids = graph.ids();
    if ids.renumbered() {
        let mut rank = 0;
        ids.each_vertex(|vertex| {
            ranks[vertex as usize].store(rank, Ordering::Relaxed);
            rank += 1;
        })?;
    }
    Ok(ranks)
}

/// By vertex, how many neighbours' labels must be collected; 0 where it votes while it is visited.
fn neighbours_to_collect(engine: &mut Engine<'_>) -> Result<Vec<AtomicU32>, GraphError> {
    let graph = engine.graph();
    let (counts, directed) = (numbers(graph.vertices(), |_| 0), graph.header().directed);
    for direction in directions(graph) {
        engine.sweep(
            *direction,
            Which::All,
            || (),
            |(), block| {
                for vertex in block.vertices().filter(|vertex| directed || block.is_piece(*vertex)) {
                    counts[vertex as usize].fetch_add(block.degree(vertex) as u32, Ordering::Relaxed);
                }
            },
        )?;
    }
    Ok(counts)
}

impl CdlpState {
    /// Has the vertices of a range vote; whether a label is another than before.
    fn vote_all(&self, engine: &mut Engine<'_>, range: &Range<Vertex>) -> Result<bool, GraphError> {
        let gathering = Gathering::new(range.clone(), &self.counts);
        let directed = engine.graph().header().directed;
        let changed = AtomicU32::new(0);
        let set = |vertex: Vertex, neighbours: &mut [u32]| {
            let before = self.labels[vertex as usize].load(Ordering::Relaxed);
            let label = vote(neighbours).unwrap_or(before);
            self.next[vertex as usize].store(label, Ordering::Relaxed);
            if label != before {
                changed.store(1, Ordering::Relaxed);
            }
        };
        let visit = |(edges, found): &mut (u64, Vec<u32>), block: &Block<'_>| {
            for vertex in block.vertices().filter(|vertex| range.contains(vertex)) {
                found.clear();
                block.scan(vertex, |neighbour| {
                    found.push(self.labels[neighbour as usize].load(Ordering::Relaxed));
                    true
                });
                *edges += found.len() as u64;
                if directed || block.is_piece(vertex) {
                    gathering.put(vertex, found);
                } else {
                    set(vertex, found);
                }
            }
        };
        for direction in directions(engine.graph()) {
            let counted = sweep_range(engine, *direction, range, Default::default, visit)?;
            engine.add_scanned_edges(counted.into_iter().map(|(edges, _)| edges).sum());
        }
        gathering.end().for_each(|vertex, neighbours| {
            if directed || !neighbours.is_empty() {
                set(vertex, neighbours);
            }
        });
        Ok(changed.into_inner() != 0)
    }
}

//! Random walks as an algorithm that is asked for: what they need, cost, and look like.

use super::{Lists, MemoryPlan, Starts, WalkOptions, Walks, is_bias};
use crate::algorithm::{
    Algorithm, AlgorithmOption, Call, Definition, Destination, Job, Needs, OptionKind, Ran, TableShape,
    Within, least_memory_of,
};
use crate::estimate::Blocks;
use crate::output::{WalkOutput, WalkRows, grouped, outcome};
use crate::{Graph, GraphError};

/// What they are called.
pub(super) const NAME: &str = "random walks";

/// What one is called that goes by weights.
pub(super) const WEIGHTED: &str = "a weighted walk";

outcome!(
    Walks,
    found: { "walks": found.walks, "steps": found.steps, "steps_per_second": found.steps_per_second() },
    {
        let (walks, steps) = (grouped(found.walks), grouped(found.steps));
        format!("{walks} walks, {steps} steps, {:.2} million steps/s", found.steps_per_second() / 1e6)
    }
);

/// What node2vec's parameters are.
const BIAS: Within = Within { holds: is_bias, must: "must be above 0 and at most 1e6" };

impl Walks {
    /// Steps per second of the run.
    pub fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.stats.seconds
    }
}

pub(crate) static DEFINITION: Definition = Definition {
    name: "walk",
    about: "Random walks: uniform, weighted or node2vec",
    examples: "\
Examples:
  # One line per walk
  leadline graph walk web.store --per-vertex 10 --length 80 -o walks.txt
  # node2vec
  leadline graph walk web.store --per-vertex 10 --p 0.25 --q 4 -o walks.parquet
  # A thousand walks from one vertex
  leadline graph walk roads.store --source 1 --walkers 1000 --weighted \\
    -o walks.csv",
    options: &[
        AlgorithmOption::new(
            "walkers",
            "N",
            OptionKind::U64(1, 1 << 32),
            "Walks from random vertices, or from each --source, 1 to 2^32",
        ),
        AlgorithmOption::new(
            "per-vertex",
            "N",
            OptionKind::U64(1, 1 << 32),
            "Walks from every vertex, 1 to 2^32 [default: 1]",
        )
        .not_with(&["walkers", "source"]),
        AlgorithmOption::new(
            "source",
            "ID",
            OptionKind::Ids,
            "Start at the vertex with this id; may be given several times",
        ),
        AlgorithmOption::new("length", "L", OptionKind::U32(1, 1_000_000), "Edges in a walk, 1 to 1000000")
            .or("80"),
        AlgorithmOption::new(
            "p",
            "P",
            OptionKind::F64(BIAS),
            "Return parameter of node2vec: above 1, walks turn back less often",
        )
        .or("1"),
        AlgorithmOption::new(
            "q",
            "Q",
            OptionKind::F64(BIAS),
            "In-out parameter of node2vec: above 1, walks stay near; below 1, they go far",
        )
        .or("1"),
        AlgorithmOption::flag("weighted", "Take edges in proportion to their weights"),
        AlgorithmOption::new("seed", "N", OptionKind::U64(0, u64::MAX), "Seed of all random choices").or("1"),
    ],
    one_of: &[],
    make,
};

fn make(call: &mut Call<'_>) -> Result<Box<dyn Algorithm>, GraphError> {
    let sources = call.vertices(&call.ids("source"))?;
    let usual = WalkOptions::default();
    let mut options = WalkOptions {
        starts: Starts::of(&sources, call.number("walkers"), call.number("per-vertex")),
        length: call.number("length").unwrap_or(usual.length),
        p: call.double("p").unwrap_or(usual.p),
        q: call.double("q").unwrap_or(usual.q),
        weighted: call.flag("weighted"),
        seed: call.number("seed").unwrap_or(usual.seed),
        sink_bytes: 0,
    };
    let graph = call.graph();
    let rows = || WalkRows::bytes(graph, &options);
    options.sink_bytes = call.to().sink_bytes(|| WalkOutput::bytes(graph), rows);
    Ok(Box::new(WalkRun { options }))
}

/// [`Graph::walks`].
#[derive(Debug, Clone, Default)]
pub struct WalkRun {
    /// How walks are made. The bytes of the sink are the memory of their destination.
    pub options: WalkOptions,
}

impl Algorithm for WalkRun {
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
        None
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        MemoryPlan::new(graph, memory, &self.options).bytes
    }

    /// Walks are written while they are made, within the same memory.
    fn least_memory_with_result(&self, graph: &Graph) -> [u64; 2] {
        let rows = WalkRows::bytes(graph, &self.options);
        [WalkOutput::bytes(graph), rows].map(|sink_bytes| {
            let options = WalkOptions { sink_bytes, ..self.options.clone() };
            least_memory_of(graph, MemoryPlan::new(graph, 0, &options).bytes)
        })
    }

    /// A round for every step reads the blocks where walkers stand, after those of hubs.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let options = &self.options;
        let walks = blocks.graph.walk_count(options);
        let plan = MemoryPlan::new(blocks.graph, blocks.memory(), options);
        let at_once = plan.at_once.max(1);
        if plan.lists == Lists::OfRun {
            // The sizes of lists, then the lists.
            return [blocks.forward, 2 * blocks.forward];
        }
        let least = match &options.starts {
            Starts::From(_) => blocks.forward.min(walks).min(1),
            // One in every second block or so, where there is one for each.
            _ => blocks.forward.min(walks) / 2,
        };
        if blocks.again(1, 2) == 1 {
            return [least, blocks.forward];
        }
        // Each try takes a round, and some a second one, in which the vertex before is asked.
        let asking = if options.tries() > 1.0 { 2.0 } else { 1.0 };
        let rounds = f64::from(options.length) * options.tries() * asking * walks.div_ceil(at_once) as f64;
        let most = blocks.forward as f64 + rounds * at_once.min(blocks.forward) as f64;
        [least, most as u64]
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        let options = &self.options;
        let try_file = |path: &_| WalkOutput::create(path, graph).map(drop);
        job.stream(try_file, || match &job.to {
            Destination::Nowhere => Ok((graph.walks(options, |_, _| Ok(()))?, None)),
            Destination::File(path) => {
                let mut output = WalkOutput::create(path, graph)?;
                let found = graph.walks(options, |walk, vertices| output.put(walk, vertices))?;
                output.finish()?;
                Ok((found, None))
            }
            Destination::Rows => {
                let mut rows = WalkRows::new(graph, options)?;
                let found = graph.walks(options, |walk, vertices| {
                    rows.put(walk, vertices);
                    Ok(())
                })?;
                Ok((found, Some(rows.finish()?)))
            }
        })
    }
}

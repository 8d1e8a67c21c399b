//! `leadline graph walk`: random walks.

use std::path::{Path, PathBuf};

use leadline_graph::algorithms::{Starts, WalkOptions, Walks};
use leadline_graph::output::{Output, WalkOutput};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Random walks: uniform, by weight, or node2vec's
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline graph walk web.graph --per-vertex 10 --length 80 -o walks.txt     one line per walk\n  \
                        leadline graph walk web.graph --per-vertex 10 --p 0.25 --q 4 -o walks.parquet\n  \
                        leadline graph walk roads.graph --source 1 --walkers 1000 --weighted -o walks.csv"
)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    /// Number of walks, from vertices chosen at random, or from each --source
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    walkers: Option<u64>,
    /// Number of walks from every vertex [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 32), conflicts_with_all = ["walkers", "source"])]
    per_vertex: Option<u64>,
    /// Start at the vertex with this id; may be given several times
    #[arg(long, value_name = "ID")]
    source: Vec<String>,
    /// Number of edges in a walk
    #[arg(long, value_name = "L", default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    length: u32,
    /// Node2vec's return parameter: above 1 walks turn back less often
    #[arg(long, value_name = "P", default_value_t = 1.0)]
    p: f64,
    /// Node2vec's in-out parameter: above 1 walks stay near, below 1 they go far
    #[arg(long, value_name = "Q", default_value_t = 1.0)]
    q: f64,
    /// Take edges in proportion to their weights
    #[arg(long)]
    weighted: bool,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        let sources = run::vertices(graph, &args.source)?;
        let starts = Starts::of(&sources, args.walkers, args.per_vertex);
        let sink_bytes = if args.common.output().is_some() { WalkOutput::bytes(graph) } else { 0 };
        let Args { length, p, q, weighted, seed, .. } = args;
        let options = WalkOptions { starts, length, p, q, weighted, seed, sink_bytes };
        Ok(Walking { options, path: None })
    })
}

struct Walking {
    options: WalkOptions,
    /// Walks are written as they are made.
    path: Option<PathBuf>,
}

impl Task for Walking {
    type Outcome = Walks;
    const NAME: &'static str = "random walks";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Walks(self.options.clone())
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        WalkOutput::create(path, graph)?;
        self.path = Some(path.to_owned());
        Ok(None)
    }

    fn run(&mut self, graph: &Graph) -> Result<Walks, GraphError> {
        let Some(path) = &self.path else { return graph.walks(&self.options, |_, _| Ok(())) };
        let mut output = WalkOutput::create(path, graph)?;
        let found = graph.walks(&self.options, |walk, vertices| output.put(walk, vertices))?;
        output.finish()?;
        Ok(found)
    }

    fn words(&self, found: &Walks) -> String {
        format!(
            "{} walks, {} steps, {:.2} million steps/s",
            grouped(found.walks),
            grouped(found.steps),
            found.steps_per_second() / 1e6
        )
    }

    fn write(&self, _: &Graph, _: &mut Walks, _: Output) -> Result<u64, GraphError> {
        unreachable!("walks are written as they are made: no file is kept for afterwards")
    }
}

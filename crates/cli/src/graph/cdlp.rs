//! `leadline graph cdlp`: communities.

use std::path::Path;

use leadline_graph::algorithms::Cdlp;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::properties::PropertiesArgs;
use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Iterations where nobody says: the benchmark's.
const ITERATIONS: u32 = 10;

/// Communities by label propagation: every vertex takes the label that most of its neighbours have
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph cdlp web.graph --iterations 10 -o labels.parquet")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    properties: PropertiesArgs,
    /// Do so many iterations [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    iterations: Option<u32>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        graph.need_reverse(Labels::NAME)?;
        let properties = args.properties.load(graph)?;
        let of_file = properties.and_then(|properties| properties.cdlp_iterations());
        Ok(Labels(args.iterations.or(of_file).unwrap_or(ITERATIONS)))
    })
}

struct Labels(u32);

impl Task for Labels {
    type Outcome = Cdlp;
    const NAME: &'static str = "label propagation";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Cdlp { iterations: self.0 }
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Cdlp>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Cdlp, GraphError> {
        graph.cdlp(self.0)
    }

    fn iterations(&self, found: &Cdlp) -> u64 {
        found.iterations.into()
    }

    fn words(&self, found: &Cdlp) -> String {
        format!("{} labels", grouped(found.count))
    }

    fn write(&self, graph: &Graph, found: &mut Cdlp, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

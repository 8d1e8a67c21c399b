//! `leadline graph wcc`: what hangs together.

use std::path::Path;

use leadline_graph::algorithms::Wcc;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::properties::PropertiesArgs;
use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Weakly connected components: which vertices hang together, whichever way edges lead
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph wcc web.graph --memory 64M -o components.parquet")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    properties: PropertiesArgs,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| args.properties.load(graph).map(|_| Components))
}

struct Components;

impl Task for Components {
    type Outcome = Wcc;
    const NAME: &'static str = "connected components";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Wcc
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Wcc>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Wcc, GraphError> {
        graph.wcc()
    }

    fn words(&self, found: &Wcc) -> String {
        format!("{} components", grouped(found.count))
    }

    fn write(&self, graph: &Graph, found: &mut Wcc, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

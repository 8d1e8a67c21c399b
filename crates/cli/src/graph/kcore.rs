//! `leadline graph kcore`: how deep in the graph everything is.

use std::path::Path;

use leadline_graph::algorithms::KCore;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Cores: for each vertex the largest k for which it is in a part of the graph where all have k neighbours
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph kcore web.graph -o cores.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        graph.need_reverse(Cores::NAME)?;
        Ok(Cores)
    })
}

struct Cores;

impl Task for Cores {
    type Outcome = KCore;
    const NAME: &'static str = "cores";

    fn algorithm(&self) -> Algorithm {
        Algorithm::KCore
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<KCore>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<KCore, GraphError> {
        graph.kcore()
    }

    fn words(&self, found: &KCore) -> String {
        format!("the innermost is the {}-core, of {} vertices", found.max, found.innermost())
    }

    fn write(&self, graph: &Graph, found: &mut KCore, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

//! `leadline graph scc`: what can reach each other.

use std::path::Path;

use leadline_graph::algorithms::Scc;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Strongly connected components: which vertices can reach each other along edges; in an undirected graph
/// those that wcc finds
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph scc web.graph --memory 64M -o components.parquet")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        graph.need_reverse(Components::NAME)?;
        Ok(Components)
    })
}

struct Components;

impl Task for Components {
    type Outcome = Scc;
    const NAME: &'static str = "strongly connected components";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Scc
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Scc>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Scc, GraphError> {
        graph.scc()
    }

    fn words(&self, found: &Scc) -> String {
        format!("{} strongly connected components", grouped(found.count))
    }

    fn write(&self, graph: &Graph, found: &mut Scc, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

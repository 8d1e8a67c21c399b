//! `leadline graph leiden`: communities of high modularity.

use std::path::Path;

use leadline_graph::algorithms::Leiden;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::communities::{CommunityArgs, Found, words};
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Communities of high modularity by the Leiden algorithm: as louvain, and every community is connected
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph leiden web.graph --seed 7 -o communities.parquet")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    communities: CommunityArgs,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        graph.need_reverse(Communities::NAME)?;
        args.communities.prepare()?;
        Ok(Communities(args.communities.clone()))
    })
}

struct Communities(CommunityArgs);

impl Task for Communities {
    type Outcome = Leiden;
    const NAME: &'static str = "Leiden communities";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Leiden(self.0.options())
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Leiden>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Leiden, GraphError> {
        graph.leiden(&self.0.options(), |level, communities| self.0.write_level(graph, level, communities))
    }

    fn words(&self, found: &Leiden) -> String {
        let Leiden { count, modularity, levels, .. } = found;
        words(Found { count: *count, modularity: *modularity, levels })
    }

    fn write(&self, graph: &Graph, found: &mut Leiden, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

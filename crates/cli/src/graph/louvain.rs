//! `leadline graph louvain`: communities of high modularity.

use std::path::Path;

use leadline_graph::algorithms::Louvain;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::communities::{CommunityArgs, Found, words};
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Communities of high modularity by the Louvain method: vertices move to where modularity gains most
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph louvain web.graph --seed 7 -o communities.parquet")]
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
    type Outcome = Louvain;
    const NAME: &'static str = "Louvain communities";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Louvain(self.0.options())
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Louvain>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Louvain, GraphError> {
        graph.louvain(&self.0.options(), |level, communities| self.0.write_level(graph, level, communities))
    }

    fn words(&self, found: &Louvain) -> String {
        let Louvain { count, modularity, levels, .. } = found;
        words(Found { count: *count, modularity: *modularity, levels })
    }

    fn write(&self, graph: &Graph, found: &mut Louvain, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

//! `leadline graph dfs`: a forest, deep before wide.

use std::path::Path;

use leadline_graph::algorithms::Dfs;
use leadline_graph::format::Vertex;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Depth-first search, strict where the graph fits in memory, else unordered: a forest of all that the
/// sources lead to
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  leadline graph dfs web.graph --source 0 -o forest.csv\n  \
                        leadline graph dfs web.graph --threads 1 --depth 1     strictly depth-first, from all vertices")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    /// Begin at the vertex of this id; may be given several times [default: at every vertex, in order]
    #[arg(long, value_name = "ID")]
    source: Vec<String>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| Ok(Search(run::vertices(graph, &args.source)?)))
}

struct Search(Vec<Vertex>);

impl Task for Search {
    type Outcome = Dfs;
    const NAME: &'static str = "depth-first search";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Dfs
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Dfs>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Dfs, GraphError> {
        graph.dfs(&self.0)
    }

    fn words(&self, found: &Dfs) -> String {
        format!("reached {} vertices, in {} trees", grouped(found.reached), grouped(found.trees()))
    }

    fn write(&self, graph: &Graph, found: &mut Dfs, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

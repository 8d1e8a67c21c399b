//! `leadline graph dfs`: a forest, deep before wide.

use std::path::Path;

use leadline_graph::algorithms::Dfs;
use leadline_graph::format::Vertex;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError, RunStats};

use super::report::{ResultSummary, grouped};
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

    fn stats(&self, found: &Dfs) -> RunStats {
        found.stats
    }

    fn summarise(&self, _: &Graph, found: &Dfs) -> Result<ResultSummary, GraphError> {
        let is_root = |(root, vertex): &(&Vertex, Vertex)| **root == *vertex;
        let trees = found.roots.iter().zip(0..).filter(is_root).count() as u64;
        let words = format!("reached {} vertices, in {} trees", grouped(found.reached), grouped(trees));
        Ok(ResultSummary::new(words, [("reached", found.reached.into()), ("trees", trees.into())]))
    }

    fn write(&self, graph: &Graph, found: &Dfs, output: Output) -> Result<u64, GraphError> {
        output.write(graph, &found.columns())
    }
}

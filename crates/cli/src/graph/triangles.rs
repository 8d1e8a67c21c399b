//! `leadline graph triangles`: three vertices, each joined with the others.

use std::path::Path;

use leadline_graph::algorithms::Triangles;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Triangles: how many there are, whichever way edges lead; with --output also how many each vertex is in
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  leadline graph triangles web.graph                          how many there are\n  \
                        leadline graph triangles web.graph -o triangles.parquet   also for each vertex"
)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let per_vertex = args.common.output().is_some();
    run::run(&args.common, |graph| {
        graph.need_reverse(Counting::NAME)?;
        Ok(Counting { per_vertex })
    })
}

struct Counting {
    /// Only a file has room for what is counted for each vertex.
    per_vertex: bool,
}

impl Task for Counting {
    type Outcome = Triangles;
    const NAME: &'static str = "triangles";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Triangles { per_vertex: self.per_vertex }
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Triangles>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Triangles, GraphError> {
        graph.triangles(self.per_vertex)
    }

    fn words(&self, found: &Triangles) -> String {
        format!("{} triangles", grouped(found.total))
    }

    fn write(&self, graph: &Graph, found: &mut Triangles, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

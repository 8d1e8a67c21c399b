//! `leadline graph lcc`: how close neighbours are to one another.

use std::path::Path;

use leadline_graph::algorithms::Lcc;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::properties::PropertiesArgs;
use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Local clustering: of the pairs of a vertex's neighbours, the share that an edge joins; and the triangles
/// of the graph
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph lcc web.graph -o coefficients.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    properties: PropertiesArgs,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        graph.need_reverse(Clustering::NAME)?;
        args.properties.load(graph).map(|_| Clustering)
    })
}

struct Clustering;

impl Task for Clustering {
    type Outcome = Lcc;
    const NAME: &'static str = "local clustering";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Lcc
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Lcc>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Lcc, GraphError> {
        graph.lcc()
    }

    fn words(&self, found: &Lcc) -> String {
        format!("{} triangles; mean coefficient {:.6}", grouped(found.triangles), found.mean())
    }

    fn write(&self, graph: &Graph, found: &mut Lcc, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

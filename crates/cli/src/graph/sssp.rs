//! `leadline graph sssp`: the length of shortest paths.

use std::path::Path;

use leadline_graph::algorithms::Sssp;
use leadline_graph::format::Vertex;
use leadline_graph::graphalytics::Properties;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};

use super::properties::{PropertiesArgs, sources};
use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Shortest paths: the smallest sum of weights from the nearest source to every vertex
#[derive(clap::Args)]
#[command(after_help = "Example:\n  leadline graph sssp roads.graph --source 1 -o distances.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    properties: PropertiesArgs,
    /// Begin at the vertex of this id; may be given several times
    #[arg(long, value_name = "ID", required_unless_present_any = ["estimate", "properties"])]
    source: Vec<String>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        graph.need_weights(Paths::NAME)?;
        let properties = args.properties.load(graph)?;
        let sources = sources(&args.source, properties.as_ref(), Properties::sssp_source)?;
        Ok(Paths(run::vertices(graph, &sources)?))
    })
}

struct Paths(Vec<Vertex>);

impl Task for Paths {
    type Outcome = Sssp;
    const NAME: &'static str = "shortest paths";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Sssp
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Sssp>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Sssp, GraphError> {
        graph.sssp(&self.0)
    }

    fn words(&self, found: &Sssp) -> String {
        format!("reached {} vertices; the farthest {} away", grouped(found.reached), found.farthest)
    }

    fn write(&self, graph: &Graph, found: &mut Sssp, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

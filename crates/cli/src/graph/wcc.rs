//! `leadline graph wcc`: what hangs together.

use std::path::Path;

use leadline_graph::algorithms::{Previous, Stamp, Wcc};
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};
use serde_json::json;

use super::from::FromArgs;
use super::properties::PropertiesArgs;
use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Weakly connected components: which vertices hang together, whichever way edges lead
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  leadline graph wcc web.graph --memory 64M -o components.bin\n  \
                        leadline graph wcc web.graph --from components.bin -o components.bin    after additions")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    properties: PropertiesArgs,
    #[command(flatten)]
    from: FromArgs,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        args.properties.load(graph)?;
        let previous = args.from.open(graph, &stamp(graph), 1)?;
        Ok(Components { previous })
    })
}

fn stamp(graph: &Graph) -> Stamp {
    Stamp::new(graph, "wcc", json!({}))
}

struct Components {
    previous: Option<Previous>,
}

impl Task for Components {
    type Outcome = Wcc;
    const NAME: &'static str = "connected components";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Wcc
    }

    fn stamp(&self, graph: &Graph) -> Option<Stamp> {
        Some(stamp(graph))
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<Wcc>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<Wcc, GraphError> {
        match &self.previous {
            Some(previous) => graph.wcc_after(previous),
            None => graph.wcc(),
        }
    }

    fn words(&self, found: &Wcc) -> String {
        format!("{} components", grouped(found.count))
    }

    fn write(&self, graph: &Graph, found: &mut Wcc, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

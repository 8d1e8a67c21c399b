//! `leadline graph bfs`: how many edges away everything is.

use std::path::Path;

use leadline_graph::algorithms::{Bfs, Parents, Previous, Stamp};
use leadline_graph::format::Vertex;
use leadline_graph::graphalytics::Properties;
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};
use serde_json::json;

use super::from::FromArgs;
use super::properties::{PropertiesArgs, sources};
use super::report::grouped;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Breadth-first search: how many edges away every vertex is from the nearest source
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("written").args(["output", "estimate"]).multiple(true))]
#[command(after_help = "Examples:\n  leadline graph bfs web.graph --source 0 --memory 64M\n  \
                        leadline graph bfs web.graph --source 0 --source 17 -o levels.csv --parents\n  \
                        leadline graph bfs web.graph --source 0 --profile ssd/profile.json --runs 3 --json")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    properties: PropertiesArgs,
    /// Start at the vertex with this id; may be given several times
    #[arg(long, value_name = "ID", required_unless_present_any = ["estimate", "properties"])]
    source: Vec<String>,
    #[command(flatten)]
    from: FromArgs,
    /// Also write, for each vertex, one that it was reached from
    #[arg(long, requires = "written")]
    parents: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    run::run(&args.common, |graph| {
        let properties = args.properties.load(graph)?;
        let sources = sources(&args.source, properties.as_ref(), Properties::bfs_source)?;
        let vertices = run::vertices(graph, &sources)?;
        let arguments = json!({ "source": sources, "parents": args.parents });
        let stamp = Stamp::new(graph, "bfs", arguments);
        let previous = args.from.open(graph, &stamp, if args.parents { 2 } else { 1 })?;
        Ok(Search { sources: vertices, parents: args.parents, stamp, previous })
    })
}

struct Search {
    sources: Vec<Vertex>,
    parents: bool,
    stamp: Stamp,
    previous: Option<Previous>,
}

impl Task for Search {
    type Outcome = Bfs;
    const NAME: &'static str = "breadth-first search";

    fn algorithm(&self) -> Algorithm {
        Algorithm::Bfs { parents: self.parents }
    }

    fn stamp(&self, _: &Graph) -> Option<Stamp> {
        Some(self.stamp.clone())
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        match self.parents {
            true => run::table::<(Bfs, Parents)>(graph, path),
            false => run::table::<Bfs>(graph, path),
        }
    }

    fn run(&mut self, graph: &Graph) -> Result<Bfs, GraphError> {
        match &self.previous {
            Some(previous) => graph.bfs_after(&self.sources, previous),
            None => graph.bfs(&self.sources),
        }
    }

    fn words(&self, found: &Bfs) -> String {
        format!("reached {} vertices; the farthest {} edges away", grouped(found.reached), found.depth)
    }

    fn write(&self, graph: &Graph, found: &mut Bfs, output: Output) -> Result<u64, GraphError> {
        let parents = self.parents.then(|| graph.parents(&found.levels)).transpose()?;
        if parents.is_none() {
            found.make_room(graph)?;
        }
        let mut columns = found.columns();
        columns.extend(parents.iter().flat_map(|parents| parents.columns()));
        output.write(graph, &columns)
    }
}

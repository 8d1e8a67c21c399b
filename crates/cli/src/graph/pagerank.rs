//! `leadline graph pagerank`: where a surfer would be.

use std::path::Path;

use leadline_graph::algorithms::{PageRank, PageRankOptions, Previous, Stamp};
use leadline_graph::output::{Output, VertexTable as _};
use leadline_graph::{Algorithm, Graph, GraphError};
use serde_json::json;

use super::from::FromArgs;
use super::properties::PropertiesArgs;
use super::run::{self, Common, Task};
use crate::failure::Failure;

/// Iterations where only a tolerance is given: more change nothing that a double can show at the usual
/// damping.
const MOST: u32 = 1000;

/// PageRank: the share of time that a surfer spends at each vertex
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  leadline graph pagerank web.graph --iterations 10 -o ranks.csv\n  \
                        leadline graph pagerank web.graph --tolerance 1e-9\n  \
                        leadline graph pagerank web.graph --source 17      personal to vertex 17\n  \
                        leadline graph pagerank roads.graph --weighted -o ranks.csv\n  \
                        leadline graph pagerank web.graph --tolerance 1e-9 --from ranks.bin -o ranks.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    properties: PropertiesArgs,
    #[command(flatten)]
    from: FromArgs,
    /// Do so many iterations [default: 10; with --tolerance at most 1000]
    #[arg(long, conflicts_with = "from", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    iterations: Option<u32>,
    /// End once the ranks change by less than this in sum
    #[arg(long, value_name = "CHANGE", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Probability of following an edge, from 0 to 1 [default: 0.85]
    #[arg(long, value_name = "D")]
    damping: Option<f64>,
    /// Jump only to the vertex of this id; may be given several times [default: to any vertex]
    #[arg(long, value_name = "ID")]
    source: Vec<String>,
    /// Follow edges in proportion to their weights
    #[arg(long)]
    weighted: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if args.from.from.is_some() && args.tolerance.is_none() {
        return Err(Failure::Input(
            "--from: give --tolerance too, such as 1e-9: it says when to end".to_owned(),
        ));
    }
    run::run(&args.common, |graph| {
        let properties = args.properties.load(graph)?;
        let properties = properties.as_ref();
        let default = PageRankOptions::default();
        let damping = args.damping.or(properties.and_then(|properties| properties.damping()));
        // Whoever gives a tolerance wants to end by it.
        let usual = match (args.tolerance, properties.and_then(|properties| properties.pagerank_iterations()))
        {
            (Some(_), _) => MOST,
            (None, of_file) => of_file.unwrap_or(default.iterations),
        };
        let personal = run::vertices(graph, &args.source)?;
        let iterations = args.iterations.unwrap_or(usual);
        let tolerance = args.tolerance.unwrap_or(0.0);
        let damping = damping.unwrap_or(default.damping);
        let arguments = json!({ "damping": damping, "source": args.source, "weighted": args.weighted });
        let stamp = Stamp::new(graph, "pagerank", arguments);
        let previous = args.from.open(graph, &stamp, 1)?;
        let options = PageRankOptions { damping, iterations, tolerance, personal, weighted: args.weighted };
        Ok(Ranks { options, stamp, previous })
    })
}

fn tolerance(text: &str) -> Result<f64, String> {
    let change = text.parse().ok().filter(|change| (0.0..=2.0).contains(change));
    change.ok_or_else(|| "must be from 0 to 2, such as 1e-9".to_owned())
}

struct Ranks {
    options: PageRankOptions,
    stamp: Stamp,
    previous: Option<Previous>,
}

impl Task for Ranks {
    type Outcome = PageRank;
    const NAME: &'static str = "PageRank";

    fn algorithm(&self) -> Algorithm {
        Algorithm::PageRank(self.options.clone())
    }

    fn stamp(&self, _: &Graph) -> Option<Stamp> {
        Some(self.stamp.clone())
    }

    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
        run::table::<PageRank>(graph, path)
    }

    fn run(&mut self, graph: &Graph) -> Result<PageRank, GraphError> {
        match &self.previous {
            Some(previous) => graph.pagerank_after(&self.options, previous),
            None => graph.pagerank(&self.options),
        }
    }

    fn iterations(&self, found: &PageRank) -> u64 {
        found.iterations.into()
    }

    fn words(&self, found: &PageRank) -> String {
        format!(
            "highest rank {:e} of {} vertices; the last iteration changed the ranks by {:.1e}",
            found.highest,
            found.ranks.len(),
            found.change
        )
    }

    fn write(&self, graph: &Graph, found: &mut PageRank, output: Output) -> Result<u64, GraphError> {
        found.write(graph, output)
    }
}

//! Graph stores: made of arrays, opened, asked, and changed.

mod arguments;
mod arrays;
mod arrow;
mod elsewhere;
mod import;
mod query;
mod rows;
mod run;
mod run_options;
mod store;
mod update;

use leadline_cli::Failure;
use leadline_graph::GraphError;
use leadline_measure::Progress;

use crate::background::Watch;

pub(crate) use arrow::{ArrowBatches, ArrowColumn};
pub(crate) use elsewhere::{cdlp_iterations, pagerank_options};
pub(crate) use import::import_edges;
pub(crate) use query::{EdgeReader, degrees, ego, neighbors, subgraph};
pub(crate) use run::{algorithms, run_algorithm};
pub(crate) use store::Store;
pub(crate) use update::{StoreUpdate, compact_store};

/// Shows how far work of the graph engine is.
fn steps(watch: &Watch) -> impl FnMut(leadline_graph_store::Progress) + Send + use<> {
    let mut show = watch.shows();
    move |step| {
        let done = step.total.map_or(0.0, |total| step.done as f64 / total.max(1) as f64);
        show(&Progress { phase: step.phase, done, detail: String::new() });
    }
}

/// An error of the engine in the words of Python, where the remedy is an argument of another function.
fn failure(error: GraphError) -> Failure {
    use GraphError::{Argument, NeedsReverse, NeedsWeights, NoStore};
    let remedy = match &error {
        NeedsWeights { .. } => "weight= of Graph.from_edges, or weights=True of Graph.import_file",
        NeedsReverse { .. } => "reverse=True of Graph.from_edges or Graph.import_file",
        NoStore { name } => {
            let remedy = "make one with Graph.from_edges or Graph.import_file";
            return Failure::Input(format!("{name}: is not a graph store; {remedy}"));
        }
        // Two arrays stand for the file of pairs.
        Argument { .. } => {
            return Failure::Input(format!("--{error}").replace("--pairs", "vertex and other"));
        }
        _ => return error.into(),
    };
    Failure::Input(format!("{error} ({remedy})"))
}

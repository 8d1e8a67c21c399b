//! Graph stores: made of arrays, opened, asked, and changed.

mod arguments;
mod arrays;
mod arrow;
mod import;
mod query;
mod rows;
mod store;
mod update;

use leadline_measure::Progress;

use crate::background::Watch;

pub(crate) use arrow::{ArrowBatches, ArrowColumn};
pub(crate) use import::import_edges;
pub(crate) use query::{EdgeReader, degrees, ego, neighbors, subgraph};
pub(crate) use store::{Store, algorithms};
pub(crate) use update::{StoreUpdate, compact_store};

/// Shows how far work of the graph engine is.
fn steps(watch: &Watch) -> impl FnMut(leadline_graph_store::Progress) + Send + use<> {
    let mut show = watch.shows();
    move |step| {
        let done = step.total.map_or(0.0, |total| step.done as f64 / total.max(1) as f64);
        show(&Progress { phase: step.phase, done, detail: String::new() });
    }
}

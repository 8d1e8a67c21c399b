//! `leadline graph ALGORITHM --estimate`: what a run would need, in words and as JSON.

use leadline_device::format_size;
use leadline_figures::Text;
use leadline_graph::output::grouped;
use leadline_graph::{Estimate, Graph};
use serde::Serialize;

use super::{bytes, print_json, seconds};
use crate::failure::Failure;
use crate::{output, printable};

/// One document.
#[derive(Serialize)]
pub(super) struct EstimateReport {
    algorithm: &'static str,
    store: String,
    vertices: u64,
    /// As a run's report has it: undirected ones once.
    graph_edges: u64,
    #[serde(flatten)]
    estimate: Estimate,
}

impl EstimateReport {
    pub(super) fn new(algorithm: &'static str, graph: &Graph, estimate: Estimate) -> EstimateReport {
        let header = graph.header();
        EstimateReport {
            algorithm,
            store: graph.name().to_owned(),
            vertices: header.vertices,
            graph_edges: header.graph_edges(),
            estimate,
        }
    }

    pub(super) fn print(&self, json: bool) -> Result<(), Failure> {
        if json { print_json(self) } else { output::print_text(&self.words()) }
    }

    fn words(&self) -> Text {
        let EstimateReport { algorithm, store, estimate, .. } = self;
        let store = printable::line(store);
        let (vertices, edges) = (grouped(self.vertices), grouped(self.graph_edges));
        let mut lines =
            vec![format!("{algorithm} on {store}: {vertices} vertices, {edges} edges; estimated, not run")];
        let [least, file] =
            [estimate.least_memory_bytes, estimate.least_memory_with_file_bytes].map(format_least);
        lines.push(format!("memory: {least} at least, {file} to write the result too"));
        let cap = format_size(estimate.memory_cap_bytes);
        let Some([fewest, most]) = estimate.bytes_read else {
            lines.push(format!("{cap} is not enough"));
            return Text::of_lines(lines);
        };
        let cached = match estimate.all_cached {
            true => format!("all {}", bytes(estimate.block_bytes)),
            false => format!("{} of {}", bytes(estimate.cache_bytes), bytes(estimate.block_bytes)),
        };
        let state = bytes(estimate.state_bytes);
        lines.push(format!("with {cap}: {state} for the algorithm, and a cache for {cached} of blocks"));
        lines.push(format!("reads in a first run: {}", interval(fewest, most, bytes)));
        if let Some([least, most]) = estimate.spilled_bytes
            && most > 0
        {
            let moved = interval(least, most, bytes);
            lines.push(format!("vertex state to and from a temporary file: {moved}"));
        }
        if let Some([least, most]) = estimate.computing_seconds {
            lines.push(format!("computing: {}", interval(least, most, seconds)));
        }
        match estimate.reading_seconds {
            Some([least, most]) => lines.push(format!("reading: {}", interval(least, most, seconds))),
            None => lines.push("reading: for its time, give the device's profile with --profile".to_owned()),
        }
        if let Some([least, most]) = estimate.seconds {
            lines.push(format!("together: {}", interval(least, most, seconds)));
        }
        Text::of_lines(lines)
    }
}

/// A size that can be given back: in whole units, and at least as much.
fn format_least(bytes: u64) -> String {
    format!("{}K", bytes.div_ceil(1 << 10))
}

/// `1.2 MB`, or `1.2 MB to 3.4 MB`.
fn interval<T>(least: T, most: T, show: impl Fn(T) -> String) -> String {
    let (least, most) = (show(least), show(most));
    if least == most { least } else { format!("{least} to {most}") }
}

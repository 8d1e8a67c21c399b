//! What came of a run, in words and as JSON.

use std::fmt::Write as _;
use std::path::Path;

use leadline_device::format_size;
use leadline_figures::Text;
use leadline_graph::algorithm::Ran;
use leadline_graph::output::grouped;
use leadline_graph::sharded::ShardedGraph;
use leadline_graph::{Graph, RunStats};
use leadline_profile::ReadLimits;
use serde::Serialize;
use serde_json::{Map, Value};

use super::bytes;
use crate::failure::Failure;
use crate::{output, printable};

/// One document: the last run's numbers, and those of all runs where there were several.
#[derive(Serialize)]
pub(super) struct Report {
    algorithm: &'static str,
    store: String,
    /// Changes since the store was imported.
    version: u64,
    vertices: u64,
    /// As the header has it: undirected ones once.
    graph_edges: u64,
    result: Map<String, Value>,
    iterations: u64,
    #[serde(flatten)]
    stats: RunStats,
    /// Most memory that the process had at any time, whatever it was for.
    peak_rss_bytes: Option<u64>,
    /// Seconds that the bytes read would take at the device's best bandwidth.
    device_seconds: Option<f64>,
    /// Seconds of the run in which threads did not wait for the device.
    computing_seconds: f64,
    output: Option<String>,
    output_bytes: Option<u64>,
    output_seconds: Option<f64>,
    /// Each run, the first with a cold cache.
    runs: Vec<RunStats>,
    #[serde(skip)]
    words: String,
}

/// What it ran on.
pub(super) struct Of {
    store: String,
    version: u64,
    vertices: u64,
    edges: u64,
}

impl Of {
    pub(super) fn graph(graph: &Graph) -> Of {
        let (store, version, header) = (graph.name().to_owned(), graph.version(), graph.header());
        Of { store, version, vertices: header.vertices, edges: header.graph_edges() }
    }

    pub(super) fn shards(graph: &ShardedGraph) -> Of {
        let shards = graph.shards();
        Of { store: graph.name(), version: 0, vertices: shards.vertices, edges: shards.edges() }
    }
}

impl Report {
    /// Of these runs; the numbers are the last one's.
    pub(super) fn new(algorithm: &'static str, of: Of, ran: Ran) -> Report {
        let Ran { facts, words, iterations, runs, written, .. } = ran;
        let stats = runs.last().copied().unwrap_or_default();
        Report {
            algorithm,
            store: of.store,
            version: of.version,
            vertices: of.vertices,
            graph_edges: of.edges,
            result: facts,
            iterations,
            stats,
            peak_rss_bytes: peak_rss_bytes(),
            device_seconds: None,
            computing_seconds: stats.seconds * (1.0 - stats.waiting),
            output: None,
            output_bytes: written.map(|written| written.bytes),
            output_seconds: written.map(|written| written.seconds),
            runs,
            words,
        }
    }

    /// Beside what the device could do.
    pub(super) fn on(mut self, device: Option<&ReadLimits>) -> Report {
        let bandwidth = device.and_then(|device| device.bandwidth_bytes);
        self.device_seconds = bandwidth.map(|bandwidth| self.stats.bytes_read as f64 / bandwidth);
        self
    }

    /// With where the result is.
    pub(super) fn in_file(mut self, path: Option<&Path>) -> Report {
        self.output = path.map(|path| path.display().to_string());
        self
    }

    pub(super) fn print_json(&self) -> Result<(), Failure> {
        let text =
            serde_json::to_string_pretty(self).map_err(|error| Failure::Operation(error.to_string()))?;
        output::print(&format!("{text}\n"))
    }

    pub(super) fn words(&self) -> Text {
        let mut text = format!(
            "{} on {}: {} vertices, {} edges\n",
            self.algorithm,
            printable::line(&self.store),
            grouped(self.vertices),
            grouped(self.graph_edges)
        );
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", self.words);
        if self.runs.len() > 1 {
            for (i, run) in self.runs.iter().enumerate() {
                let _ = writeln!(text, "run {}: {:.3} s, read {}", i + 1, run.seconds, bytes(run.bytes_read));
            }
        }
        self.add_run(&mut text);
        self.add_limits(&mut text);
        if let Some(path) = &self.output {
            let size = self.output_bytes.map(|size| format!(" ({}", bytes(size))).unwrap_or_default();
            let took = self.output_seconds.map(|seconds| format!(", {seconds:.3} s)")).unwrap_or_default();
            let _ = writeln!(text, "result in {}{size}{took}", printable::line(path));
        }
        Text::of_lines(text.lines())
    }

    fn add_run(&self, text: &mut String) {
        let run = &self.stats;
        let looked = run.cache_hits + run.cache_misses;
        let hits = if looked == 0 { 0.0 } else { 100.0 * run.cache_hits as f64 / looked as f64 };
        let _ = write!(
            text,
            "{:.3} s: {} iterations, {} edges looked at, {:.1} million edges/s\n\
             read {} in {} requests, {:.1} in flight on average, at most {} allowed\n\
             {hits:.1} % of blocks found in the cache; {:.1} % of the time spent waiting for the device\n\
             memory: {} of {} accounted for",
            run.seconds,
            grouped(self.iterations),
            grouped(run.edges),
            run.edges_per_second / 1e6,
            bytes(run.bytes_read),
            grouped(run.requests),
            run.mean_depth,
            run.depth,
            100.0 * run.waiting,
            format_size(run.memory_bytes),
            format_size(run.memory_cap_bytes),
        );
        if run.spilled_bytes > 0 {
            let _ = write!(text, "; {} of vertex state to and from a file", bytes(run.spilled_bytes));
        }
        let _ = match self.peak_rss_bytes {
            Some(peak) => writeln!(text, "; {} at most in the process", format_size(peak)),
            None => writeln!(text),
        };
    }

    /// How far from what bounds it.
    fn add_limits(&self, text: &mut String) {
        let _ = write!(text, "limits: computing alone {:.3} s", self.computing_seconds);
        let _ = match self.device_seconds {
            Some(device) => {
                let bound = device.max(self.computing_seconds);
                let times = self.stats.seconds / bound.max(f64::MIN_POSITIVE);
                writeln!(
                    text,
                    ", reading alone {device:.3} s at the device's bandwidth; the run took {times:.2} times the longer"
                )
            }
            None => writeln!(text, "; for the device's, give its profile with --profile"),
        };
    }
}

/// The process's largest resident set so far, where the kernel tells.
fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

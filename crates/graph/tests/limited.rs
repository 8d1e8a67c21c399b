//! Devices that limit operations, in virtual time: a run finds out, and reads fewer and larger pieces.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use leadline_device::Filled;
use leadline_graph::algorithms::PageRankOptions;
use leadline_graph::format::Vertex;
use leadline_graph::{DeviceLimit, Graph, GraphError, Options, RunStats};

use crate::made::Shape;

const VERTICES: u64 = 20_000;

/// A store of edges between any vertices.
fn store(path: &Path) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut end = || random.u32(..VERTICES as Vertex);
    let edges: Vec<(Vertex, Vertex, f64)> = (0..400_000).map(|_| (end(), end(), 1.0)).collect();
    Shape::new(VERTICES, false).writer(path, &edges).finish().unwrap();
}

fn pagerank(graph: &Graph) -> Result<RunStats, GraphError> {
    graph.pagerank(&PageRankOptions { iterations: 10, ..Default::default() }).map(|found| found.stats)
}

/// PageRank, one run after the other on a simulated device, with a cache of that share of the blocks: the
/// device's seconds of each.
fn runs(
    path: &Path,
    device: &str,
    (cache, limit): (f64, Option<DeviceLimit>),
    times: usize,
) -> Vec<(f64, RunStats)> {
    let contents = Arc::new(std::fs::read(path).unwrap());
    let device = Filled::new(Box::new(leadline_sim::open(device).unwrap()), Arc::clone(&contents));
    let now = device.time();
    // A virtual clock belongs to one thread.
    let options = |memory| Options { memory, threads: 1, limit, ..Options::default() };
    let file = std::fs::File::open(path).unwrap();
    let mut graph = Graph::on_device(file, "timed".into(), Box::new(device), options(1)).unwrap();
    let Err(GraphError::Memory { needed, .. }) = pagerank(&graph) else { panic!("not refused") };
    graph.set_options(options(needed + (cache * contents.len() as f64) as u64));
    let one = |_| {
        let began = now.load(Ordering::Relaxed);
        let stats = pagerank(&graph).unwrap();
        ((now.load(Ordering::Relaxed) - began) as f64 / 1e9, stats)
    };
    (0..times).map(one).collect()
}

#[test]
fn a_limit_on_operations_is_found_by_the_first_reads_and_kept_for_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    store(&path);
    for cache in [0.05, 0.25] {
        let (_, sata) = runs(&path, "sata", (cache, None), 1)[0];
        let [(seconds, first), (_, second)] = runs(&path, "gp3", (cache, None), 2)[..] else {
            panic!("two runs")
        };
        // In the memory of many small ones.
        assert!(first.depth <= 4 && first.depth < sata.depth, "{cache}: {} and {}", sata.depth, first.depth);
        assert!(10 * first.requests < 6 * sata.requests, "{cache}: {}, {}", first.requests, sata.requests);
        assert!(second.requests <= first.requests && second.depth == first.depth);
        // A limit that is known from the start is hardly faster.
        let limit = Some(DeviceLimit { operations_per_second: 3000.0, bytes_per_second: 125e6 });
        let (known, _) = runs(&path, "gp3", (cache, limit), 1)[0];
        assert!(seconds < 1.25 * known, "{cache}: {seconds} and {known} s");
    }
}

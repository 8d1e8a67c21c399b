//! Simulated devices, one of which limits operations, in virtual time: seconds and reads by algorithm and
//! cache.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use leadline_device::Filled;
use leadline_graph::algorithms::{PageRankOptions, Starts, WalkOptions};
use leadline_graph::format::{Layout, StoreWriter, Vertex, Weights};
use leadline_graph::{Graph, GraphError, Options, RunStats};

/// Vertices of the graph, base 2, and its edges.
const SCALE: u32 = 16;
const EDGES: usize = 1_000_000;

/// Shares of the blocks that the cache holds.
const CACHES: [f64; 5] = [0.01, 0.05, 0.1, 0.25, 1.2];

/// Breadth-first search, PageRank and random walks on an R-MAT graph of 2^16 vertices and a million edges, on
/// simulated devices in virtual time: the device's seconds, and reads. The engine is told nothing of the
/// device. One thread; computing takes no time, so the numbers are the same on every machine.
#[derive(Parser)]
pub struct Args {
    /// Simulated devices
    #[arg(long, value_delimiter = ',', default_value = "gp3,sata")]
    devices: Vec<String>,
}

type Algorithm = fn(&Graph) -> Result<RunStats, GraphError>;

/// Prints the table.
pub fn limits(args: &Args) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("graph");
    make(&path)?;
    let contents = Arc::new(std::fs::read(&path)?);
    let algorithms: [(&str, Algorithm); 3] = [("bfs", bfs), ("pagerank", pagerank), ("walk", walks)];
    let shares = CACHES.map(|cache| format!("{:.0} %", 100.0 * cache)).join(" | ");
    println!("| device, algorithm | {shares} |");
    println!("| --- |{}", " --- |".repeat(CACHES.len()));
    for device in &args.devices {
        for (name, algorithm) in algorithms {
            let cell = |cache: f64| -> Result<String> {
                let (seconds, reads) = run(&path, &contents, device, cache, algorithm)?;
                Ok(format!("{seconds:.3} s, {reads} reads"))
            };
            let cells = CACHES.iter().map(|cache| cell(*cache)).collect::<Result<Vec<String>>>()?;
            println!("| {device}, {name} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

/// The device's seconds, and reads, of a first run with a cache of that share of the blocks.
fn run(
    path: &Path,
    contents: &Arc<Vec<u8>>,
    device: &str,
    cache: f64,
    algorithm: Algorithm,
) -> Result<(f64, u64)> {
    let simulated = leadline_sim::open(device).with_context(|| device.to_owned())?;
    let filled = Filled::new(Box::new(simulated), Arc::clone(contents));
    let time = filled.time();
    // A virtual clock belongs to one thread.
    let options = |memory| Options { memory, threads: 1, ..Options::default() };
    let mut graph = Graph::on_device(File::open(path)?, device.to_owned(), Box::new(filled), options(1))?;
    let needed = match algorithm(&graph) {
        Err(GraphError::Memory { needed, .. }) => needed,
        _ => bail!("a byte of memory is not refused"),
    };
    graph.set_options(options(needed + (cache * contents.len() as f64) as u64));
    let reads = algorithm(&graph)?.requests;
    Ok((time.load(Ordering::Relaxed) as f64 / 1e9, reads))
}

fn bfs(graph: &Graph) -> Result<RunStats, GraphError> {
    graph.bfs(&[0]).map(|found| found.stats)
}

fn pagerank(graph: &Graph) -> Result<RunStats, GraphError> {
    graph.pagerank(&PageRankOptions { iterations: 10, ..Default::default() }).map(|found| found.stats)
}

fn walks(graph: &Graph) -> Result<RunStats, GraphError> {
    let options = WalkOptions { starts: Starts::Random(1000), length: 10, ..Default::default() };
    graph.walks(&options, |_, _| Ok(())).map(|found| found.stats)
}

/// Writes the graph. Unlike those of [`crate::generate`] it has parallel edges and self-loops.
fn make(path: &Path) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut edge = || {
        let quadrants = (0..SCALE).map(|_| match random.f64() {
            share if share < 0.57 => (0, 0),
            share if share < 0.76 => (0, 1),
            share if share < 0.95 => (1, 0),
            _ => (1, 1),
        });
        quadrants.fold((0, 0), |(from, to): (Vertex, Vertex), (a, b)| (2 * from + a, 2 * to + b))
    };
    let mut edges: Vec<(Vertex, Vertex)> = (0..EDGES).map(|_| edge()).collect();
    let turned: Vec<_> =
        edges.iter().filter(|(from, to)| from != to).map(|(from, to)| (*to, *from)).collect();
    edges.extend(turned);
    edges.sort_unstable();
    let (weights, vertices) = (Weights::None, 1 << SCALE);
    let layout = Layout { block_bytes: 4096, compressed: false, directed: false, weights, vertices };
    let mut writer = StoreWriter::create(path, layout)?;
    edges.iter().try_for_each(|(from, to)| writer.edge(*from, *to, 1.0))?;
    writer.finish()?;
    Ok(())
}

//! Devices that limit operations, in virtual time: a run finds out, and reads fewer and larger pieces.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, Nanos, QueuePair, QueueShape, Request, RequestError,
};
use leadline_graph::algorithms::{PageRankOptions, Starts, WalkOptions};
use leadline_graph::format::Vertex;
use leadline_graph::{DeviceLimit, Graph, GraphError, Options, RunStats};

use crate::made::Shape;

/// A simulated device that has the bytes of a store.
struct Timed {
    device: Box<dyn Device>,
    contents: Arc<Vec<u8>>,
    /// The device's time when it answered last.
    now: Arc<AtomicU64>,
}

struct TimedPair {
    pair: Box<dyn QueuePair>,
    contents: Arc<Vec<u8>>,
    now: Arc<AtomicU64>,
    buffers: Vec<Vec<u8>>,
    asked: Vec<Option<Request>>,
}

impl Device for Timed {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(TimedPair {
            pair: self.device.queue_pair(shape)?,
            contents: Arc::clone(&self.contents),
            now: Arc::clone(&self.now),
            buffers: vec![vec![0; shape.buffer_bytes as usize]; shape.slots as usize],
            asked: vec![None; shape.slots as usize],
        }))
    }
}

impl QueuePair for TimedPair {
    fn geometry(&self) -> Geometry {
        self.pair.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.pair.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        &mut self.buffers[slot as usize]
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.asked[request.slot as usize] = Some(request);
        self.pair.submit(request)
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        let before = done.len();
        self.pair.reap(min, deadline, done)?;
        for answer in &done[before..] {
            let asked = self.asked[answer.slot as usize].take().unwrap();
            let (from, len) = (asked.offset as usize, asked.len as usize);
            self.buffers[answer.slot as usize][..len].copy_from_slice(&self.contents[from..from + len]);
        }
        self.now.store(self.pair.now(), Ordering::Relaxed);
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.pair.now()
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }
}

const VERTICES: u64 = 20_000;

/// A store of edges between any vertices.
fn store(path: &Path) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut end = || random.u32(..VERTICES as Vertex);
    let edges: Vec<(Vertex, Vertex, f64)> = (0..400_000).map(|_| (end(), end(), 1.0)).collect();
    Shape::new(VERTICES, false).writer(path, &edges).finish().unwrap();
}

type Algorithm = fn(&Graph) -> Result<RunStats, GraphError>;

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

/// Runs one after the other on a simulated device, with a cache of that share of the blocks: the device's
/// seconds of each.
fn runs(
    path: &Path,
    device: &str,
    (cache, limit): (f64, Option<DeviceLimit>),
    algorithm: Algorithm,
    times: usize,
) -> Vec<(f64, RunStats)> {
    let contents = Arc::new(std::fs::read(path).unwrap());
    let now = Arc::new(AtomicU64::new(0));
    let device = Box::new(leadline_sim::open(device).unwrap());
    let timed = Timed { device, contents: Arc::clone(&contents), now: Arc::clone(&now) };
    // A virtual clock belongs to one thread.
    let options = |memory| Options { memory, threads: 1, limit, ..Options::default() };
    let file = std::fs::File::open(path).unwrap();
    let mut graph = Graph::on_device(file, "timed".into(), Box::new(timed), options(1)).unwrap();
    let Err(GraphError::Memory { needed, .. }) = algorithm(&graph) else { panic!("not refused") };
    graph.set_options(options(needed + (cache * contents.len() as f64) as u64));
    let one = |_| {
        let began = now.load(Ordering::Relaxed);
        let stats = algorithm(&graph).unwrap();
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
        let (_, sata) = runs(&path, "sata", (cache, None), pagerank, 1)[0];
        let [(seconds, first), (_, second)] = runs(&path, "gp3", (cache, None), pagerank, 2)[..] else {
            panic!("two runs")
        };
        // In the memory of many small ones.
        assert!(first.depth <= 4 && first.depth < sata.depth, "{cache}: {} and {}", sata.depth, first.depth);
        assert!(10 * first.requests < 6 * sata.requests, "{cache}: {}, {}", first.requests, sata.requests);
        assert!(second.requests <= first.requests && second.depth == first.depth);
        // A limit that is known from the start is hardly faster.
        let limit = Some(DeviceLimit { operations_per_second: 3000.0, bytes_per_second: 125e6 });
        let (known, _) = runs(&path, "gp3", (cache, limit), pagerank, 1)[0];
        assert!(seconds < 1.25 * known, "{cache}: {seconds} and {known} s");
    }
}

#[test]
#[ignore = "prints a table for benches/RESULTS.md"]
fn seconds_by_device_algorithm_and_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    let mut random = fastrand::Rng::with_seed(7);
    let mut edge = || {
        // R-MAT, 2^16 vertices.
        let quadrants = (0..16).map(|_| match random.f64() {
            share if share < 0.57 => (0, 0),
            share if share < 0.76 => (0, 1),
            share if share < 0.95 => (1, 0),
            _ => (1, 1),
        });
        let (from, to) = quadrants.fold((0, 0), |(from, to), (a, b)| (2 * from + a, 2 * to + b));
        (from, to, 1.0)
    };
    let edges: Vec<(Vertex, Vertex, f64)> = (0..1_000_000).map(|_| edge()).collect();
    Shape::new(1 << 16, false).writer(&path, &edges).finish().unwrap();
    let algorithms: [(&str, Algorithm); 3] = [("bfs", bfs), ("pagerank", pagerank), ("walk", walks)];
    for device in ["gp3", "sata"] {
        for (name, algorithm) in algorithms {
            for cache in [0.01, 0.05, 0.1, 0.25, 1.2] {
                let (seconds, stats) = runs(&path, device, (cache, None), algorithm, 1)[0];
                eprintln!("{device}, {name}, {cache}: {seconds:.3} s, {} reads", stats.requests);
            }
        }
    }
}

//! All algorithms against what is obviously right, whatever the store's layout, the memory, the threads and
//! the reads in flight; what they read; and that a device that fails or lies gives an error and never a wrong
//! result.

use crate::samples;

use std::fs::File;

use leadline_device::{Fault, Faulty, FileDevice, FileOptions, Op};
use leadline_graph::algorithms::{Measure, PageRankOptions, UNREACHED};
use leadline_graph::format::{Direction, Weights};
use leadline_graph::{Graph, GraphError, Options, RunStats};
use leadline_testing::exhaustive;
use samples::Sample;

use crate::shapes::{open, sample};

pub(crate) const PLENTY: u64 = 64 << 20;

pub(crate) fn options(memory: u64) -> Options {
    Options { memory, threads: 2, depth: 4, ..Options::default() }
}

/// A random graph: nearly empty to dense, with self-loops, repeated edges, isolated vertices and hubs.
fn random(rng: &mut fastrand::Rng) -> Sample {
    let with_hubs = rng.u32(..16) == 0;
    let vertices = if with_hubs { rng.u32(2000..4000) } else { rng.u32(1..80) };
    let used = rng.u32(1..=vertices);
    let mut edges = Vec::new();
    let weight = |rng: &mut fastrand::Rng| match rng.u32(..4) {
        0 => f64::from(rng.u32(..4)),
        _ => f64::from(rng.f32()),
    };
    for _ in 0..rng.u32(0..=4 * used.min(1000)) {
        // Squared: some have many edges.
        let skewed = rng.f64() * rng.f64();
        let (from, to) = (rng.u32(..used), (skewed * f64::from(used)) as u32);
        for _ in 0..if rng.u32(..20) == 0 { rng.u32(2..5) } else { 1 } {
            edges.push((from, to, weight(rng)));
        }
    }
    if with_hubs {
        for _ in 0..rng.u32(1..4) {
            let hub = rng.u32(..vertices);
            let repeated = rng.bool();
            for other in 0..vertices {
                edges.push(if rng.bool() { (hub, other, weight(rng)) } else { (other, hub, weight(rng)) });
            }
            if repeated {
                // One edge so often that it fills blocks.
                let other = rng.u32(..vertices);
                edges.extend((0..3000).map(|_| (hub, other, 1.5)));
            }
        }
    }
    let order = (rng.u32(..4) == 0).then(|| {
        let mut order: Vec<u32> = (0..vertices).collect();
        rng.shuffle(&mut order);
        order
    });
    Sample { vertices, directed: rng.bool(), edges, order }
}

/// The least memory that an algorithm says it needs, or somewhat or much more.
fn with_memory<T>(
    graph: &mut Graph,
    rng: &mut fastrand::Rng,
    run: impl Fn(&Graph) -> Result<T, GraphError>,
) -> T {
    let threads = rng.usize(1..4);
    let shape = Options { memory: 1, threads, depth: rng.u32(1..9), ..Options::default() };
    graph.set_options(shape.clone());
    let Err(GraphError::Memory { needed, .. }) = run(graph) else { panic!("a byte was enough") };
    let more = [0, 0, rng.u64(..20_000), rng.u64(..200_000), PLENTY];
    graph.set_options(Options { memory: needed + more[rng.usize(..more.len())], ..shape });
    run(graph).unwrap()
}

fn check(sample: &Sample, graph: &mut Graph, rng: &mut fastrand::Rng) {
    let ranks: Vec<u32> = (0..rng.u32(1..3)).map(|_| rng.u32(..sample.vertices)).collect();
    let sources: Vec<u32> = ranks.iter().map(|rank| sample.vertex(*rank)).collect();

    let bfs = with_memory(graph, rng, |graph| graph.bfs(&sources));
    let levels = sample.bfs(&ranks);
    assert_eq!(sample.by_rank(bfs.levels.in_memory().unwrap()), levels, "levels");
    let reached = || levels.iter().filter(|level| **level != UNREACHED);
    assert_eq!((bfs.reached, bfs.depth), (reached().count() as u64, *reached().max().unwrap()));

    let sssp = with_memory(graph, rng, |graph| graph.sssp(&sources));
    assert_eq!(sample.by_rank(sssp.distances.in_memory().unwrap()), sample.sssp(&ranks), "distances");
    assert_eq!(sssp.reached, bfs.reached);

    let wcc = with_memory(graph, rng, Graph::wcc);
    let right: Vec<u32> = sample.wcc().into_iter().map(|rank| sample.vertex(rank)).collect();
    assert_eq!(sample.by_rank(wcc.components.in_memory().unwrap()), right, "components");
    let mut roots = right.clone();
    roots.sort_unstable();
    roots.dedup();
    assert_eq!(wcc.count, roots.len() as u64, "components");

    for weighted in [false, true] {
        let pagerank = PageRankOptions { iterations: rng.u32(1..20), weighted, ..PageRankOptions::default() };
        let ranked = with_memory(graph, rng, |graph| graph.pagerank(&pagerank));
        let right = sample.pagerank(pagerank.damping, pagerank.iterations, weighted);
        for (found, right) in sample.by_rank(ranked.ranks.in_memory().unwrap()).iter().zip(right) {
            assert!((found - right).abs() <= 1e-9 * right, "rank {found}, not {right}, weighted: {weighted}");
        }
    }

    let cores = with_memory(graph, rng, Graph::kcore);
    let right = sample.kcore();
    assert_eq!(sample.by_rank(&cores.cores), right, "cores");
    assert_eq!(Some(cores.max), right.into_iter().max());

    let iterations = rng.u32(0..8);
    let labels = with_memory(graph, rng, |graph| graph.cdlp(iterations));
    assert_eq!(sample.by_rank(&labels.labels), sample.cdlp(iterations), "labels");

    let lcc = with_memory(graph, rng, Graph::lcc);
    let (coefficients, triangles) = sample.lcc();
    assert_eq!(sample.by_rank(&lcc.coefficients), coefficients, "coefficients");
    assert_eq!(lcc.triangles, triangles);
}

/// Some of a quarter's 250 graphs, or all of them.
fn random_graphs(quarter: u64) {
    let folder = tempfile::tempdir().unwrap();
    let count = if exhaustive() { 250 } else { 100 };
    for seed in (250 * quarter..).take(count) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let sample = random(&mut rng);
        let path = folder.path().join("store");
        let weights = if rng.bool() { Weights::F32 } else { Weights::F64 };
        sample.write(&path, if rng.bool() { 4096 } else { 8192 }, rng.bool(), weights);
        let mut graph = Graph::open(&path, options(PLENTY)).unwrap();
        let failed = || format!("seed {seed}: {} vertices, {} edges", sample.vertices, sample.edges.len());
        let run = std::panic::AssertUnwindSafe(|| check(&sample, &mut graph, &mut rng));
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("{}", failed());
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn random_graphs_first_quarter() {
    random_graphs(0);
}

#[test]
fn random_graphs_second_quarter() {
    random_graphs(1);
}

#[test]
fn random_graphs_third_quarter() {
    random_graphs(2);
}

#[test]
fn random_graphs_fourth_quarter() {
    random_graphs(3);
}

/// An algorithm, what it is called, and what it found as text.
type Algorithm = (&'static str, fn(&Graph) -> Result<(String, RunStats), GraphError>);

fn algorithms() -> [Algorithm; 11] {
    [
        ("bfs", |graph| graph.bfs(&[0]).map(|run| (format!("{:?}", run.levels), run.stats))),
        ("sssp", |graph| graph.sssp(&[0]).map(|run| (format!("{:?}", run.distances), run.stats))),
        ("wcc", |graph| graph.wcc().map(|run| (format!("{}", run.count), run.stats))),
        ("pagerank", |graph| {
            let run = graph.pagerank(&PageRankOptions::default())?;
            Ok((format!("{:?}", run.ranks), run.stats))
        }),
        ("weighted pagerank", |graph| {
            let options = PageRankOptions { weighted: true, ..PageRankOptions::default() };
            graph.pagerank(&options).map(|run| (format!("{:?}", run.ranks), run.stats))
        }),
        ("kcore", |graph| graph.kcore().map(|run| (format!("{:?}", run.cores), run.stats))),
        ("cdlp", |graph| graph.cdlp(5).map(|run| (format!("{:?}", run.labels), run.stats))),
        ("scc", |graph| graph.scc().map(|run| (format!("{:?}", run.components), run.stats))),
        ("similarity", |graph| {
            let pairs: Vec<(u32, u32)> = (0..5000).map(|at| (at, 2 * at)).collect();
            let run = graph.similarities(&pairs, Measure::Jaccard, 0)?;
            Ok((format!("{:?}", run.values), run.stats))
        }),
        ("triangles", |graph| graph.triangles(true).map(|run| (format!("{:?}", run.counts), run.stats))),
        ("lcc", |graph| {
            graph.lcc().map(|run| (format!("{:?} {}", run.coefficients, run.triangles), run.stats))
        }),
    ]
}

/// Some hundred blocks, some of them pieces of hubs.
fn middling(directed: bool) -> Sample {
    let mut rng = fastrand::Rng::with_seed(7);
    let n = 20_000;
    let edges =
        (0..200_000).map(|_| (rng.u32(..n), (rng.f64() * rng.f64() * rng.f64() * f64::from(n)) as u32));
    sample(n, directed, edges)
}

#[test]
fn with_room_for_all_blocks_none_is_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    for directed in [false, true] {
        let path = folder.path().join("store");
        middling(directed).write(&path, 4096, true, Weights::F32);
        for (name, run) in algorithms() {
            let graph = Graph::open(&path, options(PLENTY)).unwrap();
            let reverse = if directed { graph.directory(Direction::Reverse).blocks() } else { 0 };
            let blocks = u64::from(graph.directory(Direction::Forward).blocks() + reverse);
            let (_, stats) = run(&graph).unwrap();
            assert!(
                stats.bytes_read <= blocks * 4096,
                "{name}: {} of {blocks} blocks",
                stats.bytes_read / 4096
            );
            assert!(stats.memory_bytes <= PLENTY);
        }
    }
}

#[test]
fn a_negative_weight_is_named_by_its_ids() {
    let folder = tempfile::tempdir().unwrap();
    let edges = vec![(0, 1, 1.0), (1, 2, -0.5), (3, 4, -1.0)];
    let sample = Sample { vertices: 5, directed: true, edges, order: Some(vec![4, 3, 2, 1, 0]) };
    let graph = open(folder.path(), &sample, true);
    let text = graph.sssp(&[sample.vertex(0)]).unwrap_err().to_string();
    assert!(text.contains("edge from 1 to 2"), "{text}");
    // What cannot be reached does not matter.
    assert_eq!(graph.sssp(&[sample.vertex(2)]).unwrap().reached, 1);
}

#[test]
fn what_a_graph_lacks_is_said_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    sample(3, false, [(0, 1)].into_iter()).write(&path, 4096, true, Weights::None);
    let graph = Graph::open(&path, options(PLENTY)).unwrap();
    let error = graph.sssp(&[0]).unwrap_err();
    assert!(matches!(error, GraphError::NeedsWeights { .. }), "{error}");
    assert!(error.to_string().contains("import it again with its weights"), "{error}");
    let weighted = PageRankOptions { weighted: true, ..PageRankOptions::default() };
    let error = graph.pagerank(&weighted).unwrap_err();
    assert!(matches!(error, GraphError::NeedsWeights { .. }), "{error}");
    assert!(error.to_string().contains("weighted PageRank needs weights"), "{error}");
}

#[test]
fn a_device_that_fails_or_lies_gives_an_error_and_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    for directed in [false, true] {
        middling(directed).write(&path, 4096, true, Weights::F32);
        for (name, run) in algorithms() {
            // One thread: about as many requests each time. Not exactly: what comes first is what the cache
            // keeps.
            let alone = Options { memory: 3 << 20, threads: 1, depth: 4, ..Options::default() };
            let (_, stats) = run(&Graph::open(&path, alone.clone()).unwrap()).unwrap();
            for at in [0, stats.requests / 3, stats.requests * 2 / 3] {
                let faults =
                    [Fault::eio(), Fault::bit_flip().seed(at), Fault::short(), Fault::misdirected().seed(at)];
                for fault in faults {
                    let what = format!("{name}: {fault:?}");
                    let file = || File::open(&path).unwrap();
                    let bytes = file().metadata().unwrap().len();
                    let (engine, _) = leadline_device::IoEngine::best();
                    let plain = FileOptions::new(engine, 4096).writable(false).direct(false);
                    let device = FileDevice::new(file(), bytes, plain).unwrap();
                    let device = Faulty::new(device, [fault.on(Op::Read).nth(at)]);
                    let graph =
                        Graph::on_device(file(), "faulty".into(), Box::new(device), alone.clone()).unwrap();
                    let error = run(&graph).map(|_| ()).expect_err(&what);
                    let expected = matches!(
                        error,
                        GraphError::Read { .. } | GraphError::Damaged { .. } | GraphError::Device { .. }
                    );
                    assert!(expected, "{what}: {error}");
                }
            }
        }
    }
}

//! All algorithms against what is obviously right, whatever the store's layout, the memory, the threads and
//! the reads in flight; what they read; and that a device that fails or lies gives an error and never a wrong
//! result.

use crate::samples;

use std::fs::File;
use std::path::Path;

use leadline_device::{Fault, Faulty, FileDevice, FileOptions, Op};
use leadline_graph::algorithms::{PageRankOptions, UNREACHED};
use leadline_graph::format::{Direction, Weights};
use leadline_graph::{Graph, GraphError, Options, RunStats};
use samples::Sample;

const PLENTY: u64 = 64 << 20;

fn options(memory: u64) -> Options {
    Options { memory, threads: 2, depth: 4, stop: None }
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
    let shape = Options { memory: 1, threads, depth: rng.u32(1..9), stop: None };
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
    assert_eq!(sample.by_rank(&bfs.levels), levels, "levels");
    let reached = || levels.iter().filter(|level| **level != UNREACHED);
    assert_eq!((bfs.reached, bfs.depth), (reached().count() as u64, *reached().max().unwrap()));

    let sssp = with_memory(graph, rng, |graph| graph.sssp(&sources));
    assert_eq!(sample.by_rank(&sssp.distances), sample.sssp(&ranks), "distances");
    assert_eq!(sssp.reached, bfs.reached);

    let wcc = with_memory(graph, rng, Graph::wcc);
    let right: Vec<u32> = sample.wcc().into_iter().map(|rank| sample.vertex(rank)).collect();
    assert_eq!(sample.by_rank(&wcc.components), right, "components");
    let mut roots = right.clone();
    roots.sort_unstable();
    roots.dedup();
    assert_eq!(wcc.count, roots.len() as u64, "components");

    let pagerank = PageRankOptions { iterations: rng.u32(1..20), ..PageRankOptions::default() };
    let ranked = with_memory(graph, rng, |graph| graph.pagerank(&pagerank));
    let right = sample.pagerank(pagerank.damping, pagerank.iterations);
    for (found, right) in sample.by_rank(&ranked.ranks).iter().zip(right) {
        assert!((found - right).abs() <= 1e-9 * right, "rank {found}, not {right}");
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

fn random_graphs(seeds: std::ops::Range<u64>) {
    let folder = tempfile::tempdir().unwrap();
    for seed in seeds {
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
    random_graphs(0..250);
}

#[test]
fn random_graphs_second_quarter() {
    random_graphs(250..500);
}

#[test]
fn random_graphs_third_quarter() {
    random_graphs(500..750);
}

#[test]
fn random_graphs_fourth_quarter() {
    random_graphs(750..1000);
}

fn sample(vertices: u32, directed: bool, edges: impl Iterator<Item = (u32, u32)>) -> Sample {
    Sample { vertices, directed, edges: edges.map(|(a, b)| (a, b, 1.0)).collect(), order: None }
}

fn open(folder: &Path, sample: &Sample, compressed: bool) -> Graph {
    let path = folder.join("store");
    sample.write(&path, 4096, compressed, Weights::F32);
    Graph::open(&path, options(PLENTY)).unwrap()
}

#[test]
fn a_star_of_a_million_rays() {
    let folder = tempfile::tempdir().unwrap();
    let n = 1_000_001;
    for compressed in [false, true] {
        let graph = open(folder.path(), &sample(n, false, (1..n).map(|ray| (0, ray))), compressed);
        let bfs = graph.bfs(&[5]).unwrap();
        assert_eq!((bfs.levels[0], bfs.levels[5], bfs.levels[6], bfs.reached), (1, 0, 2, u64::from(n)));
        assert_eq!(graph.sssp(&[5]).unwrap().distances[n as usize - 1], 2.0);
        assert_eq!(graph.wcc().unwrap().count, 1);
        assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 1));
        let labels = graph.cdlp(1).unwrap().labels;
        assert_eq!((labels[0], labels[1], labels[n as usize - 1]), (1, 0, 0));
        let lcc = graph.lcc().unwrap();
        assert!(lcc.triangles == 0 && lcc.coefficients.iter().all(|coefficient| *coefficient == 0.0));
        let ranks = graph.pagerank(&PageRankOptions::default()).unwrap().ranks;
        assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_chain_of_a_hundred_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let n = 100_000;
    let graph = open(folder.path(), &sample(n, false, (1..n).map(|v| (v - 1, v))), true);
    for source in [0, n / 2, n - 1] {
        let levels = graph.bfs(&[source]).unwrap().levels;
        let sssp = graph.sssp(&[source]).unwrap();
        for vertex in 0..n {
            assert_eq!(levels[vertex as usize], vertex.abs_diff(source));
            assert_eq!(sssp.distances[vertex as usize], f64::from(vertex.abs_diff(source)));
        }
        assert!(sssp.stats.sweeps < 500, "{} sweeps", sssp.stats.sweeps);
    }
    assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 1));
    assert_eq!(graph.lcc().unwrap().triangles, 0);
}

/// An R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004) whose vertices are numbered at random: nothing but
/// its lists tells which vertices have many edges.
fn rmat(scale: u32, edges: usize) -> Sample {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut numbers: Vec<u32> = (0..1 << scale).collect();
    rng.shuffle(&mut numbers);
    let edge = |_| {
        let (mut row, mut column) = (0, 0);
        for _ in 0..scale {
            let x = rng.f64();
            row = row << 1 | u32::from(x >= 0.76);
            column = column << 1 | u32::from((0.57..0.76).contains(&x) || x >= 0.95);
        }
        (numbers[row as usize], numbers[column as usize])
    };
    sample(1 << scale, false, (0..edges).map(edge))
}

#[test]
fn a_search_looks_at_few_entries_of_a_graph_with_hubs_from_wherever_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let of = rmat(15, 500_000);
    let graph = open(folder.path(), &of, true);
    let lists = of.out();
    let entries: usize = lists.iter().map(Vec::len).sum();
    let hub = (0..of.vertices).max_by_key(|vertex| lists[*vertex as usize].len()).unwrap();
    for source in (0..30).map(|i| i * 1000).chain([hub]) {
        let found = graph.bfs(&[source]).unwrap();
        let mut levels = vec![UNREACHED; lists.len()];
        levels[source as usize] = 0;
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(vertex) = queue.pop_front() {
            for &(next, _) in &lists[vertex as usize] {
                if levels[next as usize] == UNREACHED {
                    levels[next as usize] = levels[vertex as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        assert_eq!(found.levels, levels, "from {source}");
        let looked_at = found.stats.edges as f64 / entries as f64;
        assert!(looked_at < 0.25, "from {source}: {looked_at}");
    }
}

/// In memory only a few edges of each vertex are joined before the largest component is left out.
#[test]
fn an_edge_late_in_both_lists_joins_two_components() {
    let folder = tempfile::tempdir().unwrap();
    // Even vertices hang on 0 and 2, odd ones on 1 and 3; of one kind there are more.
    for (evens, odds) in [(1000, 600), (600, 1000)] {
        let even = (2..evens).step_by(2).map(|v| (0, v)).chain((4..evens).step_by(2).map(|v| (2, v)));
        let odd = (3..odds).step_by(2).map(|v| (1, v)).chain((5..odds).step_by(2).map(|v| (3, v)));
        let (bridge, odd_end) = if evens > odds { ((501, 900), 501) } else { ((500, 901), 901) };
        for bridges in [0, 1] {
            let edges = even.clone().chain(odd.clone()).chain(std::iter::repeat_n(bridge, bridges));
            let found = open(folder.path(), &sample(1000, false, edges), true).wcc().unwrap();
            // 200 vertices have no edge.
            assert_eq!((found.count, found.components[odd_end]), (202 - bridges as u64, 1 - bridges as u32));
        }
    }
}

#[test]
fn a_grid() {
    let folder = tempfile::tempdir().unwrap();
    let side = 200;
    let across = (0..side * side).filter(|v| v % side > 0).map(|v| (v - 1, v));
    let down = (side..side * side).map(|v| (v - side, v));
    let sample = sample(side * side, false, across.chain(down));
    let graph = open(folder.path(), &sample, false);
    let source = side + 1;
    let way = |v: u32| (v % side).abs_diff(1) + (v / side).abs_diff(1);
    let distances = graph.sssp(&[source]).unwrap().distances;
    assert!((0..side * side).all(|v| distances[v as usize] == f64::from(way(v))));
    assert_eq!(graph.bfs(&[source]).unwrap().levels, (0..side * side).map(way).collect::<Vec<_>>());
    assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 2));
    assert_eq!(graph.cdlp(3).unwrap().labels, sample.cdlp(3));
}

#[test]
fn graphs_of_no_vertex_and_of_one() {
    let folder = tempfile::tempdir().unwrap();
    for directed in [false, true] {
        let graph = open(folder.path(), &sample(0, directed, std::iter::empty()), true);
        assert_eq!(graph.bfs(&[]).unwrap().levels.len(), 0);
        assert_eq!(graph.sssp(&[]).unwrap().distances.len(), 0);
        assert_eq!(graph.wcc().unwrap().count, 0);
        assert_eq!(graph.pagerank(&PageRankOptions::default()).unwrap().ranks.len(), 0);
        assert_eq!(graph.kcore().unwrap().max, 0);
        assert_eq!(graph.cdlp(3).unwrap().count, 0);
        assert_eq!(graph.lcc().unwrap().triangles, 0);
        for loops in [0, 2] {
            let graph = open(folder.path(), &sample(1, directed, (0..loops).map(|_| (0, 0))), false);
            assert_eq!(graph.bfs(&[0]).unwrap().levels, [0]);
            assert_eq!(graph.sssp(&[0]).unwrap().distances, [0.0]);
            assert_eq!(graph.wcc().unwrap().count, 1);
            assert_eq!(graph.pagerank(&PageRankOptions::default()).unwrap().ranks, [1.0]);
            assert_eq!(graph.kcore().unwrap().cores, [0]);
            assert_eq!(graph.cdlp(3).unwrap().labels, [0]);
            assert_eq!(graph.lcc().unwrap().coefficients, [0.0]);
        }
    }
}

/// More than 2^20 vertices: what they give is rounded, unless a small tolerance asks for doubles.
#[test]
fn ranks_of_many_vertices_are_those_in_doubles_to_seven_digits() {
    let vertices = (1 << 20) + 1000;
    let mut rng = fastrand::Rng::with_seed(4);
    let folder = tempfile::tempdir().unwrap();
    let edges = (0..2 * vertices).map(|i| (i % vertices, (rng.f64().powi(3) * f64::from(vertices)) as u32));
    let graph = open(folder.path(), &sample(vertices, true, edges), true);
    let doubles = PageRankOptions { tolerance: f64::MIN_POSITIVE, ..PageRankOptions::default() };
    let (rounded, exact) =
        (graph.pagerank(&PageRankOptions::default()).unwrap(), graph.pagerank(&doubles).unwrap());
    assert_eq!((rounded.iterations, exact.iterations), (10, 10));
    let off = |(rounded, exact): (&f64, &f64)| (rounded / exact - 1.0).abs();
    let most = rounded.ranks.iter().zip(&exact.ranks).map(off).fold(0.0, f64::max);
    assert!(most > 0.0 && most < 4e-7, "{most}");
    assert!((rounded.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-7);
    assert!(rounded.stats.memory_bytes < exact.stats.memory_bytes);
}

#[test]
fn a_directed_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let n = 5000;
    let graph = open(folder.path(), &sample(n, true, (0..n).map(|v| (v, (v + 1) % n))), true);
    let bfs = graph.bfs(&[10]).unwrap();
    assert_eq!((bfs.levels[9], bfs.levels[11], bfs.depth), (n - 1, 1, n - 1));
    assert_eq!(graph.sssp(&[10]).unwrap().distances[9], f64::from(n - 1));
    assert_eq!(graph.wcc().unwrap().count, 1);
    assert!(graph.kcore().unwrap().cores.iter().all(|core| *core == 2));
    let ranks = graph.pagerank(&PageRankOptions::default()).unwrap().ranks;
    assert!(ranks.iter().all(|rank| (rank * f64::from(n) - 1.0).abs() < 1e-9));
}

/// An algorithm, what it is called, and what it found as text.
type Algorithm = (&'static str, fn(&Graph) -> Result<(String, RunStats), GraphError>);

fn algorithms() -> [Algorithm; 7] {
    [
        ("bfs", |graph| graph.bfs(&[0]).map(|run| (format!("{:?}", run.levels), run.stats))),
        ("sssp", |graph| graph.sssp(&[0]).map(|run| (format!("{:?}", run.distances), run.stats))),
        ("wcc", |graph| graph.wcc().map(|run| (format!("{}", run.count), run.stats))),
        ("pagerank", |graph| {
            let run = graph.pagerank(&PageRankOptions::default())?;
            Ok((format!("{:?}", run.ranks), run.stats))
        }),
        ("kcore", |graph| graph.kcore().map(|run| (format!("{:?}", run.cores), run.stats))),
        ("cdlp", |graph| graph.cdlp(5).map(|run| (format!("{:?}", run.labels), run.stats))),
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
            let alone = Options { memory: 3 << 20, threads: 1, depth: 4, stop: None };
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

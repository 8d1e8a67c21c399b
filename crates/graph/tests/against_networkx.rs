//! Against networkx, whose definitions are not ours to get wrong. Label propagation is not compared: networkx
//! has none that is synchronous.

use crate::samples;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use leadline_graph::algorithms::{Measure, PageRankOptions, UNREACHED};
use leadline_graph::format::Weights;
use leadline_graph::{Graph, Options};
use samples::Sample;

/// A simple graph: networkx would keep the last weight of an edge that is repeated.
fn simple(vertices: u32, directed: bool, mut edges: Vec<(u32, u32)>, rng: &mut fastrand::Rng) -> Sample {
    if !directed {
        edges.iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
    }
    edges.retain(|edge| edge.0 != edge.1);
    edges.sort_unstable();
    edges.dedup();
    let edges = edges.into_iter().map(|(a, b)| (a, b, f64::from(rng.u32(1..100)) / 8.0)).collect();
    Sample { vertices, directed, edges, order: None }
}

fn cases() -> Vec<(&'static str, Sample)> {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut random =
        |n: u32, m: u32| -> Vec<(u32, u32)> { (0..m).map(|_| (rng.u32(..n), rng.u32(..n))).collect() };
    let (sparse, dense, one_way) = (random(2000, 2500), random(300, 9000), random(1000, 6000));
    let mut rng = fastrand::Rng::with_seed(12);
    let skewed = |directed: bool, rng: &mut fastrand::Rng| {
        let end = |rng: &mut fastrand::Rng| (rng.f64() * rng.f64() * rng.f64() * 1000.0) as u32;
        let edges = (0..6000).map(|_| (end(rng), end(rng))).collect();
        simple(1000, directed, edges, rng)
    };
    let ring = (0..600).flat_map(|v| [(v, (v + 1) % 600), (v, (v + 2) % 600)]).collect();
    vec![
        ("sparse", simple(2000, false, sparse, &mut rng)),
        ("dense", simple(300, false, dense, &mut rng)),
        ("one way", simple(1000, true, one_way, &mut rng)),
        ("skewed", skewed(false, &mut rng)),
        ("skewed, one way", skewed(true, &mut rng)),
        ("ring", simple(600, false, ring, &mut rng)),
    ]
}

/// What our algorithms find, as JSON. What is not reached is -1.
fn found(name: &str, sample: &Sample, graph: &Graph) -> String {
    let levels = graph.bfs(&[0]).unwrap().levels.into_vec().unwrap();
    let levels: Vec<i64> =
        levels.into_iter().map(|level| if level == UNREACHED { -1 } else { i64::from(level) }).collect();
    let distances = graph.sssp(&[0]).unwrap().distances.into_vec().unwrap();
    let distances: Vec<f64> = distances.into_iter().map(|d| if d.is_finite() { d } else { -1.0 }).collect();
    let options = PageRankOptions { iterations: 1000, tolerance: 1e-12, ..PageRankOptions::default() };
    let lcc = graph.lcc().unwrap();
    let mut text =
        format!("{{\"name\":\"{name}\",\"directed\":{},\"vertices\":{}", sample.directed, sample.vertices);
    let edges: Vec<String> = sample.edges.iter().map(|(a, b, w)| format!("[{a},{b},{w:?}]")).collect();
    write!(text, ",\"edges\":[{}],\"levels\":{levels:?}", edges.join(",")).unwrap();
    write!(text, ",\"distances\":{distances:?},\"components\":{:?}", graph.wcc().unwrap().components)
        .unwrap();
    write!(text, ",\"ranks\":{:?}", graph.pagerank(&options).unwrap().ranks.in_memory().unwrap()).unwrap();
    write!(text, ",\"cores\":{:?}", graph.kcore().unwrap().cores).unwrap();
    write!(text, ",\"strong_components\":{:?}", graph.scc().unwrap().components).unwrap();
    let n = sample.vertices;
    let pairs: Vec<(u32, u32)> = (1..n).map(|v| (v, 3 * v % n)).filter(|(a, b)| a != b).collect();
    let jaccard = graph.similarities(&pairs, Measure::Jaccard, 0).unwrap().values;
    write!(text, ",\"jaccard\":{jaccard:?}").unwrap();
    write!(text, ",\"triangles_per_vertex\":{:?}", graph.triangles(true).unwrap().counts).unwrap();
    write!(text, ",\"coefficients\":{:?},\"triangles\":[{}]}}", lcc.coefficients, lcc.triangles).unwrap();
    text
}

/// The first interpreter that has networkx: Debian's own may stand behind another.
fn python() -> Option<&'static str> {
    ["python3", "/usr/bin/python3"].into_iter().find(|python| {
        let probe = Command::new(python).args(["-c", "import networkx, scipy"]).output();
        probe.is_ok_and(|output| output.status.success())
    })
}

fn run(python: &str, script: &Path, input: &str) -> std::process::Output {
    let mut python = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    python.wait_with_output().unwrap()
}

/// Compares cases, a line of JSON each.
fn compare(lines: &[String]) {
    let python =
        python().expect("a python3 that can import networkx and scipy; `cargo xtask setup` installs them");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/against_networkx.py");
    let output = run(python, &script, &lines.join("\n"));
    let (differs, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{differs}{log}");
    assert_eq!(log.matches(": compared").count(), lines.len(), "{log}");
}

#[test]
fn networkx_finds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let found = |(name, sample): (&str, Sample)| {
        sample.write(&path, 4096, true, Weights::F32);
        let options = Options { memory: 8 << 20, threads: 2, depth: 8, ..Options::default() };
        found(name, &sample, &Graph::open(&path, options).unwrap())
    };
    compare(&cases().into_iter().map(found).collect::<Vec<_>>());
}

/// Graphs with weights from 0 to thousands, of which some vertices have nothing but zeros; with parallel
/// edges, self-loops and vertices without edges.
fn weighted_cases() -> Vec<(String, Sample)> {
    let mut rng = fastrand::Rng::with_seed(13);
    let mut cases = Vec::new();
    for (shape, vertices, edges) in [("sparse", 1000, 900), ("dense", 200, 8000), ("hub", 3000, 9000)] {
        for directed in [false, true] {
            let mut all = Vec::new();
            for at in 0..edges {
                // Some vertices have no edges.
                let from = if shape == "hub" && at % 3 == 0 { 5 } else { rng.u32(..vertices - 7) };
                let to = if rng.u32(..30) == 0 { from } else { rng.u32(..vertices - 7) };
                let weight = match rng.u32(..6) {
                    _ if from % 10 == 3 => 0.0,
                    0 => 0.0,
                    1 => f64::from(rng.u32(..5000)),
                    _ => rng.f64(),
                };
                all.extend((0..if rng.u32(..8) == 0 { 3 } else { 1 }).map(|_| (from, to, weight)));
            }
            let side = if directed { "directed" } else { "undirected" };
            cases.push((format!("{shape}, {side}"), Sample { vertices, directed, edges: all, order: None }));
        }
    }
    cases
}

#[test]
fn networkx_finds_the_same_weighted_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut lines = Vec::new();
    for (name, sample) in weighted_cases() {
        for personal in [vec![], vec![1, 4]] {
            for reverse in [true, false] {
                sample.write_lists(&path, 4096, true, Weights::F64, reverse);
                let options = Options { memory: 8 << 20, threads: 2, depth: 8, ..Options::default() };
                let graph = Graph::open(&path, options).unwrap();
                let personal = personal.clone();
                let options = PageRankOptions {
                    iterations: 300,
                    weighted: true,
                    personal,
                    ..PageRankOptions::default()
                };
                let ranks = graph.pagerank(&options).unwrap().ranks.into_vec().unwrap();
                let edges: Vec<String> =
                    sample.edges.iter().map(|(a, b, w)| format!("[{a},{b},{w:?}]")).collect();
                lines.push(format!(
                    "{{\"name\":\"{name}\",\"directed\":{},\"vertices\":{},\"edges\":[{}],\"personal\":{:?},\
                     \"weighted_ranks\":{ranks:?}}}",
                    sample.directed,
                    sample.vertices,
                    edges.join(","),
                    options.personal
                ));
            }
        }
    }
    compare(&lines);
}

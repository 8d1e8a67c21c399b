//! The six algorithms of LDBC Graphalytics as its harness would run them, and `leadline graph validate`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::ran::{Ran, folder, run};

/// An example of the benchmark's specification: ids, edges with their weights, sources of BFS and SSSP.
struct Example {
    name: &'static str,
    directed: bool,
    vertices: &'static [u64],
    edges: &'static [(u64, u64, f64)],
    source: u64,
}

const DIRECTED: Example = Example {
    name: "directed",
    directed: true,
    vertices: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    edges: &[
        (1, 3, 0.5),
        (1, 5, 0.3),
        (2, 4, 0.1),
        (2, 5, 0.3),
        (2, 10, 0.12),
        (3, 1, 0.53),
        (3, 5, 0.62),
        (3, 8, 0.21),
        (3, 10, 0.52),
        (5, 3, 0.69),
        (5, 4, 0.53),
        (5, 8, 0.1),
        (6, 3, 0.23),
        (6, 4, 0.39),
        (7, 4, 0.83),
        (8, 1, 0.39),
        (9, 4, 0.69),
    ],
    source: 1,
};

/// With a vertex that no edge leads to, beside those of the specification.
const UNDIRECTED: Example = Example {
    name: "undirected",
    directed: false,
    vertices: &[2, 3, 4, 5, 6, 7, 8, 9, 10, 17],
    edges: &[
        (2, 3, 0.9),
        (2, 4, 0.69),
        (3, 4, 0.13),
        (3, 5, 0.5),
        (3, 8, 0.32),
        (5, 6, 0.63),
        (5, 8, 0.12),
        (6, 7, 0.53),
        (6, 8, 0.64),
        (6, 9, 0.23),
        (6, 10, 0.63),
        (7, 9, 0.36),
    ],
    source: 2,
};

const DAMPING: f64 = 0.8;
const PR_ITERATIONS: u32 = 3;
const CDLP_ITERATIONS: u32 = 2;

/// Command and name of each algorithm.
const ALL: [(&str, &str); 6] =
    [("bfs", "bfs"), ("pagerank", "pr"), ("wcc", "wcc"), ("cdlp", "cdlp"), ("lcc", "lcc"), ("sssp", "sssp")];

impl Example {
    /// Files of the benchmark, and a store of them.
    fn import(&self, dir: &Path) {
        let Example { name, directed, source, .. } = self;
        let vertices: String = self.vertices.iter().map(|id| format!("{id}\n")).collect();
        let edges: String = self.edges.iter().map(|(a, b, w)| format!("{a} {b} {w}\n")).collect();
        let properties = format!(
            "# Files of {name}\ngraph.{name}.vertex-file = {name}.v\ngraph.{name}.directed = {directed}\n\
             graph.{name}.bfs.source-vertex = {source}\ngraph.{name}.sssp.source-vertex = {source}\n\
             graph.{name}.pr.damping-factor = {DAMPING}\ngraph.{name}.pr.num-iterations = {PR_ITERATIONS}\n\
             graph.{name}.cdlp.max-iterations = {CDLP_ITERATIONS}\n"
        );
        for (ending, text) in [("v", vertices), ("e", edges), ("properties", properties)] {
            fs::write(dir.join(format!("{name}.{ending}")), text).unwrap();
        }
        let (edges, store) = (format!("{name}.e"), format!("{name}.graph"));
        let import = ["graph", "import", &edges, &store, "--format", "graphalytics", "--weights"];
        let reverse: &[&str] = if *directed { &["--reverse"] } else { &[] };
        run(dir, &[&import[..], reverse].concat()).succeeded();
    }

    fn out(&self, id: u64) -> Vec<(u64, f64)> {
        let mut out = Vec::new();
        for (from, to, weight) in self.edges {
            if *from == id {
                out.push((*to, *weight));
            }
            if *to == id && !self.directed {
                out.push((*from, *weight));
            }
        }
        out
    }

    /// Neighbours whichever way edges lead; with edges both ways twice.
    fn around(&self, id: u64) -> Vec<u64> {
        let back = self.edges.iter().filter(|(_, to, _)| *to == id).map(|(from, ..)| *from);
        let there = self.edges.iter().filter(|(from, ..)| *from == id).map(|(_, to, _)| *to);
        there.chain(back).collect()
    }

    /// The smallest sum of lengths from the source, by relaxing every edge often enough.
    fn distances(&self, length: impl Fn(f64) -> f64) -> BTreeMap<u64, f64> {
        let mut found: BTreeMap<u64, f64> = self.vertices.iter().map(|id| (*id, f64::INFINITY)).collect();
        found.insert(self.source, 0.0);
        for from in self.vertices.iter().cycle().take(self.vertices.len() * self.vertices.len()) {
            for (to, weight) in self.out(*from) {
                let way = found[from] + length(weight);
                found.insert(to, found[&to].min(way));
            }
        }
        found
    }

    fn ranks(&self) -> BTreeMap<u64, f64> {
        let n = self.vertices.len() as f64;
        let mut ranks: BTreeMap<u64, f64> = self.vertices.iter().map(|id| (*id, 1.0 / n)).collect();
        for _ in 0..PR_ITERATIONS {
            let lost: f64 = ranks.iter().filter(|(id, _)| self.out(**id).is_empty()).map(|(_, r)| r).sum();
            let mut next: BTreeMap<u64, f64> =
                ranks.keys().map(|id| (*id, (1.0 - DAMPING + DAMPING * lost) / n)).collect();
            for (from, rank) in &ranks {
                let out = self.out(*from);
                out.iter()
                    .for_each(|(to, _)| *next.get_mut(to).unwrap() += DAMPING * rank / out.len() as f64);
            }
            ranks = next;
        }
        ranks
    }

    fn labels(&self) -> BTreeMap<u64, u64> {
        let mut labels: BTreeMap<u64, u64> = self.vertices.iter().map(|id| (*id, *id)).collect();
        for _ in 0..CDLP_ITERATIONS {
            let vote = |id: u64| {
                let mut counts = BTreeMap::new();
                self.around(id).iter().for_each(|other| *counts.entry(labels[other]).or_insert(0) += 1);
                let most = counts.values().max().copied();
                counts
                    .into_iter()
                    .find(|(_, count)| Some(*count) == most)
                    .map_or(labels[&id], |(label, _)| label)
            };
            labels = labels.keys().map(|id| (*id, vote(*id))).collect();
        }
        labels
    }

    fn coefficient(&self, id: u64) -> f64 {
        let around: BTreeSet<u64> = self.around(id).into_iter().collect();
        let edges =
            around.iter().flat_map(|from| self.out(*from)).filter(|(to, _)| around.contains(to)).count();
        let pairs = around.len() * around.len().saturating_sub(1);
        if pairs == 0 { 0.0 } else { edges as f64 / pairs as f64 }
    }

    /// The reference of an algorithm, in falling order of ids.
    fn reference(&self, algorithm: &str) -> String {
        let infinite =
            |value: f64| if value.is_infinite() { "Infinity".to_owned() } else { value.to_string() };
        let level = |value: f64| if value.is_infinite() { i64::MAX } else { value as i64 };
        let all = |value: &dyn Fn(u64) -> String| {
            self.vertices.iter().rev().map(|id| format!("{id} {}\n", value(*id))).collect()
        };
        let (levels, distances) = (self.distances(|_| 1.0), self.distances(|weight| weight));
        let (ranks, labels) = (self.ranks(), self.labels());
        match algorithm {
            "bfs" => all(&|id| level(levels[&id]).to_string()),
            "sssp" => all(&|id| infinite(distances[&id])),
            "pr" => all(&|id| format!("{:e}", ranks[&id])),
            "cdlp" => all(&|id| labels[&id].to_string()),
            "lcc" => all(&|id| self.coefficient(id).to_string()),
            // Both are connected but for 17; labels are others than ours.
            _ => all(&|id| if id == 17 { "3".to_owned() } else { "99".to_owned() }),
        }
    }
}

fn graph(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["graph"], arguments].concat())
}

#[test]
fn all_six_algorithms_are_valid_on_the_examples_of_the_specification() {
    let dir = folder();
    let dir = dir.path();
    for example in [DIRECTED, UNDIRECTED] {
        example.import(dir);
        let (store, properties) = (format!("{}.graph", example.name), format!("{}.properties", example.name));
        for (command, name) in ALL {
            let (found, reference) = ("found.graphalytics", "reference");
            graph(dir, &[command, &store, "--properties", &properties, "-o", found]).succeeded();
            fs::write(dir.join(reference), example.reference(name)).unwrap();
            let ran = graph(dir, &["validate", found, reference, "--algorithm", name, "--json"]).succeeded();
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!((&report["valid"], &report["vertices"]), (&true.into(), &10.into()), "{report}");
            // One wrong value is seen.
            let text = fs::read_to_string(dir.join(found)).unwrap();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(lines.len(), 10, "{text}");
            let id = lines[3].split(' ').next().unwrap().to_owned();
            lines[3] = format!("{id} 77");
            fs::write(dir.join(found), lines.join("\n")).unwrap();
            let ran = graph(dir, &["validate", found, reference, "--algorithm", name]);
            ran.failed(1, &["found.graphalytics: is not valid", "1 different"]);
            assert!(ran.stdout.contains(&format!("vertex {id}: expected ")), "{}", ran.stdout);
        }
    }
}

#[test]
fn results_have_the_form_of_the_benchmark() {
    let dir = folder();
    let dir = dir.path();
    UNDIRECTED.import(dir);
    let written = |arguments: &[&str]| {
        graph(dir, &[arguments, &["-o", "r.graphalytics"]].concat()).succeeded();
        fs::read_to_string(dir.join("r.graphalytics")).unwrap()
    };
    let levels = written(&["bfs", "undirected.graph", "--source", "2"]);
    assert!(levels.starts_with("2 0\n3 1\n4 1\n5 2\n"), "{levels}");
    assert!(levels.ends_with("\n10 4\n17 9223372036854775807\n"), "{levels}");
    let distances = written(&["sssp", "undirected.graph", "--source", "2"]);
    assert!(distances.starts_with("2 0\n3 0.8") && distances.ends_with("\n17 infinity\n"), "{distances}");
    let components = written(&["wcc", "undirected.graph"]);
    assert!(components.starts_with("2 2\n3 2\n") && components.ends_with("\n17 17\n"), "{components}");
    let refused =
        graph(dir, &["bfs", "undirected.graph", "--source", "2", "--parents", "-o", "p.graphalytics"]);
    refused.refused(&["p.graphalytics", "one value per vertex"]);
    graph(dir, &["walk", "undirected.graph", "-o", "w.graphalytics"])
        .refused(&["its ending is no known format"]);
}

#[test]
fn flags_win_over_the_file_and_another_direction_is_refused() {
    let dir = folder();
    let dir = dir.path();
    UNDIRECTED.import(dir);
    let properties = ["--properties", "undirected.properties"];
    let report = |arguments: &[&str]| -> Value {
        let ran = graph(dir, &[arguments, &properties, &["--json"]].concat()).succeeded();
        serde_json::from_str(&ran.stdout).unwrap()
    };
    assert_eq!(report(&["pagerank", "undirected.graph"])["iterations"], PR_ITERATIONS);
    assert_eq!(report(&["pagerank", "undirected.graph", "--iterations", "5"])["iterations"], 5);
    assert_eq!(report(&["cdlp", "undirected.graph", "--iterations", "1"])["iterations"], 1);
    assert_eq!(report(&["bfs", "undirected.graph"])["result"]["reached"], 9);
    assert_eq!(report(&["bfs", "undirected.graph", "--source", "17"])["result"]["reached"], 1);
    for (entry, said) in [
        (
            "graph.x.directed = true",
            "line 1: says that the graph is directed, but undirected.graph is undirected",
        ),
        ("graph.x.directed = yes", "line 1: graph.x.directed must be true or false"),
        ("graph.x.bfs.source-vertex = 99", "has no vertex 99"),
        ("# nothing", "has no graph.NAME.bfs.source-vertex"),
    ] {
        fs::write(dir.join("p"), entry).unwrap();
        graph(dir, &["bfs", "undirected.graph", "--properties", "p"]).refused(&[said]);
    }
}

#[test]
fn what_is_no_result_is_named_by_file_and_line() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("good"), "1 1\n2 1\n3 3\n").unwrap();
    for (text, said) in [
        ("1 1\n2\n3 3\n", "bad: line 2: expected an id and a value"),
        ("1 1\n\n2 1 1\n", "bad: line 3: expected an id and a value"),
        ("1 1\nx 1\n", "bad: line 2: expected a vertex id"),
        ("1 1\n2 -1\n", "bad: line 2: expected a whole number"),
        ("1 1\n2 1\n3 3\n1 5\n", "bad: line 4: has a value for 1, which line 1 has too"),
    ] {
        fs::write(dir.join("bad"), text).unwrap();
        for files in [["bad", "good"], ["good", "bad"]] {
            let arguments = [&["validate"], &files[..], &["--algorithm", "wcc"]].concat();
            graph(dir, &arguments).failed(2, &[said]);
        }
    }
    graph(dir, &["validate", "good", "none", "--algorithm", "wcc"]).failed(2, &["none: cannot be opened"]);
    graph(dir, &["validate", "good", "good", "--algorithm", "kcore"]).refused(&["--algorithm"]);
}

//! `leadline graph bfs` and its like, from the outside.

use std::fs::{self, File};
use std::path::Path;

use leadline_graph_store::format::{Layout, StoreWriter, Weights};
use parquet::file::reader::{FileReader, SerializedFileReader};
use rustix::process::Signal;
use serde_json::Value;

use crate::ran::{Ran, folder, names, run, start, text};

/// Vertices of [`store`].
const VERTICES: u32 = 5000;

/// A store with a hub, a second component of three vertices, and one that is alone. Vertex 0 leads everywhere
/// else.
fn store(path: &Path, directed: bool, weights: Weights, reverse: bool) {
    let layout = Layout { block_bytes: 4096, compressed: true, directed, weights, vertices: VERTICES.into() };
    let last = VERTICES - 4;
    let mut edges: Vec<(u32, u32)> =
        (1..last).flat_map(|v| [(0, v), (v, v * 7 % last), (v, v / 2)]).collect();
    edges.extend([(last, last + 1), (last + 1, last + 2)]);
    if !directed {
        let back: Vec<(u32, u32)> = edges.iter().map(|(a, b)| (*b, *a)).collect();
        edges.extend(back);
    }
    edges.sort_unstable();
    edges.dedup();
    let weight = |a: u32, b: u32| f64::from((a ^ b) % 10 + 1);
    let mut writer = StoreWriter::create(path, layout).unwrap();
    edges.iter().for_each(|(a, b)| writer.edge(*a, *b, weight(*a, *b)).unwrap());
    if reverse {
        writer.start_reverse().unwrap();
        edges.sort_unstable_by_key(|(a, b)| (*b, *a));
        edges.iter().for_each(|(a, b)| writer.edge(*b, *a, weight(*a, *b)).unwrap());
    }
    writer.finish().unwrap();
}

fn graph(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["graph"], arguments].concat())
}

/// Every algorithm, with what it cannot do without.
const ALL: [&[&str]; 15] = [
    &["bfs", "g", "--source", "0"],
    &["wcc", "g"],
    &["pagerank", "g", "--iterations", "5"],
    &["pagerank", "g", "--weighted"],
    &["sssp", "g", "--source", "0"],
    &["cdlp", "g", "--iterations", "3"],
    &["lcc", "g"],
    &["scc", "g"],
    &["triangles", "g"],
    &["kcore", "g"],
    &["louvain", "g"],
    &["leiden", "g", "--resolution", "0.5", "--seed", "3"],
    &["similarity", "g", "--top", "2", "--skip-above", "100"],
    &["dfs", "g", "--source", "0"],
    &["walk", "g", "--per-vertex", "1", "--length", "5"],
];

#[test]
fn every_algorithm_writes_the_same_bytes_whatever_memory_and_threads() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), false, Weights::F32, false);
    for arguments in ALL {
        let mut first = None;
        // Communities need memory to sort in.
        let little = if ["louvain", "leiden"].contains(&arguments[0]) { "16M" } else { "8M" };
        for limits in [
            ["--memory", "64M", "--threads", "1", "--concurrency", "1"],
            ["--memory", little, "--threads", "3", "--concurrency", "48"],
        ] {
            // What depth-first search finds depends on how many go at once; that it is a forest has its own
            // tests.
            if arguments[0] == "dfs" && first.is_some() {
                continue;
            }
            let output = ["-o", "r.csv"];
            let ran = graph(dir, &[arguments, &limits[..], &output[..]].concat()).succeeded();
            assert!(
                ran.stdout.contains("result in r.csv") && ran.stdout.contains("limits: "),
                "{}",
                ran.stdout
            );
            let bytes = fs::read(dir.join("r.csv")).unwrap();
            assert!(bytes.len() > VERTICES as usize * 2, "a row for each vertex");
            assert!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{arguments:?} {limits:?}");
        }
    }
    assert_eq!(names(dir), ["g", "r.csv"]);
}

#[test]
fn json_is_one_document_with_the_numbers_of_the_run() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), false, Weights::F32, false);
    for arguments in ALL {
        let more = ["--json", "--runs", "2", "--memory", "64M", "-o", "r.parquet"];
        let ran = graph(dir, &[arguments, &more[..]].concat()).succeeded();
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        for key in ["seconds", "edges_per_second", "mean_depth", "waiting", "computing_seconds"] {
            assert!(report[key].is_f64(), "{key}: {report}");
        }
        for key in ["iterations", "edges", "bytes_read", "requests", "cache_hits", "cache_misses"] {
            assert!(report[key].is_u64(), "{key}: {report}");
        }
        assert_eq!(report["memory_cap_bytes"], 64 << 20);
        assert!(report["memory_bytes"].as_u64().unwrap() <= 64 << 20);
        assert!(report["peak_rss_bytes"].as_u64().unwrap() > 1 << 20);
        assert_eq!(report["output"], "r.parquet");
        assert_eq!(report["vertices"], VERTICES);
        let runs = report["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 2);
        assert!(runs[0]["bytes_read"].as_u64().unwrap() > 0, "the first run reads: {report}");
    }
    let ran = graph(dir, &["bfs", "g", "--source", "0", "--json"]).succeeded();
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&report["result"]["reached"], &report["result"]["depth"]),
        (&(VERTICES - 4).into(), &1.into())
    );
    assert_eq!(report["output"], Value::Null);
}

#[test]
fn results_are_right_in_every_format() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), true, Weights::None, true);
    for file in ["r.csv", "r.bin", "r.parquet"] {
        graph(dir, &["bfs", "g", "--source", "0", "-o", file]).succeeded();
    }
    let csv = fs::read_to_string(dir.join("r.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[..4], ["vertex,level", "0,0", "1,1", "2,1"]);
    assert_eq!(lines[VERTICES as usize], "4999,-1", "what is not reached");
    let records = fs::read(dir.join("r.bin")).unwrap();
    let number = |at: usize| i64::from_le_bytes(records[at..at + 8].try_into().unwrap());
    let file = File::open(dir.join("r.parquet")).unwrap();
    let rows = SerializedFileReader::new(file).unwrap();
    let mut rows = rows.get_row_iter(None).unwrap();
    for (i, line) in lines[1..].iter().enumerate() {
        let row: Vec<String> =
            rows.next().unwrap().unwrap().get_column_iter().map(|(_, v)| v.to_string()).collect();
        assert_eq!(row.join(","), *line);
        assert_eq!(format!("{},{}", number(i * 16), number(i * 16 + 8)), *line);
    }
    graph(dir, &["bfs", "g", "--source", "4996", "--parents", "-o", "p.csv"]).succeeded();
    let csv = fs::read_to_string(dir.join("p.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[VERTICES as usize - 3..], ["4996,0,", "4997,1,4996", "4998,2,4997", "4999,-1,"]);
    graph(dir, &["wcc", "g", "-o", "c.csv"]).succeeded();
    let csv = fs::read_to_string(dir.join("c.csv")).unwrap();
    assert!(csv.ends_with("4995,0\n4996,4996\n4997,4996\n4998,4996\n4999,4999\n"));
    graph(dir, &["walk", "g", "--source", "4996", "--walkers", "2", "--length", "9", "-o", "w.txt"])
        .succeeded();
    assert_eq!(fs::read_to_string(dir.join("w.txt")).unwrap(), "4996 4997 4998\n".repeat(2));
}

#[test]
fn similarities_stand_in_the_order_of_the_pairs() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), true, Weights::None, true);
    // 4996 leads to 4997, and 4997 to 4998; 2 leads to 14 and 1, and 1 to 7 and 0.
    fs::write(dir.join("pairs.txt"), "4997 4996\n2 2\n4996 4996\n2 1\n0 2\n").unwrap();
    graph(dir, &["similarity", "g", "--pairs", "pairs.txt", "--measure", "overlap", "-o", "r.csv"])
        .succeeded();
    assert_eq!(
        fs::read_to_string(dir.join("r.csv")).unwrap(),
        "vertex,other,similarity\n4997,4996,0\n2,2,1\n4996,4996,1\n2,1,0\n0,2,1\n"
    );
    fs::write(dir.join("bad.txt"), "1 2\n1 9999\n").unwrap();
    graph(dir, &["similarity", "g", "--pairs", "bad.txt"]).refused(&["has no vertex 9999"]);
    let top = ["similarity", "g", "--top", "1", "--skip-above", "1", "-o", "top.csv"];
    graph(dir, &top).succeeded();
    assert!(fs::read_to_string(dir.join("top.csv")).unwrap().starts_with("vertex,other,similarity\n"));
}

#[test]
fn what_cannot_be_done_is_refused_in_one_line() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), true, Weights::None, false);
    fs::write(dir.join("odd"), "what is this, then\n").unwrap();
    let bytes = fs::read(dir.join("g")).unwrap();
    fs::write(dir.join("short"), &bytes[..bytes.len() / 2 / 4096 * 4096]).unwrap();
    let changed = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        bytes
    };
    fs::write(dir.join("newer"), changed(8)).unwrap();
    fs::write(dir.join("header"), changed(100)).unwrap();
    fs::write(dir.join("block"), changed(4096 + 200)).unwrap();
    let before = names(dir);
    let file = ["-o", "r.csv"];
    for (arguments, said) in [
        (&["bfs", "g", "--source", "5000"][..], &["g: has no vertex 5000", "0 to 4999"][..]),
        (&["bfs", "g", "--source", "x"], &["no vertex x"]),
        (&["bfs", "g"], &["--source"]),
        (&["pagerank", "g", "--source", "9999"], &["no vertex 9999"]),
        (&["pagerank", "g", "--damping", "1.5"], &["'1.5' for '--damping <D>': must be from 0 to 1"]),
        (
            &["pagerank", "g", "--iterations", "0"],
            &["--iterations", "must be a whole number from 1 to 1000000"],
        ),
        (&["pagerank", "g", "--tolerance", "-1"], &["'-1' for '--tolerance <CHANGE>': must be from 0 to 2"]),
        (&["pagerank", "g", "--tolerance", "no"], &["--tolerance", "1e-9"]),
        (&["pagerank", "g", "--weighted"], &["g: weighted PageRank needs weights", "--weights"]),
        (&["sssp", "g", "--source", "0"], &["needs weights", "--weights"]),
        (&["walk", "g", "--weighted"], &["needs weights", "--weights"]),
        (&["walk", "g", "--q", "0"], &["'0' for '--q <Q>': must be above 0"]),
        (&["walk", "g", "--per-vertex", "2", "--walkers", "3"], &["--per-vertex", "--walkers"]),
        (&["lcc", "g"], &["needs incoming edges", "--reverse"]),
        (&["scc", "g"], &["needs incoming edges", "--reverse"]),
        (&["triangles", "g"], &["needs incoming edges", "--reverse"]),
        (&["similarity", "g", "--top", "3"], &["needs incoming edges", "--reverse"]),
        (&["similarity", "g"], &["--pairs", "--top"]),
        (&["similarity", "g", "--top", "3", "--measure", "cosine"], &["--measure", "jaccard or overlap"]),
        (&["similarity", "g", "--pairs", "odd"], &["odd"]),
        (&["kcore", "g"], &["needs incoming edges", "--reverse"]),
        (&["cdlp", "g"], &["needs incoming edges", "--reverse"]),
        (&["wcc", "g", "--memory", "4K"], &["--memory 4K", "needs at least"]),
        (&["wcc", "g", "--threads", "0"], &["--threads"]),
        (&["wcc", "g", "--profile", "odd"], &["odd"]),
        (&["wcc", "none"], &["none: cannot be opened: No such file"]),
        (&["wcc", "odd"], &["odd: is not a graph store", "leadline graph import"]),
        (&["wcc", "short"], &["short: is damaged: it is cut short"]),
        (&["wcc", "newer"], &["newer: is a graph store of version 0", "import it again"]),
        (&["wcc", "header"], &["header: is damaged", "checksum"]),
        (&["wcc", "block"], &["block: is damaged: block 0, at byte 4096, fails its checksum"]),
        (&["bfs", "g", "--source", "0", "--parents"], &["--output"]),
    ] {
        for more in [&[][..], &file[..]] {
            if arguments.contains(&"--parents") && !more.is_empty() {
                continue;
            }
            graph(dir, &[arguments, more].concat()).refused(said);
            assert_eq!(names(dir), before, "{arguments:?}");
        }
    }
    for (output, said) in [
        ("r", "r: its ending is no known format"),
        ("no/r.csv", "no/r.csv: its directory cannot be written"),
        ("g", "-o g: is the same file as STORE g"),
        ("/dev/null", "no regular file"),
    ] {
        let said: &[&str] = if output == "/dev/null" { &["/dev/null"] } else { &[said] };
        graph(dir, &["wcc", "g", "-o", output]).refused(said);
        assert_eq!(names(dir), before, "{output}");
    }
    assert_eq!(fs::read(dir.join("g")).unwrap(), bytes);
}

#[test]
fn a_tolerance_that_is_not_reached_is_said_and_is_in_the_document() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), true, Weights::None, false);
    let run = |more: &[&str]| {
        let ran = graph(dir, &[&["pagerank", "g", "--json"], more].concat()).succeeded();
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        (document["result"]["converged"].clone(), ran.stderr)
    };
    let (converged, stderr) = run(&["--tolerance", "1e-12", "--iterations", "3"]);
    assert_eq!(converged, false);
    assert!(
        stderr.contains("PageRank has not converged: iteration 3 still changed the ranks by"),
        "{stderr}"
    );
    let (converged, stderr) = run(&["--tolerance", "1e-12"]);
    assert_eq!((converged, stderr.contains("converged")), (Value::Bool(true), false));
    assert_eq!(run(&[]).0, Value::Null);
}

#[test]
fn too_little_memory_names_what_is_enough() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), false, Weights::F32, false);
    for arguments in ALL {
        let ran = graph(dir, &[arguments, &["--memory", "16K", "--threads", "2"]].concat());
        ran.refused(&["--memory 16K", "needs at least"]);
        let needed = ran.stderr.split("at least ").nth(1).unwrap().split(';').next().unwrap();
        graph(dir, &[arguments, &["--memory", needed, "--threads", "2"]].concat()).succeeded();
    }
}

/// What `--estimate` says of a run.
fn estimate(dir: &Path, arguments: &[&str]) -> Value {
    let before = names(dir);
    let ran = graph(dir, &[arguments, &["--estimate", "--json"]].concat()).succeeded();
    assert_eq!(names(dir), before, "nothing is written");
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn the_least_memory_that_is_estimated_is_the_least() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), false, Weights::F32, false);
    for arguments in ALL {
        let with_file: &[&str] = &["-o", "r.csv"];
        for (key, output) in [("least_memory_bytes", &[][..]), ("least_memory_with_file_bytes", with_file)] {
            let least =
                estimate(dir, &[arguments, &["--threads", "2"], output].concat())[key].as_u64().unwrap();
            let with = |memory: u64| {
                let memory = memory.to_string();
                graph(dir, &[arguments, &["--threads", "2", "--memory", &memory], output].concat())
            };
            with(least).succeeded();
            with(least - 1024).refused(&["needs at least"]);
            let of_too_little =
                estimate(dir, &[arguments, &["--threads", "2", "--memory", "8K"], output].concat());
            assert_eq!(of_too_little[key], least, "the cap does not matter for it");
            assert_eq!(of_too_little["enough_memory"], false);
            assert_eq!(of_too_little["bytes_read"], Value::Null);
        }
    }
}

#[test]
fn what_pagerank_reads_is_as_estimated() {
    let dir = folder();
    let dir = dir.path();
    for (name, directed, reverse) in [("u", false, false), ("d", true, false), ("r", true, true)] {
        store(&dir.join(name), directed, Weights::F32, reverse);
        let arguments = ["pagerank", name, "--iterations", "7", "--threads", "2"];
        let least = estimate(dir, &arguments)["least_memory_bytes"].as_u64().unwrap();
        for more in [0, 60 << 10, 100 << 10, 64 << 20] {
            let memory = (least + more).to_string();
            let arguments = [&arguments[..], &["--memory", &memory]].concat();
            let estimate = estimate(dir, &arguments);
            assert_eq!(estimate["all_cached"], more == 64 << 20, "{estimate}");
            let ran = graph(dir, &[&arguments[..], &["--json"]].concat()).succeeded();
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            let read = report["bytes_read"].as_f64().unwrap();
            for expected in estimate["bytes_read"].as_array().unwrap() {
                let off = read / expected.as_f64().unwrap();
                assert!((0.97..1.03).contains(&off), "{name}, {more}: {read}, {estimate}");
            }
        }
    }
}

#[test]
fn ranks_by_weights_refuse_a_negative_one_by_its_ids() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("e.csv"), "source,target,weight\n10,20,0.5\n20,30,-2\n30,10,1\n").unwrap();
    graph(dir, &["import", "e.csv", "g", "--weights"]).succeeded();
    let named = "g: the edge from 20 to 30 has a negative weight, or one that is not finite";
    graph(dir, &["pagerank", "g", "--weighted", "-o", "r.csv"]).refused(&[named]);
    graph(dir, &["pagerank", "g", "-o", "r.csv"]).succeeded();
}

#[test]
fn an_estimate_is_words_too_and_needs_what_the_run_needs() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), true, Weights::None, false);
    let ran = graph(dir, &["wcc", "g", "--estimate", "--memory", "64M"]).succeeded();
    for said in [
        "estimated, not run",
        "5,000 vertices",
        "memory: ",
        "K at least",
        "with 64M",
        "computing: ",
        "--profile",
    ] {
        assert!(ran.stdout.contains(said), "no {said:?} in {}", ran.stdout);
    }
    let ran = graph(dir, &["wcc", "g", "--estimate", "--memory", "8K"]).succeeded();
    assert!(ran.stdout.contains("8K is not enough"), "{}", ran.stdout);
    graph(dir, &["kcore", "g", "--estimate"]).refused(&["needs incoming edges", "--reverse"]);
    graph(dir, &["sssp", "g", "--source", "0", "--estimate"]).refused(&["needs weights", "--weights"]);
    graph(dir, &["pagerank", "g", "--weighted", "--estimate"]).refused(&["needs weights", "--weights"]);
    graph(dir, &["bfs", "g", "--source", "5000", "--estimate"]).refused(&["has no vertex 5000"]);
}

#[test]
fn the_device_sets_depth_and_bound() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), false, Weights::None, false);
    let profile = dir.join("p.json");
    run(dir, &["profile", "sim:flash", "--quick", "-o", text(&profile)]).succeeded();
    let ran = graph(dir, &["wcc", "g", "--profile", "p.json", "--json", "--memory", "64M", "--threads", "1"])
        .succeeded();
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let measured: Value = serde_json::from_str(&fs::read_to_string(&profile).unwrap()).unwrap();
    let of_4k = |p: &&Value| p["pattern"] == "random" && p["block_bytes"] == 4096;
    let k_r_90 = &measured["parameters"].as_array().unwrap().iter().find(of_4k).unwrap()["k_r_90"];
    assert!(k_r_90.is_u64(), "{measured}");
    assert_eq!(report["depth"], *k_r_90);
    assert!(report["device_seconds"].as_f64().unwrap() > 0.0, "{report}");
    let estimate = estimate(dir, &["wcc", "g", "--profile", "p.json"]);
    let interval = |key: &str| [0, 1].map(|end| estimate[key][end].as_f64().unwrap());
    let ([least, most], reading) = (interval("seconds"), interval("reading_seconds"));
    assert!(0.0 < reading[0] && reading[0] <= least && least < most && reading[1] < most, "{estimate}");
    let ran = graph(dir, &["wcc", "g", "--profile", "p.json"]).succeeded();
    assert!(ran.stdout.contains("reading alone"), "{}", ran.stdout);
    graph(dir, &["wcc", "g", "--profile", "p.json", "--concurrency", "4"])
        .refused(&["--concurrency", "--profile"]);
}

#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let dir = folder();
    let dir = dir.path();
    store(&dir.join("g"), false, Weights::None, false);
    fs::write(dir.join("r.csv"), "what was there\n").unwrap();
    for signal in [Signal::INT, Signal::TERM] {
        let running = start(dir, &["graph", "pagerank", "g", "--iterations", "1000000", "-o", "r.csv"]);
        // The engine's threads show that it is under way, with the file for its results made before.
        running.has_thread("leadline-graph");
        running.signal(signal);
        let (ran, _, _) = running.end();
        ran.failed(1, &["interrupted; nothing was left behind"]);
        assert_eq!(ran.stdout, "");
        assert_eq!(names(dir), ["g", "r.csv"]);
        assert_eq!(fs::read_to_string(dir.join("r.csv")).unwrap(), "what was there\n");
    }
}

#[test]
fn the_communities_of_each_level_are_files_of_their_own() {
    let dir = folder();
    let dir = dir.path();
    // A ring of rings: the rings are communities of the first level, and some of them together of the next.
    let ring =
        |first: u32, each: u32, n: u32| (0..n).map(move |i| (first + i * each, first + (i + 1) % n * each));
    let edges = (0..30).flat_map(|at| ring(at * 5, 1, 5)).chain(ring(0, 5, 30));
    let text: String = edges.map(|(a, b)| format!("{a} {b}\n")).collect();
    fs::write(dir.join("rings.el"), text).unwrap();
    graph(dir, &["import", "rings.el", "rings", "--undirected"]).succeeded();
    for algorithm in ["louvain", "leiden"] {
        let arguments = [algorithm, "rings", "--levels", "levels", "--json", "-o", "r.csv"];
        let ran = graph(dir, &arguments).succeeded();
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let levels = report["result"]["levels"].as_array().unwrap();
        assert!(levels.len() > 1, "{report}");
        for (number, level) in (1..).zip(levels) {
            let csv = fs::read_to_string(dir.join(format!("levels/level-{number}.csv"))).unwrap();
            let mut found: Vec<&str> =
                csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
            assert_eq!((csv.lines().next(), found.len()), (Some("vertex,community"), 150));
            found.sort_unstable();
            found.dedup();
            assert_eq!(level["communities"], found.len());
        }
        let last = fs::read(dir.join(format!("levels/level-{}.csv", levels.len()))).unwrap();
        assert!(last == fs::read(dir.join("r.csv")).unwrap(), "the last level is the result");
    }
    for (flag, value) in [("--resolution", "0"), ("--resolution", "inf"), ("--max-levels", "0")] {
        graph(dir, &["leiden", "rings", flag, value]).refused(&[flag]);
    }
}

#[test]
fn a_file_of_the_users_beside_a_result_is_not_replaced() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("edges.csv"), "source,target\n1,2\n2,3\n").unwrap();
    run(dir, &["graph", "import", "edges.csv", "g"]).succeeded();
    fs::write(dir.join("r.bin.json"), "{\"mine\": true}").unwrap();
    let before = names(dir);
    let ran = run(dir, &["graph", "pagerank", "g", "-o", "r.bin"]);
    ran.refused(&["r.bin.json", "would be replaced by the description of r.bin"]);
    assert_eq!(fs::read_to_string(dir.join("r.bin.json")).unwrap(), "{\"mine\": true}");
    assert_eq!(names(dir), before);
    // A text result has no such file, and one of Leadline's own is replaced.
    run(dir, &["graph", "pagerank", "g", "-o", "r.csv"]).succeeded();
    fs::remove_file(dir.join("r.bin.json")).unwrap();
    run(dir, &["graph", "pagerank", "g", "-o", "r.bin"]).succeeded();
    run(dir, &["graph", "wcc", "g", "-o", "r.bin"]).succeeded();
}

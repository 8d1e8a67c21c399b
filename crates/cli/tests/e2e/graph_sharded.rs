//! Graphs of more vertices than a store that is one file holds, which is made small here.

use std::fs;
use std::path::Path;

use leadline_testing::machine::{Mounted, needs_root, skipped};
use rustix::process::Signal;
use serde_json::Value;

use crate::ran::{Ran, folder, names, run, start, text};

fn graph(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["graph"], arguments].concat())
}

fn json(ran: Ran) -> Value {
    let text = ran.succeeded().stdout;
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Edges in pairs of 64 bits: a path of ids with gaps, and triangles.
fn edges(count: u64) -> Vec<u8> {
    let path = (0..count).map(|vertex| (3 * vertex, 3 * vertex + 3));
    let far = 1 << 33;
    let triangles = (0..count).map(|edge| (far + edge, far + edge / 3 * 3 + (edge + 1) % 3));
    path.chain(triangles).flat_map(|(from, to)| [from.to_le_bytes(), to.to_le_bytes()].concat()).collect()
}

/// The same edges as a store that is one file and as a sharded one.
fn stores(dir: &Path) {
    fs::write(dir.join("a.u64"), edges(3000)).unwrap();
    graph(dir, &["import", "a.u64", "one", "--undirected"]).succeeded();
    let options = ["--undirected", "--shard-vertices", "2500", "--json"];
    let report = json(graph(dir, &[&["import", "a.u64", "g"], &options[..]].concat()));
    assert_eq!(
        (&report["sharded"], &report["vertices"], &report["edges"]),
        (&true.into(), &6001.into(), &6000.into())
    );
}

#[test]
fn a_sharded_store_is_described_checked_and_searched() {
    let dir = folder();
    let dir = dir.path();
    stores(dir);
    let info = json(graph(dir, &["info", "g", "--json"]));
    assert_eq!((&info["shards"], &info["tiles"], &info["ids"]), (&3.into(), &7.into(), &"numbers".into()));
    let words = graph(dir, &["info", "g"]).succeeded().stdout;
    assert!(words.contains("a sharded graph store") && words.contains("3 of 2,001 vertices"), "{words}");
    let verified = json(graph(dir, &["verify", "g", "--json"]));
    assert_eq!((&verified["vertices"], &verified["entries"]), (&6001.into(), &12_000.into()));
    for arguments in [&["bfs", "--source", "3"][..], &["wcc"]] {
        let [one, sharded] = ["one", "g"].map(|store| {
            let out = format!("{store}.csv");
            let more = [store, "-o", &out, "--memory", "64M", "--json"];
            let report = json(graph(dir, &[&arguments[..1], &more[..], &arguments[1..]].concat()));
            (report, fs::read_to_string(dir.join(out)).unwrap())
        });
        assert!(one.1 == sharded.1, "{arguments:?}");
        for key in ["algorithm", "result", "vertices", "graph_edges"] {
            assert_eq!(one.0[key], sharded.0[key]);
        }
        assert!(sharded.0["bytes_read"].as_u64().unwrap() > 0);
    }
    let said = graph(dir, &["wcc", "g", "--runs", "2"]).succeeded().stdout;
    assert!(said.contains("1,001 components") && said.contains("run 2: "), "{said}");
}

#[test]
fn what_does_not_run_on_a_sharded_store_says_so_in_one_line() {
    let dir = folder();
    let dir = dir.path();
    stores(dir);
    fs::write(dir.join("more.el"), "1 2\n").unwrap();
    let only = "only graph info, verify, bfs and wcc run on it";
    let remedy = "For anything else import at most 4294967295 vertices";
    for words in [
        "pagerank g",
        "sssp g --source 3",
        "cdlp g",
        "scc g",
        "lcc g",
        "triangles g",
        "kcore g",
        "louvain g",
        "leiden g",
        "similarity g --top 3 -o out.csv",
        "dfs g --source 3 -o out.csv",
        "walk g -o out.csv",
        "neighbors g 3",
        "ego g 3 --hops 1",
        "subgraph g 3 6",
        "export g out.csv",
        "export g out --format parquet",
        "update g more.el",
        "update g more.el --delete",
        "update g more.el --dry-run",
        "compact g",
        "compact g --dry-run",
    ] {
        let before = names(dir);
        let arguments: Vec<&str> = words.split(' ').collect();
        graph(dir, &arguments).failed(2, &["g: is a sharded graph store", only, remedy]);
        assert_eq!(names(dir), before);
    }
    for (arguments, said) in [
        (&["bfs", "g", "--source", "3", "--estimate"][..], "leave out --estimate"),
        (&["bfs", "g", "--source", "3", "--parents", "-o", "x.csv"], "bfs has no --parents; leave it out"),
        (&["bfs", "g", "--source", "1"], "has no vertex 1; its ids go from 0"),
        (&["wcc", "g", "--from", "x.parquet"], "wcc has no --from; leave it out"),
        (&["pagerank", "g", "--estimate"], "leave out --estimate"),
        (&["info", "g", "--report", "x.html"], "leave out --report"),
        (&["import", "a.u64", "g"], "which no import replaces"),
        (&["import", "a.u64", "h", "--renumber", "--shard-vertices", "99"], "renumbered holds at most 99"),
        (&["wcc", "g/tile-0-0"], "part of a sharded graph store"),
        (&["wcc", "g", "--memory", "40K"], "needs at least"),
    ] {
        graph(dir, arguments).failed(2, &[said]);
    }
    assert_eq!(names(dir), ["a.u64", "g", "more.el", "one"]);
}

#[test]
fn an_import_that_is_interrupted_or_fills_the_disk_leaves_nothing() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("a.u64"), edges(1_000_000)).unwrap();
    let arguments = ["graph", "import", "a.u64", "g", "--shard-vertices", "700000", "--memory", "16M"];
    for phase in ["read", "write"] {
        let mut running = start(dir, &arguments);
        running.reaches(phase);
        running.signal(Signal::INT);
        running.end().0.failed(1, &["interrupted; nothing was left behind"]);
        assert_eq!(names(dir), ["a.u64"]);
    }
    needs_root!();
    let Some(mounted) = Mounted::new("tmpfs", Path::new("none"), "size=8m") else {
        return skipped("no tmpfs to be mounted");
    };
    let store = mounted.path().join("g");
    let more = ["--shard-vertices", "700000", "--memory", "64M"];
    let ran = graph(dir, &[&["import", "a.u64", text(&store)], &more[..]].concat());
    ran.failed(1, &["cannot be written", "No space left"]);
    assert!(names(mounted.path()).is_empty());
}

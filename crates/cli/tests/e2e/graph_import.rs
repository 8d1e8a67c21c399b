//! `leadline graph import`, `export`, `info` and `verify` from the outside.

use std::fs;
use std::path::Path;

use leadline_testing::machine::{Mounted, needs_root, skipped};
use rustix::process::Signal;
use serde_json::Value;

use crate::ran::{folder, names, run, start, text};

fn write(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(dir.join(name), bytes).unwrap();
}

fn json(text: &str) -> Value {
    // Trailing text would be an error.
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Edges that an import works on for a while.
fn many_edges() -> Vec<u8> {
    let mut random = 1u32;
    let mut number = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 8
    };
    (0..8_000_000).flat_map(|_| number().to_le_bytes()).collect()
}

#[test]
fn rows_and_columns_and_vertices_without_edges_are_read_where_options_say_so() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n2 1\n");
    write(dir, "lonely.txt", "9\n");
    let refused = run(dir, &["graph", "import", "a.mtx", "a.store"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("read it as bipartite (--bipartite)"), "{}", refused.stderr);
    let options = ["--bipartite", "--vertices", "lonely.txt", "--json"];
    let report = json(
        &run(dir, &[&["graph", "import", "a.mtx", "a.store"][..], &options].concat()).succeeded().stdout,
    );
    assert_eq!((&report["vertices"], &report["input"]["first_edge"]["target"]), (&6.into(), &"3".into()));
    // What is read is not replaced.
    let refused =
        run(dir, &["graph", "import", "a.mtx", "lonely.txt", "--vertices", "lonely.txt", "--force"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let ragged = run(dir, &["graph", "import", "lonely.txt", "b.store"]);
    assert_eq!(ragged.code, Some(2), "{}", ragged.stderr);
}

#[test]
fn every_format_becomes_the_same_store() {
    let dir = folder();
    let dir = dir.path();
    let binary = |width: usize| -> Vec<u8> {
        [1u64, 2, 1, 3, 3, 1].iter().flat_map(|id| id.to_le_bytes()[..width].to_vec()).collect()
    };
    write(dir, "a.txt", "# comment\n1\t2\n1\t3\n3\t1\n");
    write(dir, "a.csv", "source,target\n1,2\n1,3\n3,1\n");
    write(dir, "a.tsv", "1\t2\n1\t3\n3\t1\n");
    write(dir, "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n1 3\n3 1\n");
    write(dir, "a.el", "1 2\n1 3\n3 1\n");
    write(dir, "a.wel", "1 2 9\n1 3 9\n3 1 9\n");
    write(dir, "a.v", "1\n2\n3\n");
    write(dir, "a.e", "1 2\n1 3\n3 1\n");
    write(dir, "a.u32", binary(4));
    write(dir, "a.u64", binary(8));
    write(dir, "a.adjlist", "1 2 3\n3 1\n");
    write(dir, "a.gr", "p sp 3 3\na 1 2 9\na 1 3 9\na 3 1 9\n");
    write(dir, "out.a", "% asym unweighted\n1 2\n1 3\n3 1\n");
    write(dir, "a.net", "*Vertices 3\n*Arcs\n1 2\n1 3\n3 1\n");
    let edge = |from: u32, to: u32| format!("edge [ source {from} target {to} ]\n");
    let nodes: String = (1..4).map(|id| format!("node [ id {id} ]\n")).collect();
    write(dir, "a.gml", format!("graph [ directed 1 {nodes}{}{}{}]", edge(1, 2), edge(1, 3), edge(3, 1)));
    for name in [
        "a.txt",
        "a.csv",
        "a.tsv",
        "a.mtx",
        "a.el",
        "a.wel",
        "a.e",
        "a.v",
        "a.u32",
        "a.u64",
        "a.adjlist",
        "a.gr",
        "out.a",
        "a.net",
        "a.gml",
    ] {
        let ran = run(dir, &["graph", "import", name, "a.store", "--json"]).succeeded();
        let report = json(&ran.stdout);
        assert_eq!((&report["vertices"], &report["edges"]), (&3.into(), &3.into()), "{name}");
        run(dir, &["graph", "verify", "a.store"]).succeeded();
        run(dir, &["graph", "export", "a.store", "out.csv", "--force"]).succeeded();
        let exported = fs::read_to_string(dir.join("out.csv")).unwrap();
        assert_eq!(
            exported.lines().filter(|line| ["1,2", "1,3", "3,1"].contains(line)).count(),
            3,
            "{exported}"
        );
        fs::remove_file(dir.join("out.csv")).unwrap();
    }
    write(dir, "a.graph", "4 2\n2 3\n1\n1\n\n");
    let ran = run(dir, &["graph", "import", "a.graph", "a.store", "--json"]).succeeded();
    let report = json(&ran.stdout);
    assert_eq!(
        (&report["vertices"], &report["edges"]),
        (&4.into(), &2.into()),
        "METIS lists each edge twice"
    );
}

#[test]
fn what_was_exported_is_imported_again() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.csv", "ann,bob,1.5\nbob,\"c, d\",2\n");
    run(dir, &["graph", "import", "a.csv", "a.store", "--weights"]).succeeded();
    for out in ["b.parquet", "b.tsv", "b.csv"] {
        run(dir, &["graph", "export", "a.store", out]).succeeded();
        let ran = run(dir, &["graph", "import", out, "b.store", "--weights", "--json"]).succeeded();
        assert_eq!(
            (json(&ran.stdout)["vertices"].as_u64(), json(&ran.stdout)["edges"].as_u64()),
            (Some(3), Some(2))
        );
        let info = json(&run(dir, &["graph", "info", "b.store", "--json"]).succeeded().stdout);
        assert_eq!((info["ids"].as_str(), info["weights"].as_str()), (Some("strings"), Some("f32")), "{out}");
    }
}

#[test]
fn a_weight_that_64_bits_rounded_is_not_called_exact() {
    let dir = folder();
    let dir = dir.path();
    // 2^53 + 1, of which 64 bits of floating point make 2^53.
    write(dir, "a.csv", "1,2,9007199254740993\n2,3,0.5\n");
    run(dir, &["graph", "import", "a.csv", "a.store", "--weights"]).succeeded();
    let info = run(dir, &["graph", "info", "a.store"]).succeeded().stdout;
    let weights = info.lines().find(|line| line.trim_start().starts_with("weights")).unwrap();
    assert!(weights.contains("32 bits each") && !weights.contains("exact"), "{weights}");
    run(dir, &["graph", "export", "a.store", "b.csv"]).succeeded();
    let exported = fs::read_to_string(dir.join("b.csv")).unwrap();
    assert!(exported.contains("9007199254740992"), "{exported}");
}

/// Version 0.1.0 wrote it, of a ring of three, when stores still held the time of their import.
const EARLIER: &[u8] = include_bytes!("earlier.graph");

#[test]
fn a_store_of_an_earlier_version_is_read_and_shows_its_import_time() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("g"), EARLIER).unwrap();
    let info = run(dir, &["graph", "info", "g"]).succeeded().stdout;
    assert!(info.contains("import time  0.01 s"), "{info}");
    run(dir, &["graph", "verify", "g"]).succeeded();
    let found = json(&run(dir, &["graph", "wcc", "g", "--json"]).succeeded().stdout);
    assert_eq!(found["result"]["components"].as_u64(), Some(1), "{found}");
}

#[test]
fn an_import_says_how_long_it_took_and_info_what_came_of_it() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.el", "1 2\n1 2\n2 2\n7 1\n");
    let ran = run(dir, &["graph", "import", "a.el", "a.store", "--dedupe", "--drop-self-loops"]).succeeded();
    for part in ["import time", "edges/s", "B/s of input", "1 parallel edges, 1 self-loops"] {
        assert!(ran.stdout.contains(part), "no {part} in {}", ran.stdout);
    }
    let ran = run(dir, &["graph", "info", "a.store", "--report", "a.html"]).succeeded();
    for part in ["vertices", "bytes per edge", "directed", "degree"] {
        assert!(ran.stdout.contains(part), "no {part} in {}", ran.stdout);
    }
    let page = fs::read_to_string(dir.join("a.html")).unwrap();
    assert!(page.contains("g-degrees") && !page.contains("https:\""));
    let info = json(&run(dir, &["graph", "info", "a.store", "--json"]).succeeded().stdout);
    assert_eq!((info["vertices"].as_u64(), info["edges"].as_u64()), (Some(3), Some(2)));
    // Stores do not hold the time of their import, so that the same edges give the same bytes.
    assert!(info["import_seconds"].is_null(), "{info}");
    let counted: u64 =
        info["degrees"].as_array().unwrap().iter().map(|bin| bin["vertices"].as_u64().unwrap()).sum();
    assert_eq!(counted, 3);
}

#[test]
fn bad_input_is_refused_in_one_line_and_leaves_nothing() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.el", "1 2\n12\n");
    write(dir, "names.csv", "1,2\n3,bob\n");
    write(dir, "odd.u32", "123456789");
    write(dir, "good.el", "1 2\n");
    write(dir, "notes.txt.bak", "mine\n");
    let before = names(dir);
    for (arguments, parts) in [
        (&["a.el", "x"][..], &["a.el: line 2: expected at least 2 columns between blanks, found \"12\""][..]),
        (&["names.csv", "x"], &["names.csv: line 2: expected a target id, found \"bob\"", "--ids strings"]),
        (&["odd.u32", "x"], &["odd.u32: expected pairs of 8 bytes, found 9 bytes"]),
        (&["good.el", "x", "--weights"], &["good.el: has no weights as el", "--weights"]),
        (&["good.el", "notes.txt.bak"], &["notes.txt.bak: exists and is not a graph store", "--force"]),
        (&["good.el", "good.el", "--force"], &["STORE good.el: is the same file as EDGES good.el"]),
        (&["good.el", "no/x"], &["no/x: its directory cannot be written"]),
        (&["good.el", "x", "--block-size", "5K"], &["--block-size", "4K, 8K, 16K, 32K or 64K"]),
        (&["good.el", "x", "--format", "elf"], &["--format", "did you mean 'el'?"]),
        (&["good.el", "x", "--directed", "--undirected"], &["--directed", "--undirected"]),
        (&["good.el", "x", "--memory", "4K"], &["--memory"]),
        (&["none.el", "x"], &["none.el: cannot be opened"]),
        (&["notes.txt.bak", "x"], &["its name does not tell its format", "--format"]),
    ] {
        run(dir, &[&["graph", "import"], arguments].concat()).failed(2, parts);
        assert_eq!(names(dir), before, "{arguments:?}");
    }
    assert_eq!(fs::read_to_string(dir.join("notes.txt.bak")).unwrap(), "mine\n");
    for command in ["info", "verify"] {
        run(dir, &["graph", command, "missing"]).failed(2, &["missing: cannot be opened: No such file"]);
        run(dir, &["graph", command, "good.el"])
            .failed(2, &["good.el: is not a graph store", "leadline graph import"]);
    }
}

#[test]
fn a_store_is_replaced_and_another_file_only_by_force() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.el", "1 2\n");
    write(dir, "b.el", "1 2\n2 3\n");
    write(dir, "x", "mine\n");
    run(dir, &["graph", "import", "a.el", "x", "--force"]).succeeded();
    run(dir, &["graph", "import", "b.el", "x"]).succeeded();
    let info = json(&run(dir, &["graph", "info", "x", "--json"]).succeeded().stdout);
    assert_eq!(info["edges"].as_u64(), Some(2));
    assert_eq!(names(dir), ["a.el", "b.el", "x"]);
}

#[test]
fn damage_is_found() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.el", "1 2\n2 3\n");
    run(dir, &["graph", "import", "a.el", "x"]).succeeded();
    let mut bytes = fs::read(dir.join("x")).unwrap();
    bytes[4096 + 40] ^= 1;
    fs::write(dir.join("x"), bytes).unwrap();
    run(dir, &["graph", "verify", "x"]).failed(2, &["x: is damaged: ", "import it again"]);
}

#[test]
fn an_import_that_is_ended_leaves_no_store() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.u32", many_edges());
    write(dir, "old.el", "1 2\n");
    run(dir, &["graph", "import", "old.el", "x"]).succeeded();
    let old = fs::read(dir.join("x")).unwrap();
    for (signal, store) in [(Signal::KILL, "y"), (Signal::INT, "y"), (Signal::TERM, "x")] {
        let mut running = start(dir, &["graph", "import", "a.u32", store, "--memory", "16M"]);
        running.reaches("read");
        running.signal(signal);
        let (ran, status, _) = running.end();
        assert!(!status.success() && ran.stdout.is_empty(), "{ran:?}");
        if signal != Signal::KILL {
            ran.failed(1, &["interrupted; nothing was left behind"]);
        }
        assert_eq!(names(dir), ["a.u32", "old.el", "x"], "{signal:?}");
        assert_eq!(fs::read(dir.join("x")).unwrap(), old, "the old store is as it was");
    }
}

#[test]
fn a_full_disk_is_one_line_and_leaves_nothing() {
    needs_root!();
    let Some(mounted) = Mounted::new("tmpfs", Path::new("none"), "size=8m") else {
        return skipped("no tmpfs to be mounted");
    };
    let dir = folder();
    let dir = dir.path();
    write(dir, "a.u32", many_edges());
    let store = mounted.path().join("x");
    let ran = run(dir, &["graph", "import", "a.u32", text(&store), "--memory", "16M"]);
    ran.failed(1, &["cannot be written", "No space left"]);
    assert!(names(mounted.path()).is_empty());
}

#[test]
fn a_preview_shows_how_a_file_is_read_and_writes_nothing() {
    let dir = folder();
    let dir = dir.path();
    write(dir, "films.csv", "film;person;stars\nAlien;ann;4\nHeat;bob;5\n");
    let options = ["--source-column", "person", "--target-column", "film"];
    run(dir, &["graph", "import", "films.csv", "--preview"])
        .failed(2, &["films.csv: line 2: ", "\"stars\"", "--weights or --ignore-columns"]);
    let arguments =
        [&["graph", "import", "films.csv", "--preview", "--ignore-columns"], &options[..]].concat();
    let shown = run(dir, &arguments).succeeded().stdout;
    for part in
        ["ann -> Alien", "bob -> Heat", "semicolon", "yes: ", "person, film; left out: stars", "strings"]
    {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    let preview = json(&run(dir, &[&arguments[..], &["--json"]].concat()).succeeded().stdout);
    assert_eq!(preview["input"]["text"]["delimiter"], "semicolon");
    assert_eq!(preview["edges"][1]["source"], "bob");
    assert_eq!(names(dir), ["films.csv"]);

    write(dir, "names.csv", "ann,bob\ncarl,dora\n");
    run(dir, &["graph", "import", "names.csv", "x"]).failed(2, &["--header yes or --header no"]);
    run(dir, &["graph", "import", "names.csv", "x", "--header", "no", "--dedupe=max"]).succeeded();
    run(dir, &["graph", "import", "names.csv"]).failed(2, &["STORE"]);
}

//! What commands print where no terminal says how wide it is: lines of at most 80 columns, with whole
//! numbers.

use std::fs;
use std::path::Path;

use leadline_trace::capture::{Event, Operation, Thread, Writer};

use crate::ran::{folder, program, run, text};
use crate::simulated::profiled;

/// Whether a line cannot be broken: a command that is to be pasted, a long path.
fn is_whole(line: &str) -> bool {
    line.contains(": leadline ") || line.split(' ').any(|word| word.chars().count() > 60)
}

/// Each command prints something, and no line of it is too wide.
#[track_caller]
fn assert_narrow(dir: &Path, commands: &[&[&str]]) {
    for command in commands {
        let ran = run(dir, command);
        assert!(matches!(ran.code, Some(0 | 1)), "{command:?}: {}", ran.stderr);
        assert!(ran.stdout.lines().count() > 0, "{command:?} prints nothing: {}", ran.stderr);
        for line in ran.stdout.lines() {
            let columns = line.chars().count();
            let fits = columns <= 80 || is_whole(line);
            assert!(fits, "{command:?}: {columns} columns: {line}\n{}", ran.stdout);
        }
    }
}

fn flash(dir: &Path) {
    let profile = ["profile", "sim:flash", "--quick", "-o", "flash.json"];
    let experiment = |name| ["experiment", name, "sim:flash", "--quick", "--into", "flash.json"];
    profiled(dir, "flash.json", &[&profile, &experiment("r-by-k"), &experiment("ladder")]);
}

#[test]
fn profiles_and_models_fit_in_80_columns() {
    let dir = folder();
    flash(dir.path());
    let granularity = ["profile", "sim:sata", "--granularity", "--budget-seconds", "2", "-o", "sata.json"];
    assert_narrow(
        dir.path(),
        &[
            &[&granularity[..], &["--details"]].concat(),
            &["profile", "sim:flash", "--budget-seconds", "1"],
            &["profile", "sim:flash", "--dry-run"],
            &["experiment", "r-by-k", "sim:flash", "--quick"],
            &["report", "flash.json"],
            &["report", "flash.json", "--details"],
            &["report", "flash.json", "sata.json"],
            &["report", "device:p4510", "--details"],
            &["models", "flash.json"],
            &["predict", "flash.json", "--reads", "1e6", "--writes", "1e5", "--concurrency", "64"],
            &["predict", "flash.json", "--reads", "1e6", "--what-if", "k=1,5,64,1000"],
            &["predict", "flash.json", "--slo", "p99=1ms"],
            &["predict", "flash.json", "--speedup"],
            &["devices"],
            &["devices", "p4510"],
            &["devices", "flash"],
        ],
    );
}

#[test]
fn settings_and_trees_fit_in_80_columns() {
    let dir = folder();
    flash(dir.path());
    let conf = "effective_io_concurrency = 1\nrandom_page_cost = 4\nbgwriter_flush_after = 2MB\n";
    fs::write(dir.path().join("postgresql.conf"), conf).unwrap();
    let tree = ["--data", "1G", "--key", "16", "--value", "1000"];
    let mix = ["--mix", "point=60,scan=10,insert=30", "--memory", "64M"];
    // A drive is fitted to few points soon, and the table has the same columns.
    let few = ["profile", "sim:flash", "--reads-only", "--quick", "--block-size", "4K", "-o", "few.json"];
    run(dir.path(), &[&few[..], &["--max-concurrency", "32"]].concat()).succeeded();
    assert_narrow(
        dir.path(),
        &[
            &["advise", "all", "flash.json"],
            &["advise", "all", "flash.json", "--explain"],
            &["lint", "postgresql", "postgresql.conf", "flash.json"],
            &["lint", "auto", "postgresql.conf", "flash.json"],
            &[&["btree", "advise", "flash.json"], &tree[..], &["--mix", "point=60,insert=40"]].concat(),
            &[&["lsm", "advise", "flash.json"], &tree[..], &mix].concat(),
            &["calibrate", "few.json", "-o", "drive.toml"],
        ],
    );
}

#[test]
fn pools_traces_and_graphs_fit_in_80_columns() {
    let dir = folder();
    capture(dir.path());
    let edges: String = (1..2000).map(|v| format!("0 {v}\n{v} {}\n", v / 2)).collect();
    fs::write(dir.path().join("edges.txt"), edges).unwrap();
    let zipf = "gen:zipf?ops=20000&pages=2000";
    let sweep = ["--policy", "all", "--frames", "20,200", "--device", "sim:flash", "--ace", "off,cow"];
    assert_narrow(
        dir.path(),
        &[
            &[&["pool", "simulate", zipf], &sweep[..]].concat(),
            &["pool", "replay", zipf, ".", "--frames", "200"],
            &["trace", "generate", "--list"],
            &["trace", "info", zipf],
            &["trace", "info", "a.capture", "--by", "file"],
            &["trace", "replay", zipf, "sim:flash"],
            &["trace", "predict", "a.capture", "sim:flash", "sim:sata"],
            &["place", "a.capture", "--fast", "sim:optane", "--slow", "sim:sata"],
            &["graph", "import", "edges.txt", "g", "--preview"],
            &["graph", "import", "edges.txt", "g", "--reverse"],
            &["graph", "info", "g"],
            &["graph", "verify", "g"],
            &["graph", "bfs", "g", "--source", "0"],
            &["graph", "louvain", "g"],
            &["graph", "pagerank", "g", "--estimate"],
            &["graph", "export", "g", "out.txt"],
        ],
    );
}

/// A program that reads two files.
fn capture(dir: &Path) {
    let mut writer = Writer::new(Vec::new());
    ["tpch/a/table/with/a/long/path/lineitem.ibd", "tpch/orders.ibd"]
        .iter()
        .for_each(|file| assert!(writer.file(file).is_ok()));
    writer.thread(&Thread { tid: 7, pid: 7, name: "query".to_owned() }).unwrap();
    for i in 0..1000u64 {
        let event = Event {
            issued_ns: i * 250_000,
            completed_ns: i * 250_000 + 200_000,
            thread: 0,
            file: (i % 2) as u32,
            operation: Operation::Read,
            offset: i * 7919 % 1000 * 16384,
            length: 16384,
        };
        writer.event(&event).unwrap();
    }
    fs::write(dir.join("a.capture"), writer.finish(1000 * 250_000).unwrap()).unwrap();
}

#[test]
fn a_command_that_is_shown_can_be_pasted() {
    let dir = folder();
    let profile = ["profile", "sim:flash", "--budget-seconds", "1", "-o", "my disk.json"];
    let shown = run(dir.path(), &profile).succeeded().stdout;
    let commands: Vec<&str> =
        shown.lines().filter_map(|line| Some(line.split_once(": leadline ")?.1)).collect();
    assert_eq!(commands.len(), 2, "{shown}");
    for command in commands {
        let shell = format!("{} {command}", text(program()));
        let done = std::process::Command::new("sh").args(["-c", &shell]).current_dir(dir.path()).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{shell}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(!done.stdout.is_empty(), "{shell}");
    }
}

//! `leadline graph update` and `compact`, from the outside.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::ran::{Ran, folder, names, program, run, start};

fn graph(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["graph"], arguments].concat())
}

fn json(dir: &Path, arguments: &[&str]) -> Value {
    let ran = graph(dir, &[arguments, &["--json"]].concat()).succeeded();
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A store of these edges.
fn import(dir: &Path, edges: &str, more: &[&str]) {
    fs::write(dir.join("edges.csv"), edges).unwrap();
    graph(dir, &[&["import", "edges.csv", "g"], more].concat()).succeeded();
}

fn exported(dir: &Path) -> BTreeSet<String> {
    graph(dir, &["export", "g", "out.csv"]).succeeded();
    let lines = fs::read_to_string(dir.join("out.csv")).unwrap();
    fs::remove_file(dir.join("out.csv")).unwrap();
    lines.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn each_line_of_changes_does_what_it_says() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target,weight\n1,2,0.5\n1,2,1.5\n2,3,1\n3,4,1\n", &["--weights"]);
    let text = "# what happened since\n+ 4 9 2.5\n- 1 2\n= 2 3 8\n\n+v 77\n-v 3\n+ 9 9\n- 5 6\n";
    fs::write(dir.join("since.txt"), text).unwrap();
    let ran = graph(dir, &["update", "g", "since.txt"]).succeeded();
    assert!(ran.stdout.starts_with("committed 7\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 (to be deleted or set, but not there)"), "{}", ran.stdout);
    assert_eq!(exported(dir), ["4,9,2.5", "9,9,1.0"].map(str::to_owned).into());
    let info = json(dir, &["info", "g"]);
    // 1, 2, 4, 9 and 77: a vertex whose last edge goes stays.
    assert_eq!((&info["version"], &info["vertices"], &info["edges"]), (&7.into(), &5.into(), &2.into()));
    assert_eq!(info["space"]["runs"], 0);
    let bfs = json(dir, &["bfs", "g", "--source", "4"]);
    assert_eq!((&bfs["version"], &bfs["result"]["reached"]), (&7.into(), &2.into()));
    let compacted = json(dir, &["compact", "g"]);
    assert_eq!((&compacted["compacted"], &compacted["version"]), (&true.into(), &7.into()));
    assert_eq!(exported(dir), ["4,9,2.5", "9,9,1.0"].map(str::to_owned).into());
    let again = json(dir, &["compact", "g"]);
    assert_eq!((&again["compacted"], &again["version"]), (&false.into(), &7.into()));
    graph(dir, &["verify", "g"]).succeeded();
}

#[test]
fn files_that_import_reads_are_added_and_deleted() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\nann,bob\nbob,cid\n", &["--undirected"]);
    fs::write(dir.join("more.csv"), "from,to\ncid,dan\nann,cid\n").unwrap();
    let report = json(dir, &["update", "g", "more.csv"]);
    assert_eq!(
        (&report["changes"], &report["edges"], &report["vertices"]),
        (&2.into(), &4.into(), &4.into())
    );
    fs::write(dir.join("gone.tsv"), "bob\tann\ncid\tann\nzoe\tann\n").unwrap();
    let report = json(dir, &["update", "g", "gone.tsv", "--delete"]);
    assert_eq!((&report["changes"], &report["missing"], &report["edges"]), (&3.into(), &1.into(), &2.into()));
    assert_eq!(report["version"], 5);
    assert_eq!(exported(dir).len(), 2);
}

#[test]
fn a_store_that_was_imported_without_copies_and_self_loops_stays_so() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\n1,2\n2,1\n3,3\n", &["--undirected", "--dedupe", "--drop-self-loops"]);
    let info = json(dir, &["info", "g"]);
    assert_eq!((&info["dedupe"], &info["drop_self_loops"]), (&true.into(), &true.into()));
    fs::write(dir.join("c"), "+ 2 1\n+ 2 3\n+ 3 2\n+ 4 4\n").unwrap();
    let ran = graph(dir, &["update", "g", "c", "--commit-every", "3"]).succeeded();
    assert!(ran.stdout.contains("2 edges that are there already (--multi adds copies), 1 self-loops"));
    assert_eq!(exported(dir), ["1,2", "2,3"].map(str::to_owned).into());
    graph(dir, &["compact", "g"]).succeeded();
    let report = json(dir, &["update", "g", "c"]);
    let dropped = (&report["duplicates_dropped"], &report["self_loops_dropped"]);
    assert_eq!((dropped, &report["edges"]), ((&3.into(), &1.into()), &2.into()));
    let info = graph(dir, &["info", "g"]).succeeded();
    let rule = "leave out edges that are there already, and self-loops";
    assert!(info.stdout.contains(rule), "{}", info.stdout);
    let report = json(dir, &["update", "g", "c", "--multi"]);
    assert_eq!((&report["duplicates_dropped"], &report["edges"]), (&0.into(), &5.into()));
    graph(dir, &["update", "g", "c", "--multi", "--delete"]).failed(2, &["--multi", "--delete"]);
}

#[test]
fn standard_input_is_committed_while_it_comes() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\n1,2\n", &[]);
    let mut child = Command::new(program())
        .current_dir(dir)
        .args(["graph", "update", "g", "-", "--commit-every", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    for number in 1..4 {
        writeln!(input, "+ {number} 10\n+ {number} 11").unwrap();
        assert_eq!(lines.next(), Some(format!("committed {}", 2 * number)));
        // Others see it now, and none changes it meanwhile.
        assert_eq!(json(dir, &["info", "g"])["edges"], 1 + 2 * number);
        let refused = graph(dir, &["update", "g", "edges.csv"]);
        refused.failed(2, &["g: is being changed by another process"]);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_store_that_was_changed_can_be_imported_again() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\n1,2\n", &[]);
    fs::write(dir.join("c"), "+ 2 3\n").unwrap();
    graph(dir, &["update", "g", "c"]).succeeded();
    import(dir, "source,target\n8,9\n", &[]);
    assert_eq!(exported(dir), ["8,9".to_owned()].into());
    graph(dir, &["update", "g", "c"]).succeeded();
    assert_eq!(exported(dir), ["8,9", "2,3"].map(str::to_owned).into());
    graph(dir, &["verify", "g"]).succeeded();
}

#[test]
fn bad_changes_are_one_line_and_change_nothing_since_the_last_commit() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\n1,2\n", &[]);
    for (text, said) in [
        ("+ 1 2\n+ 1 x\n", "c: line 2: expected a number as id, found \"x\""),
        ("+ 1 2 nan\n", "c: line 1: expected a finite number as weight, found \"nan\""),
        ("+ 1 2\n\n+ 3 4 5\n", "c: line 3: g: has no weights; an edge is to have 5"),
        ("+v 1\nwhat is this\n", "c: line 2: expected + U V [W], - U V, = U V W, +v U or -v U, found"),
        ("+v \u{e9}\n", "c: line 1: expected a number as id"),
    ] {
        fs::write(dir.join("c"), text).unwrap();
        graph(dir, &["update", "g", "c"]).failed(2, &[said]);
    }
    fs::write(dir.join("c"), "+ 5 6\n- 1 9\n- 9 1\n").unwrap();
    let strict = graph(dir, &["update", "g", "c", "--strict"]);
    strict.failed(
        2,
        &["g: does not have the edge 1 9 to delete, nor what another change is about; nothing of this commit"],
    );
    assert_eq!(exported(dir), ["1,2".to_owned()].into());
    // What was committed before stays.
    fs::write(dir.join("c"), "+ 5 6\n- 1 9\n").unwrap();
    graph(dir, &["update", "g", "c", "--strict", "--commit-every", "1"]).failed(2, &["the edge 1 9"]);
    assert_eq!(exported(dir), ["1,2", "5,6"].map(str::to_owned).into());
    fs::create_dir(dir.join("other")).unwrap();
    graph(dir, &["update", "other", "c"]).failed(2, &["other: is not a graph store"]);
    assert!(names(&dir.join("other")).is_empty());
    graph(dir, &["update", "g", "-", "--delete"]).failed(2, &["-: standard input is read as changes"]);
    graph(dir, &["update", "g", "g"])
        .failed(2, &["STORE g: is the same file as CHANGES g, which is read while it is changed"]);
    graph(dir, &["update", "g", "c", "--commit-every", "0"]).failed(2, &["must be at least 1"]);
}

#[test]
fn a_base_without_its_changes_and_files_of_another_store_are_refused() {
    let dir = folder();
    let dir = dir.path();
    for name in ["h", "g"] {
        import(dir, "source,target\n1,2\n", &[]);
        fs::write(dir.join("c"), format!("+ 2 {}\n", name.len())).unwrap();
        graph(dir, &["update", "g", "c"]).succeeded();
        fs::rename(dir.join("g"), dir.join(name)).unwrap();
    }
    graph(dir, &["bfs", "g/base-1", "--source", "1"]).failed(2, &["base-1"]);
    graph(dir, &["update", "g/base-1", "c"]).failed(2, &["base-1"]);
    fs::remove_file(dir.join("g/log-3")).unwrap();
    graph(dir, &["wcc", "g"]).failed(2, &["log-3"]);
    fs::write(dir.join("g/log-3"), "not a log, but as long as one has to be, and longer").unwrap();
    graph(dir, &["wcc", "g"]).failed(2, &["log-3: is damaged"]);
    fs::write(dir.join("g/manifest"), "{}").unwrap();
    graph(dir, &["info", "g"]).failed(2, &["g: is damaged: its manifest fails its checksum"]);
    graph(dir, &["verify", "h"]).succeeded();
}

#[test]
fn a_byte_that_changed_in_a_run_is_found() {
    let dir = folder();
    let dir = dir.path();
    // Large beside the run, which is not compacted then.
    let edges: String = (0..30_000).map(|at| format!("{},{}\n", at * 7919 % 30_000, at)).collect();
    import(dir, &format!("source,target\n{edges}"), &[]);
    let changes: String = (0..4000).map(|at| format!("+ {} {}\n", at % 97, at)).collect();
    fs::write(dir.join("c"), changes).unwrap();
    // More than this memory has room for goes to a run.
    graph(dir, &["update", "g", "c", "--memory", "64K"]).succeeded();
    let run = names(&dir.join("g")).into_iter().find(|name| name.starts_with("run-"));
    let run = dir.join("g").join(run.expect("a run"));
    graph(dir, &["verify", "g"]).succeeded();
    let mut bytes = fs::read(&run).unwrap();
    bytes[5000] ^= 1;
    fs::write(&run, bytes).unwrap();
    for command in [&["verify", "g"][..], &["wcc", "g"], &["compact", "g"], &["export", "g", "o.csv"]] {
        graph(dir, command).failed(2, &["run-", "is damaged: block 0, at byte 4096, fails its checksum"]);
    }
}

#[test]
fn ctrl_c_keeps_what_was_committed() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\n1,2\n", &[]);
    let changes: String = (0..200_000).map(|at| format!("+ {at} {}\n", at * 7 % 1000)).collect();
    fs::write(dir.join("c"), changes).unwrap();
    let running = start(dir, &["graph", "update", "g", "c", "--commit-every", "100"]);
    running.has_written(100_000);
    running.signal(Signal::INT);
    let (ran, ..) = running.end();
    ran.failed(1, &["interrupted; ", " changes are committed"]);
    let version = json(dir, &["info", "g"])["version"].as_u64().unwrap();
    assert!(version >= 100 && version.is_multiple_of(100), "{version}");
    assert_eq!(exported(dir).len() as u64, 1 + version);
    let committed = ran.stdout.lines().last().unwrap().to_owned();
    assert_eq!(committed, format!("committed {version}"));
}

/// Rounds of `kill -9`, after which everything acknowledged is there, and nothing by halves.
#[test]
fn kill_9_at_any_moment_loses_nothing_that_was_acknowledged() {
    const OF_A_COMMIT: u64 = 50;
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\n0,1\n", &["--reverse"]);
    let rounds = if leadline_testing::exhaustive() { 200 } else { 6 };
    let mut rng = fastrand::Rng::with_seed(3);
    // Change `at`: an edge comes, or one from some time ago goes.
    let line = |at: u64| match at % 3 {
        2 if at > 3000 => {
            let old = at - 3001;
            format!("- {} {}", old % 89, 100 + old)
        }
        _ => format!("+ {} {}", at % 89, 100 + at),
    };
    let model = |version: u64| {
        let mut edges: BTreeSet<String> = ["0,1".to_owned()].into();
        for line in (0..version).map(line) {
            let fields: Vec<&str> = line.split(' ').collect();
            let edge = format!("{},{}", fields[1], fields[2]);
            if fields[0] == "+" {
                edges.insert(edge)
            } else {
                edges.remove(&edge)
            };
        }
        edges
    };
    let mut version = 0;
    for round in 0..rounds {
        let compacts = round % 4 == 3;
        let mut command = Command::new(program());
        match compacts {
            true => command.args(["graph", "compact", "g"]),
            // So little memory that runs are written, merged and compacted.
            false => command.args(["graph", "update", "g", "-", "--commit-every", "50", "--memory", "1M"]),
        };
        command.current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut acknowledged = version;
        if !compacts {
            let feeder = std::thread::spawn(move || {
                (version..version + 40_000).all(|at| writeln!(input, "{}", line(at)).is_ok())
            });
            let commits = rng.usize(1..60);
            for line in BufReader::new(output).lines().map_while(Result::ok).take(commits) {
                let number = line.strip_prefix("committed ").and_then(|number| number.parse::<u64>().ok());
                acknowledged = version + number.expect(&line);
            }
            child.kill().unwrap();
            feeder.join().unwrap();
        }
        // At some moment of a compaction.
        (0..rng.u32(..2_000_000)).for_each(|turn| {
            std::hint::black_box(turn);
        });
        let _ = child.kill();
        child.wait().unwrap();
        graph(dir, &["verify", "g"]).succeeded();
        let found = json(dir, &["info", "g"])["version"].as_u64().unwrap();
        assert!(
            found >= acknowledged && found.is_multiple_of(OF_A_COMMIT),
            "{found}, {acknowledged} acknowledged"
        );
        version = found;
        assert!(exported(dir) == model(version), "round {round}, version {version}");
    }
    assert!(version > 0);
}

/// Edges among some vertices, and some far away from them.
fn random_edges(count: u64, vertices: u64, seed: u64) -> Vec<(u64, u64)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| (10 * rng.u64(..vertices), 10 * rng.u64(..vertices))).collect()
}

fn numbers(file: &Path) -> Vec<u64> {
    fs::read(file).unwrap().as_chunks().0.iter().map(|raw| u64::from_le_bytes(*raw)).collect()
}

#[test]
fn results_go_on_from_those_of_an_earlier_version() {
    for (directed, renumber) in [(true, false), (false, true)] {
        let dir = folder();
        let dir = dir.path();
        // Sparse: there are many components, and long ways that new edges make shorter.
        let edges = random_edges(9000, 10_000, 1);
        let list: String = edges.iter().map(|(a, b)| format!("{a},{b}\n")).collect();
        let mut flags = vec![if directed { "--directed" } else { "--undirected" }];
        flags.extend(renumber.then_some("--renumber"));
        import(dir, &format!("source,target\n{list}"), &flags);
        let source = edges[0].0.to_string();
        let tasks: [&[&str]; 4] = [
            &["wcc", "g"],
            &["bfs", "g", "--source", &source],
            &["bfs", "g", "--source", &source, "--parents"],
            &["pagerank", "g", "--tolerance", "1e-12"],
        ];
        let result = |number: usize| format!("{number}.bin");
        for (number, task) in tasks.iter().enumerate() {
            graph(dir, &[task, &["-o", &result(number)][..]].concat()).succeeded();
        }
        // Goes on from each result into its own place, or says why not, and compares that with a full run.
        let go_on = |only_added: bool, says: [&str; 4]| {
            for ((number, task), says) in tasks.iter().enumerate().zip(says) {
                let (from, fresh) = (result(number), format!("fresh-{number}.bin"));
                let ran =
                    graph(dir, &[task, &["--json", "--from", &from, "-o", &from][..]].concat()).succeeded();
                match says {
                    "" => assert!(!ran.stderr.contains("full run"), "{}", ran.stderr),
                    _ => assert!(ran.stderr.contains(&format!("{from}: {says}; this is a full run"))),
                }
                let report: Value = serde_json::from_str(&ran.stdout).unwrap();
                let full = json(dir, &[task, &["-o", &fresh][..]].concat());
                let count = |report: &Value, key: &str| report[key].as_u64().unwrap();
                if only_added {
                    let went_on = match number {
                        0 => count(&report, "bytes_read") == 0,
                        3 => count(&report, "iterations") < count(&full, "iterations"),
                        _ => count(&report, "edges") < count(&full, "edges"),
                    };
                    assert!(went_on, "{task:?} looked at as much as a full run: {report}, {full}");
                }
                let (found, expected) = (numbers(&dir.join(from)), numbers(&dir.join(fresh)));
                assert_eq!(found.len(), expected.len());
                if task[0] != "pagerank" {
                    assert!(found == expected, "{task:?}");
                    continue;
                }
                for (found, expected) in found.chunks(2).zip(expected.chunks(2)) {
                    assert_eq!(found[0], expected[0]);
                    let [found, expected] = [found[1], expected[1]].map(f64::from_bits);
                    assert!((found - expected).abs() < 1e-10, "{found} and {expected}");
                }
            }
        };
        for seed in 2..5 {
            let mut lines: String =
                random_edges(200, 11_000, seed).iter().map(|(a, b)| format!("+ {a} {b}\n")).collect();
            lines += &format!("+v {}\n+ {} {}\n", 200_000 + seed, 300_000 + seed, source);
            fs::write(dir.join("c"), lines).unwrap();
            // Some of them go to runs; with less memory the new ids would have the store compacted.
            let memory = if seed == 3 { "96K" } else { "64M" };
            graph(dir, &["update", "g", "c", "--memory", memory]).succeeded();
            go_on(true, [""; 4]);
        }
        graph(dir, &["compact", "g"]).succeeded();
        go_on(true, [""; 4]);
        fs::write(dir.join("c"), "+ 1 2\n").unwrap();
        graph(dir, &["update", "g", "c"]).succeeded();
        graph(dir, &["compact", "g"]).succeeded();
        let compacted = "is a result from before the store was compacted, which loses the list of changes";
        go_on(false, [compacted, compacted, compacted, ""]);
        let gone: String = edges[..40].iter().map(|(a, b)| format!("- {a} {b}\n")).collect();
        fs::write(dir.join("c"), gone).unwrap();
        graph(dir, &["update", "g", "c"]).succeeded();
        let no_lists = match directed {
            true => {
                "is a result from before an edge was deleted or given another weight, and the store has no \
                 lists of incoming edges (import with --reverse)"
            }
            false => "",
        };
        go_on(false, ["", no_lists, no_lists, ""]);
        fs::write(dir.join("c"), "-v 2\n").unwrap();
        graph(dir, &["update", "g", "c"]).succeeded();
        let vertex = "is a result from before a vertex was deleted";
        go_on(false, [vertex, vertex, vertex, ""]);
        let ran = graph(dir, &["bfs", "g", "--source", "1", "--from", &result(1)]).succeeded();
        assert!(ran.stderr.contains("1.bin: is a result of another algorithm, or with other arguments"));
        let ran = graph(dir, &["wcc", "g", "--from", &result(1)]).succeeded();
        assert!(ran.stderr.contains("1.bin: is a result of another algorithm, or with other arguments"));
        // Another store of the same edges.
        import(dir, &format!("source,target\n{list}1,1\n"), &flags);
        let ran = graph(dir, &["wcc", "g", "--from", &result(0)]).succeeded();
        assert!(ran.stderr.contains("0.bin: is a result of another store"), "{}", ran.stderr);
        graph(dir, &["wcc", "g", "--from", "edges.csv"]).failed(2, &["edges.csv.json"]);
        let both = ["pagerank", "g", "--from", "3.bin", "--tolerance", "1e-9", "--iterations", "3"];
        assert_eq!(graph(dir, &both).code, Some(2));
        graph(dir, &["pagerank", "g", "--from", "3.bin"]).failed(2, &["--from: give --tolerance too"]);
        // A result that was cut short.
        graph(dir, &["wcc", "g", "-o", "0.bin"]).succeeded();
        let cut = fs::read(dir.join("0.bin")).unwrap();
        fs::write(dir.join("0.bin"), &cut[..cut.len() - 3]).unwrap();
        graph(dir, &["wcc", "g", "--from", "0.bin"])
            .failed(2, &["0.bin: expected 16 bytes for each of at most"]);
    }
}

#[test]
fn a_refused_update_leaves_the_store_the_file_that_it_was() {
    let dir = folder();
    let dir = dir.path();
    import(dir, "source,target\n1,2\n2,3\n", &[]);
    let before = fs::read(dir.join("g")).unwrap();
    fs::write(dir.join("bad"), "+ 1 2\n+ 7\n").unwrap();
    fs::write(dir.join("texts"), "+ ann bob\n").unwrap();
    fs::write(dir.join("missing"), "- 3 1\n").unwrap();
    let there = names(dir);
    let refused: [(&[&str], &[&str]); 4] = [
        (&["update", "g", "nosuchfile"], &["nosuchfile"]),
        (&["update", "g", "bad"], &["bad", "line 2"]),
        (&["update", "g", "texts"], &["texts", "line 1"]),
        (&["update", "g", "missing", "--strict"], &["g"]),
    ];
    for (arguments, said) in refused {
        graph(dir, arguments).failed(2, said);
        assert!(fs::read(dir.join("g")).unwrap() == before, "{arguments:?}");
        assert_eq!(names(dir), there, "{arguments:?}");
    }
    graph(dir, &["update", "g", "missing"]).succeeded();
    assert_eq!((json(dir, &["info", "g"])["version"].clone(), names(dir)), (1.into(), there));
}

#[test]
fn of_first_updates_at_once_none_that_was_acknowledged_is_lost() {
    let rounds = if leadline_testing::exhaustive() { 200 } else { 12 };
    for round in 0..rounds {
        let dir = folder();
        let dir = dir.path();
        import(dir, "source,target\n1,2\n", &[]);
        let count = 2 + round % 7;
        let mut started: Vec<_> = (0..count)
            .map(|_| {
                let mut command = Command::new(program());
                command.current_dir(dir).args(["graph", "update", "g", "-"]);
                command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for (number, child) in started.iter_mut().enumerate() {
            // Refused at once, it may not read this any more.
            let _ = writeln!(child.stdin.take().unwrap(), "+ 500000 {}", 500_001 + number);
        }
        let mut expected = BTreeSet::from(["1,2".to_owned()]);
        for (number, child) in started.into_iter().enumerate() {
            let ended = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            match ended.status.code() {
                Some(0) => drop(expected.insert(format!("500000,{}", 500_001 + number))),
                Some(2) => assert!(said.contains("is being changed by another process"), "{said}"),
                other => panic!("{other:?}: {said}"),
            }
        }
        assert!(expected.len() > 1, "somebody comes first");
        assert_eq!(exported(dir), expected);
        graph(dir, &["verify", "g"]).succeeded();
        assert_eq!(names(dir), ["edges.csv", "g"], "round {round}");
    }
}

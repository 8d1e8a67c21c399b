//! Results of an earlier version, and stores that a refused update leaves alone.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{exported, graph, import, json};
use crate::ran::{folder, names, program};

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

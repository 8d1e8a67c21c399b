//! Updates that are interrupted, killed, or made at the same time.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use rustix::process::Signal;

use super::{exported, graph, import, json};
use crate::ran::{folder, program, start};

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

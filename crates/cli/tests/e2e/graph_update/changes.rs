//! Changes are committed, or refused in one line.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::{exported, graph, import, json};
use crate::ran::{folder, names, program};

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

//! `leadline index`: entries from files into an index and back, from the outside.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::ran::{Ran, folder, names, program, run};

fn index(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["index"], arguments].concat())
}

#[track_caller]
fn document(dir: &Path, arguments: &[&str]) -> Value {
    let ran = index(dir, &[arguments, &["--json"]].concat()).succeeded();
    serde_json::from_str(&ran.stdout).unwrap()
}

/// An index of `count` words, `w000` and so on.
fn words(dir: &Path, count: u32) {
    let lines: String = (0..count).map(|n| format!("w{n:06}\tvalue of {n}\n")).collect();
    fs::write(dir.join("w.tsv"), lines).unwrap();
    index(dir, &["load", "w", "w.tsv", "--header", "no"]).succeeded();
}

#[test]
fn a_file_of_two_columns_is_loaded_looked_up_and_scanned() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("f.csv"), "key,value\nb,2\n\n# a comment\na,\"x,y\"\nc,3\nb,4\n").unwrap();
    let loaded = document(dir, &["load", "f", "f.csv"]);
    assert_eq!(loaded["entries_read"], 4);
    assert_eq!((&loaded["replaced"], &loaded["entries"]), (&json!(1), &json!(3)), "{loaded}");
    assert_eq!(loaded["lines_skipped"], json!({"as_asked": 0, "header": 1, "comments": 1, "blank": 1}));
    assert_eq!(index(dir, &["get", "f", "b", "a"]).succeeded().stdout, "b\t4\na\tx,y\n");
    assert_eq!(index(dir, &["scan", "f"]).succeeded().stdout, "a\tx,y\nb\t4\nc\t3\n");
    assert_eq!(index(dir, &["scan", "f", "--from", "b", "--to", "c"]).succeeded().stdout, "b\t4\n");
    assert_eq!(index(dir, &["scan", "f", "--reverse", "--limit", "2"]).succeeded().stdout, "c\t3\nb\t4\n");
    let stats = document(dir, &["stats", "f"]);
    assert_eq!((&stats["entries"], &stats["height"]), (&json!(3), &json!(1)), "{stats}");
    assert_eq!(document(dir, &["verify", "f"])["sound"], true);
    // What is there is gone over; the rest stays.
    fs::write(dir.join("more.tsv"), "c\t5\nd\t6\n").unwrap();
    let more = document(dir, &["load", "f", "more.tsv", "--header", "no"]);
    assert_eq!((&more["replaced"], &more["entries"]), (&json!(1), &json!(4)), "{more}");
    assert_eq!(index(dir, &["scan", "f", "--from", "c"]).succeeded().stdout, "c\t5\nd\t6\n");
}

#[test]
fn a_key_that_is_not_there_is_named() {
    let dir = folder();
    let dir = dir.path();
    words(dir, 1000);
    fs::write(dir.join("keys"), "w000007\nnone\nw000900\n").unwrap();
    let ran = index(dir, &["get", "w", "w000003", "--keys", "keys"]);
    assert_eq!(ran.stdout, "w000003\tvalue of 3\nw000007\tvalue of 7\nw000900\tvalue of 900\n");
    ran.failed(1, &["1 of 4 keys are not there: none"]);
    let ran = index(dir, &["get", "w", "none", "w000003", "--json"]);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found[0], json!({"key": "none", "value": null}));
    assert_eq!((ran.code, &found[1]["value"]), (Some(1), &json!("value of 3")));
}

#[test]
fn what_scan_prints_is_loaded_byte_for_byte() {
    let dir = folder();
    let dir = dir.path();
    // A tab, a line end, a backslash, no UTF-8, what turns text around, and blanks.
    let lines = "6109\t0a5c\nff00\te280ae\n20\t\n00\tc3bc\n";
    fs::write(dir.join("hex"), lines).unwrap();
    let hex = ["--key-type", "hex", "--value-type", "hex"];
    index(dir, &[&["load", "h", "hex", "--scanned"], &hex[..]].concat()).succeeded();
    let scanned = index(dir, &["scan", "h"]).succeeded().stdout;
    assert_eq!(scanned, "\\x00\t\u{fc}\n \t\na\\t\t\\n\\\\\n\\xff\\x00\t\\xe2\\x80\\xae\n");
    fs::write(dir.join("text"), &scanned).unwrap();
    index(dir, &["load", "t", "text", "--scanned"]).succeeded();
    let again = index(dir, &[&["scan", "t"], &hex[..]].concat()).succeeded().stdout;
    assert_eq!(again, "00\tc3bc\n20\t\n6109\t0a5c\nff00\te280ae\n");
    let lines = index(dir, &["scan", "t", "--json"]).succeeded().stdout;
    let all: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all[2], json!({"key": "a\t", "value": "\n\\"}));
    assert_eq!(all[3], json!({"key_hex": "ff00", "value": "\u{202e}"}));
}

#[test]
fn integers_sort_as_numbers() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("n.csv"), "10,ten\n9,nine\n18446744073709551615,last\n").unwrap();
    let said = "the key 10 may be text or an integer";
    index(dir, &["load", "n", "n.csv"]).failed(2, &[said, "--key-type text or --key-type integer"]);
    assert!(!dir.join("n").exists());
    let integer = ["--key-type", "integer"];
    index(dir, &[&["load", "n", "n.csv"], &integer[..]].concat()).succeeded();
    let scanned = index(dir, &[&["scan", "n"], &integer[..]].concat()).succeeded().stdout;
    assert_eq!(scanned, "9\tnine\n10\tten\n18446744073709551615\tlast\n");
    index(dir, &["get", "n", "9"]).refused(&["the key 9 may be text or an integer"]);
    assert_eq!(index(dir, &[&["get", "n", "9"], &integer[..]].concat()).succeeded().stdout, "9\tnine\n");
    let from = index(dir, &[&["scan", "n", "--from", "10", "--to", "11"], &integer[..]].concat());
    assert_eq!(from.succeeded().stdout, "10\tten\n");
    index(dir, &[&["scan", "n", "--prefix", "1"], &integer[..]].concat()).refused(&["--prefix"]);
}

#[test]
fn what_can_be_read_in_two_ways_is_refused_and_nothing_is_made() {
    let dir = folder();
    let dir = dir.path();
    for (text, arguments, said) in [
        ("a,b\nc,d\n", &[][..], "--header yes or --header no"),
        ("a,1,2\nb,3,4\n", &["--header", "no"], "--value-column"),
        ("a,C:\\temp\nb,x\n", &["--header", "no"], "--escapes no or --escapes yes"),
        ("a,b\nc\n", &["--header", "no", "--delimiter", "comma"], "line 2"),
        ("a,1\n,2\n", &["--header", "no"], "line 2: its key is empty"),
        ("a b\n", &["--scanned"], "line 1: has no tab"),
        ("a,1\nb,2\n", &["--key-type", "integer"], "line 1: the key \"a\" is no integer"),
        ("a,1\nb,2\n", &["--key-column", "id"], "--key-column: expected a column \"id\""),
    ] {
        fs::write(dir.join("f.csv"), text).unwrap();
        let ran = index(dir, &[&["load", "f", "f.csv"], arguments].concat());
        ran.failed(2, &[said]);
        assert_eq!(names(dir), ["f.csv"], "{text:?}");
    }
    fs::write(dir.join("f.csv"), format!("{},1\n", "k".repeat(600))).unwrap();
    index(dir, &["load", "f", "f.csv"]).failed(2, &["600 bytes", "--node-size"]);
    assert_eq!(names(dir), ["f.csv"]);
    index(dir, &["load", "f", "f.csv", "--node-size", "8K"]).succeeded();
}

#[test]
fn what_is_no_index_is_refused_in_a_line_and_stays_as_it_is() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir(dir.join("other")).unwrap();
    fs::write(dir.join("other/file"), "x").unwrap();
    fs::create_dir(dir.join("newer")).unwrap();
    fs::write(dir.join("newer/index"), "leadline index 9\nnode bytes 4096\n").unwrap();
    fs::write(dir.join("file"), "a,1\n").unwrap();
    for command in [&["get", "{}", "a"][..], &["scan", "{}"], &["verify", "{}"], &["stats", "{}"]] {
        for (name, said) in [
            ("none", "none: there is no index; make one with leadline index load"),
            ("other", "other: there is no index"),
            ("newer", "newer: this is a `leadline index 9`"),
            ("file", "file: is not a directory"),
        ] {
            let words: Vec<&str> =
                command.iter().map(|word| if *word == "{}" { name } else { word }).collect();
            index(dir, &words).refused(&[said]);
        }
    }
    index(dir, &["load", "other", "file", "--header", "no"]).failed(2, &["holds something else"]);
    assert_eq!(names(dir), ["file", "newer", "other"]);
    assert_eq!(names(&dir.join("other")), ["file"]);
}

#[test]
fn damage_is_named_and_the_rest_is_read() {
    let dir = folder();
    let dir = dir.path();
    words(dir, 20_000);
    let pages = dir.join("w/pages");
    let mut file = fs::OpenOptions::new().read(true).write(true).open(&pages).unwrap();
    // Keys are shortened in a leaf.
    let marker = b"value of 10000";
    let at = place_of(&pages, marker).expect("a leaf has the value");
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(b"V").unwrap();
    drop(file);
    let ran = index(dir, &["verify", "w"]);
    assert!(ran.stdout.contains("the keys from"), "{}", ran.stdout);
    ran.failed(1, &["w: is damaged in 1 place;"]);
    assert_eq!(index(dir, &["get", "w", "w000001"]).succeeded().stdout, "w000001\tvalue of 1\n");
    // A scan prints what comes before the damaged page.
    let scanned = index(dir, &["scan", "w"]);
    let last = scanned.stdout.lines().last().unwrap();
    assert!(("w009000".."w010001").contains(&&last[..7]), "{last}");
    scanned.failed(1, &["is corrupt"]);
}

#[test]
fn an_index_is_read_by_several_processes_at_once_and_by_none_while_it_is_written() {
    let dir = folder();
    let dir = dir.path();
    words(dir, 100);
    let reads = [&["get", "w", "w000001"][..], &["scan", "w"], &["verify", "w"], &["stats", "w"]];
    let held = leadline_index::Index::open_read_only(dir.join("w")).unwrap();
    for read in reads {
        index(dir, read).succeeded();
    }
    fs::write(dir.join("more"), "x\ty\n").unwrap();
    let load = ["load", "w", "more", "--header", "no"];
    index(dir, &load).failed(2, &["w: the index is open already", "; close it there first"]);
    drop(held);
    let held = leadline_index::Index::open(dir.join("w")).unwrap();
    for read in reads {
        index(dir, read).failed(2, &["w: the index is open already", "; close it there first"]);
    }
    drop(held);
    index(dir, &load).succeeded();
}

/// Where in the data of a sparse file these bytes are first.
fn place_of(path: &Path, bytes: &[u8]) -> Option<u64> {
    use rustix::fs::{SeekFrom as Place, seek};
    let file = fs::File::open(path).unwrap();
    let mut from = 0;
    while let Ok(data) = seek(&file, Place::Data(from)) {
        let hole = seek(&file, Place::Hole(data)).unwrap();
        let mut content = vec![0; (hole - data) as usize];
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut content, data).unwrap();
        if let Some(at) = content.windows(bytes.len()).position(|window| window == bytes) {
            return Some(data + at as u64);
        }
        from = hole;
    }
    None
}

#[test]
fn an_interrupted_load_makes_no_index() {
    let dir = folder();
    let dir = dir.path();
    let mut command = Command::new(program());
    command.current_dir(dir).args(["index", "load", "f", "-", "--scanned"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The pipe takes less than this: once it is written, entries are being read.
    stdin.write_all("key\tvalue\n".repeat(20_000).as_bytes()).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    // It ends when it looks, while it reads on.
    let wrote = (0..1_000_000).all(|_| stdin.write_all(b"key\tvalue\n").is_ok());
    drop(stdin);
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(!wrote && said.contains("interrupted"), "{said}");
    assert!(names(dir).is_empty());
}

#[test]
fn a_benchmark_leaves_nothing_and_says_what_it_wrote() {
    let dir = folder();
    let dir = dir.path();
    let arguments = ["bench", ".", "--entries", "1000", "--rounds", "2", "--seconds", "0.1"];
    let ran = index(dir, &[&arguments[..], &["--json"]].concat()).succeeded();
    assert!(ran.stderr.contains("a scratch directory: 1,000 entries, 2 times"), "{}", ran.stderr);
    let benched: Value = serde_json::from_str(&ran.stdout).unwrap();
    let measured = benched["measurements"].as_array().unwrap();
    assert!(measured.len() >= 14, "{benched}");
    for one in measured {
        assert!(
            one["median"].as_f64().unwrap() > 0.0 && one["values"].as_array().unwrap().len() == 2,
            "{one}"
        );
    }
    assert!(names(dir).is_empty());
    index(dir, &["bench", "sim:flash"]).failed(2, &["sim:flash: is not a directory"]);
}

#[test]
fn nodes_are_as_large_as_the_profile_says() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("f.tsv"), "a\t1\nb\t2\n").unwrap();
    run(dir, &["profile", "sim:flash", "--quick", "-o", "p.json"]).succeeded();
    run(dir, &["experiment", "r-by-k", "sim:flash", "--quick", "--into", "p.json"]).succeeded();
    let loaded = document(dir, &["load", "f", "f.tsv", "--profile", "p.json"]);
    let advised = ["btree", "advise", "p.json", "--data", "4B", "--key-size", "1", "--value-size", "1"];
    let advised =
        [&advised[..], &["--mix", "point=60,range=10,insert=30", "--memory", "256M", "--json"]].concat();
    let advised: Value = serde_json::from_str(&run(dir, &advised).succeeded().stdout).unwrap();
    let best = advised["chosen"]["node_bytes"].as_u64().unwrap();
    assert_eq!(loaded["node_bytes"], best.clamp(4096, 65_536), "{advised}");
}

#[test]
fn the_log_of_an_index_that_was_not_closed_is_read_once() {
    let dir = folder();
    let dir = dir.path();
    let path = dir.join("i");
    let store = leadline_index::Index::open(&path).unwrap();
    store.multi_insert((0..2000u32).map(|n| (format!("k{n:05}"), vec![b'v'; 1000]))).unwrap();
    // As after a kill.
    drop(store);
    let log = || document(dir, &["stats", "i"])["log_bytes"].as_u64().unwrap();
    assert!(log() > 2_000_000);
    document(dir, &["verify", "i"]);
    // Somebody else reads it.
    let reader = leadline_index::Index::open_read_only(&path).unwrap();
    let value = format!("k00007\t{}\n", "v".repeat(1000));
    assert_eq!(index(dir, &["get", "i", "k00007"]).succeeded().stdout, value);
    drop(reader);
    assert!(log() > 2_000_000);
    let got = index(dir, &["get", "i", "k00007"]).succeeded();
    assert_eq!(got.stdout, value);
    assert!(got.stderr.contains("i: it was not closed") && got.stderr.contains("written to its nodes"));
    assert_eq!(log(), 0);
    let got = index(dir, &["get", "i", "k00007"]).succeeded();
    assert_eq!((got.stdout, got.stderr), (value, String::new()));
}

#[test]
fn an_entry_that_is_too_long_is_named_with_its_line() {
    let dir = folder();
    let dir = dir.path();
    let long = "k".repeat(600);
    fs::write(dir.join("first.tsv"), format!("a\t1\n\nb\t2\n{long}\t3\nc\t4\n")).unwrap();
    let named = ["first.tsv: line 4: the key `kkkkkkkk", "…` has 600 bytes", "at most 509", "--node-size"];
    index(dir, &["load", "i", "first.tsv", "--header", "no"]).failed(2, &named);
    assert!(!dir.join("i").exists());
    // Into an index that has entries.
    words(dir, 10);
    index(dir, &["load", "w", "first.tsv", "--header", "no"]).failed(2, &named);
    assert_eq!(document(dir, &["stats", "w"])["entries"], 10);
}

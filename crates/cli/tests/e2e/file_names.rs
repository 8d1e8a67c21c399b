//! Files of any name: those that are no text, and those that would drive a terminal.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::ran::{Ran, folder, outcome, program};
use crate::simulated::profiled;

/// A name that is not UTF-8.
const NO_TEXT: &[u8] = b"n\xff\xfe";

/// A name that clears the screen, sets the title, and feigns a line of its own.
const DRIVES: &[u8] = b"n\x1b[2J\x1b]0;x\x07\x9b\nerror: done\r\xe2\x80\xae\xc2\x9b";

/// Runs `leadline`; `{}` in a word stands for `name`.
#[track_caller]
fn with(dir: &Path, name: &[u8], words: &[&str]) -> Ran {
    let word = |word: &&str| {
        let mut whole = OsString::new();
        for (at, part) in word.split("{}").enumerate() {
            if at > 0 {
                whole.push(OsStr::from_bytes(name));
            }
            whole.push(part);
        }
        whole
    };
    outcome(Command::new(program()).current_dir(dir).args(words.iter().map(word)))
}

/// Inputs under `name`, and with the endings that commands tell formats by.
fn inputs(name: &[u8]) -> tempfile::TempDir {
    let dir = folder();
    let put = |ending: &str, from: &str| {
        let to = dir.path().join(OsStr::from_bytes(&[name, ending.as_bytes()].concat()));
        fs::copy(dir.path().join(from), to).unwrap();
    };
    let profile = ["profile", "sim:flash", "--budget-seconds", "2", "-o", "p.json"];
    profiled(dir.path(), "p.json", &[&profile]);
    fs::write(dir.path().join("t"), "R 1\nW 2\nR 1\n").unwrap();
    fs::write(dir.path().join("e"), "1 2\n2 3\n3 1\n").unwrap();
    let toml = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 60\nservers = 8\n\
                [write]\nservice_us = 60\nservers = 8\n";
    fs::write(dir.path().join("d"), toml).unwrap();
    fs::write(dir.path().join("c"), "+ 5 6\n").unwrap();
    fs::write(dir.path().join("keys"), "1\n3\n").unwrap();
    let two = "kind = \"cached\"\nfast = \"sim:optane\"\nslow = \"sim:sata\"\nfast_size = \"16M\"\n";
    fs::write(dir.path().join("two"), two).unwrap();
    for (ending, from) in [
        (".json", "p.json"),
        (".pages", "t"),
        (".el", "e"),
        (".toml", "d"),
        (".txt", "c"),
        ("2.toml", "two"),
        ("k", "keys"),
    ] {
        put(ending, from);
    }
    put("", "p.json");
    dir
}

/// Commands with every kind of argument, and the files that they make.
const COMMANDS: [(&[&str], &[&str]); 38] = [
    (
        &["profile", "sim:./{}.toml", "--budget-seconds", "1", "-o", "{}o.json", "--report", "{}o.html"],
        &["o.json", "o.html"],
    ),
    (&["profile", ".", "--budget-seconds", "1", "--size", "16M", "-o", "{}o2.json"], &["o2.json"]),
    (&["experiment", "ladder", "sim:./{}.toml", "--seconds", "1", "--into", "{}o3.json"], &["o3.json"]),
    (&["report", "{}.json", "-o", "{}r.html"], &["r.html"]),
    (&["report", "{}.json", "{}"], &[]),
    (&["models", "{}.json", "--report", "{}m.html"], &["m.html"]),
    (&["predict", "{}.json", "--reads", "1e6"], &[]),
    (&["advise", "postgresql", "{}.json", "-o", "{}a.conf"], &["a.conf"]),
    (&["advise", "linux", "{}.json", "--version", "6", "-o", "{}linux"], &[]),
    (&["lint", "postgresql", "{}a.conf", "{}.json"], &[]),
    (
        &[
            "btree",
            "advise",
            "{}.json",
            "--data",
            "1G",
            "--key-size",
            "8",
            "--value-size",
            "8",
            "--mix",
            "point=100",
        ],
        &[],
    ),
    (
        &[
            "lsm",
            "advise",
            "{}.json",
            "--data",
            "1G",
            "--key-size",
            "16",
            "--value-size",
            "100",
            "--mix",
            "point=100",
            "-o",
            "{}O.ini",
        ],
        &["O.ini"],
    ),
    (
        &[
            "lsm",
            "predict",
            "{}.json",
            "--options",
            "{}O.ini",
            "--data",
            "1G",
            "--key-size",
            "16",
            "--value-size",
            "100",
        ],
        &[],
    ),
    (&["devices", "./{}.toml"], &[]),
    (&["trace", "info", "{}.pages", "--report", "{}t.html"], &["t.html"]),
    (&["trace", "info", "{}.pages", "--by", "file"], &[]),
    (&["trace", "convert", "{}.pages", "{}c.csv", "--to", "msr"], &["c.csv"]),
    (&["trace", "generate", "gen:paper-ms?ops=10", "-o", "{}g.pages"], &["g.pages"]),
    (&["trace", "replay", "{}.pages", "sim:./{}.toml", "--report", "{}re.html"], &["re.html"]),
    (&["trace", "replay", "{}.pages", "sim:./{}2.toml"], &[]),
    (
        &[
            "pool",
            "simulate",
            "{}.pages",
            "--frames",
            "10",
            "--device",
            "sim:./{}.toml",
            "--profile",
            "{}.json",
            "-o",
            "{}p.html",
        ],
        &["p.html"],
    ),
    (&["pool", "replay", "{}.pages", ".", "--frames", "10", "--profile", "{}.json"], &[]),
    (&["graph", "import", "{}.el", "{}g"], &["g"]),
    (&["graph", "info", "{}g", "--report", "{}i.html"], &["i.html"]),
    (&["graph", "verify", "{}g"], &[]),
    (&["graph", "wcc", "{}g", "-o", "{}w.bin", "--profile", "{}.json"], &["w.bin", "w.bin.json"]),
    (&["graph", "wcc", "{}g", "--from", "{}w.bin", "-o", "{}w.bin"], &[]),
    (&["graph", "bfs", "{}g", "--source", "1", "-o", "{}b.graphalytics"], &["b.graphalytics"]),
    (&["graph", "bfs", "{}g", "--source", "1", "--estimate"], &[]),
    (&["graph", "validate", "{}b.graphalytics", "{}b.graphalytics", "--algorithm", "bfs"], &[]),
    (&["graph", "export", "{}g", "{}x.csv"], &["x.csv"]),
    (&["graph", "update", "{}g", "{}.txt"], &[]),
    (&["graph", "compact", "{}g"], &[]),
    (&["index", "load", "{}x", "{}.el", "--key-type", "integer", "--profile", "{}.json"], &["x"]),
    (&["index", "get", "{}x", "--keys", "{}k", "--key-type", "integer"], &[]),
    (&["index", "verify", "{}x"], &[]),
    (&["index", "bench", "{}x", "--dry-run"], &[]),
    (&["man", "{}man"], &[]),
];

#[test]
fn files_whose_names_are_no_text_are_taken_by_every_command() {
    let dir = inputs(NO_TEXT);
    for (words, made) in COMMANDS {
        let ran = with(dir.path(), NO_TEXT, words);
        // What a lint finds is a failure of the configuration.
        let expected = if words[0] == "lint" { &[0, 1][..] } else { &[0] };
        assert!(expected.contains(&ran.code.unwrap()), "{words:?}: {}", ran.stderr);
        for ending in made {
            let name = [NO_TEXT, ending.as_bytes()].concat();
            assert!(dir.path().join(OsStr::from_bytes(&name)).exists(), "{words:?}: no {ending}");
        }
    }
}

#[test]
fn documents_have_such_names_with_a_mark_for_what_is_no_text() {
    let dir = inputs(NO_TEXT);
    with(dir.path(), NO_TEXT, &["graph", "import", "{}.el", "{}g"]).succeeded();
    for (words, key) in [
        (&["trace", "info", "{}.pages", "--json"][..], "trace"),
        (&["graph", "wcc", "{}g", "--json"], "store"),
        (&["graph", "info", "{}g", "--json"], "store"),
    ] {
        let ran = with(dir.path(), NO_TEXT, words).succeeded();
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(document[key].as_str().unwrap().starts_with("n\u{fffd}\u{fffd}"), "{words:?}: {document}");
    }
}

/// Nothing but line breaks and tabs would be obeyed by a terminal.
#[track_caller]
fn drives_nothing(words: &[&str], text: &str) {
    let obeyed = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t') || *c == '\u{202e}');
    assert!(obeyed.is_none(), "{words:?}: {obeyed:?} in {text:?}");
    // The name has a line break before this.
    assert!(!text.lines().any(|line| line.starts_with("error: done")), "{words:?}: {text}");
}

#[test]
fn names_that_would_drive_a_terminal_are_written_out() {
    let dir = inputs(DRIVES);
    for (words, made) in COMMANDS {
        let ran = with(dir.path(), DRIVES, words);
        assert!(matches!(ran.code, Some(0 | 1)), "{words:?}: {}", ran.stderr);
        drives_nothing(words, &ran.stdout);
        drives_nothing(words, &ran.stderr);
        for ending in made {
            let name = [DRIVES, ending.as_bytes()].concat();
            assert!(dir.path().join(OsStr::from_bytes(&name)).exists(), "{words:?}: no {ending}");
        }
    }
    // Documents have them as they are, and are read as such.
    let ran = with(dir.path(), DRIVES, &["trace", "info", "{}.pages", "--json"]).succeeded();
    drives_nothing(&["--json"], &ran.stdout);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["trace"], format!("{}.pages", String::from_utf8_lossy(DRIVES)));
}

#[test]
fn so_they_are_in_the_lines_of_failures() {
    let dir = folder();
    for words in [
        &["report", "{}"][..],
        &["models", "{}"],
        &["profile", "{}"],
        &["profile", "sim:{}"],
        &["profile", "sim:./{}.toml"],
        &["devices", "{}"],
        &["report", "device:{}"],
        &["trace", "info", "{}"],
        &["trace", "info", "gen:{}"],
        &["trace", "convert", "{}", "{}.csv"],
        &["trace", "capture", "{}", "-o", "x", "--", "true"],
        &["pool", "simulate", "{}", "--frames", "1"],
        &["place", "{}", "--fast", "{}", "--slow", "{}"],
        &["graph", "info", "{}"],
        &["graph", "import", "{}", "x"],
        &["graph", "bfs", "{}", "--source", "{}"],
        &["emulate", "{}", "--backing", "{}", "--mount", "{}"],
        &["emulate", "ctl", "{}", "counters"],
        &["advise", "{}", "p.json"],
        &["lint", "postgresql", "{}", "{}"],
        &["lsm", "validate", "{}", "{}"],
        &["prove", "etcd", "{}", "{}"],
        &["profile", "--{}"],
        &["{}"],
    ] {
        for name in [DRIVES, NO_TEXT] {
            let ran = with(dir.path(), name, words);
            assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.stderr);
            assert_eq!(ran.stderr.lines().count(), 1, "{words:?}: {}", ran.stderr);
            drives_nothing(words, &ran.stderr);
        }
    }
}

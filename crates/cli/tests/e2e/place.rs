//! `leadline place`.

use std::fs;
use std::path::Path;

use leadline_trace::capture::{Event, Operation, Thread, Writer};
use serde_json::Value;
use tempfile::TempDir;

use crate::ran::{Ran, folder, names, run};

const PAGE: u64 = 16384;

/// A query that reads pages of files one after the other, in 200 us each.
fn capture(dir: &Path, name: &str, files: &[&str], pages: impl Iterator<Item = (u32, u64)>) {
    let mut writer = Writer::new(Vec::new());
    files.iter().for_each(|file| assert!(writer.file(file).is_ok()));
    writer.thread(&Thread { tid: 7, pid: 7, name: "query".to_owned() }).unwrap();
    let mut now = 0;
    for (file, page) in pages {
        let event = Event {
            issued_ns: now,
            completed_ns: now + 200_000,
            thread: 0,
            file,
            operation: Operation::Read,
            offset: page * PAGE,
            length: PAGE,
        };
        now += 200_000;
        writer.event(&event).unwrap();
    }
    fs::write(dir.join(name), writer.finish(now).unwrap()).unwrap();
}

/// Two queries: q3 reads 200 pages of a table of 4096 again and again, q16 each third page of one of 1024
/// once.
fn place() -> TempDir {
    let dir = folder();
    let files = ["t/orders.ibd", "t/lineitem.ibd"];
    let hot = (0..4000).map(|i| (1, i * 7919 % 200 * 20));
    capture(dir.path(), "q3.capture", &files, hot.chain([(1, 4095)]));
    capture(dir.path(), "q16.capture", &files, (0..1024).map(|i| (0, i * 341 % 1024)));
    let device = |us: f64| {
        let server = format!("{{ service_us = {us:?}, per_kib_us = 0.1, servers = 8 }}");
        format!("kind = \"parametric\"\ncapacity = \"256M\"\nread = {server}\nwrite = {server}\n")
    };
    fs::write(dir.path().join("fast.toml"), device(40.0)).unwrap();
    fs::write(dir.path().join("slow.toml"), device(200.0)).unwrap();
    dir
}

fn placed(dir: &Path, more: &[&str]) -> Ran {
    let devices = ["--fast", "sim:fast.toml", "--slow", "sim:slow.toml"];
    run(dir, &[&["place", "q3.capture", "q16.capture"][..], &devices, more].concat())
}

#[test]
fn the_best_use_at_each_size_is_told_in_words_a_table_json_and_a_page() {
    let dir = place();
    let ran = placed(dir.path(), &["--fast-size", "4M,16M", "--json", "--report", "place.html"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let study: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(study["schema"], "leadline.place/1");
    // q3 by itself: the pages that it reads again fit in 4M, its table does not fit in 16M.
    let choice = |of: &Value, size: usize| of["sizes"][size]["choice"].as_str().unwrap().to_owned();
    assert_eq!(
        (choice(&study["each"][0], 0), choice(&study["each"][0], 1)),
        ("cache".into(), "cache".into())
    );
    // q16 by itself: every page once, so that only placing gains, where its table of 16M fits.
    assert_eq!(
        (choice(&study["each"][1], 0), choice(&study["each"][1], 1)),
        ("neither".into(), "placement".into())
    );
    assert_eq!(study["all"]["sizes"][0]["cached"].as_array().unwrap().len(), 20);
    let page = fs::read_to_string(dir.path().join("place.html")).unwrap();
    assert!(page.contains("sim:fast.toml for what is on sim:slow.toml"));

    let ran = placed(dir.path(), &["--fast-size", "16M", "--weights", "q3=0.01,q16=10"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in ["16M: take orders placed: ", "would take", "All queries together", "Each query alone"] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
}

#[test]
fn copying_before_every_run_may_be_worth_more_than_it_saves() {
    let dir = place();
    let choice = |migration| {
        let arguments =
            ["--fast-size", "16M", "--weights", "q16=100,q3=0", "--migration", migration, "--json"];
        let ran = placed(dir.path(), &arguments);
        let study: Value = serde_json::from_str(&ran.stdout).unwrap();
        let best = &study["all"]["sizes"][0]["placed"][0];
        (best["seconds"].as_f64().unwrap(), best["migration_seconds"].as_f64().unwrap())
    };
    let (once, per_query) = (choice("once"), choice("per-query"));
    assert!((per_query.1 / once.1 - 100.0).abs() < 1e-6, "{once:?} {per_query:?}");
    assert!(((per_query.0 - once.0) - 99.0 * once.1).abs() < 1e-6);
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let dir = place();
    fs::write(dir.path().join("web.pages"), "R 1\n").unwrap();
    capture(dir.path(), "nameless.capture", &[""], [(0, 1)].into_iter());
    fs::create_dir(dir.path().join("other")).unwrap();
    fs::copy(dir.path().join("q3.capture"), dir.path().join("other/q3.capture")).unwrap();
    let before = names(dir.path());
    let two = ["--fast", "sim:fast.toml", "--slow", "sim:slow.toml"];
    let cases: [(&[&str], &str); 9] = [
        (&["web.pages"], "web.pages: is not a capture"),
        (&["nameless.capture"], "nameless: has no names of files"),
        (&["q3.capture", "other/q3.capture"], "q3: two traces are called so"),
        (
            &["q3.capture", "--fast-size", "0"],
            "a fast size of 0 bytes: must be from a cached block, 16384 bytes",
        ),
        (&["q3.capture", "--fast-size", "257M"], "to what the fast device has, 268435456 bytes"),
        (&["q3.capture", "--weights", "q4=1"], "q4: is none of the queries, which are q3"),
        (&["q3.capture", "--weights", "q3=0"], "all queries have weight 0"),
        (&["q3.capture", "--weights", "q3"], "must be a query and how often it runs, such as q3=10"),
        (&["q3.capture", "--block-size", "5000"], "must be a power of two from 512 to 16M"),
    ];
    for (arguments, said) in cases {
        let ran = run(dir.path(), &[&["place"][..], arguments, &two].concat());
        assert_eq!(ran.code, Some(2), "{said}: {ran:?}");
        let line = ran.stderr.lines().last().unwrap_or_default();
        assert!(line.starts_with("error: ") && line.contains(said), "{said}: {ran:?}");
        assert!(ran.stdout.is_empty());
    }
    let ran = run(dir.path(), &["place", "q3.capture", "--fast", "nosuch", "--slow", "sim:slow.toml"]);
    assert_eq!(
        (ran.code, ran.stderr.contains("nosuch: is not a modelled device")),
        (Some(2), true),
        "{ran:?}"
    );
    assert_eq!(names(dir.path()), before, "nothing was written");
}

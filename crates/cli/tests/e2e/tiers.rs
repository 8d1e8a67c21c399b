//! Devices made of two, wherever a device is named.

use std::fs;
use std::path::Path;

use leadline_trace::capture::{Event, Operation, Thread, Writer};
use serde_json::Value;
use tempfile::TempDir;

use crate::ran::{Ran, folder, run};

/// A folder with a fast and a slow device, both of them as one, and a trace that reads 64 pages twice.
fn place() -> TempDir {
    let dir = folder();
    let device = |us: f64| {
        let server = format!("{{ service_us = {us:?}, servers = 4 }}");
        format!("kind = \"parametric\"\ncapacity = \"64M\"\nread = {server}\nwrite = {server}\n")
    };
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write("fast.toml", &device(50.0));
    write("slow.toml", &device(500.0));
    let two = "fast = \"fast.toml\"\nslow = \"slow.toml\"\nfast_size = \"16M\"\n";
    write("cached.toml", &format!("kind = \"cached\"\n{two}"));
    write("placed.toml", &format!("kind = \"placed\"\n{two}fast_files = [\"*\"]\n"));
    write("none.toml", &format!("kind = \"cached\"\n{}", two.replace("\"16M\"", "0")));
    let pages = (0..2).flat_map(|_| 0..64).map(|page| format!("R {page}\n"));
    write("pages.txt", &pages.collect::<String>());
    dir
}

fn document(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Mean microseconds of a read when the trace is replayed a request at a time.
fn mean_us(dir: &Path, device: &str) -> f64 {
    let arguments = ["trace", "replay", "pages.txt", device, "--pace", "closed:1", "--json"];
    let replay =
        document(&run(dir, &[&arguments[..], &["--format", "pages", "--page-size", "16K"]].concat()));
    replay["all"]["latency"]["mean"].as_f64().unwrap()
}

#[test]
fn a_trace_is_replayed_on_a_cached_device() {
    let dir = place();
    let (slow, fast) = (mean_us(dir.path(), "sim:slow.toml"), mean_us(dir.path(), "sim:fast.toml"));
    let cached = mean_us(dir.path(), "sim:./cached.toml");
    // The second half of the reads is in the cache.
    assert!((cached - (slow + fast) / 2.0).abs() < 1.0, "{cached}, {slow}, {fast}");
}

#[test]
fn the_files_of_a_trace_are_placed_by_their_names() {
    let dir = place();
    let mut writer = Writer::new(Vec::new());
    let files = ["t/lineitem.ibd", "t/orders.ibd"].map(|name| writer.file(name).unwrap());
    writer.thread(&Thread { tid: 1, pid: 1, name: "query".to_owned() }).unwrap();
    for i in 0..100 {
        let (issued_ns, file) = (i * 1000, files[i as usize % 2]);
        let operation = Operation::Read;
        let (offset, length) = (i * 16384, 16384);
        let event = Event { issued_ns, completed_ns: issued_ns, thread: 0, file, operation, offset, length };
        writer.event(&event).unwrap();
    }
    fs::write(dir.path().join("q.capture"), writer.finish(100_000).unwrap()).unwrap();
    let replayed = |globs: &str| {
        let text = fs::read_to_string(dir.path().join("placed.toml")).unwrap();
        fs::write(dir.path().join("other.toml"), text.replace("\"*\"", globs)).unwrap();
        run(dir.path(), &["trace", "replay", "q.capture", "sim:other.toml", "--pace", "closed:1", "--json"])
    };
    let ran = replayed("\"*lineitem*\"");
    let replay = document(&ran);
    assert_eq!(
        (&replay["mapping"]["fast"], replay["all"]["latency"]["mean"].as_f64()),
        (&50.into(), Some(275.0))
    );
    assert_eq!(document(&replayed("\"*\""))["all"]["latency"]["mean"], 50.0);
    let ran = replayed("\"nosuch\"");
    assert!(ran.stderr.contains("q.capture: no file of the trace has a name of fast_files"), "{ran:?}");
    assert_eq!(document(&ran)["all"]["latency"]["mean"], 500.0);
}

#[test]
fn a_profile_of_one_is_like_that_of_any_device() {
    let dir = place();
    let profile = ["profile", "sim:placed.toml", "--quick", "--block-size", "4K", "--reads-only", "--json"];
    let profile = document(&run(dir.path(), &profile));
    assert_eq!(profile["device"]["capacity_bytes"], 80 << 20);
}

#[test]
fn mistakes_in_its_file_are_one_line_and_exit_code_2() {
    let dir = place();
    let none = "none.toml: line 4: fast_size: must be a block of the cache or more, 16384 bytes";
    let pages = ["trace", "replay", "pages.txt", "sim:none.toml", "--format", "pages", "--pace", "closed:1"];
    for arguments in [
        &["emulate", "sim:none.toml", "--backing", "data", "--mount", "mnt"][..],
        &["profile", "sim:none.toml", "--quick"],
        &pages,
    ] {
        let ran = run(dir.path(), arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), format!("error: {none}\n").as_str()));
    }
    // What takes one device only says so.
    let one = [
        "pool",
        "simulate",
        "pages.txt",
        "--format",
        "pages",
        "--frames",
        "8",
        "--device",
        "sim:cached.toml",
    ];
    let ran = run(dir.path(), &one);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("cached.toml: line 1: kind: \"cached\" is made of two devices"),
        "{}",
        ran.stderr
    );
}

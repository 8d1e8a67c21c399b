//! `leadline pool simulate`: counts known by hand, sweeps, and what is refused.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::ran::{Ran, folder, names, run, start};

/// Two frames of LRU: six misses; pages 1 and 2 leave dirty, page 4 stays.
const SMALL: &str = "W 1\nW 2\nR 3\nR 2\nW 4\nR 1\nR 4\nR 5\n";

/// Reads one at a time in 100 microseconds, writes two at a time in 400.
const DEVICE: &str = "kind = \"parametric\"\ncapacity = \"1M\"\n[read]\nservice_us = 100\nservers = 1\n[write]\nservice_us = 400\nservers = 2\n";

fn simulate(dir: &Path, arguments: &[&str]) -> Ran {
    run(dir, &[&["pool", "simulate"], arguments].concat())
}

fn with_files() -> tempfile::TempDir {
    let dir = folder();
    fs::write(dir.path().join("small.txt"), SMALL).unwrap();
    fs::write(dir.path().join("slow.toml"), DEVICE).unwrap();
    dir
}

#[track_caller]
fn document(ran: Ran) -> Value {
    serde_json::from_str(&ran.succeeded().stdout).unwrap()
}

#[test]
fn a_small_trace_is_counted_and_timed_as_by_hand() {
    let dir = with_files();
    let counted = document(simulate(dir.path(), &["small.txt", "--frames", "2", "--json"]));
    for (name, value) in [
        ("policy", json!("lru")),
        ("ace", json!("off")),
        ("n", json!(1)),
        ("cleaner", json!("off")),
        ("clients", json!(1)),
        ("frames", json!(2)),
        ("operations", json!(8)),
        ("operations_writing", json!(3)),
        ("misses", json!(6)),
        ("writes", json!(2)),
        ("writes_by_cleaner", json!(0)),
        ("batches", json!(2)),
        ("prefetches", json!(0)),
        ("prefetches_used", json!(0)),
        ("seconds", Value::Null),
        ("latency_us", Value::Null),
    ] {
        assert_eq!(counted[name], value, "{name}");
    }
    let timed = |ace| {
        simulate(
            dir.path(),
            &["small.txt", "--frames", "2", "--ace", ace, "--device", "sim:./slow.toml", "--json"],
        )
    };
    // Six reads of 100 us; two writes one after the other, or both at once.
    let off = document(timed("off"));
    assert!((off["seconds"].as_f64().unwrap() - 0.0014).abs() < 1e-9, "{off}");
    assert_eq!(off["latency_us"]["max"].as_f64().unwrap().round(), 500.0);
    let ace = document(timed("cow-x"));
    assert!((ace["seconds"].as_f64().unwrap() - 0.001).abs() < 1e-9, "{ace}");
    assert_eq!(
        (&ace["n"], &ace["batches"], &ace["writes"]),
        (&json!(2), &json!(1), &json!(2)),
        "n is the device's k_w"
    );
}

#[test]
fn lists_make_a_sweep_that_does_not_depend_on_threads() {
    let dir = with_files();
    let sweep = [
        "small.txt",
        "--frames",
        "2,3",
        "--ace",
        "off,cow-x",
        "--policy",
        "lru,clock",
        "--cleaner",
        "off,1",
        "--device",
        "sim:./slow.toml",
    ];
    let alone = simulate(dir.path(), &[&sweep[..], &["--json", "--threads", "1"]].concat()).succeeded();
    let together = simulate(dir.path(), &[&sweep[..], &["--json", "--threads", "4"]].concat()).succeeded();
    assert_eq!(alone.stdout, together.stdout);
    let cells = document(alone)["cells"].as_array().unwrap().clone();
    assert_eq!(cells.len(), 16);
    let of = |cell: &Value| {
        ["frames", "policy", "cleaner", "ace"].map(|name| cell[name].to_string().replace('"', ""))
    };
    assert_eq!(of(&cells[0]), ["2", "lru", "off", "off"]);
    assert_eq!(of(&cells[1]), ["2", "lru", "off", "cow-x"]);
    assert_eq!(of(&cells[15]), ["3", "clock", "1", "cow-x"]);

    let shown = simulate(
        dir.path(),
        &["small.txt", "--frames", "2", "--ace", "off,cow-x", "--device", "sim:./slow.toml"],
    );
    let shown = shown.succeeded().stdout;
    let row = shown.lines().find(|line| line.trim_start().starts_with("cow-x")).unwrap();
    assert!(row.contains("1.40×") && row.contains("+0.00 %") && row.contains("25.0 %"), "{shown}");
}

#[test]
fn shares_of_reads_and_asymmetry_are_swept_and_shown_on_a_page() {
    let dir = with_files();
    let arguments = [
        "gen:paper-ms?pages=1000&ops=3000",
        "--frames",
        "60",
        "--ace",
        "off,cow-x",
        "--read-share",
        "10,90",
        "--alpha-1",
        "1,4",
        "--device",
        "sim:flash",
        "--json",
        "-o",
        "pool.html",
    ];
    let ran = simulate(dir.path(), &arguments);
    let page = fs::read_to_string(dir.path().join("pool.html")).unwrap();
    assert!(
        page.contains("id=\"p-reads\"")
            && page.contains("id=\"p-alpha\"")
            && !page.contains("id=\"p-frames\"")
    );
    let cells = document(ran)["cells"].as_array().unwrap().clone();
    assert_eq!(cells.len(), 8);
    let find = |share: f64, alpha: f64, ace: &str| {
        let same = |c: &&Value| c["read_share_percent"] == share && c["alpha_1"] == alpha && c["ace"] == ace;
        cells.iter().find(same).unwrap()
    };
    let seconds = |share, alpha, ace| find(share, alpha, ace)["seconds"].as_f64().unwrap();
    assert!(seconds(10.0, 4.0, "off") > 1.5 * seconds(10.0, 1.0, "off"), "dearer writes take longer");
    assert!(
        find(10.0, 1.0, "off")["operations_writing"].as_u64()
            > find(90.0, 1.0, "off")["operations_writing"].as_u64()
    );
}

#[test]
fn n_is_the_devices_unless_it_is_given_and_never_more_than_the_pool() {
    let dir = with_files();
    let n = |more: &[&str]| {
        let ran =
            simulate(dir.path(), &[&["small.txt", "--ace", "cow-x", "--json", "--frames"], more].concat());
        (ran.stderr.clone(), document(ran)["n"].clone())
    };
    assert_eq!(n(&["20"]).1, 8);
    assert_eq!(n(&["20", "--n", "4"]).1, 4);
    assert_eq!(n(&["20", "--profile", "device:p4800x"]).1, 5);
    assert_eq!(n(&["20", "--n", "auto", "--device", "sim:flash"]).1, 8);
    let (said, clipped) = n(&["3"]);
    assert_eq!(clipped, 3);
    assert!(said.contains("n = 8") && said.contains("3 frames"), "{said}");
    let (said, _) = n(&["20", "--device", "device:p4510"]);
    assert!(said.contains("assumed") && said.contains("80 reads at once of 12.4 us"), "{said}");
}

#[test]
fn on_flash_a_pool_is_told_what_its_writes_do_to_the_drive() {
    let dir = with_files();
    // Small pages of a pool on large ones of flash, all of them in use: every write moves others.
    let flash = "kind = \"flash\"\ncapacity = \"64M\"\nover_provisioning = 0.2\n\
                 [geometry]\nchannels = 2\ndies_per_channel = 1\npages_per_block = 64\npage_bytes = 4096\n\
                 [timing]\nread_us = 60\nprogram_us = 500\nerase_us = 3000\nbus_mb_per_s = 600\n\
                 [buffer]\nwrite = \"1M\"\n[wear]\ncycles = 1000\n";
    std::fs::write(dir.path().join("flash.toml"), flash).unwrap();
    let pool =
        ["gen:uniform?pages=16384&ops=60000&reads=0", "--frames", "100", "--device", "sim:./flash.toml"];
    let found = document(simulate(dir.path(), &[&pool[..], &["--json"]].concat()));
    let wear = &found["wear"];
    let amplification = wear["write_amplification"].as_f64().unwrap();
    assert!((2.0..5.0).contains(&amplification), "{wear}");
    let written = found["writes"].as_f64().unwrap() * 4096.0;
    let media = wear["media_bytes"].as_f64().unwrap();
    assert!((media / written / amplification - 1.0).abs() < 1e-9, "{found}");
    // 64 MiB and a fifth, a thousand times.
    let life = 1.2 * f64::from(64 << 20) * 1000.0 / media * found["operations"].as_f64().unwrap();
    assert!((wear["life_operations"].as_f64().unwrap() / life - 1.0).abs() < 0.1, "{wear}");
    let shown = simulate(dir.path(), &pool).succeeded();
    assert!(
        shown.stdout.contains("amplification") && shown.stdout.contains("10⁹ operations"),
        "{}",
        shown.stdout
    );

    let timed =
        document(simulate(dir.path(), &["small.txt", "--frames", "2", "--device", "sim:flash", "--json"]));
    assert!(timed["wear"].is_null(), "servers have no flash");
    simulate(dir.path(), &[&pool[..], &["--alpha-1", "2"]].concat()).refused(&["--alpha-1"]);
}

#[test]
fn bad_usage_is_refused_in_one_line() {
    let dir = with_files();
    fs::write(dir.path().join("empty.txt"), "").unwrap();
    let cases: [(&[&str], &[&str]); 20] = [
        (&["small.txt"], &["--frames"]),
        (&["small.txt", "--frames", "0"], &["--frames", "\"0\""]),
        (&["small.txt", "--frames", "-3"], &["-3"]),
        (&["small.txt", "--frames", "9", "--n", "0"], &["--n", "\"0\""]),
        (&["small.txt", "--frames", "9", "--n", "auto"], &["--n auto", "--device", "--profile"]),
        (&["small.txt", "--frames", "9", "--n", "adaptive"], &["--n adaptive", "--device"]),
        (&["small.txt", "--frames", "9", "--clients", "0"], &["--clients", "4096"]),
        (&["small.txt", "--frames", "9", "--clients", "4097"], &["--clients", "4096"]),
        (
            &["small.txt", "--frames", "9", "--policy", "lru,mru"],
            &["--policy", "mru", "clock-sweep", "2q", "arc"],
        ),
        (&["small.txt", "--frames", "9", "--ace", "caw"], &["--ace", "caw", "cow-x-e"]),
        (&["small.txt", "--frames", "9", "--cleaner", "0"], &["--cleaner", "auto"]),
        (&["small.txt", "--frames", "9", "--page-size", "5000"], &["--page-size", "power of two"]),
        (&["small.txt", "--frames", "9", "--alpha-1", "2"], &["--device"]),
        (&["small.txt", "--frames", "9", "--read-share", "10"], &["small.txt", "--read-share", "gen:"]),
        (&["small.txt", "--frames", "9", "--device", "/dev/sda"], &["/dev/sda", "sim:NAME"]),
        (
            &["small.txt", "--frames", "9", "--device", "device:aws-virtual", "--page-size", "8K"],
            &["aws-virtual", "4K", "8K"],
        ),
        (&["nothing.txt", "--frames", "9"], &["nothing.txt"]),
        (&["empty.txt", "--frames", "9"], &["empty.txt", "empty"]),
        (&["gen:papers", "--frames", "9"], &["gen:papers", "paper-wis"]),
        (&["-", "--frames", "9,10"], &["-:", "file"]),
    ];
    for (arguments, said) in cases {
        simulate(dir.path(), arguments).refused(said);
    }
    simulate(dir.path(), &["small.txt", "--frames", "9", "-o", "small.txt"])
        .refused(&["small.txt", "replace"]);
    assert_eq!(fs::read_to_string(dir.path().join("small.txt")).unwrap(), SMALL);
}

#[test]
fn a_bad_trace_is_refused_with_its_place() {
    let dir = with_files();
    let cases: [(&str, &[&str], &[&str]); 5] = [
        ("R 1\nW 2\nX 3\n", &[], &["bad.txt:3", "expected R or W"]),
        ("R 1\nR 18446744073709551616\n", &["--format", "pages"], &["bad.txt:2"]),
        ("# nothing but this\n", &["--format", "pages"], &["bad.txt", "holds no request"]),
        (
            "R 1\nR 256\n",
            &["--device", "sim:./slow.toml"],
            &["bad.txt", "operation 2", "page 256", "256 pages of 4096"],
        ),
        (
            "R 1\nR 18446744073709551615\n",
            &["--device", "sim:flash"],
            &["bad.txt", "page 18446744073709551615"],
        ),
    ];
    for (text, more, said) in cases {
        fs::write(dir.path().join("bad.txt"), text).unwrap();
        let arguments = [
            &["bad.txt", "--frames", "4", "--n", "4", "--ace", "off,cow-x-e", "--report", "pool.html"],
            more,
        ]
        .concat();
        let ran = simulate(dir.path(), &arguments);
        ran.failed(2, said);
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(names(dir.path()), ["bad.txt", "slow.toml", "small.txt"], "no page of half a sweep");
    // Without a device any page can be.
    fs::write(dir.path().join("far.txt"), "R 18446744073709551615\nW 0\nR 18446744073709551614\n").unwrap();
    let counted = document(simulate(dir.path(), &["far.txt", "--frames", "1", "--json"]));
    assert_eq!((&counted["misses"], &counted["writes"]), (&json!(3), &json!(1)));
}

#[test]
fn an_interrupted_sweep_prints_nothing_and_leaves_no_page() {
    let dir = folder();
    let endless = "gen:uniform?pages=1000000&ops=1000000000000";
    let arguments = [
        "pool",
        "simulate",
        endless,
        "--frames",
        "1000,2000",
        "--ace",
        "all",
        "--json",
        "--report",
        "pool.html",
    ];
    let mut running = start(dir.path(), &arguments);
    running.reaches("simulate");
    running.signal(Signal::INT);
    let (ran, _, took) = running.end();
    ran.failed(1, &["interrupted"]);
    assert_eq!(ran.stdout, "");
    assert!(names(dir.path()).is_empty());
    assert!(took < Duration::from_secs(60), "took {took:?}");
}

/// Objects a, b and c of 90, 10 and 40 bytes.
const OBJECTS: &str = "0,a,1,89,3,get,0\n1,b,1,9,3,get,0\n2,a,1,89,3,get,0\n3,c,1,39,3,get,0\n4,b,1,9,3,get,0\n\
                       5,a,1,89,3,get,0\n";

#[test]
fn objects_have_byte_miss_ratios_and_caches_of_bytes() {
    let dir = folder();
    fs::write(dir.path().join("cluster.csv"), OBJECTS).unwrap();
    let swept = ["cluster.csv", "--cache-size", "100B,1K", "--policy", "lru,fifo", "--report", "page.html"];
    let cells = document(simulate(dir.path(), &[&swept[..], &["--json"]].concat()));
    let of = |cell: usize| &cells["cells"][cell];
    assert_eq!((&of(0)["misses"], &of(0)["objects"]["missed_bytes"]), (&json!(5), &json!(240)));
    assert_eq!((&of(1)["misses"], &of(1)["objects"]["missed_bytes"]), (&json!(4), &json!(230)));
    assert_eq!(of(0)["objects"]["byte_miss_ratio"], json!(240.0 / 330.0));
    assert_eq!((&of(2)["misses"], &of(2)["objects"]["cache_bytes"]), (&json!(3), &json!(1024)));
    let shown = simulate(dir.path(), &swept).succeeded().stdout;
    assert!(shown.contains(" byte ") && shown.contains("72.7 %") && shown.contains("cache"), "{shown}");
    assert!(fs::read_to_string(dir.path().join("page.html")).unwrap().contains("72.7\u{a0}%"));
    let of_frames = document(simulate(dir.path(), &["cluster.csv", "--frames", "1", "--json"]));
    assert_eq!(of_frames["objects"]["byte_miss_ratio"], json!(1.0));
    for (arguments, said) in [
        (&["cluster.csv", "--cache-size", "1K", "--policy", "arc"][..], "choose from lru"),
        (&["cluster.csv", "--cache-size", "1K", "--frames", "1"], "--frames"),
        (&["cluster.csv", "--cache-size", "1K", "--ace", "cow"], "ACE and cleaner off"),
        (&["cluster.csv"], "--frames"),
        (&["gen:paper-ms?ops=9", "--cache-size", "1K"], "has no sizes of objects"),
    ] {
        let ran = simulate(dir.path(), arguments);
        assert!(ran.code == Some(2) && ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
}

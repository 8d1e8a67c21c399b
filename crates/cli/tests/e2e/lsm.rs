//! `leadline lsm advise` and `leadline lsm predict`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::ran::{Ran, folder, names, run};

const TREE: [&str; 6] = ["--data", "1G", "--key-size", "16", "--value-size", "1000"];
const MIX: [&str; 4] = ["--mix", "point=60,scan=10,insert=30", "--memory", "64M"];

/// A profile of a drive on which a page takes so many microseconds, a further one a hundredth of that, and
/// which serves eight requests at a time.
fn drive(dir: &Path, name: &str, read_us: f64, write_us: f64, sizes: &[u32]) {
    let mut points = Vec::new();
    for (op, us) in [("read", read_us), ("write", write_us)] {
        for &block_bytes in sizes {
            for k in [1, 2, 4, 8, 16, 32] {
                let alone = us * (1.0 + (f64::from(block_bytes) / 4096.0 - 1.0) / 100.0);
                let iops = f64::from(k.min(8)) / alone * 1e6;
                let mean = f64::from(k) / iops * 1e6;
                points.push(json!({
                    "op": op, "pattern": "random", "block_bytes": block_bytes, "concurrency": k,
                    "iops": iops, "iops_ci": [0.99 * iops, 1.01 * iops],
                    "bandwidth_bytes": iops * f64::from(block_bytes),
                    "latency_us": {"mean": mean, "p99": 2.0 * mean},
                }));
            }
        }
    }
    let document = json!({
        "schema": "leadline.profile/1", "device": {"name": name, "cpus": 4}, "method": {}, "validity": {},
        "points": points, "parameters": [],
    });
    fs::write(dir.join(name), document.to_string()).unwrap();
}

const SIZES: [u32; 4] = [4096, 65536, 524_288, 2_097_152];

fn flash(dir: &Path) {
    drive(dir, "flash.json", 80.0, 30.0, &SIZES);
}

fn lsm(dir: &Path, command: &str, profile: &str, more: &[&str]) -> Ran {
    run(dir, &[&["lsm", command, profile], &TREE[..], more].concat())
}

fn answer(ran: Ran) -> Value {
    serde_json::from_str(&ran.succeeded().stdout).unwrap()
}

/// Each of these is a number with its interval around it.
#[track_caller]
fn has_intervals(layout: &Value, fields: &[&str]) {
    for name in fields {
        let value = layout[name].as_f64().unwrap_or_else(|| panic!("{name} of {layout}"));
        let ci: [f64; 2] = serde_json::from_value(layout[format!("{name}_ci")].clone()).unwrap();
        assert!(ci[0] <= value && value <= ci[1], "{name}: {value} and {ci:?}");
    }
}

/// Without the line breaks of the terminal.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const COSTS: [&str; 5] =
    ["point_us", "scan_us", "insert_per_s", "write_amplification", "space_amplification"];

#[test]
fn the_advised_options_are_read_back_and_predicted_alike() {
    let dir = folder();
    flash(dir.path());
    let more =
        [&MIX[..], &["--clients", "4", "--jobs", "2", "--rocksdb", "9", "-o", "O.ini", "--json"]].concat();
    let advice = answer(lsm(dir.path(), "advise", "flash.json", &more));
    let chosen = &advice["chosen"];
    assert_eq!(names(dir.path()), ["O.ini", "flash.json"]);
    let options = fs::read_to_string(dir.path().join("O.ini")).unwrap();
    assert!(options.contains("rocksdb_version=9.0.0"), "{options}");
    assert!(options.contains(&format!("--cache_size={}", chosen["cache_bytes"])), "{options}");

    has_intervals(chosen, &[&COSTS[..], &["mix_per_s"]].concat());
    assert_eq!((&chosen["jobs"], &chosen["life_years"]), (&json!(2), &Value::Null));
    assert!(chosen["read_us"].as_f64() > Some(0.0) && chosen["point_p99_us"].as_f64() > Some(0.0));
    let memory = chosen["memory_bytes"].as_f64().unwrap() + chosen["cache_bytes"].as_f64().unwrap();
    assert!(memory <= f64::from(64 << 20), "{memory}");
    let front = advice["front"].as_array().unwrap();
    assert!(front.contains(chosen));
    for layout in front.iter().chain(advice["neighbours"].as_array().unwrap()) {
        has_intervals(layout, &[&COSTS[..], &["mix_per_s"]].concat());
    }
    assert!(advice["neighbours"].as_array().unwrap().iter().all(|other| other["change"].is_string()));
    assert!(advice["searched"].as_u64() > Some(100));
    assert_eq!((&advice["asked"]["cores"], &advice["asked"]["clients"]), (&json!(4), &json!(4)));
    assert_eq!(advice["warnings"].as_array().unwrap().len(), 1, "{}", advice["warnings"]);

    let more = ["--options", "O.ini", "--clients", "4", "--mix", MIX[1], "--json"];
    let found = answer(lsm(dir.path(), "predict", "flash.json", &more));
    for name in
        COSTS.iter().chain(&["mix_per_s", "fanout", "levels", "l0_files", "block_bytes", "cache_bytes"])
    {
        assert_eq!(found[*name], chosen[*name], "{name}");
    }
    let fill = &found["fill"];
    has_intervals(fill, &["seconds", "write_amplification"]);
    let stored: f64 = fill["levels"].as_array().unwrap().iter().map(|l| l["bytes"].as_f64().unwrap()).sum();
    assert!((stored / f64::from(1 << 30) - 1.0).abs() < 0.1, "{stored} bytes");
    for name in ["point", "absent", "scan"] {
        assert!(
            ["clients", "device", "processor"].contains(&found[name]["bound"].as_str().unwrap()),
            "{name}"
        );
    }
    // Without a mix there is none; a cache of nothing makes queries slower.
    let more = ["--options", "O.ini", "--cache-size", "0", "--json"];
    let bare = answer(lsm(dir.path(), "predict", "flash.json", &more));
    assert!(bare.get("mix_per_s").is_none() && bare["asked"]["mix_percent"].is_null());
    assert_eq!(bare["cache_bytes"], 0);
    assert!(bare["point"]["requests"].as_f64() > found["point"]["requests"].as_f64());
}

#[test]
fn tied_layouts_are_named_and_a_mix_without_queries_has_no_time_of_them() {
    let dir = folder();
    flash(dir.path());
    let mix = ["--mix", "insert=100", "--memory", "64M", "--clients", "4"];
    let advice = answer(lsm(dir.path(), "advise", "flash.json", &[&mix[..], &["--json"]].concat()));
    let (chosen, tied) = (&advice["chosen"], advice["tied"].as_array().unwrap());
    for name in ["fanout", "l0_files", "memtable_bytes", "block_bytes", "bloom_bits", "jobs"] {
        assert_eq!(tied[0][name], chosen[name], "{name}: the first of them is the chosen one");
    }
    let number = |value: &Value, name: &str| value[name].as_f64().unwrap();
    for other in tied {
        assert!(number(other, "mix_per_s") >= 0.95 * number(&tied[0], "mix_per_s"), "{other}");
        assert!(
            number(other, "doublings_from_defaults") >= number(&tied[0], "doublings_from_defaults") - 1e-6
        );
    }
    let ends = |name: &str, end: usize| advice[name]["mix_per_s_ci"][end].as_f64().unwrap();
    assert_eq!(advice["decided"], json!(ends("most", 0) > ends("chosen", 1)));
    assert!(advice["front"].as_array().unwrap().contains(&advice["most"]));
    assert!(chosen["mix_point_us"].is_null() && chosen["point_p99_us"].is_null(), "{chosen}");
    assert!(chosen["insert"]["loads"].as_u64() > Some(1));
    let busy = &chosen["insert"]["compactions"];
    assert!(number(busy, "device_used") <= 1.0 && number(busy, "device_share") > 0.0, "{busy}");

    let shown = unwrapped(&lsm(dir.path(), "advise", "flash.json", &mix).succeeded().stdout);
    for said in [format!("Tied with it: {} layouts", tied.len() - 1), "jobs".into(), "standard error".into()]
    {
        assert!(shown.contains(&said), "no {said:?} in {shown}");
    }
    assert!(!shown.contains("Point quer"), "{shown}");
}

#[test]
fn advice_changes_with_the_device() {
    let dir = folder();
    drive(dir.path(), "slow-writes.json", 80.0, 3000.0, &SIZES);
    drive(dir.path(), "slow-reads.json", 3000.0, 80.0, &SIZES);
    let mix = ["--mix", "point=30,scan=20,insert=50", "--memory", "64M", "--clients", "4", "--json"];
    let on = |profile| answer(lsm(dir.path(), "advise", profile, &mix))["chosen"].clone();
    let (writes, reads) = (on("slow-writes.json"), on("slow-reads.json"));
    let written = |chosen: &Value| chosen["write_amplification"].as_f64().unwrap();
    assert!(written(&writes) < written(&reads), "{} and {}", written(&writes), written(&reads));
}

#[test]
fn tables_say_what_is_advised_and_why() {
    let dir = folder();
    flash(dir.path());
    let drive =
        ["--rated-writes", "600T", "--device-write-amplification", "1.5", "--rate", "1000", "--life", "1y"];
    let shown =
        lsm(dir.path(), "advise", "flash.json", &[&MIX[..], &drive, &["-o", "O.ini"]].concat()).succeeded();
    for said in ["Chosen (*)", "pace", "instead of", "life", " y", "lsm validate"] {
        assert!(shown.stdout.contains(said), "no {said:?} in {}", shown.stdout);
    }
    assert!(shown.stdout.lines().all(|line| line.chars().count() <= 100), "{}", shown.stdout);
    let unknown = lsm(dir.path(), "advise", "flash.json", &MIX).succeeded();
    assert!(unwrapped(&unknown.stdout).contains("life of the drive: unknown"), "{}", unknown.stdout);
    let shown = lsm(dir.path(), "predict", "flash.json", &["--options", "O.ini"]).succeeded().stdout;
    for said in ["level", "fill, with all compactions", "Point query", "bounded by"] {
        assert!(shown.contains(said), "no {said:?} in {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    for command in ["advise", "predict"] {
        let help = run(dir.path(), &["lsm", command, "--help"]).succeeded().stdout;
        assert!(help.contains(&format!("leadline lsm {command} profile.json")), "{help}");
    }
}

#[test]
fn what_makes_predictions_worth_less_is_said() {
    let dir = folder();
    drive(dir.path(), "small.json", 80.0, 30.0, &[4096, 65536]);
    flash(dir.path());
    let ran = lsm(dir.path(), "advise", "small.json", &MIX).succeeded();
    assert!(ran.stderr.contains("no requests larger than 64K") && ran.stderr.contains("--block-size"));
    let ran = lsm(dir.path(), "advise", "device:p4510", &MIX).succeeded();
    assert!(ran.stderr.contains("published numbers"), "{}", ran.stderr);
    let costs = json!({"processor": {
        "point_us": 600.0, "block_us": 9.0, "cached_block_us": 1.5, "seek_us": 4.0, "seek_run_us": 1.5,
        "pair_us": 0.6, "read_mib_us": 250.0, "insert_us": 8.0, "flush_pair_us": 2.0, "merge_pair_us": 3.0,
        "compaction_mib_us": 350.0,
    }, "files": {"sync_us": 1234.0, "file_us": [2000.0, 1500.0, 1500.0, 1500.0, 1500.0]}});
    fs::write(dir.path().join("costs.json"), costs.to_string()).unwrap();
    let more = [&MIX[..], &["--processor", "costs.json", "--json"]].concat();
    let ran = lsm(dir.path(), "advise", "flash.json", &more);
    // Progress is shown where the search takes long.
    assert!(ran.stderr.lines().all(|line| line.ends_with(" ...")), "no warning: {}", ran.stderr);
    let found = answer(ran);
    let sync_us = found["asked"]["files"]["sync_us"].as_f64().unwrap();
    assert!((sync_us - 1234.0).abs() < 1e-6, "{sync_us}");
    assert!(found["chosen"]["point"]["processor_us"].as_f64() > Some(600.0));
    let more = [&MIX[..], &["--rate", "1e9"]].concat();
    let ran = lsm(dir.path(), "advise", "flash.json", &more).succeeded();
    assert!(ran.stderr.contains("--rate 1000000000: no layout"), "{}", ran.stderr);
}

#[test]
fn questions_about_lsm_trees_without_an_answer_are_refused() {
    let dir = folder();
    flash(dir.path());
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    let refused = |arguments: &[&str], said: &[&str]| {
        run(dir.path(), &[&["lsm"], arguments].concat()).refused(said);
    };
    let advise = |more: &[&str], said: &[&str]| {
        refused(&[&["advise", "flash.json"], &TREE[..], more].concat(), said);
    };
    advise(&["--mix", "point=60,scan=10"], &["--mix", "70 %", "100 %"]);
    advise(&["--mix", "point=60,range=40"], &["--mix", "range", "scan"]);
    for (flag, value, said) in [
        ("--memory", "0", "1 byte"),
        ("--p99", "5", "5ms"),
        ("--life", "0y", "years"),
        ("--rated-writes", "lots", "600T"),
        ("--device-write-amplification", "0.5", "1 to 100"),
        ("--rate", "0", "operations per second"),
        ("--clients", "0", "1"),
        ("--jobs", "0", "1"),
        ("--cores", "0", "1"),
        ("--scan-pairs", "0", "1"),
        ("--compressed", "0", "1 to 100"),
        ("--rocksdb", "6", "7.8"),
        ("--processor", "absent.json", "absent.json"),
        ("-o", "no/such/folder/O.ini", "no/such/folder"),
    ] {
        advise(&["--mix", "point=100", flag, value], &[value, said]);
    }
    for (at, value, said) in
        [(1, "0", "1 byte"), (1, "9B", "pairs is 0"), (3, "0", "1 byte"), (5, "4M", "4194304")]
    {
        let mut tree = TREE;
        tree[at] = value;
        let more = ["--mix", "point=100"];
        if value != "4M" {
            refused(&[&["advise", "flash.json"], &tree[..], &more].concat(), &[tree[at - 1], said]);
        }
    }
    let unmet = |more: &[&str], said: &[&str]| {
        let ran = run(dir.path(), &[&["lsm", "advise", "flash.json"], &TREE[..], more].concat());
        ran.failed(2, said);
        assert_eq!(ran.stdout, "");
    };
    // Limits that nothing meets.
    unmet(&[&MIX[..], &["--p99", "1us"]].concat(), &["99th percentile of 1 us", "the lowest is"]);
    unmet(&["--mix", "point=50,insert=50", "--memory", "512K"], &["0.5 MiB of memory", "MiB at least"]);
    let drive = ["--rated-writes", "1T", "--device-write-amplification", "2"];
    unmet(&[&MIX[..], &drive, &["--life", "900y"]].concat(), &["900 years", "the longest is"]);
    for facts in [&[][..], &drive[..2], &drive[2..]] {
        let more = [&MIX[..], &["--life", "5y"], facts].concat();
        advise(&more, &["--life", "--rated-writes", "--device-write-amplification"]);
    }
    assert_eq!(names(dir.path()), ["flash.json"]);

    let predict = |profile: &str, options: &str, said: &[&str]| {
        refused(&[&["predict", profile, "--options", options], &TREE[..]].concat(), said);
    };
    predict("flash.json", "absent.ini", &["absent.ini"]);
    let file = |version: &str, more: &str| {
        format!(
            "[Version]\nrocksdb_version={version}\noptions_file_version=1.1\n[DBOptions]\n{more}\n\
             [CFOptions \"default\"]\n[TableOptions/BlockBasedTable \"default\"]\n"
        )
    };
    write("unknown.ini", &file("7.8.3", "max_open_filez=-1"));
    predict("flash.json", "unknown.ini", &["unknown.ini", "line 5", "max_open_filez", "max_open_files"]);
    write("version.ini", &file("x.y", ""));
    predict("flash.json", "version.ini", &["version.ini", "x.y"]);
    write("good.ini", &file("7.8.3", ""));
    predict("absent.json", "good.ini", &["absent.json"]);
    predict("sim:flash", "good.ini", &["sim:flash", "measure it first"]);
    let family = ["predict", "flash.json", "--options", "good.ini", "--family", "other"];
    refused(&[&family[..], &TREE].concat(), &["good.ini", "other"]);
    write("costs.json", "{\"point_us\": 1}");
    let costs = ["predict", "flash.json", "--options", "good.ini", "--processor", "costs.json"];
    refused(&[&costs[..], &TREE].concat(), &["costs.json", "block_us", "lsm validate"]);
    let mut reads: Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("flash.json")).unwrap()).unwrap();
    reads["points"].as_array_mut().unwrap().retain(|point| point["op"] == "read");
    write("reads.json", &reads.to_string());
    predict("reads.json", "good.ini", &["reads.json", "no writes"]);
    // A newer release than those known is read as far as it goes.
    write("newer.ini", &file("11.0.0", ""));
    let newer = ["predict", "flash.json", "--options", "newer.ini"];
    let ran = run(dir.path(), &[&["lsm"], &newer[..], &TREE].concat()).succeeded();
    assert!(ran.stderr.contains("newer.ini: ") && ran.stderr.contains("11.0.0"), "{}", ran.stderr);
}

#[test]
fn a_page_of_the_advice_replaces_the_one_before_and_never_the_options() {
    let dir = folder();
    flash(dir.path());
    fs::write(dir.path().join("a.html"), "before").unwrap();
    let more = [&MIX[..], &["--jobs", "2", "-o", "O.ini", "--report", "a.html", "--json"]].concat();
    let ran = lsm(dir.path(), "advise", "flash.json", &more);
    assert!(ran.stderr.contains("page in a.html"), "{}", ran.stderr);
    let chosen = &answer(ran)["chosen"];
    assert_eq!(names(dir.path()), ["O.ini", "a.html", "flash.json"]);
    let page = fs::read_to_string(dir.path().join("a.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("point=60,scan=10,insert=30"));
    // The same options as in the file.
    assert!(
        page.contains(&format!("write_buffer_size={}", chosen["memtable_bytes"])),
        "no size of memtables"
    );

    for (more, said) in [
        (
            ["-o", "one", "--report", "one"],
            "--report one: is the same file as -o one, and one would replace the other",
        ),
        (["-o", "O.ini", "--report", "none/a.html"], "none"),
    ] {
        let ran = lsm(dir.path(), "advise", "flash.json", &[&MIX[..], &more].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.lines().count() == 1 && ran.stderr.contains(said), "{}", ran.stderr);
    }
    assert_eq!(names(dir.path()), ["O.ini", "a.html", "flash.json"]);
}

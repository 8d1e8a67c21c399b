//! `leadline experiment`: what writing does to a drive, on a small flash drive in virtual time.

use std::fs;
use std::path::Path;

use leadline_profile::{DeviceProfile, GcPassKind, Pattern, WritePattern};

use crate::ran::{folder, made_folder, names, run};

/// A drive of 64M that has been written at random for long.
const FLASH: &str = "kind = \"flash\"\ncapacity = \"64M\"\nover_provisioning = 0.2\nseed = 1\n\
                     [geometry]\nchannels = 2\ndies_per_channel = 1\nplanes = 1\npages_per_block = 64\n\
                     page_bytes = \"4K\"\n[timing]\nread_us = 50\nprogram_us = 200\nerase_us = 2000\n\
                     bus_mb_per_s = 1000\ncontroller_us = 5\n";

/// The target.
const DRIVE: &str = "sim:./drive.toml";

fn drive(dir: &Path) {
    fs::write(dir.join("drive.toml"), FLASH).unwrap();
}

#[test]
fn write_amplification_is_found_for_each_pattern_and_fill_level() {
    let dir = folder();
    drive(dir.path());
    let arguments = ["experiment", "write-amplification", DRIVE, "--into", "p.json"];
    let ran = run(dir.path(), &arguments).succeeded();
    assert!(
        ran.stdout.contains("write amplification") && ran.stdout.contains("has settled"),
        "{}",
        ran.stdout
    );
    run(dir.path(), &[&arguments[..], &["--pattern", "zones:10/90"]].concat()).succeeded();
    run(dir.path(), &[&arguments[..], &["--fill", "70%"]].concat()).succeeded();
    let again = run(dir.path(), &[&arguments[..], &["--pattern", "zones:10/90"]].concat()).succeeded();
    assert_eq!(again.stdout.matches("zones:10/90").count(), 1, "{}", again.stdout);
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    let found = profile.experiments.write_amplification.unwrap();
    assert_eq!(found.runs().count(), 3);
    let uniform = &found.others[0];
    assert_eq!((uniform.pattern, uniform.part_bytes), (WritePattern::Uniform, 64 << 20), "all of the drive");
    // Greedy collection with 20 % of spare area: 3.19, less for small blocks.
    assert!((2.5..3.3).contains(&uniform.write_amplification) && uniform.settled);
    run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("w-amplification") && page.contains("zones:10/90"));
}

#[test]
fn write_amplification_as_json_is_one_document_and_the_same_each_time() {
    let dir = folder();
    drive(dir.path());
    let arguments = ["experiment", "write-amplification", DRIVE, "--size", "32M", "--json"];
    let first = run(dir.path(), &arguments).succeeded();
    let json: serde_json::Value = serde_json::from_str(&first.stdout).unwrap();
    let found = &json["experiments"]["write-amplification"];
    assert!(found["write_amplification"].as_f64().unwrap() > 1.0, "{found}");
    assert_eq!(found["write_amplification_ci"].as_array().unwrap().len(), 2);
    assert_eq!((found["settled"].as_bool(), found["part_bytes"].as_u64()), (Some(true), Some(32 << 20)));
    assert!(found["windows"].as_array().unwrap().len() >= 6 && found["host_bytes"].as_u64().unwrap() > 0);
    assert_eq!(run(dir.path(), &arguments).succeeded().stdout, first.stdout);
    assert_eq!(names(dir.path()), ["drive.toml"]);
    run(dir.path(), &arguments[..3]).succeeded();
    assert_eq!(names(&made_folder(dir.path())), ["profile.json", "report.html"]);
}

#[test]
fn a_full_drive_is_overwritten() {
    let dir = folder();
    drive(dir.path());
    let arguments = ["experiment", "gc", DRIVE, "--into", "p.json"];
    let ran = run(dir.path(), &arguments).succeeded();
    assert!(
        ran.stdout.contains("the random order of the fill") && ran.stdout.contains("of rest"),
        "{}",
        ran.stdout
    );
    let gc = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments.gc.unwrap();
    assert_eq!((gc.part_bytes, gc.passes.len()), (64 << 20, 4), "all of the drive");
    let amplification = |kind| gc.pass(kind).unwrap().write_amplification.unwrap();
    assert!(amplification(GcPassKind::SameOrder) < amplification(GcPassKind::OtherOrder));
    run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    assert!(fs::read_to_string(dir.path().join("page.html")).unwrap().contains("Overwriting a full drive"));
}

#[test]
fn a_file_is_filled_and_overwritten_too() {
    let dir = folder();
    let arguments = ["experiment", "gc", ".", "--size", "16M", "--seconds", "2", "--into", "p.json"];
    let ran = run(dir.path(), &arguments).succeeded();
    assert!(ran.stderr.contains("writes 16M before measuring"), "{}", ran.stderr);
    let gc = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments.gc.unwrap();
    assert!(gc.passes.len() == 4 && gc.passes.iter().all(|pass| pass.write_amplification.is_none()));
    assert_eq!(names(dir.path()), ["p.json"]);
}

#[test]
fn a_cache_shows_as_a_cliff_and_reads_are_measured_beside_writes() {
    let dir = folder();
    // Half of the drive's time would be spent on its 16M of cache.
    let cached = FLASH.replace("capacity = \"64M\"", "capacity = \"256M\"");
    let slc = "[slc]\nbytes = \"16M\"\nread_us = 20\nprogram_us = 20\nidle_ms = 50\n";
    fs::write(dir.path().join("drive.toml"), format!("{cached}{slc}")).unwrap();
    let arguments = ["experiment", "sustained", DRIVE, "--max-bytes", "512M", "--into", "p.json"];
    let ran = run(dir.path(), &arguments).succeeded();
    assert!(
        ran.stdout.contains("Sequential writes of 128K") && ran.stdout.contains("p99.9"),
        "{}",
        ran.stdout
    );
    let found = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments.sustained.unwrap();
    let sequential = found.load(Pattern::Sequential).unwrap();
    let cache = f64::from(16 << 20);
    assert!((sequential.cliffs[0].at_bytes / cache - 1.0).abs() < 0.1, "{:?}", sequential.cliffs);
    assert!(sequential.ratio < 0.6 && found.latencies.len() == 6);
    run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("w-sustained") && page.contains("w-under-load"));
}

#[test]
fn the_page_shows_what_small_writes_cost_and_how_many_large_reads_are_enough() {
    let dir = folder();
    // Of a unit of 16K a smaller write needs the rest, which is read first.
    let units = "[mapping]\nunit = 16384\n";
    let drive = FLASH.replace("page_bytes = \"4K\"", "page_bytes = \"16K\"");
    fs::write(dir.path().join("drive.toml"), format!("{drive}{units}")).unwrap();
    let arguments = ["profile", DRIVE, "--granularity", "--budget-seconds", "8", "-o", "p.json"];
    run(dir.path(), &arguments).succeeded();
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    let random = profile.parameters.iter().filter(|entry| entry.pattern == Pattern::Random);
    let alphas: Vec<(u32, f64)> = random.map(|entry| (entry.block_bytes, entry.alpha.unwrap())).collect();
    let sizes: Vec<u32> = alphas.iter().map(|&(size, _)| size).collect();
    assert_eq!(sizes, (9..=18).map(|shift| 1 << shift).collect::<Vec<u32>>());
    assert!(alphas[0].1 > 1.05 * alphas[5].1, "512B against 16K: {alphas:?}");
    run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    for part in ["c-alpha", "c-k", "random write of 512B is worth", "PCIe P4510"] {
        assert!(page.contains(part), "no {part}");
    }
}

//! Names of devices, and what is wrong with their files.

use std::path::Path;

use leadline_device::{Clock, Request};
use leadline_tiers::{open, open_device};
use tempfile::TempDir;

use crate::driver::closed_loop;

const FAST: &str = "kind = \"parametric\"\ncapacity = \"64M\"\n\
    read = { service_us = 40.0, servers = 6 }\nwrite = { service_us = 40.0, servers = 6 }\n";
const SLOW: &str = "kind = \"parametric\"\ncapacity = \"256M\"\n\
    read = { service_us = 200.0, servers = 25 }\nwrite = { service_us = 200.0, servers = 25 }\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    std::fs::write(folder.path().join("parts/fast.toml"), FAST).unwrap();
    std::fs::write(folder.path().join("slow.toml"), SLOW).unwrap();
    folder
}

fn write(folder: &Path, text: &str) -> String {
    let path = folder.join("two.toml");
    std::fs::write(&path, text).unwrap();
    format!("sim:{}", path.display())
}

const CACHED: &str = "kind = \"cached\"\ndescription = \"both\"\nfast = \"parts/fast.toml\"\n\
    slow = \"sim:slow.toml\"\nfast_size = \"1M\"\nblock = \"16K\"\npolicy = \"2q\"\n\
    admission = \"second-miss\"\n";
const PLACED: &str = "kind = \"placed\"\nfast = \"parts/fast.toml\"\nslow = \"slow.toml\"\n\
    fast_size = \"32M\"\nfast_files = [\"*lineitem*\", \"tpch/o?ders.ibd\"]\n";

#[test]
fn a_cached_device_has_the_capacity_of_the_slow_one() {
    let folder = folder();
    let mut opened = open(&write(folder.path(), CACHED), None).unwrap();
    assert_eq!(opened.model.geometry().capacity_bytes, 256 << 20);
    assert_eq!(opened.placement, None);
    let mut now = 0;
    let mut read = || {
        let at = closed_loop(&mut *opened.model, &[Request::read(0, 0, 16384)], 1, now)[0].at;
        let took = at - now;
        now = at + 1_000_000_000;
        took
    };
    assert_eq!((read(), read(), read()), (200_000, 200_000, 40_000));
    assert_eq!(opened.model.cache().unwrap().hits, 1);
}

#[test]
fn a_placed_device_has_both_and_says_which_files_are_fast() {
    let folder = folder();
    let opened = open(&write(folder.path(), PLACED), None).unwrap();
    assert_eq!(opened.model.geometry().capacity_bytes, (256 + 32) << 20);
    let placement = opened.placement.unwrap();
    assert_eq!((placement.border_bytes, placement.fast_bytes), (256 << 20, 32 << 20));
    let fast = ["tpch/lineitem.ibd", "lineitem", "tpch/orders.ibd"];
    assert!(fast.iter().all(|path| placement.is_fast(path)));
    assert!(!placement.is_fast("orders.ibd") && !placement.is_fast("tpch/customer.ibd"));
}

#[test]
fn both_are_devices_in_virtual_time_and_so_are_others() {
    let folder = folder();
    for (name, placed) in [(write(folder.path(), PLACED), true), ("sim:flash".to_owned(), false)] {
        let (device, placement) = open_device(&name).unwrap();
        assert_eq!((device.clock(), placement.is_some()), (Clock::Virtual, placed));
    }
}

#[test]
fn built_in_and_published_devices_can_be_parts() {
    let folder = folder();
    let text = CACHED.replace("sim:slow.toml", "device:hdd").replace("parts/fast.toml", "sim:optane");
    let opened = open(&write(folder.path(), &text), Some(1 << 40)).unwrap();
    assert_eq!(opened.model.geometry().capacity_bytes, 1 << 40);
}

/// What opening the text says, after the path of its file.
fn said(text: &str) -> String {
    let folder = folder();
    let name = write(folder.path(), text);
    let error = open(&name, None).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    let path = name.strip_prefix("sim:").unwrap();
    let said = error.strip_prefix(path).unwrap_or_else(|| panic!("{error}"));
    said.replace(&folder.path().display().to_string(), "DIR")
}

#[test]
fn mistakes_are_named_with_line_and_field() {
    let cached = |from: &str, to: &str| said(&CACHED.replace(from, to));
    let placed = |from: &str, to: &str| said(&PLACED.replace(from, to));
    for (said, expected) in [
        (cached("\"1M\"", "0"), ": line 5: fast_size: must be a block of the cache or more, 16384 bytes"),
        (cached("\"1M\"", "\"65M\""), ": line 5: fast_size: must be at most what the fast device has, 64M"),
        (cached("\"1M\"", "\"x\""), ": line 5: \"x\" is not a size; write a number with K, M, G or T"),
        (cached("16K", "5000"), ": line 6: block: must be a power of two from 512 to 16M"),
        (
            cached("2q", "mru"),
            ": line 7: policy: must be one of lru, cflru, lru-wsr, clock, clock-sweep, fifo, sieve, s3-fifo, \
             2q, arc, not \"mru\"",
        ),
        (
            cached("second-miss", "third"),
            ": line 8: admission: must be \"every-miss\" or \"second-miss\", not \"third\"",
        ),
        (
            cached("parts/fast.toml", "fast.toml"),
            ": line 3: fast: sim:DIR/fast.toml: No such file or directory (os error 2)",
        ),
        (cached("parts/fast.toml", "sim:nosuch"), ": line 3: fast: sim:nosuch: no such device"),
        (
            cached("sim:slow.toml", "two.toml"),
            ": line 4: slow: DIR/two.toml: line 1: kind: \"cached\" is made of two",
        ),
        (cached("policy", "polcy"), ": line 7: `polcy` is not known here"),
        (cached("slow = \"sim:slow.toml\"\n", ""), ": line 1: `slow` is missing"),
        (placed("\"32M\"", "0"), ": line 4: fast_size: must be a multiple of 4096 bytes, and not 0"),
        (placed("32M", "65M"), ": line 4: fast_size: must be at most what the fast device has, 64M"),
        (
            placed("[\"*lineitem*\", \"tpch/o?ders.ibd\"]", "[]"),
            ": line 5: fast_files: must name at least one",
        ),
        (placed("o?ders", "o***s"), ": line 5: fast_files: \"tpch/o***s.ibd\", character 9: "),
    ] {
        assert!(said.starts_with(expected), "{said}\n{expected}");
    }
}

#[test]
fn other_names_are_refused_with_the_names_there_are() {
    for name in ["flash", "/dev/sda", "data.toml"] {
        let error = open(name, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name}: is not a modelled device")), "{error}");
    }
    let error = open("nosuch.json", None).unwrap_err().to_string();
    assert!(error.contains("nosuch.json") && error.contains("No such file"), "{error}");
    assert!(open("device:nosuch", None).unwrap_err().to_string().contains("no such device"));
}

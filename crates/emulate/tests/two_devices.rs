//! Drives made of two devices: which files lie where, and what was found in the cache.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use leadline_emulate::{Answer, Command, EmulateOptions, EmulatedDevice, Emulator, FastPart, send};
use tempfile::TempDir;

use crate::drive::can_mount;

const MIB: u64 = 1 << 20;
const BORDER: u64 = 64 * MIB;

/// A folder with descriptions, a backing folder and a mount point.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("backing/tpch")).unwrap();
    fs::create_dir(folder.path().join("mount")).unwrap();
    let server = "{ service_us = 1, servers = 64 }";
    let one = format!("kind = \"parametric\"\ncapacity = \"64M\"\nread = {server}\nwrite = {server}\n");
    fs::write(folder.path().join("one.toml"), one).unwrap();
    let two = "fast = \"one.toml\"\nslow = \"one.toml\"\nfast_size = \"4M\"\n";
    fs::write(
        folder.path().join("placed.toml"),
        format!("kind = \"placed\"\n{two}fast_files = [\"*lineitem*\"]\n"),
    )
    .unwrap();
    fs::write(folder.path().join("cached.toml"), format!("kind = \"cached\"\n{two}")).unwrap();
    folder
}

fn name(folder: &Path, device: &str) -> String {
    format!("sim:{}", folder.join(device).display())
}

fn mount(folder: &Path, device: &str) -> Emulator {
    let device = EmulatedDevice::open(&name(folder, device), None).unwrap();
    Emulator::mount(device, EmulateOptions::new(folder.join("backing"), folder.join("mount"))).unwrap()
}

fn write(path: &Path, at: u64, bytes: u64) {
    let file = fs::File::options().create(true).truncate(false).write(true).open(path).unwrap();
    file.write_all_at(&vec![7; bytes as usize], at).unwrap();
    file.sync_all().unwrap();
}

/// Bytes of a file on the slow part, and on the fast one.
fn lies(folder: &Path, file: &str) -> (u64, u64) {
    let Answer::Map(extents) = send(folder.join("mount"), &Command::Map { file: file.into() }).unwrap()
    else {
        panic!("a map was asked for");
    };
    let on = |fast: bool| {
        extents.iter().filter(|[_, offset, _]| (*offset >= BORDER) == fast).map(|[.., len]| len).sum::<u64>()
    };
    (on(false), on(true))
}

#[test]
fn files_that_are_named_lie_on_the_fast_device_as_far_as_there_is_room() {
    if !can_mount() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    write(&folder.join("backing/tpch/lineitem.ibd"), 0, MIB);
    write(&folder.join("backing/tpch/orders.ibd"), 0, MIB);
    let emulator = mount(folder, "placed.toml");
    assert_eq!(lies(folder, "tpch/lineitem.ibd"), (0, MIB), "found at the mount");
    assert_eq!(lies(folder, "tpch/orders.ibd"), (MIB, 0));

    write(&folder.join("mount/new-lineitem"), 0, MIB);
    assert_eq!(lies(folder, "new-lineitem"), (0, MIB), "new");
    // What has a place keeps it, and grows where its new name belongs.
    fs::rename(folder.join("mount/tpch/orders.ibd"), folder.join("mount/tpch/lineitem2.ibd")).unwrap();
    write(&folder.join("mount/tpch/lineitem2.ibd"), MIB, MIB);
    assert_eq!(lies(folder, "tpch/lineitem2.ibd"), (MIB, MIB), "renamed");

    write(&folder.join("mount/tpch/lineitem.ibd"), MIB, 3 * MIB);
    assert_eq!(lies(folder, "tpch/lineitem.ibd"), (2 * MIB, 2 * MIB), "there is no more room");
    let full = FastPart { bytes: 4 * MIB, used_bytes: 4 * MIB, spilled_bytes: 2 * MIB };
    let report = emulator.report();
    assert_eq!(report.fast_part, Some(full));
    let summary = report.summary().join("\n");
    assert!(
        summary.contains("fast device: files have 4M of 4M; 2M that belong there had no room"),
        "{summary}"
    );

    // Another device has other places.
    let other = Command::Device { name: name(folder, "one.toml") };
    let error = send(folder.join("mount"), &other).unwrap_err().to_string();
    assert!(error.contains("files would have to move"), "{error}");
    assert!(matches!(send(folder.join("mount"), &Command::PowerCut { seed: None }), Ok(Answer::PowerCut(_))));
    let (slow, fast) = lies(folder, "tpch/lineitem.ibd");
    assert_eq!((slow + fast, emulator.report().fast_part.unwrap().used_bytes), (4 * MIB, 4 * MIB));
    emulator.unmount().unwrap();
}

#[test]
fn a_block_cache_is_counted() {
    if !can_mount() {
        return;
    }
    let folder = folder();
    let folder = folder.path();
    write(&folder.join("backing/file"), 0, MIB);
    let emulator = mount(folder, "one.toml");
    assert_eq!(emulator.report().cache, None);
    let cached = Command::Device { name: name(folder, "cached.toml") };
    assert_eq!(send(folder.join("mount"), &cached).unwrap(), Answer::Done);
    let read = || {
        // Past the page cache.
        let direct = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECT;
        let file = rustix::fs::open(folder.join("mount/file"), direct, rustix::fs::Mode::empty()).unwrap();
        let mut bytes = vec![0; 16 << 10];
        assert_eq!(rustix::io::pread(&file, &mut bytes, 64 << 10).unwrap(), bytes.len());
        let cache = emulator.report().cache.unwrap();
        (cache.hits, cache.misses)
    };
    assert_eq!(read(), (0, 1));
    assert_eq!(read(), (1, 1));
    let summary = emulator.report().summary().join("\n");
    assert!(summary.contains("block cache: 50.0 % of 2 blocks read were in it"), "{summary}");
    emulator.unmount().unwrap();
}

#[test]
fn a_model_from_outside_is_a_device() {
    let (model, _) = leadline_sim::open_model("flash").unwrap();
    let device = EmulatedDevice::from_model("mine", model);
    assert_eq!((device.name.as_str(), device.capacity_bytes()), ("mine", 64 << 30));
}

//! What is not written to, byte for byte; and what is, where it may be.

use std::fs;
use std::path::Path;

use leadline_profile::{DeviceKind, DeviceProfile, OpKind};
use leadline_testing::machine::{Loop, Mounted, needs_root, run as tool, skipped};

use crate::ran::{folder, names, run, small, text};

/// 16 MiB in which every block differs.
fn precious() -> Vec<u8> {
    (0..16_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// Asserts without printing sixteen million bytes.
#[track_caller]
fn same(found: &[u8], expected: &[u8]) {
    assert!(found == expected, "bytes were changed");
}

#[track_caller]
fn only_reads(profile: &DeviceProfile, why: &str) {
    assert!(profile.points.len() >= 3 && profile.points.iter().all(|p| p.op == OpKind::Read));
    assert_eq!(profile.validity.bytes_written, 0);
    assert!(profile.method.writes.as_str().contains(why), "{}", profile.method.writes);
}

fn writes(profile: &DeviceProfile) -> usize {
    profile.points.iter().filter(|p| p.op == OpKind::Write).count()
}

#[test]
fn a_file_that_leadline_did_not_make_is_only_read() {
    let dir = folder();
    let path = dir.path().join("precious");
    let content = precious();
    fs::write(&path, &content).unwrap();
    let profile = small(dir.path(), "./precious", &["--json"]).succeeded().profile();
    only_reads(&profile, "Leadline did not make this file");
    assert_eq!(profile.device.kind, DeviceKind::File);
    same(&fs::read(&path).unwrap(), &content);

    small(dir.path(), "./precious", &["--json", "--destructive"]).refused(&[
        "./precious",
        "not made by Leadline",
        "will not be written to",
    ]);
    small(dir.path(), "./precious", &["--json", "--max-writes", "1M", "--precondition", "1"]);
    same(&fs::read(&path).unwrap(), &content);
    assert_eq!(names(dir.path()), ["precious"]);
}

#[test]
fn a_file_that_leadline_kept_is_written_again() {
    let dir = folder();
    small(dir.path(), ".", &["--json", "--keep-scratch"]).succeeded();
    assert_eq!(names(dir.path()), ["leadline-scratch.dat"]);
    let path = dir.path().join("leadline-scratch.dat");
    let before = fs::read(&path).unwrap();
    assert_eq!(before.len(), 16 << 20);
    let profile = small(dir.path(), "./leadline-scratch.dat", &["--json"]).succeeded().profile();
    assert!(profile.validity.complete && writes(&profile) > 0 && profile.validity.bytes_written > 0);
    let after = fs::read(&path).unwrap();
    same(&after[..1 << 20], &before[..1 << 20]);
    assert!(after != before, "it was to be written");

    // One bit of its header wrong, and it is not Leadline's.
    let mut damaged = after;
    damaged[40] ^= 1;
    fs::write(&path, &damaged).unwrap();
    only_reads(
        &small(dir.path(), "./leadline-scratch.dat", &["--json"]).succeeded().profile(),
        "did not make",
    );
    small(dir.path(), ".", &["--json", "--keep-scratch"]).refused(&["leadline-scratch.dat", "not made by"]);
    same(&fs::read(&path).unwrap(), &damaged);
}

#[test]
fn too_little_space_is_refused_before_anything_is_written() {
    needs_root!();
    let Some(mounted) = Mounted::new("tmpfs", Path::new("none"), "size=1100m") else {
        return skipped("no tmpfs to be mounted");
    };
    let dir = folder();
    let target = text(mounted.path());
    let said = [target, "1.1G free", "less than 1G;", "at most 76M would fit; give --size 76M or less"];
    run(dir.path(), &["profile", target, "--size", "77M"]).refused(&said);
    run(dir.path(), &["profile", target, "--size", "77M", "--dry-run"]).refused(&said);
    assert!(names(mounted.path()).is_empty() && names(dir.path()).is_empty());
}

/// Wrote no more than `most`, and says so where that ended the writes.
#[track_caller]
fn at_most(profile: &DeviceProfile, most: &str) {
    let (written, bytes) = (profile.validity.bytes_written, leadline_device::parse_size(most).unwrap());
    assert!(written <= bytes, "{written} of {most}");
    let stopped = profile.validity.stopped_by.as_ref();
    assert_eq!(
        stopped.is_some_and(|by| by.contains("--max-writes")),
        !profile.validity.complete,
        "{stopped:?}"
    );
}

#[test]
fn max_writes_is_never_exceeded() {
    let dir = folder();
    let least = small(dir.path(), ".", &["--json", "--max-writes", "14M"]);
    least.refused(&["--max-writes 14M", "15M", "--size"]);
    small(dir.path(), ".", &["--json", "--reads-only", "--max-writes", "14M"]).refused(&["--max-writes 14M"]);
    // A device of known speed: spent while searching, spent while measuring, and not at all.
    for (most, spent) in [("16M", true), ("40M", true), ("100G", false)] {
        let profile = small(dir.path(), "sim:flash", &["--json", "--max-writes", most]).succeeded().profile();
        at_most(&profile, most);
        assert_eq!(profile.validity.complete, !spent, "{most}");
        if spent {
            let reads = profile.points.iter().filter(|p| p.op == OpKind::Read);
            assert!(reads.map(|p| p.slices.len()).max().unwrap() >= 3, "reads go on");
        }
    }
    // A real one: how much it writes meanwhile is its own affair.
    for most in ["16M", "40M"] {
        at_most(&small(dir.path(), ".", &["--json", "--max-writes", most]).succeeded().profile(), most);
    }
    // Threads share what is left.
    if std::thread::available_parallelism().unwrap().get() > 1 {
        let arguments = ["--json", "--max-writes", "40M", "--cpus", "0-1"];
        at_most(&small(dir.path(), ".", &arguments).succeeded().profile(), "40M");
    }
}

#[test]
fn a_block_device_is_only_read() {
    needs_root!();
    let Some(device) = Loop::new(|_| {}) else { return };
    let (dir, before) = (folder(), device.bytes());
    let ran = small(dir.path(), device.name(), &["--json"]).succeeded();
    assert!(ran.stderr.contains("reads only"), "{}", ran.stderr);
    only_reads(&ran.profile(), "--destructive");
    assert_eq!(ran.profile().device.kind, DeviceKind::Block);
    same(&device.bytes(), &before);
}

#[test]
fn a_free_block_device_is_overwritten_when_told_to() {
    needs_root!();
    let Some(device) = Loop::new(|_| {}) else { return };
    let (dir, before) = (folder(), device.bytes());
    let dry = run(dir.path(), &["profile", device.name(), "--destructive", "--dry-run"]).succeeded();
    assert!(dry.stdout.contains("writes 16M before measuring"), "{}", dry.stdout);
    same(&device.bytes(), &before);
    let profile = small(dir.path(), device.name(), &["--json", "--destructive"]).succeeded().profile();
    assert!(writes(&profile) > 0 && profile.validity.bytes_written >= 16 << 20);
    assert!(device.bytes() != before, "it was to be written");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_mounted_block_device_is_never_written() {
    needs_root!();
    let made = |image: &Path| assert!(tool("mkfs.ext4", &["-q", "-F", text(image)]).is_some());
    let Some(device) = Loop::new(made) else { return };
    let Some(mounted) = Mounted::new("ext4", &device.device, "ro,noload") else {
        return skipped("no ext4 to be mounted");
    };
    let (dir, before) = (folder(), device.bytes());
    for more in [&["--json", "--destructive"][..], &["--dry-run", "--destructive"]] {
        let said = [device.name(), "mounted on", text(mounted.path()), "umount"];
        small(dir.path(), device.name(), more).refused(&said);
    }
    same(&device.bytes(), &before);
    // Read it may be.
    only_reads(&small(dir.path(), device.name(), &["--json"]).succeeded().profile(), "--destructive");
    same(&device.bytes(), &before);
}

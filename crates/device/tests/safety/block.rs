//! Block devices in use, on real loop devices.

use std::os::unix::fs::FileExt;
use std::path::Path;

use leadline_device::guard::{GuardError, open_block_for_writing};
use leadline_device::target::{Target, TargetKind};
use leadline_testing::machine::{Loop, Mounted, Undo, needs_root, run, skipped, soon};

/// Asks for `path` and sees that no byte of `image` changes by the refusal.
fn refused(path: &Path, image: &Loop) -> GuardError {
    let before = image.bytes();
    let refusal = open_block_for_writing(path).expect_err("must be refused");
    assert!(image.bytes() == before, "a refused device was changed");
    let line = refusal.to_string();
    assert!(line.starts_with(path.to_str().unwrap()) && !line.contains('\n'), "{line}");
    println!("{line}");
    refusal
}

/// An MBR with one partition from 1 MiB to 9 MiB.
fn write_mbr(image: &Path) {
    let mut entries = [0_u8; 66];
    entries[4] = 0x83;
    entries[8..12].copy_from_slice(&2048_u32.to_le_bytes());
    entries[12..16].copy_from_slice(&16384_u32.to_le_bytes());
    entries[64..].copy_from_slice(&[0x55, 0xaa]);
    std::fs::OpenOptions::new().write(true).open(image).unwrap().write_all_at(&entries, 446).unwrap();
}

/// Mounted so that mounting changes nothing.
fn mount_ext4(device: &Path) -> Option<Mounted> {
    let mounted = Mounted::new("ext4", device, "ro,noload");
    if mounted.is_none() {
        skipped("no ext4 file system to be had (mkfs.ext4 of e2fsprogs, mount)");
    }
    mounted
}

#[test]
fn an_unused_device_is_opened_and_nobody_else_gets_it_then() {
    needs_root!();
    let Some(image) = Loop::new(|_| {}) else { return };
    let target = Target::resolve(&image.device).unwrap();
    assert_eq!((target.kind, target.size_bytes), (TargetKind::Block, 16 << 20));
    let before = image.bytes();
    let held = soon(|| open_block_for_writing(&image.device));
    assert!(image.bytes() == before, "opening alone changed the device");
    // The comparison would notice one byte: this is one.
    let writer = std::fs::OpenOptions::new().write(true).open(&image.device).unwrap();
    writer.write_all_at(&[!before[12345]], 12345).unwrap();
    assert!(image.bytes() != before);
    assert!(matches!(refused(&image.device, &image), GuardError::Busy { .. }));
    assert!(Mounted::new("ext4", &image.device, "ro").is_none());
    drop(held);
    soon(|| open_block_for_writing(&image.device));
}

#[test]
fn a_mounted_device_is_refused() {
    needs_root!();
    let Some(image) = Loop::new(|image| drop(run("mkfs.ext4", &["-qF", image.to_str().unwrap()]))) else {
        return;
    };
    let Some(mounted) = mount_ext4(&image.device) else { return };
    match refused(&image.device, &image) {
        GuardError::Mounted { point, .. } => assert_eq!(point, mounted.path()),
        other => panic!("{other}"),
    }
    drop(mounted);
    soon(|| open_block_for_writing(&image.device));
}

#[test]
fn swap_in_use_is_refused() {
    needs_root!();
    let Some(image) = Loop::new(|image| drop(run("mkswap", &[image.to_str().unwrap()]))) else { return };
    let Some(_) = run("swapon", &["-p", "0", image.name()]) else {
        skipped("no swap to be had");
        return;
    };
    let swap = Undo::by("swapoff", &[image.name()]);
    assert!(matches!(refused(&image.device, &image), GuardError::Swap { .. }));
    drop(swap);
    soon(|| open_block_for_writing(&image.device));
}

#[test]
fn a_partitioned_device_is_refused_even_if_the_kernel_does_not_know_its_partitions() {
    needs_root!();
    let Some(image) = Loop::new(write_mbr) else { return };
    assert!(matches!(refused(&image.device, &image), GuardError::Partitioned { .. }));
}

#[test]
fn a_device_with_partitions_is_refused_and_an_unused_partition_is_not() {
    needs_root!();
    let Some(image) = Loop::new(|_| {}) else { return };
    let Some(_) = run("addpart", &[image.name(), "1", "2048", "16384"]) else {
        skipped("no partition to be had (addpart of util-linux)");
        return;
    };
    let _partition = Undo::by("delpart", &[image.name(), "1"]);
    let partition = format!("{}p1", image.name());
    let partition = Path::new(&partition);
    match refused(&image.device, &image) {
        GuardError::Partitioned { partitions, .. } => assert!(partition.ends_with(partitions)),
        other => panic!("{other}"),
    }
    let held = soon(|| open_block_for_writing(partition));
    assert!(matches!(refused(partition, &image), GuardError::Busy { .. }));
    drop(held);
    // The whole disk mounted: its partition's bytes are the file system's.
    let Some(_) = run("mkfs.ext4", &["-qF", partition.to_str().unwrap()]) else { return };
    let Some(_mounted) = mount_ext4(partition) else { return };
    assert!(matches!(refused(partition, &image), GuardError::Mounted { .. }));
    match refused(&image.device, &image) {
        GuardError::Mounted { what, .. } => assert_eq!(Path::new(&what), partition),
        other => panic!("{other}"),
    }
}

#[test]
fn a_read_only_device_is_refused() {
    needs_root!();
    let Some(image) = Loop::new(|_| {}) else { return };
    run("blockdev", &["--setro", image.name()]).unwrap();
    // The kernel keeps the mark when the loop device is taken down, for the next image on it.
    let _undo = Undo::by("blockdev", &["--setrw", image.name()]);
    assert!(matches!(refused(&image.device, &image), GuardError::ReadOnly { .. }));
}

#[test]
fn a_device_under_a_loop_device_is_refused_and_so_is_a_loop_over_a_mounted_one() {
    needs_root!();
    let Some(lower) = Loop::new(|image| drop(run("mkfs.ext4", &["-qF", image.to_str().unwrap()]))) else {
        return;
    };
    let Some(upper) = Loop::over(&lower.device) else { return };
    match refused(&lower.device, &lower) {
        GuardError::BacksLoop { holder, .. } => assert!(upper.device.ends_with(holder)),
        other => panic!("{other}"),
    }
    drop(soon(|| open_block_for_writing(&upper.device)));
    let Some(_mounted) = mount_ext4(&lower.device) else { return };
    assert!(matches!(refused(&upper.device, &lower), GuardError::Mounted { .. }));
}

#[test]
fn two_loop_devices_on_one_image_refuse_each_other() {
    needs_root!();
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("image");
    std::fs::write(&image, vec![7; 1 << 20]).unwrap();
    let (Some(one), Some(_other)) = (Loop::over(&image), Loop::over(&image)) else { return };
    assert!(matches!(refused(&one.device, &one), GuardError::BacksLoop { .. }));
}

#[test]
fn what_is_no_block_device_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for path in [file.path(), Path::new("/dev/null"), Path::new("/tmp")] {
        assert!(matches!(open_block_for_writing(path), Err(GuardError::NotBlock { .. })));
    }
    let missing = open_block_for_writing(Path::new("/dev/no-such-disk")).unwrap_err().to_string();
    assert!(missing.starts_with("/dev/no-such-disk: "), "{missing}");
}

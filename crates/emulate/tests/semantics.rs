//! What a file system does besides keeping bytes, as ext4 does it.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use crate::drive::{Drive, can_mount};

/// What is done to a file.
type Change = fn(&Path);

/// Somebody without privileges.
const NOBODY: u32 = 65_534;

/// Changes a file as somebody without privileges.
fn as_nobody(script: &str, file: &Path) {
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).arg(file).uid(NOBODY).gid(NOBODY);
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The mode of a file, right after something was done to it.
fn mode_after(folder: &Path, mode: u32, change: impl FnOnce(&Path)) -> u32 {
    let file = folder.join("program");
    fs::write(&file, "#!").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, mode);
    change(&file);
    let mode = fs::metadata(&file).unwrap().mode() & 0o7777;
    fs::remove_file(file).unwrap();
    mode
}

#[test]
fn who_changes_a_program_does_not_keep_the_rights_of_its_owner() {
    if !can_mount() {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED who_changes_a_program_does_not_keep_the_rights_of_its_owner: needs root");
        return;
    }
    let (drive, plain) = (Drive::new(), tempfile::tempdir().unwrap());
    for folder in [drive.folder.path(), plain.path(), &drive.path("")] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let scripts = [
        "printf x >> \"$1\"",
        "truncate -s 1 \"$1\"",
        ": > \"$1\"",
        "fallocate -l 10000 \"$1\"",
        "dd if=/dev/zero of=\"$1\" bs=4096 count=1 oflag=direct conv=notrunc 2> /dev/null",
        "cat \"$1\"",
    ];
    for mode in [0o6777, 0o6767, 0o4777, 0o2777, 0o0777] {
        for script in scripts {
            let after = |folder: &Path| mode_after(folder, mode, |file| as_nobody(script, file));
            assert_eq!(after(&drive.path("")), after(plain.path()), "{mode:o}, {script}");
        }
        let by_root: [(&str, Change); 4] = [
            ("a new owner", |file| chown(file, Some(1234), None).unwrap()),
            ("a new group", |file| chown(file, None, Some(1234)).unwrap()),
            ("root writes", |file| fs::write(file, "more").unwrap()),
            ("root truncates", |file| File::options().write(true).open(file).unwrap().set_len(1).unwrap()),
        ];
        for (what, change) in by_root {
            let after = |folder: &Path| mode_after(folder, mode, change);
            assert_eq!(after(&drive.path("")), after(plain.path()), "{mode:o}, {what}");
        }
    }
    // Of a folder the bit says what group is inherited, and nobody gets rights by it.
    fs::create_dir(drive.path("folder")).unwrap();
    fs::set_permissions(drive.path("folder"), fs::Permissions::from_mode(0o2755)).unwrap();
    chown(drive.path("folder"), Some(1234), None).unwrap();
    assert_eq!(fs::metadata(drive.path("folder")).unwrap().mode() & 0o7777, 0o2755);
}

const M: u64 = 1 << 20;

/// Where a file of 1 GiB has data and holes: each part's beginning, data first.
fn parts(file: &File) -> Vec<u64> {
    let (mut at, mut parts) = (0, Vec::new());
    while at < 1024 * M {
        match seek(file, SeekFrom::Data(at)) {
            Ok(data) => parts.push(data),
            Err(error) => {
                assert_eq!(error, Errno::NXIO);
                break;
            }
        }
        at = seek(file, SeekFrom::Hole(at.max(parts[parts.len() - 1]))).unwrap();
        parts.push(at);
    }
    parts
}

#[test]
fn data_and_holes_are_found_also_what_the_kernel_has_not_written_yet() {
    if !can_mount() {
        return;
    }
    let mut drive = Drive::new();
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(drive.path("sparse")).unwrap();
    file.set_len(1024 * M).unwrap();
    assert_eq!(parts(&file), [0; 0]);
    file.write_all_at(&vec![1; M as usize], 100 * M).unwrap();
    assert_eq!(parts(&file), [100 * M, 101 * M]);
    file.write_all_at(&[1], 1023 * M).unwrap();
    file.write_all_at(&[1], 4096 + 17).unwrap();
    // Whole blocks have data.
    let written = [4096, 8192, 100 * M, 101 * M, 1023 * M, 1023 * M + 4096];
    assert_eq!(parts(&file), written);
    rustix::fs::fallocate(
        &file,
        rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE,
        100 * M,
        M / 2,
    )
    .unwrap();
    let left = [4096, 8192, 100 * M + M / 2, 101 * M, 1023 * M, 1023 * M + 4096];
    assert_eq!(parts(&file), left);
    drop(file);
    assert_eq!(parts(&File::open(drive.path("sparse")).unwrap()), left);
    assert_eq!(seek(File::open(drive.path("sparse")).unwrap(), SeekFrom::End(0)).unwrap(), 1024 * M);
    // The next mount finds the holes again: they take no space of the device.
    drive.remount();
    assert_eq!(parts(&File::open(drive.path("sparse")).unwrap()), left);
    let blocks = fs::metadata(drive.path("sparse")).unwrap().blocks();
    assert_eq!(blocks * 512, M / 2 + 2 * 4096);
}

#[test]
fn many_threads_find_what_they_have_just_written() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let path = drive.path(thread.to_string());
            scope.spawn(move || {
                let file = OpenOptions::new().read(true).write(true).create_new(true).open(path).unwrap();
                for i in 0..50 {
                    file.write_all_at(&[7], 2 * i * M).unwrap();
                    assert_eq!(
                        seek(&file, SeekFrom::Data((2 * i).saturating_sub(1) * M)).unwrap(),
                        2 * i * M
                    );
                }
            });
        }
    });
}

#[test]
fn a_folder_has_a_link_for_each_folder_in_it() {
    if !can_mount() {
        return;
    }
    let mut drive = Drive::new();
    let links = |drive: &Drive, name: &str| fs::metadata(drive.path(name)).unwrap().nlink();
    for name in ["a", "a/b", "a/c", "d", "d/e"] {
        fs::create_dir(drive.path(name)).unwrap();
    }
    fs::write(drive.path("a/file"), "bytes").unwrap();
    assert_eq!(["", "a", "a/b", "d"].map(|name| links(&drive, name)), [4, 4, 2, 3]);
    fs::rename(drive.path("a/b"), drive.path("d/b")).unwrap();
    // Over an empty one.
    fs::rename(drive.path("a/c"), drive.path("d/e")).unwrap();
    assert_eq!(["", "a", "d"].map(|name| links(&drive, name)), [4, 2, 4]);
    fs::remove_dir(drive.path("d/b")).unwrap();
    assert_eq!(links(&drive, "d"), 3);
    drive.remount();
    assert_eq!(["", "a", "d", "d/e"].map(|name| links(&drive, name)), [4, 2, 3, 2]);
}

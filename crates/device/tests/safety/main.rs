//! What Leadline refuses to write to. Every refusal is followed by a comparison of every byte.

mod block;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use leadline_device::guard::{
    GuardError, check_space, default_scratch_bytes, open_file_for_writing, open_for_reading, unwritten_bytes,
};
use leadline_device::scratch::{DATA_START, KEPT_NAME, Scratch, ScratchOptions};
use leadline_testing::machine::{Mounted, needs_root, skipped, soon};

const SIZE: u64 = 4 << 20;
fn buffered() -> ScratchOptions {
    ScratchOptions::new().direct(false)
}

fn kept() -> ScratchOptions {
    buffered().keep(true)
}
const CHILD: &str = "LEADLINE_TEST_CHILD_DIR";

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

fn mount_memory(fs_type: &str, options: &str) -> Option<Mounted> {
    let mounted = Mounted::new(fs_type, Path::new("none"), options);
    if mounted.is_none() {
        skipped(&format!("no {fs_type} to be mounted"));
    }
    mounted
}

/// A file with our header, closed.
fn made_by_leadline(dir: &Path) -> PathBuf {
    let scratch = Scratch::create(dir, SIZE, kept()).unwrap();
    scratch.file().write_all_at(&[0xa5; 9999], DATA_START).unwrap();
    scratch.path().to_path_buf()
}

/// Asks for `path` and sees that no byte of it changes by the refusal.
fn refused(path: &Path) -> GuardError {
    let before = fs::read(path).unwrap();
    let refusal = open_file_for_writing(path, false).expect_err("must be refused");
    assert!(fs::read(path).unwrap() == before, "a refused file was changed");
    let line = refusal.to_string();
    assert!(line.starts_with(path.to_str().unwrap()) && !line.contains('\n'), "{line}");
    println!("{line}");
    refusal
}

#[test]
fn a_file_that_leadline_made_is_opened_for_writing() {
    let dir = tempfile::tempdir().unwrap();
    let path = made_by_leadline(dir.path());
    let before = fs::read(&path).unwrap();
    let file = soon(|| open_file_for_writing(&path, true));
    assert!(fs::read(&path).unwrap() == before, "opening alone changed the file");
    // The comparison would notice one byte: this is one.
    drop(file);
    let file = soon(|| open_file_for_writing(&path, false));
    file.write_all_at(&[!before[DATA_START as usize]], DATA_START).unwrap();
    assert!(fs::read(&path).unwrap() != before);
}

#[test]
fn a_foreign_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("precious");
    for content in [vec![], vec![1; 100], vec![0; 4096], vec![2; 1 << 20]] {
        fs::write(&path, content).unwrap();
        assert!(matches!(refused(&path), GuardError::Foreign { .. }));
    }
}

#[test]
fn a_header_with_one_wrong_bit_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = made_by_leadline(dir.path());
    let whole = fs::read(&path).unwrap();
    for at in [0, 17, 18, 40, 48, 2000, 4088, 4095] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, damaged).unwrap();
        assert!(matches!(refused(&path), GuardError::Foreign { .. }), "byte {at}");
    }
}

#[test]
fn a_file_that_grew_after_leadline_made_it_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = made_by_leadline(dir.path());
    let mut content = fs::read(&path).unwrap();
    content.extend(b"somebody's data");
    fs::write(&path, content).unwrap();
    assert!(matches!(refused(&path), GuardError::Foreign { .. }));
}

#[test]
fn a_file_that_another_leadline_works_on_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = made_by_leadline(dir.path());
    let other = soon(|| open_file_for_writing(&path, false));
    assert!(matches!(refused(&path), GuardError::Locked { .. }));
    assert!(matches!(Scratch::create(dir.path(), SIZE, kept()), Err(GuardError::Locked { .. })));
    drop(other);
    soon(|| open_file_for_writing(&path, false));
}

#[test]
fn a_link_is_judged_by_the_file_at_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let (foreign, link) = (dir.path().join("precious"), dir.path().join("link"));
    fs::write(&foreign, vec![3; 8192]).unwrap();
    symlink(&foreign, &link).unwrap();
    assert!(matches!(refused(&link), GuardError::Foreign { .. }));
    fs::remove_file(&link).unwrap();
    symlink(made_by_leadline(dir.path()), &link).unwrap();
    soon(|| open_file_for_writing(&link, false));
}

#[test]
fn what_is_no_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path(), Path::new("/dev/null")] {
        assert!(matches!(open_file_for_writing(path, false), Err(GuardError::NotFile { .. })));
        assert!(matches!(open_for_reading(path, false), Err(GuardError::NotFile { .. })));
    }
}

#[test]
fn a_file_open_for_reading_cannot_be_written() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), [1; 4096]).unwrap();
    let reader = open_for_reading(file.path(), false).unwrap();
    assert!(reader.write_all_at(&[2], 0).is_err());
    assert_eq!(fs::read(file.path()).unwrap(), [1; 4096]);
}

#[test]
fn what_was_never_written_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("holes");
    fs::write(&path, b"").unwrap();
    let file = fs::OpenOptions::new().write(true).read(true).open(&path).unwrap();
    file.set_len(8 << 20).unwrap();
    assert_eq!(unwritten_bytes(&file), Some(8 << 20));
    file.write_all_at(&vec![1; 1 << 20], 2 << 20).unwrap();
    assert_eq!(unwritten_bytes(&file), Some(7 << 20));
    file.write_all_at(&vec![1; 8 << 20], 0).unwrap();
    assert_eq!(unwritten_bytes(&file), Some(0));
}

#[test]
fn a_kept_file_never_replaces_a_foreign_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(KEPT_NAME);
    let precious = vec![4; 3 << 20];
    fs::write(&path, &precious).unwrap();
    assert!(matches!(Scratch::create(dir.path(), SIZE, kept()), Err(GuardError::Foreign { .. })));
    let elsewhere = dir.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(matches!(Scratch::create(dir.path(), SIZE, kept()), Err(GuardError::NotFile { .. })));
    assert!(fs::read(&elsewhere).unwrap() == precious);
}

#[test]
fn a_kept_file_is_taken_over_or_replaced_by_its_maker() {
    let dir = tempfile::tempdir().unwrap();
    let path = made_by_leadline(dir.path());
    let before = fs::read(&path).unwrap();
    drop(soon(|| Scratch::create(dir.path(), SIZE, kept())));
    assert!(fs::read(&path).unwrap() == before, "the same size: taken over as it is");
    drop(soon(|| Scratch::create(dir.path(), 2 * SIZE, kept())));
    assert_eq!(fs::metadata(&path).unwrap().len(), 2 * SIZE);
    soon(|| open_file_for_writing(&path, false));
}

#[test]
fn a_scratch_file_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(dir.path(), SIZE + 5, ScratchOptions::default()).unwrap();
    assert_eq!(scratch.capacity_bytes(), SIZE);
    assert_eq!(scratch.file().metadata().unwrap().len(), SIZE);
    assert!(scratch.is_unlinked());
    assert!(names(dir.path()).is_empty(), "nothing to be seen while it is open");
    drop(scratch);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_scratch_file_too_small_for_anything_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refusal = Scratch::create(dir.path(), DATA_START, buffered()).unwrap_err();
    assert!(refusal.to_string().contains("at least 2M"), "{refusal}");
}

#[test]
fn kill_9_leaves_nothing() {
    if let Some(dir) = std::env::var_os(CHILD) {
        let _scratch = Scratch::create(Path::new(&dir), SIZE, buffered()).unwrap();
        println!("\nready");
        std::thread::sleep(std::time::Duration::from_secs(60));
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["kill_9_leaves_nothing", "--exact", "--nocapture"])
        .env(CHILD, dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.any(|line| line.unwrap() == "ready");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ready, "the child made no scratch file");
    Scratch::sweep(dir.path()).unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn sweep_removes_only_what_a_killed_run_left() {
    let dir = tempfile::tempdir().unwrap();
    let ours = made_by_leadline(dir.path());
    let at = |name: &str| dir.path().join(name);
    for name in
        [".leadline-scratch-00000001", ".leadline-scratch-00000002", ".leadline-scratch-0000000g", "other"]
    {
        fs::copy(&ours, at(name)).unwrap();
    }
    fs::write(at(".leadline-scratch-00000003"), vec![5; 8192]).unwrap();
    fs::write(at(".leadline-scratch-00000004"), b"").unwrap();
    symlink(&ours, at(".leadline-scratch-00000005")).unwrap();
    fs::create_dir(at(".leadline-scratch-00000006")).unwrap();
    let _in_use = open_file_for_writing(at(".leadline-scratch-00000002"), false).unwrap();
    let mut expected = names(dir.path());
    expected.retain(|path| *path != at(".leadline-scratch-00000001"));

    assert_eq!(Scratch::sweep(dir.path()).unwrap(), [at(".leadline-scratch-00000001")]);
    assert_eq!(names(dir.path()), expected);
    assert!(fs::read(at(".leadline-scratch-00000003")).unwrap() == [5; 8192]);
    assert!(Scratch::sweep(at("no-such-directory")).is_err());
}

#[test]
fn sweep_leaves_other_users_files() {
    needs_root!();
    let dir = tempfile::tempdir().unwrap();
    let theirs = dir.path().join(".leadline-scratch-0badcafe");
    fs::rename(made_by_leadline(dir.path()), &theirs).unwrap();
    std::os::unix::fs::chown(&theirs, Some(12345), None).unwrap();
    assert!(Scratch::sweep(dir.path()).unwrap().is_empty());
    assert!(theirs.exists());
}

#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    let refusal = |dir: &Path| Scratch::create(dir, SIZE, buffered()).unwrap_err();
    if rustix::process::geteuid().is_root() {
        // Permission bits do not stop root; a read-only file system does.
        let Some(mounted) = mount_memory("tmpfs", "ro,size=16m") else { return };
        assert!(matches!(refusal(mounted.path()), GuardError::DirectoryNotWritable { .. }));
    } else {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
        assert!(matches!(refusal(dir.path()), GuardError::DirectoryNotWritable { .. }));
        assert!(names(dir.path()).is_empty());
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(matches!(refusal(file.path()), GuardError::NotDirectory { .. }));
}

#[test]
fn a_file_system_that_would_be_too_full_is_refused() {
    needs_root!();
    let Some(mounted) = mount_memory("tmpfs", "size=1500m") else { return };
    let dir = mounted.path();
    match Scratch::create(dir, 600 << 20, buffered()) {
        Err(refusal @ GuardError::Space { fits_bytes, .. }) => {
            assert_eq!(fits_bytes, 476 << 20);
            assert!(refusal.to_string().contains("at most 476M would fit"), "{refusal}");
        }
        other => panic!("{other:?}"),
    }
    assert!(names(dir).is_empty());
    check_space(dir, 476 << 20).unwrap();
    assert_eq!(default_scratch_bytes(dir, true).unwrap(), 150 << 20);

    let Some(small) = mount_memory("tmpfs", "size=1050m") else { return };
    assert!(matches!(default_scratch_bytes(small.path(), true), Err(GuardError::Space { .. })));
}

#[test]
fn a_file_system_without_direct_io_says_so() {
    needs_root!();
    let Some(mounted) = mount_memory("ramfs", "mode=700") else { return };
    let dir = tempfile::tempdir().unwrap();
    let path = mounted.path().join("scratch");
    fs::copy(made_by_leadline(dir.path()), &path).unwrap();
    soon(|| open_file_for_writing(&path, false));
    for refusal in [open_file_for_writing(&path, true), open_for_reading(&path, true)] {
        let line = refusal.expect_err("must be refused").to_string();
        assert!(line.contains("O_DIRECT") && line.contains("name a directory on a disk"), "{line}");
    }
}

//! Folders that cannot be captured, captures that cannot be written, and mounts that are left.

use std::fs::{self, File};
use std::path::Path;

use leadline_capture::{CaptureError, PassThrough};

use crate::{Captured, can_mount, is_mounted};

fn refused(folder: &Path, file: &Path) -> CaptureError {
    PassThrough::mount(folder, file).map(drop).unwrap_err()
}

#[test]
fn what_cannot_be_captured_is_refused_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir_all(path("db/inner")).unwrap();
    fs::write(path("file"), "").unwrap();
    let cases = [
        ("missing", "x", "is not a directory"),
        ("file", "x", "is not a directory"),
        ("/", "x", "the root directory"),
        ("db", "db/x.capture", "would record itself"),
        ("db", "db/inner/x.capture", "would record itself"),
        ("db", "nowhere/x.capture", "nowhere"),
    ];
    for (folder, file, said) in cases {
        let error = refused(&path(folder), &path(file));
        assert!(error.to_string().contains(said), "{error}");
        assert!(error.is_bad_input(), "{error}");
        assert!(!is_mounted(&path("db")));
    }
    assert_eq!(fs::read_dir(path("db/inner")).unwrap().count(), 0);
}

#[test]
fn a_folder_is_captured_once_at_a_time() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::new();
    let error = refused(&captured.path(""), &captured.dir.path().join("y.capture"));
    assert!(error.to_string().contains("is being captured already"), "{error}");
    captured.end();
    assert!(!is_mounted(&captured.dir.path().join("db")));
}

#[test]
fn a_folder_in_use_is_not_unmounted_but_can_be_detached() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("a", b"a")]);
    let file = File::open(captured.path("a")).unwrap();
    let mut mounted = captured.mounted.take().unwrap();
    assert!(!mounted.unmount().unwrap());
    mounted.detach().unwrap();
    assert!(!is_mounted(&captured.dir.path().join("db")));
    // Who has it open still has it; its name leads to the folder itself again.
    assert_eq!(std::io::read_to_string(file).unwrap(), "a");
    assert_eq!(fs::read_to_string(captured.path("a")).unwrap(), "a");
    assert!(mounted.finish().unwrap().events > 0);
    assert!(captured.dir.path().join("x.capture").exists());
}

#[test]
fn a_capture_that_is_dropped_leaves_neither_a_mount_nor_a_file() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::new();
    fs::write(captured.path("a"), "a").unwrap();
    drop(captured.mounted.take());
    assert!(!is_mounted(&captured.dir.path().join("db")));
    assert_eq!(fs::read_dir(captured.dir.path()).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(captured.path("a")).unwrap(), "a");
}

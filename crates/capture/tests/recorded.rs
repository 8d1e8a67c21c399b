//! The capture holds what was asked for, by whom and when.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use leadline_trace::by_file::{ByFileOptions, by_file};
use leadline_trace::capture::Operation::{self, *};
use rustix::fs::{FallocateFlags, OFlags};

use crate::{Captured, can_mount};

fn direct(captured: &Captured, name: &str, more: OFlags) -> File {
    let flags = (OFlags::DIRECT | more).bits() as i32;
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(captured.path(name)).unwrap()
}

#[test]
fn each_request_is_in_it_with_its_place_and_its_times() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("t.ibd", &[1; 1 << 20])]);
    let file = direct(&captured, "t.ibd", OFlags::empty());
    let mut memory = vec![0u8; 3 * 16384];
    let start = memory.as_ptr().align_offset(16384);
    let block = &mut memory[start..start + 16384];
    for page in [5u64, 6, 3, 5] {
        file.read_exact_at(block, page * 16384).unwrap();
    }
    file.write_all_at(block, 0).unwrap();
    file.sync_all().unwrap();
    file.set_len(32768).unwrap();
    let punch = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(&file, punch, 16384, 16384).unwrap();
    assert_eq!(file.read_at(block, 1 << 20).unwrap(), 0);
    drop(file);
    let found = captured.end();
    let page = |page: u64| (Read, page * 16384, 16384);
    let expected = [
        page(5),
        page(6),
        page(3),
        page(5),
        (Write, 0, 16384),
        (Sync, 0, 0),
        (Truncate, 32768, 0),
        (Discard, 16384, 16384),
        // Behind the end nothing is there to be moved.
        (Read, 1 << 20, 0),
    ];
    assert_eq!(found.of("t.ibd"), expected);
    assert_eq!(found.summary.events, found.events.len() as u64);
    assert!(found.events.iter().all(|event| event.completed_ns > event.issued_ns));
    let thread = rustix::thread::gettid().as_raw_nonzero().get();
    assert!(found.threads.iter().any(|one| one.tid == thread as u32), "{:?}", found.threads);
}

#[test]
fn durable_writes_are_told_from_others() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("log", &[0; 8192])]);
    // O_DSYNC; OFlags::DSYNC is O_SYNC.
    let file = direct(&captured, "log", OFlags::from_bits_retain(0o10_000));
    let memory = vec![0u8; 3 * 4096];
    let start = memory.as_ptr().align_offset(4096);
    file.write_all_at(&memory[start..start + 4096], 4096).unwrap();
    drop(file);
    assert!(captured.end().of("log").contains(&(DurableWrite, 4096, 4096)));
}

#[test]
fn files_have_the_names_that_they_got() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::new();
    fs::create_dir(captured.path("old")).unwrap();
    fs::write(captured.path("old/a"), "a").unwrap();
    fs::rename(captured.path("old"), captured.path("new")).unwrap();
    fs::write(captured.path("new/b"), "b").unwrap();
    fs::rename(captured.path("new/b"), captured.path("c")).unwrap();
    fs::remove_file(captured.path("new/a")).unwrap();
    // Another file that gets the same name, and perhaps the same number below.
    fs::write(captured.path("new/a"), "another").unwrap();
    let found = captured.end();
    let removed = (Remove, 0, 0);
    assert!(found.of("c").contains(&(Write, 0, 1)) && found.of("c").contains(&(Rename, 0, 0)));
    let another = found.files.iter().rposition(|name| name == "new/a").unwrap();
    let first = found.files.iter().position(|name| name == "old/a" || name == "new/a").unwrap();
    assert_ne!(first, another, "{:?}", found.files);
    let of = |file: usize| -> Vec<(Operation, u64, u64)> {
        let of = found.events.iter().filter(|event| event.file as usize == file);
        of.map(|e| (e.operation, e.offset, e.length)).collect()
    };
    assert!(of(first).contains(&removed) && !of(another).contains(&removed));
    assert!(of(another).contains(&(Write, 0, 7)));
}

#[test]
fn a_capture_is_described_by_file() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("a", &[1; 1 << 20]), ("b", &[1; 1 << 20])]);
    for name in ["a", "b"] {
        assert_eq!(fs::read(captured.path(name)).unwrap().len(), 1 << 20);
    }
    captured.end();
    let path = captured.dir.path().join("x.capture");
    let found = by_file(
        path.to_str().unwrap(),
        &leadline_trace::ReadAs::default(),
        &ByFileOptions::default(),
        &mut |_, _| {},
    )
    .unwrap();
    for name in ["a", "b"] {
        let usage = &found.files.iter().find(|file| file.name == name).unwrap().usage;
        // Each byte is read once: what the kernel has read it keeps.
        assert_eq!((usage.read_bytes, usage.distinct_pages), (1 << 20, 64));
    }
    assert!(found.computing_seconds.unwrap() < found.seconds.unwrap());
}

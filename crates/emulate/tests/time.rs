//! The device's time is felt. Only lower bounds are asserted: a busy machine makes everything later. They are
//! a fifth below the device's time, since what is taken off for the way was measured on a busy machine too.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::{Duration, Instant};

use crate::drive::{Drive, O_DIRECT, O_DSYNC, can_mount};

#[repr(C, align(4096))]
struct Page([u8; 4096]);

fn device(read_us: u32, servers: u32, more: &str) -> String {
    format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\n{more}\n[read]\nservice_us = {read_us}\nservers = {servers}\n\
         [write]\nservice_us = 1\nservers = 8\n"
    )
}

fn file(drive: &Drive) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true).custom_flags(O_DIRECT);
    let file = options.open(drive.path("file")).unwrap();
    for page in 0..8 {
        file.write_all_at(&Page([1; 4096]).0, page * 4096).unwrap();
    }
    file
}

fn read_at_once(file: &File, count: u64) -> Duration {
    let began = Instant::now();
    std::thread::scope(|scope| {
        for page in 0..count {
            scope.spawn(move || file.read_exact_at(&mut Page([0; 4096]).0, page * 4096).unwrap());
        }
    });
    began.elapsed()
}

#[test]
fn requests_wait_for_a_server() {
    if !can_mount() {
        return;
    }
    let drive = Drive::with(&device(20_000, 2, ""), |_| {});
    let file = file(&drive);
    assert!(read_at_once(&file, 1) >= Duration::from_millis(16));
    assert!(read_at_once(&file, 8) >= Duration::from_millis(64));
    let slowed = Drive::with(&device(5_000, 2, ""), |options| options.slowdown = 4.0);
    assert!(read_at_once(&self::file(&slowed), 8) >= Duration::from_millis(64));
}

#[test]
fn a_flush_takes_what_the_device_says_and_the_page_cache_nothing() {
    if !can_mount() {
        return;
    }
    let drive = Drive::with(&device(200_000, 1, "[flush]\nservice_us = 30000\ndurable_us = 40000"), |_| {});
    let file = file(&drive);
    let began = Instant::now();
    file.sync_data().unwrap();
    assert!(began.elapsed() >= Duration::from_millis(24));
    let durable =
        OpenOptions::new().write(true).custom_flags(O_DIRECT | O_DSYNC).open(drive.path("file")).unwrap();
    let began = Instant::now();
    durable.write_all_at(&Page([2; 4096]).0, 0).unwrap();
    assert!(began.elapsed() >= Duration::from_millis(32));
    let requests = drive.report().traffic;
    // Buffered bytes that were just written are read from memory.
    std::fs::write(drive.path("other"), "cached").unwrap();
    assert_eq!(std::fs::read(drive.path("other")).unwrap(), b"cached");
    assert_eq!(drive.report().traffic.reads, requests.reads);
}

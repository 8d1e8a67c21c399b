//! The same seed gives the same faults in the same places.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use crate::drive::{Drive, O_DIRECT, can_mount};

const SCHEDULE: &str = "seed = 11\n\
    [[fault]]\nkind = \"lost-write\"\nprobability = 0.1\ntimes = \"forever\"\n\
    [[fault]]\nkind = \"torn-write\"\nprobability = 0.2\ntimes = \"forever\"\n\
    [[fault]]\nkind = \"misdirected-write\"\nprobability = 0.1\ntimes = \"forever\"\n\
    [[fault]]\nkind = \"bit-flip-media\"\nprobability = 0.2\ntimes = \"forever\"\n\
    [[fault]]\nkind = \"eio\"\noperation = \"read\"\nprobability = 0.05\ntimes = \"forever\"\n\
    [[fault]]\nkind = \"power-cut-random\"\noperation = \"write\"\nafter_ops = 150\n";

#[repr(C, align(4096))]
struct Page([u8; 4096]);

/// What a program that does the same every time sees, and what it leaves.
fn run() -> (Vec<Result<Vec<u8>, i32>>, Vec<u8>) {
    let drive = Drive::with_faults(SCHEDULE);
    let path = drive.path("file");
    let open = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .custom_flags(O_DIRECT)
            .open(&path)
    };
    let mut file = open().unwrap();
    let mut seen = Vec::new();
    for step in 0..200u64 {
        let page = step * 7 % 32 * 4096;
        let mut buffer = Page([step as u8; 4096]);
        let written = file.write_all_at(&buffer.0, page);
        let read = file.read_exact_at(&mut buffer.0, page);
        let code = |error: std::io::Error| error.raw_os_error().unwrap_or(0);
        if written.is_err() {
            file = open().unwrap();
        }
        seen.push(written.and(read).map(|()| buffer.0.to_vec()).map_err(code));
    }
    drop(file);
    let left = fs::read(&path).unwrap();
    (seen, left)
}

#[test]
fn twice_the_same() {
    if !can_mount() {
        return;
    }
    let (first, second) = (run(), run());
    assert!(first.0.iter().any(Result::is_err) && first.0.iter().any(Result::is_ok));
    assert!(first == second);
}

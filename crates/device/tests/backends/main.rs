//! Every backend against the same model: a device is a `Vec<u8>`, whoever moves the bytes.

mod faulty;
mod integrity;
mod pair;
mod results;
mod validator;

use std::fs::File;
use std::os::fd::OwnedFd;

use leadline_device::clock::now;
use leadline_device::{
    Completion, Device, FileDevice, FileOptions, IoEngine, Nanos, QueuePair, QueueShape, Request,
    RequestError, direct_alignment,
};

const BLOCK: u32 = 4096;
const CAPACITY: u64 = 1 << 20;
/// The last block that 64 bits can address.
const LAST: u64 = !4095;
const MS: Nanos = 1_000_000;
const ENGINES: [IoEngine; 2] = [IoEngine::IoUring, IoEngine::Psync];

/// An unnamed file of zeros, where the build's other scratch files are.
fn scratch() -> File {
    let file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.set_len(CAPACITY).unwrap();
    file
}

/// O_DIRECT where the file system takes it.
fn options(engine: IoEngine, file: &File) -> FileOptions {
    let mut options = FileOptions::new(engine, BLOCK);
    options.direct = direct_alignment(file).is_ok_and(|alignment| alignment <= BLOCK);
    options
}

fn device(engine: IoEngine) -> FileDevice {
    let file = scratch();
    let options = options(engine, &file);
    FileDevice::new(file, CAPACITY, options).unwrap()
}

fn pair(engine: IoEngine, depth: u32) -> Box<dyn QueuePair> {
    device(engine).queue_pair(QueueShape::new(depth, 4 * BLOCK)).unwrap()
}

/// Reaps until nothing is in flight.
fn drain(pair: &mut dyn QueuePair) -> Vec<Completion> {
    let mut done = Vec::new();
    while pair.in_flight() > 0 {
        pair.reap(1, now() + 10_000 * MS, &mut done).unwrap();
    }
    done
}

/// Does one request alone and gives its result.
fn perform(pair: &mut dyn QueuePair, request: Request) -> i32 {
    pair.submit(request).unwrap();
    let done = drain(pair);
    assert_eq!((done.len(), done[0].slot), (1, request.slot));
    done[0].result
}

/// A read end on which nothing ever arrives, as a device: its reads hang (io_uring alone takes a pipe).
fn hanging() -> (FileDevice, std::io::PipeWriter) {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut options = FileOptions::new(IoEngine::IoUring, BLOCK);
    (options.direct, options.writable) = (false, false);
    (FileDevice::new(OwnedFd::from(reader).into(), CAPACITY, options).unwrap(), writer)
}

/// Whether the scratch files' system can take blocks out of a file; says so where it cannot.
fn can_trim() -> bool {
    let mut pair = pair(IoEngine::Psync, 1);
    let can = perform(&mut *pair, Request::trim(0, 0, BLOCK)) != -libc::EOPNOTSUPP;
    if !can {
        eprintln!("SKIPPED trims: the file system of {} cannot punch holes", env!("CARGO_TARGET_TMPDIR"));
    }
    can
}

/// Why a request was refused.
fn reason(refused: Result<(), RequestError>) -> &'static str {
    refused.expect_err("it must be refused").reason
}

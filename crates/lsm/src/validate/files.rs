//! How long the file system takes to make files durable, as flushes and compactions do.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use rustix::fs::{FallocateFlags, OFlags, fallocate};

use super::error::ValidateError;
use super::summary::Summary;
use crate::FileCosts;

/// Syncs that are timed, and those before them that are not.
const TIMED: usize = 100;
const WARM_UP: usize = 10;

/// What is written before each: about an entry of RocksDB's manifest.
const ENTRY_BYTES: usize = 200;

/// Files that each thread makes per round, and how many of them are there at a time.
const FILES: usize = 16;
const KEPT: usize = 8;

/// Rounds of which the median counts.
const ROUNDS: usize = 3;

/// Bytes of a file at most: the time in addition to its writes hardly depends on them.
const MOST_BYTES: u64 = 1 << 20;

/// What RocksDB reads of a new file when it opens it: its index and properties.
const TAIL_BYTES: u64 = 16384;

const PAGE_BYTES: u64 = 4096;

/// Measures in `folder`, with files of `file_bytes`.
///
/// # Errors
/// A file cannot be written, or not with O_DIRECT.
pub(super) fn measure(folder: &Path, file_bytes: u64) -> Result<FileCosts, ValidateError> {
    let sync_us = sync_seconds(folder)? * 1e6;
    let mut file_us = [0.0; 5];
    for (i, us) in file_us.iter_mut().enumerate() {
        *us = file_seconds(folder, file_bytes, 1 << i)? * 1e6;
    }
    Ok(FileCosts { sync_us, file_us })
}

/// The median of syncs one after the other of a file that grows.
fn sync_seconds(folder: &Path) -> Result<f64, ValidateError> {
    let path = folder.join("sync");
    let failed = |source| ValidateError::io(&path, "timing a sync", source);
    let mut file = File::create(&path).map_err(failed)?;
    let mut times = Vec::with_capacity(TIMED);
    for i in 0..WARM_UP + TIMED {
        file.write_all(&[b'x'; ENTRY_BYTES]).map_err(failed)?;
        let began = Instant::now();
        file.sync_data().map_err(failed)?;
        if i >= WARM_UP {
            times.push(began.elapsed().as_secs_f64());
        }
    }
    drop(file);
    std::fs::remove_file(&path).map_err(failed)?;
    Ok(Summary::of(times).map_or(0.0, |summary| summary.median))
}

/// Seconds per file of all `threads` together, beyond what they take to write the same bytes into files that
/// are there, and in addition to the processor's time.
fn file_seconds(folder: &Path, file_bytes: u64, threads: usize) -> Result<f64, ValidateError> {
    let bytes = ((file_bytes.min(MOST_BYTES) / PAGE_BYTES).max(4) * PAGE_BYTES) as usize;
    let of = |what: fn(&Path, usize, &mut Memory) -> Result<(), Failed>| -> Result<f64, ValidateError> {
        let work = |thread: usize| -> Result<Duration, Failed> {
            let mut memory = Memory::of(bytes);
            let (began, processor) = (Instant::now(), processor_time());
            what(folder, thread, &mut memory)?;
            Ok(began.elapsed().saturating_sub(processor_time() - processor))
        };
        let times: Vec<Result<Duration, Failed>> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
            running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let mut sum = Duration::ZERO;
        for time in times {
            sum +=
                time.map_err(|(path, source)| ValidateError::io(&path, "timing how a file is made", source))?;
        }
        Ok(sum.as_secs_f64() / (threads * threads * FILES) as f64)
    };
    let mut differences = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        differences.push((of(make)? - of(overwrite)?).max(0.0));
    }
    Ok(Summary::of(differences).map_or(0.0, |summary| summary.median))
}

/// A file, and why it could not be worked with.
type Failed = (PathBuf, io::Error);

/// What is written, and where the end of a file is read to, as O_DIRECT wants them aligned.
struct Memory {
    memory: Vec<u8>,
    begin: usize,
    bytes: usize,
}

impl Memory {
    fn of(bytes: usize) -> Self {
        let memory = vec![b'x'; bytes + PAGE_BYTES as usize];
        let begin = memory.as_ptr().align_offset(PAGE_BYTES as usize);
        Memory { memory, begin, bytes }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.begin..][..self.bytes]
    }
}

/// Makes files and removes them again.
fn make(folder: &Path, thread: usize, memory: &mut Memory) -> Result<(), Failed> {
    let name = |i: usize| folder.join(format!("file-{thread}-{i}"));
    for i in 0..FILES + KEPT {
        if i < FILES {
            let path = name(i);
            make_one(&path, memory.bytes()).map_err(|error| (path, error))?;
        }
        if i >= KEPT {
            let path = name(i - KEPT);
            std::fs::remove_file(&path).map_err(|error| (path, error))?;
        }
    }
    Ok(())
}

/// Writes the same into one file as often.
fn overwrite(folder: &Path, thread: usize, memory: &mut Memory) -> Result<(), Failed> {
    let path = folder.join(format!("file-{thread}"));
    let mut write = || -> io::Result<()> {
        let file = OpenOptions::new().write(true).create_new(true).custom_flags(direct()).open(&path)?;
        for _ in 0..FILES {
            file.write_all_at(memory.bytes(), 0)?;
        }
        std::fs::remove_file(&path)
    };
    let written = write();
    written.map_err(|error| (path, error))
}

/// As RocksDB makes a table: room for a tenth more, direct writes, cut off, synced; then opened for reading.
fn make_one(path: &Path, bytes: &mut [u8]) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).custom_flags(direct()).open(path)?;
    let length = bytes.len() as u64;
    // Not every file system can set room aside; RocksDB does without, too.
    let _ = fallocate(&file, FallocateFlags::KEEP_SIZE, 0, length + length / 10);
    file.write_all_at(bytes, 0)?;
    file.set_len(length - PAGE_BYTES / 4)?;
    file.sync_all()?;
    drop(file);
    let file = OpenOptions::new().read(true).custom_flags(direct()).open(path)?;
    let tail = &mut bytes[..TAIL_BYTES as usize];
    if file.read_at(tail, length - TAIL_BYTES)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

fn direct() -> i32 {
    OFlags::DIRECT.bits().cast_signed()
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

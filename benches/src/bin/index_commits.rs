//! Durable commits a second of an index, by 1, 4 and 16 threads, against raw loops of `fdatasync`.

use std::fs::File;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Parser;
use leadline_benches::median;
use leadline_index::{Index, IndexError};
use rustix::fs::OFlags;

/// Every candidate has a turn in every round. The raw loops are of one thread: a block of 4 KiB is written
/// and synced, over bytes that are there (through the page cache, and past it), or behind the end of a file.
/// A commit of the index is an insert.
#[derive(Parser)]
struct Args {
    /// Directory on the device to measure
    dir: PathBuf,
    /// Threads that commit
    #[arg(long, value_delimiter = ',', default_value = "1,4,16")]
    writers: Vec<usize>,
    /// Bytes of a value
    #[arg(long, default_value_t = 100)]
    bytes: usize,
    /// Seconds a turn
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Rounds
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

const BLOCK: usize = 4096;
const RAW_BYTES: u64 = 8 << 20;

#[derive(Clone, Copy)]
enum Candidate {
    Cached,
    Direct,
    Growing,
    Index(usize),
}

impl Candidate {
    fn name(self) -> String {
        match self {
            Candidate::Cached => "raw, over zeros".into(),
            Candidate::Direct => "raw, over zeros, O_DIRECT".into(),
            Candidate::Growing => "raw, growing file".into(),
            Candidate::Index(1) => "index, 1 thread".into(),
            Candidate::Index(writers) => format!("index, {writers} threads"),
        }
    }

    /// Commits a second.
    fn run(self, args: &Args, dir: &Path) -> Result<f64> {
        let time = Duration::from_secs_f64(args.seconds);
        match self {
            Candidate::Cached => raw(dir, 0, RAW_BYTES, time),
            Candidate::Direct => raw(dir, OFlags::DIRECT.bits().cast_signed(), RAW_BYTES, time),
            Candidate::Growing => raw(dir, 0, 0, time),
            Candidate::Index(writers) => commits(args, dir, writers, time),
        }
    }
}

/// Writes and syncs block after block; over `zeros` bytes again and again, if there are any.
fn raw(dir: &Path, flags: i32, zeros: u64, time: Duration) -> Result<f64> {
    let path = dir.join("raw");
    File::create(&path)?.write_all_at(&vec![0; zeros as usize], 0)?;
    let file = File::options().write(true).custom_flags(flags).open(&path)?;
    file.sync_all()?;
    // O_DIRECT asks for aligned memory.
    let memory = vec![1; 2 * BLOCK];
    let first = memory.as_ptr().align_offset(BLOCK);
    let block = &memory[first..first + BLOCK];
    let (start, mut count) = (Instant::now(), 0u64);
    while start.elapsed() < time {
        let at = count * BLOCK as u64;
        file.write_all_at(block, if zeros > 0 { at % zeros } else { at })?;
        file.sync_data()?;
        count += 1;
    }
    let rate = count as f64 / start.elapsed().as_secs_f64();
    std::fs::remove_file(&path)?;
    Ok(rate)
}

fn commits(args: &Args, dir: &Path, writers: usize, time: Duration) -> Result<f64> {
    let dir = dir.join("index");
    let index = Index::open(&dir)?;
    let (count, value, start) = (AtomicU64::new(0), vec![1; args.bytes], Instant::now());
    let writer = || -> Result<(), IndexError> {
        while start.elapsed() < time {
            let number = count.fetch_add(1, Ordering::Relaxed);
            // Keys in no order, as most are.
            index.insert(number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes(), &value)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..writers).map(|_| scope.spawn(writer)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })?;
    let rate = count.into_inner() as f64 / start.elapsed().as_secs_f64();
    drop(index);
    std::fs::remove_dir_all(&dir)?;
    Ok(rate)
}

fn main() -> Result<()> {
    let args = Args::parse();
    let dir = tempfile::tempdir_in(&args.dir).with_context(|| args.dir.display().to_string())?;
    let mut candidates = vec![Candidate::Cached, Candidate::Direct, Candidate::Growing];
    candidates.extend(args.writers.iter().map(|&writers| Candidate::Index(writers)));
    let mut rates = vec![Vec::new(); candidates.len()];
    for round in 0..args.rounds {
        for (candidate, rates) in candidates.iter().zip(&mut rates) {
            let rate = candidate.run(&args, dir.path())?;
            eprintln!("round {round}, {}: {rate:.0}", candidate.name());
            rates.push(rate);
        }
    }
    println!("| | commits/s | lowest | highest | times raw |");
    println!("| --- | --- | --- | --- | --- |");
    for (candidate, own) in candidates.iter().zip(&rates) {
        // Of each round, as the device's speed drifts.
        let ratios: Vec<f64> = own.iter().zip(&rates[0]).map(|(own, raw)| own / raw).collect();
        let ([middle, low, high], [ratio, ..]) = (median(own), median(&ratios));
        println!("| {} | {middle:.0} | {low:.0} | {high:.0} | {ratio:.2} |", candidate.name());
    }
    Ok(())
}

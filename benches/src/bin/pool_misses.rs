//! Misses of the buffer pool against our own raw queue pair at the same depth.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Parser;
use leadline_benches::{Load, leadline, median, size_of};
use leadline_device::clock::process_cpu_time;
use leadline_device::{FileDevice, FileOptions, IoEngine, direct_alignment};
use leadline_pool::{Pool, PoolConfig};

/// Random reads of 4K pages of a file or block device that is much larger than the pool's 1,024 frames, by
/// the raw queue pair and through the pool, in turn. At depth 1 the pool reads page after page; deeper, one
/// thread asks for 1,024 pages at a time (`read_many`), and the pool keeps as many in flight as the depth.
#[derive(Parser)]
struct Args {
    /// File or block device, written whole, of at least 256 MiB; only read
    target: PathBuf,
    /// Requests in flight
    #[arg(long, value_delimiter = ',', default_value = "1,8,32")]
    depths: Vec<u32>,
    /// Pairs a depth
    #[arg(long, default_value_t = 5)]
    pairs: usize,
    /// Seconds a run
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
}

/// Pages that one request asks for.
const AT_ONCE: usize = 1024;

/// A run of the pool, and one of the queue pair.
type Pair = ((f64, f64), leadline_benches::Run);

/// Pages per second that missed, and processor time of each, microseconds.
fn pool(path: &Path, depth: u32, seconds: f64) -> Result<(f64, f64)> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let size = size_of(path)?;
    let mut options = FileOptions::new(IoEngine::IoUring, direct_alignment(&file)?);
    options.writable = false;
    let mut config = PoolConfig::new(4096, 1024);
    // What is on the device is not a pool's.
    config.checksums = false;
    config.reads_ahead = depth;
    let pool = Pool::open(Arc::new(FileDevice::new(file, size, options)?), config)?;
    let mut random = fastrand::Rng::with_seed(process_cpu_time());
    let (begun, before) = (Instant::now(), process_cpu_time());
    let mut pages = [0; AT_ONCE];
    while begun.elapsed().as_secs_f64() < seconds {
        pages.fill_with(|| random.u64(..pool.pages()));
        if depth == 1 {
            for &page in &pages[..64] {
                std::hint::black_box(pool.read(page)?[0]);
            }
        } else {
            pool.read_many(&pages, |_, bytes| {
                std::hint::black_box(bytes[0]);
            })?;
        }
    }
    let (seconds, cpu) = (begun.elapsed().as_secs_f64(), (process_cpu_time() - before) as f64);
    let stats = pool.stats();
    let read = (stats.misses + stats.prefetches) as f64;
    Ok((read / seconds, cpu / 1e3 / read))
}

fn main() -> Result<()> {
    let args = Args::parse();
    println!(
        "| depth | pool, pages/s | queue pair, IOPS | ratio | pool, CPU us/page | queue pair, CPU us/IO |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for &depth in &args.depths {
        let mut runs = Vec::new();
        for pair in 0..args.pairs {
            let raw = || leadline(&args.target, Load::random_reads(depth), args.seconds);
            let ours = || pool(&args.target, depth, args.seconds);
            runs.push(if pair % 2 == 0 {
                let ours = ours()?;
                (ours, raw()?)
            } else {
                let raw = raw()?;
                (ours()?, raw)
            });
        }
        let column = |of: &dyn Fn(&Pair) -> f64, digits: usize| {
            let [middle, low, high] = median(&runs.iter().map(of).collect::<Vec<_>>());
            format!("{middle:.digits$} ({low:.digits$} to {high:.digits$})")
        };
        println!(
            "| {depth} | {} | {} | {} | {} | {} |",
            column(&|run| run.0.0, 0),
            column(&|run| run.1.iops, 0),
            column(&|run| run.0.0 / run.1.iops, 2),
            column(&|run| run.0.1, 2),
            column(&|run| run.1.cpu_us_per_op, 2)
        );
    }
    Ok(())
}

//! Pages written out of place against in place and the double-write area: bytes written to a simulated flash
//! drive and its medium for each byte that the pool writes back, and pages per second on a real file.

mod drive;
mod pages;
mod simulated;
mod timed;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use leadline_pool::ace::Ace;
use leadline_pool::{OutOfPlace, Pool, PoolConfig};

use crate::pages::{Pages, Step};

const PAGE: u64 = 4096;

/// Overwrites of a drive that is 50, 80 and 90 % full, uniform, by Zipf and as a trace has them, by a pool
/// that writes in place, with a double-write area, and out of place. Pages are replaced, not read, so that
/// only writes count; of a trace they are read, too.
#[derive(Parser)]
struct Args {
    /// A file on the disk to be timed, created and deleted; without it a flash drive is simulated
    #[arg(long)]
    file: Option<PathBuf>,
    /// A flash drive of the catalogue to be simulated, made as small as --mib; without it a small one
    #[arg(long, conflicts_with = "file")]
    drive: Option<String>,
    /// uniform, zipf (0.8), or page traces, files of lines `R 15` and `W 17`: the drive is then as large as
    /// their pages fill it
    #[arg(long, value_delimiter = ',', default_value = "uniform,zipf")]
    pages: Vec<String>,
    /// MiB of the drive or file
    #[arg(long, default_value_t = 1024)]
    mib: u64,
    /// Percent of it that hold pages
    #[arg(long, value_delimiter = ',', default_value = "50,80,90")]
    full: Vec<u64>,
    /// Times that as many bytes are written back as the drive has; the second half is measured
    #[arg(long, default_value_t = 6.0)]
    turns: f64,
    /// Pages written at once
    #[arg(long, default_value_t = 32)]
    n: u32,
    /// KiB of a segment
    #[arg(long, default_value_t = 8192)]
    segment_kib: u32,
    /// Repetitions on a file
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Modes
    #[arg(long, value_delimiter = ',', default_value = "in-place,double-write,out-of-place")]
    modes: Vec<String>,
    /// Trim dead segments, and use no more of the device than what it holds needs
    #[arg(long)]
    trim: bool,
    /// GiB that the pool is told the file may become: it is sparse then, and grows
    #[arg(long)]
    most_gib: Option<u64>,
    /// Pages written between two checkpoints
    #[arg(long, default_value_t = 50_000)]
    checkpoint: u64,
}

fn config(args: &Args, mode: &str) -> PoolConfig {
    let config = PoolConfig::new(PAGE as u32, 2048).ace(Ace::CowX).n(args.n);
    match mode {
        "in-place" => config,
        "double-write" => config.double_write(true),
        _ => {
            let options = OutOfPlace::default().spare(0.02).trim(args.trim);
            config.out_of_place(options.segment_bytes(args.segment_kib << 10))
        }
    }
}

/// Pages written back in the second half, and the seconds for them, of a device of `bytes`.
fn overwrite(
    pool: &Pool,
    args: &Args,
    bytes: u64,
    pages: u64,
    mut next_page: Pages,
    mut half: impl FnMut(),
) -> Result<(u64, f64)> {
    let mut random = fastrand::Rng::with_seed(1);
    for page in 0..pages {
        pool.create(page)?[0] = 1;
    }
    let all = (args.turns * bytes as f64) as u64 / PAGE;
    let (mut begun, mut before) = (Instant::now(), 0);
    let mut next = args.checkpoint;
    let mut is_warm = false;
    while pool.stats().writes < all {
        for _ in 0..256 {
            match next_page.next(&mut random) {
                Step::Read(page) => drop(pool.read(page)?),
                Step::Write(page) => pool.write(page)?[0] = 1,
                Step::Replace(page) => pool.create(page)?[0] = 1,
            }
        }
        let written = pool.stats().writes;
        if written > next {
            pool.checkpoint()?;
            next = written + args.checkpoint;
        }
        if written > all / 2 && !is_warm {
            is_warm = true;
            (begun, before) = (Instant::now(), written);
            half();
        }
    }
    pool.checkpoint()?;
    Ok((pool.stats().writes - before, begun.elapsed().as_secs_f64()))
}

fn main() -> Result<()> {
    let args = Args::parse();
    match &args.file {
        Some(path) => timed::timed(&args, path),
        None => simulated::simulated(&args),
    }
}

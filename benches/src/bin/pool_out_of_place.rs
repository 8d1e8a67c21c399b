//! Pages written out of place against in place and the double-write area: bytes written to a simulated flash
//! drive and its medium for each byte that the pool writes back, and pages per second on a real file.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Parser;
use leadline_benches::median;
use leadline_device::{
    Clock, Completion, Device, DeviceError, FileDevice, FileOptions, Geometry, IoEngine, Nanos, Op,
    QueuePair, QueueShape, Request, RequestError, Wear, direct_alignment,
};
use leadline_pool::ace::Ace;
use leadline_pool::{OutOfPlace, Pool, PoolConfig};
use leadline_sim::{FlashModel, FlashSpec, VirtualDevice};

const PAGE: u64 = 4096;

/// Of the simulated drive.
const OVER_PROVISIONING: f64 = 0.16;

/// Random overwrites of a drive that is 50, 80 and 90 % full, uniform and Zipf, by a pool that writes in
/// place, with a double-write area, and out of place. Pages are created, not read, so that only writes count.
#[derive(Parser)]
struct Args {
    /// A file on the disk to be timed, created and deleted; without it a flash drive is simulated
    #[arg(long)]
    file: Option<PathBuf>,
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

/// A simulated drive with the contents of its pages.
struct Drive {
    flash: VirtualDevice<FlashModel>,
    contents: Arc<Mutex<Vec<u8>>>,
    wear: Arc<Mutex<Wear>>,
}

struct DrivePair {
    pair: Box<dyn QueuePair>,
    contents: Arc<Mutex<Vec<u8>>>,
    wear: Arc<Mutex<Wear>>,
    buffers: Vec<Vec<u8>>,
}

impl Drive {
    fn new(bytes: u64) -> Result<Drive> {
        let text = format!(
            "kind = \"flash\"\ncapacity = {bytes}\nstate = \"fresh\"\n\
             over_provisioning = {OVER_PROVISIONING}\n\
             [geometry]\nchannels = 2\ndies_per_channel = 2\nplanes = 1\npages_per_block = 64\n\
             page_bytes = \"16K\"\n\
             [timing]\nread_us = 66\nprogram_us = 1072\nerase_us = 8000\nbus_mb_per_s = 533\n\
             [buffer]\nwrite = \"4M\"\nhit_us = 3\n"
        );
        let flash = VirtualDevice::new(FlashModel::new(&FlashSpec::parse(&text, "drive")?));
        Ok(Drive { flash, contents: Arc::new(Mutex::new(vec![0; bytes as usize])), wear: Arc::default() })
    }
}

impl Device for Drive {
    fn geometry(&self) -> Geometry {
        self.flash.geometry()
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(DrivePair {
            pair: self.flash.queue_pair(shape)?,
            contents: Arc::clone(&self.contents),
            wear: Arc::clone(&self.wear),
            buffers: (0..shape.all_slots()).map(|slot| vec![0; shape.bytes_of(slot) as usize]).collect(),
        }))
    }
}

impl QueuePair for DrivePair {
    fn geometry(&self) -> Geometry {
        self.pair.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.pair.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        &mut self.buffers[slot as usize]
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.pair.submit(request)?;
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, len) = (request.offset as usize, request.len as usize);
        let buffer = &mut self.buffers[request.slot as usize];
        match request.op {
            Op::Read => buffer[..len].copy_from_slice(&contents[from..from + len]),
            Op::Write => contents[from..from + len].copy_from_slice(&buffer[..len]),
            Op::Trim => contents[from..from + len].fill(0),
            Op::Flush => {}
        }
        Ok(())
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        self.pair.reap(min, deadline, done)?;
        if let Some(wear) = self.pair.wear() {
            *self.wear.lock().unwrap_or_else(PoisonError::into_inner) = wear;
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.pair.now()
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }
}

/// Which page is written next.
enum Choice {
    Uniform,
    /// Cumulative weights of ranks 1 to the number of pages.
    Zipf(Vec<f64>),
}

impl Choice {
    fn new(name: &str, pages: u64) -> Choice {
        if name == "uniform" {
            return Choice::Uniform;
        }
        let weights = (1..=pages).scan(0.0, |sum, rank| {
            *sum += (rank as f64).powf(-0.8);
            Some(*sum)
        });
        Choice::Zipf(weights.collect())
    }

    fn next(&self, random: &mut fastrand::Rng, pages: u64) -> u64 {
        match self {
            Choice::Uniform => random.u64(..pages),
            Choice::Zipf(sums) => {
                let at = random.f64() * sums.last().copied().unwrap_or(1.0);
                let rank = sums.partition_point(|sum| *sum < at) as u64;
                // Popular pages lie all over the drive: a step that has no factor in common with the pages.
                (rank * 1_000_003) % pages
            }
        }
    }
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

/// Pages written back after `warm` writes, and the seconds for them.
fn overwrite(
    pool: &Pool,
    args: &Args,
    pages: u64,
    choice: &str,
    mut half: impl FnMut(),
) -> Result<(u64, f64)> {
    let choice = Choice::new(choice, pages);
    let mut random = fastrand::Rng::with_seed(1);
    for page in 0..pages {
        pool.create(page)?[0] = 1;
    }
    let all = (args.turns * (args.mib << 20) as f64) as u64 / PAGE;
    let (mut begun, mut before) = (Instant::now(), 0);
    let mut next = args.checkpoint;
    let mut is_warm = false;
    while pool.stats().writes < all {
        for _ in 0..256 {
            pool.create(choice.next(&mut random, pages))?[0] = 1;
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

/// Pages written per page under uniform writes, by a log over a device that is full to this share and cleaned
/// from its oldest segment: nothing that treats all pages alike writes much less. Of the segment that is
/// cleaned the share `u` is still needed, where `(1 - u) / -ln u` is the share that is full (Menon, "A
/// performance comparison of RAID-5 and log-structured arrays", HPDC 1995).
fn uniform_bound(full: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let u: f64 = (low + high) / 2.0;
        if (1.0 - u) / -u.ln() < full { low = u } else { high = u }
    }
    1.0 / (1.0 - low)
}

fn simulated(args: &Args) -> Result<()> {
    println!(
        "| full | pages | mode | host bytes/byte | drive's own | flash bytes/byte | bound | moved | map |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for full in &args.full {
        for choice in ["uniform", "zipf 0.8"] {
            for mode in &args.modes {
                let drive = Arc::new(Drive::new(args.mib << 20)?);
                let pool = Pool::open(Arc::clone(&drive) as _, config(args, mode))?;
                let pages = ((args.mib << 20) / PAGE * full / 100).min(pool.pages());
                let mut at_half = (Wear::default(), pool.stats());
                let wear = || *drive.wear.lock().unwrap_or_else(PoisonError::into_inner);
                let (written, _) =
                    overwrite(&pool, args, pages, choice, || at_half = (wear(), pool.stats()))?;
                let (wear, stats) = (wear().since(&at_half.0), pool.stats());
                let per = |count: u64| count as f64 / written as f64;
                // In place it is the drive that writes a log, with its over-provisioning as room.
                let room = if mode == "out-of-place" { 1.0 } else { 1.0 + OVER_PROVISIONING };
                let bound = uniform_bound(pages as f64 / (room * ((args.mib << 20) / PAGE) as f64));
                println!(
                    "| {full} % | {choice} | {mode} | {:.3} | {:.3} | {:.3} | {bound:.2} | {:.3} | {:.4} |",
                    per(wear.host_bytes / PAGE),
                    wear.write_amplification().unwrap_or(0.0),
                    per(wear.media_bytes / PAGE),
                    per(stats.moves - at_half.1.moves),
                    per(stats.map_writes - at_half.1.map_writes),
                );
            }
        }
    }
    Ok(())
}

fn timed(args: &Args, path: &Path) -> Result<()> {
    println!("| full | pages | mode | pages/s | pages/s against in-place |");
    println!("| --- | --- | --- | --- | --- |");
    for full in &args.full {
        for choice in ["uniform", "zipf 0.8"] {
            let mut rates = vec![Vec::new(); args.modes.len()];
            for _ in 0..args.rounds {
                for (mode, rates) in args.modes.iter().zip(&mut rates) {
                    let file =
                        File::options().read(true).write(true).create(true).truncate(true).open(path)?;
                    let bytes = args.most_gib.map_or(args.mib << 20, |gib| gib << 30);
                    match args.most_gib {
                        Some(_) => file.set_len(bytes)?,
                        None => rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes)
                            .with_context(|| path.display().to_string())?,
                    }
                    let options = FileOptions::new(IoEngine::best().0, direct_alignment(&file)?);
                    let device = Arc::new(FileDevice::new(file, bytes, options)?);
                    let pool = Pool::open(device, config(args, mode))?;
                    let pages = ((args.mib << 20) / PAGE * full / 100).min(pool.pages());
                    let mut before = pool.stats();
                    let (written, seconds) = overwrite(&pool, args, pages, choice, || before = pool.stats())?;
                    rates.push(written as f64 / seconds);
                    let moved = pool.stats().moves - before.moves;
                    let taken = std::fs::metadata(path)?.blocks() * 512 / (1 << 20);
                    let per_page = moved as f64 / written as f64;
                    eprintln!("{full} % {choice} {mode}: {per_page:.2} moved per page, {taken} MiB taken");
                }
            }
            for (mode, rate) in args.modes.iter().zip(&rates) {
                let [middle, low, high] = median(rate);
                let against: Vec<f64> = rate.iter().zip(&rates[0]).map(|(a, b)| a / b).collect();
                let [ratio, least, most] = median(&against);
                println!(
                    "| {full} % | {choice} | {mode} | {middle:.0} ({low:.0} to {high:.0}) | {ratio:.2} ({least:.2} to \
                     {most:.2}) |"
                );
            }
        }
    }
    std::fs::remove_file(path)?;
    Ok(())
}

fn main() -> Result<()> {
    let args = Args::parse();
    match &args.file {
        Some(path) => timed(&args, path),
        None => simulated(&args),
    }
}

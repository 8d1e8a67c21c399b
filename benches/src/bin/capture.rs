//! Writing, reading and describing a capture of many requests: requests per second, bytes per request, and
//! the memory that it takes.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser;
use leadline_trace::by_file::{ByFileOptions, by_file};
use leadline_trace::capture::{Event, Operation, Reader, Recorder, Thread, Writer};

/// The files of the capture, and the pages of each.
const FILES: [(&str, u64); 4] = [
    ("bench/lineitem.ibd", 1 << 20),
    ("bench/orders.ibd", 1 << 18),
    ("bench/customer.ibd", 1 << 14),
    ("ib_logfile0", 1 << 12),
];
const THREADS: u32 = 6;
const PAGE: u64 = 16 << 10;

/// A capture of 16K reads, half of them extents that are read ahead, half at random, is written, read by each
/// way there is, and described.
#[derive(Parser)]
struct Args {
    /// Requests in the capture
    #[arg(long, default_value_t = 10_000_000)]
    requests: u64,
    /// Rounds of reading; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.capture");
    let wrote = write(&path, args.requests)?;
    let bytes = fs::metadata(&path)?.len();
    println!("{} requests, {:.2} bytes each", args.requests, bytes as f64 / args.requests as f64);
    say("Recorder", args.requests, wrote)?;
    let plain = folder.path().join("plain.capture");
    let plain_bytes = uncompress(&path, &plain)?;
    println!("{:.2} bytes each before compression", plain_bytes as f64 / args.requests as f64);
    let name = path.to_str().context("a name of text")?;
    let plain = plain.to_str().context("a name of text")?;
    let median = |what: &str, read: &dyn Fn() -> Result<u64>| -> Result<()> {
        let mut times = Vec::new();
        for _ in 0..args.rounds.max(1) {
            let since = Instant::now();
            let read = read()?;
            times.push(since.elapsed());
            anyhow::ensure!(read == args.requests, "{what}: {read} of {} requests", args.requests);
        }
        times.sort();
        say(what, args.requests, times[times.len() / 2])
    };
    median("Reader", &|| events(name))?;
    median("Reader, not compressed", &|| events(plain))?;
    median("Trace", &|| requests(name))?;
    median("by file", &|| {
        Ok(by_file(name, &leadline_trace::ReadAs::Told, &ByFileOptions::default(), &mut |_, _| {})?
            .all
            .requests)
    })
}

fn events(path: &str) -> Result<u64> {
    let mut reader = Reader::open(path)?;
    let mut count = 0;
    while let Some(event) = reader.next_event()? {
        count += u64::from(event.length > 0);
    }
    Ok(count)
}

fn requests(path: &str) -> Result<u64> {
    let mut trace = leadline_trace::open(path)?;
    let mut count = 0;
    while let Some(request) = trace.next()? {
        count += u64::from(request.length > 0);
    }
    Ok(count)
}

/// Records as a file system does; how long that took.
fn write(path: &Path, requests: u64) -> Result<Duration> {
    let mut random = fastrand::Rng::with_seed(1);
    let recorder = Recorder::create(path)?;
    let since = Instant::now();
    let (mut now, mut file, mut page, mut left, mut ahead) = (0, 0, 0, 0u64, false);
    for _ in 0..requests {
        if left == 0 {
            ahead = random.bool();
            file = random.usize(..FILES.len());
            page = random.u64(..FILES[file].1 / 64) * 64;
            left = 64;
        }
        left -= 1;
        let at = if ahead { page + 63 - left } else { random.u64(..FILES[file].1) };
        now += if ahead { random.u64(800..4_000) } else { random.u64(40_000..300_000) };
        let took = random.u64(60_000..90_000);
        let event = Event {
            issued_ns: now,
            completed_ns: now,
            thread: random.u32(..THREADS),
            file: 0,
            operation: Operation::Read,
            offset: at * PAGE,
            length: PAGE,
        };
        let ticket = recorder.issued(event, file as u64, || FILES[file].0.to_owned());
        recorder.completed(ticket, now + took, PAGE);
    }
    recorder.finish(now)?;
    Ok(since.elapsed())
}

/// The same capture without compression; its bytes.
fn uncompress(from: &Path, to: &Path) -> Result<u64> {
    let mut reader = Reader::open(from.to_str().context("a name of text")?)?;
    let mut writer = Writer::new(BufWriter::new(File::create(to)?));
    let (mut files, mut threads) = (0, 0);
    while let Some(event) = reader.next_event()? {
        for name in &reader.files()[files..] {
            writer.file(name)?;
        }
        for thread in &reader.threads()[threads..] {
            writer.thread(&Thread::clone(thread))?;
        }
        (files, threads) = (reader.files().len(), reader.threads().len());
        writer.event(&event)?;
    }
    writer.finish(reader.ended_ns().unwrap_or(0))?.into_inner()?;
    Ok(fs::metadata(to)?.len())
}

fn say(what: &str, requests: u64, took: Duration) -> Result<()> {
    let rate = requests as f64 / took.as_secs_f64() / 1e6;
    println!("{what}: {rate:.1} M requests/s, memory at most {} MB so far", peak_kilobytes()? / 1000);
    Ok(())
}

/// The most memory that this process had so far.
fn peak_kilobytes() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

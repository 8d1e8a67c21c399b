//! `leadline index bench`: what an index does on a device.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leadline_device::format_size;
use leadline_figures::{Table, Text};
use leadline_graph::output::grouped;
use leadline_index::{Index, Options};
use leadline_measure::Progress;
use leadline_process::Scratch;
use serde::Serialize;

use super::measured::{Measured, Measurements};
use super::opening::OpenArgs;
use crate::failure::Failure;
use crate::foreseen::{DryRun, Foreseen};
use crate::paths::WorkFolder;
use crate::progress::Display;
use crate::{messages, output, signals, values};

const KEY_BYTES: u64 = 16;
const VALUE_BYTES: u64 = 100;

/// Bytes on the disk per byte of keys and values, at most: pages that are not full, and room to write.
const ROOM: u64 = 2;

/// What the log, and nodes that are written anew, take besides.
const LOG_ROOM: u64 = 512 << 20;

/// Keys that are looked up at once.
const AT_ONCE: [usize; 4] = [1, 16, 256, 4096];

/// Lookups of a measurement, and calls at most.
const LOOKUPS: usize = 4096;
const CALLS: usize = 64;

/// Ranges of a measurement, and entries of each.
const RANGES: usize = 256;
const OF_A_RANGE: usize = 100;

/// Threads that commit.
const THREADS: [usize; 2] = [1, 16];

/// Measure an index on the device of a directory
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline index bench /mnt/nvme
  # As many reads in flight as the device of the profile serves
  leadline index bench . --profile profile.json --json
  # Say what would be written
  leadline index bench . --entries 10000000 --dry-run

Loads entries of 16 + 100 bytes in order, looks up keys at random, reads ranges, and commits single entries \
durably from 1 and 16 threads. Before each measurement the index is opened again, so every node is read from \
the device.")]
pub(super) struct Args {
    /// A directory on the device; a scratch directory is made in it and removed
    #[arg(value_name = "TARGET", default_value = ".")]
    target: WorkFolder,
    /// Entries of the index, 1000 to 1000000000
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1000..=1_000_000_000))]
    entries: u64,
    /// Rounds; each measures everything once
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Seconds of commits, of 1 and of 16 threads, in each round, 0.1 to 86400
    #[arg(long, value_name = "S", default_value = "1", value_parser = values::seconds)]
    seconds: Duration,
    /// Seed of the keys that are looked up
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    open: OpenArgs,
    #[command(flatten)]
    dry: DryRun,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// What was measured.
#[derive(Serialize)]
struct Benched {
    target: String,
    entries: u64,
    key_bytes: u64,
    value_bytes: u64,
    rounds: u32,
    reads_in_flight: u32,
    nodes_written_at_once: u32,
    memory_bytes: u64,
    measurements: Vec<Measured>,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let data = args.entries * (KEY_BYTES + VALUE_BYTES);
    let commits = args.seconds.as_secs_f64() * f64::from(args.rounds) * THREADS.len() as f64;
    let what = format!(
        "a scratch directory: {} entries, {} times, and {commits:.1} s of commits; removed at the end",
        grouped(args.entries),
        args.rounds
    );
    let bytes = data * u64::from(args.rounds);
    if args.dry.dry_run {
        let ends = format!("after {} rounds", args.rounds);
        return Foreseen::until(ends).writes(args.target.display(), &what, Some(bytes)).print(args.json);
    }
    let profile = args.open.profile()?;
    let options = args.open.options(profile.as_ref())?.create(true);
    let stop = signals::cancel_flag()?;
    let scratch = Scratch::create(&args.target, "index")?;
    scratch.check_space(data * ROOM + LOG_ROOM)?;
    messages::note(&format!("{}: writes about {} in {what}", args.target.display(), format_size(bytes)));
    let mut bench = Bench {
        entries: args.entries,
        seconds: args.seconds,
        options: &options,
        path: scratch.path().join("bench.index"),
        stop: &stop,
        random: Random(args.seed),
        measurements: Measurements::default(),
        display: Display::new(),
        steps: (0, u64::from(args.rounds) * (AT_ONCE.len() + THREADS.len() + 4) as u64),
    };
    let done = (0..args.rounds).try_for_each(|_| bench.round());
    bench.display.finish();
    done?;
    let benched = Benched {
        target: args.target.display().to_string(),
        entries: args.entries,
        key_bytes: KEY_BYTES,
        value_bytes: VALUE_BYTES,
        rounds: args.rounds,
        reads_in_flight: options.reads,
        nodes_written_at_once: options.writes,
        memory_bytes: options.cache_bytes,
        measurements: bench.measurements.into_measured(),
    };
    if args.json { output::print_json(&benched) } else { output::print_text(&text(&benched)) }
}

struct Bench<'o> {
    entries: u64,
    seconds: Duration,
    options: &'o Options,
    path: PathBuf,
    stop: &'o AtomicBool,
    random: Random,
    measurements: Measurements,
    display: Display,
    /// Measurements that were made, and all.
    steps: (u64, u64),
}

impl Bench<'_> {
    /// Measures everything once, with an index of its own.
    fn round(&mut self) -> Result<(), Failure> {
        self.load()?;
        for keys in AT_ONCE {
            self.lookups(keys)?;
        }
        self.ranges()?;
        self.ranges_at_once()?;
        self.scan()?;
        for threads in THREADS {
            self.commits(threads)?;
        }
        remove(&self.path)
    }

    /// Says what comes next, unless somebody wants it to stop.
    fn step(&mut self, detail: &str) -> Result<(), Failure> {
        self.check()?;
        let (done, all) = self.steps;
        self.display.show(&Progress {
            phase: "bench",
            done: done as f64 / all as f64,
            detail: detail.to_owned(),
        });
        self.steps.0 += 1;
        Ok(())
    }

    fn check(&self) -> Result<(), Failure> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(interrupted()),
            false => Ok(()),
        }
    }

    fn load(&mut self) -> Result<(), Failure> {
        self.step("loads entries in order")?;
        let index = Index::open_with(&self.path, self.options)?;
        let began = Instant::now();
        let stop = self.stop;
        index.try_bulk_load((0..self.entries).map(|number| match stop.load(Ordering::Relaxed) {
            true => Err(interrupted()),
            false => Ok((key(2 * number), value(number))),
        }))?;
        let seconds = began.elapsed().as_secs_f64();
        let bytes = (self.entries * (KEY_BYTES + VALUE_BYTES)) as f64;
        self.measurements.add("load in order", "entries/s", self.entries as f64 / seconds);
        self.measurements.add("load in order", "MB/s", bytes / 1e6 / seconds);
        let written = index.stats().written_bytes();
        self.measurements.add("load in order", "written/byte", written as f64 / bytes);
        Ok(index.close()?)
    }

    /// Keys that are in the index, at random.
    fn keys(&mut self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|_| key(2 * self.random.below(self.entries))).collect()
    }

    fn lookups(&mut self, at_once: usize) -> Result<(), Failure> {
        let name = format!("multi_get, {} cold {}", grouped(at_once as u64), keys_word(at_once));
        self.step(&name)?;
        let calls = (LOOKUPS / at_once).clamp(1, CALLS);
        let keys = self.keys(calls * at_once);
        let index = Index::open_with(&self.path, self.options)?;
        let began = Instant::now();
        for keys in keys.chunks(at_once) {
            let found = index.multi_get(keys)?;
            if let Some(missing) = found.iter().position(Option::is_none) {
                return Err(lost(&keys[missing]));
            }
            self.check()?;
        }
        let seconds = began.elapsed().as_secs_f64();
        self.measurements.add(&name, "keys/s", keys.len() as f64 / seconds);
        self.measurements.add(&name, "us/call", 1e6 * seconds / calls as f64);
        Ok(())
    }

    fn ranges(&mut self) -> Result<(), Failure> {
        let name = format!("ranges of {OF_A_RANGE}, one by one");
        self.step(&name)?;
        let keys = self.keys(RANGES);
        let index = Index::open_with(&self.path, self.options)?;
        let began = Instant::now();
        for key in &keys {
            for entry in index.range(key.as_slice()..).take(OF_A_RANGE) {
                entry?;
            }
            self.check()?;
        }
        let seconds = began.elapsed().as_secs_f64();
        self.measurements.add(&name, "ranges/s", RANGES as f64 / seconds);
        Ok(())
    }

    fn ranges_at_once(&mut self) -> Result<(), Failure> {
        let name = format!("ranges of {OF_A_RANGE}, {RANGES} at once");
        self.step(&name)?;
        let ranges: Vec<_> = (0..RANGES)
            .map(|_| {
                let first = self.random.below(self.entries);
                key(2 * first)..key(2 * (first + OF_A_RANGE as u64))
            })
            .collect();
        let index = Index::open_with(&self.path, self.options)?;
        let began = Instant::now();
        index.range_many(&ranges)?;
        let seconds = began.elapsed().as_secs_f64();
        self.measurements.add(&name, "ranges/s", RANGES as f64 / seconds);
        Ok(())
    }

    fn scan(&mut self) -> Result<(), Failure> {
        self.step("scans all entries")?;
        let index = Index::open_with(&self.path, self.options)?;
        let (began, mut bytes) = (Instant::now(), 0);
        for entry in index.iter() {
            let (key, value) = entry?;
            bytes += key.len() + value.len();
            self.check()?;
        }
        let seconds = began.elapsed().as_secs_f64();
        self.measurements.add("scan of all entries", "MB/s", bytes as f64 / 1e6 / seconds);
        Ok(())
    }

    /// Adds entries one by one, each durable before the next of its thread.
    fn commits(&mut self, threads: usize) -> Result<(), Failure> {
        let name = format!("durable commits, {threads} {}", if threads == 1 { "thread" } else { "threads" });
        self.step(&name)?;
        let index = Index::open_with(&self.path, self.options)?;
        let began = Instant::now();
        let (until, entries, stop) = (self.seconds, self.entries, self.stop);
        let commit = |mut random: Random| -> Result<u64, Failure> {
            let mut count = 0;
            while began.elapsed() < until && !stop.load(Ordering::Relaxed) {
                // Odd: between the entries that were loaded.
                let number = random.below(entries);
                index.insert(key(2 * number + 1), value(number))?;
                count += 1;
            }
            Ok(count)
        };
        let seeds: Vec<Random> = (0..threads).map(|_| Random(self.random.next())).collect();
        let counts: Result<Vec<u64>, Failure> = std::thread::scope(|scope| {
            let commit = &commit;
            let started: Vec<_> = seeds.into_iter().map(|seed| scope.spawn(move || commit(seed))).collect();
            let ended = started.into_iter().map(|thread| thread.join());
            ended.map(|counted| counted.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let seconds = began.elapsed().as_secs_f64();
        self.check()?;
        self.measurements.add(&name, "commits/s", counts?.iter().sum::<u64>() as f64 / seconds);
        Ok(index.close()?)
    }
}

fn interrupted() -> Failure {
    Failure::Operation("interrupted; the scratch directory is removed".to_owned())
}

fn lost(key: &[u8]) -> Failure {
    Failure::Operation(format!("{}: was loaded, and is not there", key.escape_ascii()))
}

fn remove(path: &Path) -> Result<(), Failure> {
    fs::remove_dir_all(path).map_err(|error| Failure::Operation(format!("{}: {error}", path.display())))
}

fn keys_word(count: usize) -> &'static str {
    if count == 1 { "key" } else { "keys" }
}

/// 16 digits, which sort as the numbers do.
fn key(number: u64) -> Vec<u8> {
    format!("{number:016}").into_bytes()
}

fn value(number: u64) -> Vec<u8> {
    let mut random = Random(number);
    (0..VALUE_BYTES).map(|_| random.next() as u8).collect()
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

fn text(benched: &Benched) -> Text {
    let mut table = Table::new(["measured", "unit", "median", "lowest", "highest"]).words(1);
    for Measured { name, unit, median, lowest, highest, .. } in &benched.measurements {
        let number = |value: &f64| match *value {
            value if value >= 1000.0 => grouped(value.round() as u64),
            value if value >= 10.0 => format!("{value:.1}"),
            value => format!("{value:.2}"),
        };
        table.row([name.clone(), (*unit).to_owned(), number(median), number(lowest), number(highest)]);
    }
    let mut text = Text::new();
    text.say(format!(
        "{}: {} entries of {KEY_BYTES} + {VALUE_BYTES} bytes, {} rounds, {} reads in flight, {} of memory for \
         nodes, none of them in it before each measurement; written/byte: bytes written per byte of keys and \
         values",
        benched.target,
        grouped(benched.entries),
        benched.rounds,
        benched.reads_in_flight,
        format_size(benched.memory_bytes)
    ));
    text.gap();
    text.table(table);
    text
}

//! RocksDB: the keys that depend on the device. The keys that depend on the data and its use are
//! `leadline lsm advise`'s, which takes these from here.

mod meanings;
mod read;

use std::path::Path;

use leadline_model::Estimate;
use leadline_profile::{OpKind, Pattern};

use super::Rules;
use crate::keys::Keys;
use crate::meaning::Meaning;
use crate::streams::Stream;
use crate::syntax::sizes;
use crate::syntax::sizes::number_and_unit;
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Unmeasured, Value};

/// What RocksDB reads ahead of a compaction unless set: 7.8 with direct I/O (`SanitizeOptions` in
/// db_impl_open.cc), and every release from 8.6.7 on (include/rocksdb/options.h).
pub const READAHEAD_BYTES: u64 = 2 << 20;

/// The least that is advised: less was not tried.
const LEAST_READAHEAD: u64 = 256 << 10;

/// The most: more was not tried.
const MOST_READAHEAD: u64 = 8 << 20;

/// `max_open_files`: all of them. Their indexes and filters are then in memory, and no read has to open a
/// file first.
pub const MAX_OPEN_FILES: i64 = -1;

/// How long one batch of write-back may keep the drive from reads, seconds.
const BATCH: f64 = 0.01;

/// Share of the sustained write rate that flushes and compactions may take.
const SHARE: f64 = 0.75;

/// What one compaction writes, bytes per second, if its blocks are compressed: it is bound by its processor.
/// This is an assumption: without compression it is two to three times that (the default costs of
/// `leadline-lsm`), with a slow one half.
const COMPACTION_RATE: f64 = 200e6;

const OPTIONS: &str = "include/rocksdb/options.h";
const SOURCE: Source = Source { defined: OPTIONS, version: "7.8 to 11" };

/// The rules of RocksDB.
pub(crate) struct Rocksdb;

impl Rules for Rocksdb {
    fn title(&self) -> &'static str {
        "RocksDB"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["7.8", "8.6", "9", "10", "11"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "sustained"]
    }

    fn is_provable(&self) -> bool {
        true
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        let cores = inputs.cores.or(drive.profile().device.cpus);
        match cores {
            Some(cores) => {
                advice.add("max_background_jobs", background_jobs(drive, cores));
                advice.add("max_subcompactions", subcompactions(drive, cores));
            }
            None => advice.notes.push(
                "max_background_jobs and max_subcompactions depend on the processors: give --cores".into(),
            ),
        }
        advice.add("compaction_readahead_size", readahead(drive, advice.version));
        advice.add("bytes_per_sync", bytes_per_sync(drive, "bytes_per_sync"));
        advice.add("wal_bytes_per_sync", bytes_per_sync(drive, "wal_bytes_per_sync"));
        advice.add("rate_limiter_bytes_per_sec", rate_limit(drive));
        advice.add("max_open_files", Ok(max_open_files()));
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        meanings::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &meanings::MEANINGS
    }

    fn if_refused(&self) -> &'static str {
        "the database is not opened with this"
    }

    fn if_unknown(&self) -> &'static str {
        "loads no file that has it"
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let mut text = String::new();
        for line in advice.heading() {
            text.push_str(&format!("# {line}\n"));
        }
        if let Some(setting) = advice.setting(RATE) {
            // OPTIONS files have no rate limiter: it is an object of the program.
            text.push_str(&format!(
                "# Not in an OPTIONS file: NewGenericRateLimiter({0}), db_bench --{RATE}={0}\n",
                setting.value
            ));
        }
        text.push_str("[DBOptions]\n");
        for setting in advice.settings.iter().filter(|setting| setting.key != RATE) {
            text.push_str(&format!("  {}={}\n", setting.key, setting.value));
        }
        let place = "into [DBOptions] of the database's OPTIONS file, or set on DBOptions by these names";
        vec![File { name: "OPTIONS.ini", place, text }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path)
    }

    /// Numbers may have the units of `ParseUint64` (options_helper.cc): K, M, G, T in either case.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        if let Value::Word(_) = setting.value {
            // max_open_files, where -1 stands for more than any number.
            return text.trim().parse::<i64>().ok().map(|count| Value::word(count.to_string()));
        }
        let units = [("K", 1024.0), ("M", 1048576.0), ("G", 1073741824.0), ("T", 1099511627776.0)];
        let (_, unit) = number_and_unit(text)?;
        let number = sizes::scaled(&text.to_ascii_uppercase(), 1.0, &units).filter(|_| unit.len() <= 1)?;
        match setting.value {
            Value::Bytes(_) if number >= 0.0 => Some(Value::Bytes(number as u64)),
            Value::Number(_) => Some(Value::Number(number)),
            _ => None,
        }
    }
}

const RATE: &str = "rate_limiter_bytes_per_sec";

/// Compactions that use all of the drive's sustained sequential writes.
fn needed(drive: &Drive) -> Result<Estimate, Unmeasured> {
    Ok(drive.sustained_writes(Pattern::Sequential)?.times(1.0 / COMPACTION_RATE))
}

/// That many, and one per processor at most. More than the drive has bandwidth for only read and write in
/// more places at a time: on a volume of 125 MB/s each job more made fills slower (benches/RESULTS.md).
fn compactions(needed: f64, cores: u32) -> u32 {
    (needed.ceil() as u32).clamp(1, cores.max(1))
}

fn background_jobs(drive: &Drive, cores: u32) -> Result<Setting, Unmeasured> {
    let needed = needed(drive)?;
    let jobs = |needed: f64| f64::from(compactions(needed, cores) + 1);
    let value = jobs(needed.value);
    let rule = format!(
        "compactions that write {:.0} MB/s each, as with compression on one processor, up to the drive's \
         sustained sequential writes, {:.0} MB/s; one per processor ({cores}) at most, and \
         one flush",
        COMPACTION_RATE / 1e6,
        needed.value * COMPACTION_RATE / 1e6
    );
    let time = |count: u32| needed.value.max(1.0) / f64::from(count).min(needed.value.max(1.0));
    let times = (1..=cores.min(64)).map(|count| (Value::Number(f64::from(count + 1)), time(count)));
    Ok(Setting::new("max_background_jobs", Value::Number(value), "jobs", rule, SOURCE)
        .interval(needed.ci.map(jobs))
        .fits(value / 2.0, 2.0 * value.max(f64::from(cores)))
        .default(Value::Number(2.0))
        .if_wrong(
            "compactions fall behind while the drive could write more, until writes are stalled",
            "compactions take the drive and the processors from the requests of users",
        )
        .costs("writing out compactions", times.collect()))
}

fn subcompactions(drive: &Drive, cores: u32) -> Result<Setting, Unmeasured> {
    let value = compactions(needed(drive)?.value, cores);
    let rule = format!(
        "parts of a compaction from level 0 that write {:.0} MB/s each, up to the drive's sustained \
         sequential writes; one per processor ({cores}) at most",
        COMPACTION_RATE / 1e6
    );
    Ok(Setting::new("max_subcompactions", Value::Number(value.into()), "threads", rule, SOURCE)
        .fits(f64::from(value) / 2.0, 2.0 * f64::from(value))
        .default(Value::Number(1.0))
        .if_wrong(
            "only one thread compacts level 0, and writes are stalled behind it",
            "more threads than the drive or the processors can serve",
        ))
}

/// The least bytes in flight with which sequential reads reach 90 % of the most, and enough to pay for moving
/// from one input of a compaction to the next. The kernel splits one request into pieces of `max_sectors_kb`,
/// which are under way together, so only the product counts.
fn readahead(drive: &Drive, version: &str) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, OpKind::Read)?;
    let per_move = Stream::bytes_per_move(drive)?;
    // No more than that: on a volume of 125 MB/s fills with 256 KiB took 0.8 times as long as with RocksDB's
    // own 2 MiB, and on a hard disk 1.2 times as long as with 8 MiB (benches/RESULTS.md).
    let least = stream.bytes_in_flight.max(per_move).clamp(LEAST_READAHEAD, MOST_READAHEAD);
    let value = 1u64 << (least as f64).log2().round() as u32;
    let rule = format!(
        "{} KiB of sequential reads in flight reach 90 % of the most, and the kernel splits one request into \
         pieces that are under way together; from {} KiB on, moving between the inputs of a compaction takes \
         a fifth of the time at most; a power of two from 256 KiB to 8 MiB",
        stream.bytes_in_flight / 1024,
        per_move / 1024
    );
    let times = stream.shares.iter().map(|(bytes, share)| (Value::Bytes(*bytes), 1.0 / share));
    Ok(Setting::new("compaction_readahead_size", Value::Bytes(value), "bytes", rule, SOURCE)
        .fits(value as f64 / 2.0, 8.0 * value as f64)
        .default(Value::Bytes(if version == "7.8" { 0 } else { READAHEAD_BYTES }))
        .if_wrong(
            "a compaction waits for one small read after the other, and a hard disk moves for each",
            "each compaction takes more memory for its inputs, and reads of users wait behind its own",
        )
        .costs("reading the inputs of a compaction", times.collect()))
}

fn bytes_per_sync(drive: &Drive, key: &'static str) -> Result<Setting, Unmeasured> {
    let batch = drive.sustained_writes(Pattern::Sequential)?.times(BATCH);
    let (least, most) = (f64::from(512 << 10), f64::from(8 << 20));
    let value = 1u64 << batch.value.clamp(least, most).log2().round() as u32;
    let rule = format!(
        "the drive's sustained sequential writes of 10 ms, {:.0} KiB, as a power of two from 512 KiB \
         to 8 MiB; without effect on files that are written with direct I/O",
        batch.value / 1024.0
    );
    Ok(Setting::new(key, Value::Bytes(value), "bytes", rule, SOURCE)
        .interval(batch.ci.map(|end| end.clamp(least, most)))
        .fits(value as f64 / 4.0, 4.0 * value as f64)
        .default(Value::Bytes(0))
        .if_wrong(
            "files are written back in many small requests (0: only when the kernel's own limits are \
             reached, in bursts behind which reads wait)",
            "dirty pages gather in the kernel, and reads wait behind the bursts in which they are written",
        ))
}

fn rate_limit(drive: &Drive) -> Result<Setting, Unmeasured> {
    let bandwidth: Estimate = drive.sustained_writes(Pattern::Sequential)?;
    let limit = bandwidth.times(SHARE);
    let value = limit.value.round().max(1.0) as u64;
    let rule =
        format!("three quarters of the {:.0} MB/s of sustained sequential writes", bandwidth.value / 1e6);
    Ok(Setting::new(RATE, Value::Bytes(value), "bytes per second", rule, SOURCE)
        .interval(limit.ci)
        .fits(value as f64 / 3.0, bandwidth.ci[1].max(value as f64))
        .if_wrong(
            "compactions fall behind while the drive could write more, until writes are stalled",
            "the limit is never reached: compactions take the whole drive, and reads wait behind them",
        ))
}

fn max_open_files() -> Setting {
    let rule = "all files stay open, so that no read has to open one and read its index first".to_owned();
    // A word: -1 stands for more than any number.
    let value = Value::word(MAX_OPEN_FILES.to_string());
    Setting::new("max_open_files", value.clone(), "files", rule, SOURCE).default(value).if_wrong(
        "files beyond this many are opened again: a read then also reads the footer, the index and \
         one of the filter more",
        "",
    )
}

//! What PostgreSQL writes in the background: how many pages per round, how much before the kernel is asked to
//! write it back, and how often checkpoints come.

use leadline_profile::Pattern;

use super::{PAGE, documented};
use crate::{Advice, Drive, Inputs, Setting, Unmeasured, Value};

/// Share of the sustained write rate that background writing may take.
const SHARE: f64 = 0.5;

/// `bgwriter_delay`: seconds from round to round.
const ROUND: f64 = 0.2;

/// How long one batch of write-back may keep the drive from reads, seconds.
const BATCH: f64 = 0.01;

/// Least of `checkpoint_flush_after` and the like.
const LEAST_BATCH: f64 = 65536.0;

/// Most of `wal_writer_flush_after`.
const MOST_LOG_BATCH: f64 = 33_554_432.0;

/// `bgwriter_lru_maxpages`, `bgwriter_flush_after` and `checkpoint_flush_after` unless they are set.
const DEFAULT_PAGES: f64 = 100.0;
const DEFAULT_FLUSH: u64 = 512 << 10;
const DEFAULT_CHECKPOINT_FLUSH: u64 = 256 << 10;

/// Share of the memory that is in `shared_buffers`, as the documentation recommends.
const BUFFERS: f64 = 0.25;

/// Share of the time between checkpoints in which one is written.
const COMPLETION: f64 = 0.9;

const WRITER: &str = "documentation, \"Resource Consumption\": \"Background Writer\"";
const CHECKPOINTS: &str = "documentation, \"Write Ahead Log\": \"Checkpoints\"";
const WAL: &str = "documentation, \"Write Ahead Log\": \"Settings\"";

pub(super) fn add(drive: &Drive, inputs: &Inputs, version: u32, advice: &mut Advice) {
    advice.add("bgwriter_lru_maxpages", maxpages(drive));
    advice.add("bgwriter_flush_after", Ok(bgwriter_flush_after()));
    advice.add("checkpoint_flush_after", checkpoint_flush_after(drive));
    advice.add("wal_writer_flush_after", wal_flush_after(drive));
    advice.add("checkpoint_completion_target", Ok(completion_target(version)));
    match inputs.memory_bytes {
        Some(memory) => {
            advice.add("checkpoint_timeout", timeout(drive, memory));
            advice.add("max_wal_size", max_wal_size(drive, memory));
        }
        None => advice
            .notes
            .push("checkpoint_timeout and max_wal_size depend on shared_buffers: give --memory".to_owned()),
    }
}

/// Pages per round of the background writer: the default, or fewer where the drive is slower than that.
///
/// A session that needs the buffer of a dirty page hands the page to the page cache, in microseconds. The
/// background writer does so before it is needed, and has what it wrote flushed to the drive at once, in
/// addition to the syncs of the log. Runs with 1000 pages had a p99 of 1.5 times the default's on a fast
/// disk; on a volume of 3000 requests per second it was 3.5 times, and 1.8 times with 150
/// (benches/RESULTS.md).
fn maxpages(drive: &Drive) -> Result<Setting, Unmeasured> {
    let pages = drive.lasting_random_writes(PAGE)?.times(1.0 / f64::from(PAGE));
    let per_round = pages.times(SHARE * ROUND);
    let within = |pages: f64| pages.clamp(10.0, DEFAULT_PAGES).round();
    let value = within(per_round.value);
    let rule = format!(
        "half of the {:.0} pages of 8K per second of {}, in rounds of 200 ms, but no more than the default: \
         more only takes the drive from the syncs of the log",
        pages.value,
        match drive.baseline() {
            Some(baseline) if baseline <= pages.value => "the volume's baseline, without burst credit",
            _ => "sustained random writes",
        }
    );
    let key = "bgwriter_lru_maxpages";
    Ok(Setting::new(key, Value::Number(value), "pages per round", rule, documented(WRITER))
        .interval(per_round.ci.map(within))
        .fits(value / 4.0, 4.0 * value)
        .default(Value::Number(DEFAULT_PAGES))
        .if_wrong(
            "sessions have to write dirty pages themselves before they can read",
            "dirty pages are flushed to the drive at once, and commits wait behind them",
        ))
}

/// The default on every drive: runs with 128 KiB, which a volume of 3000 requests per second writes in 10 ms,
/// had a p99 of 1.4 times the default's on it (benches/RESULTS.md).
fn bgwriter_flush_after() -> Setting {
    let rule = "the default: with less, pages are flushed more often, and commits wait behind each flush";
    let key = "bgwriter_flush_after";
    Setting::new(key, Value::Bytes(DEFAULT_FLUSH), "bytes", rule.to_owned(), documented(WRITER))
        .fits(DEFAULT_FLUSH as f64 / 2.0, 4.0 * DEFAULT_FLUSH as f64)
        .default(Value::Bytes(DEFAULT_FLUSH))
        .if_wrong(
            "commits wait behind many small flushes",
            "dirty pages gather in the kernel and are written in bursts, behind which commits and reads wait",
        )
}

/// Bytes after which a checkpoint asks the kernel to write back: the default, or less where the drive takes
/// more than 10 ms for as much, so that the syncs of the log do not wait long behind them.
fn checkpoint_flush_after(drive: &Drive) -> Result<Setting, Unmeasured> {
    let batch = drive.lasting_random_writes(PAGE)?.times(BATCH);
    let rounded = |bytes: f64| power_of_two(bytes.clamp(LEAST_BATCH, DEFAULT_CHECKPOINT_FLUSH as f64));
    let value = rounded(batch.value);
    let rule = format!(
        "the drive's sustained random writes of 10 ms, {:.0} KiB, as a power of two from 64 KiB to \
         the default",
        batch.value / 1024.0
    );
    let key = "checkpoint_flush_after";
    Ok(Setting::new(key, Value::Bytes(value), "bytes", rule, documented(CHECKPOINTS))
        .interval(batch.ci.map(|end| rounded(end) as f64))
        .fits(value as f64 / 4.0, 2.0 * value as f64)
        .default(Value::Bytes(DEFAULT_CHECKPOINT_FLUSH))
        .if_wrong(
            "pages are written in many small requests, which cannot be combined",
            "pages are written in bursts, behind which commits and reads wait (0: until the kernel's own \
             limits)",
        ))
}

fn wal_flush_after(drive: &Drive) -> Result<Setting, Unmeasured> {
    let batch = drive.sustained_writes(Pattern::Sequential)?.times(BATCH);
    let rounded = |bytes: f64| power_of_two(bytes.clamp(16.0 * LEAST_BATCH, MOST_LOG_BATCH));
    let value = rounded(batch.value);
    let rule = format!(
        "the drive's sustained sequential writes of 10 ms, {:.0} KiB, as a power of two, and at least \
         the default of 1 MiB",
        batch.value / 1024.0
    );
    let key = "wal_writer_flush_after";
    Ok(Setting::new(key, Value::Bytes(value), "bytes", rule, documented(WAL))
        .interval(batch.ci.map(|end| rounded(end) as f64))
        .fits(value as f64 / 8.0, 8.0 * value as f64)
        .default(Value::Bytes(1 << 20))
        .if_wrong(
            "the log is flushed more often than needed while transactions commit asynchronously",
            "the log is flushed in bursts, behind which reads wait",
        ))
}

fn completion_target(version: u32) -> Setting {
    let key = "checkpoint_completion_target";
    let rule = "writing is spread over as much of the time between checkpoints as leaves a margin".to_owned();
    Setting::new(key, Value::Number(COMPLETION), "of the time between", rule, documented(CHECKPOINTS))
        .fits(0.7, 0.95)
        .default(Value::Number(if version >= 14 { 0.9 } else { 0.5 }))
        .if_wrong(
            "pages are written faster than need be, and reads wait behind them",
            "a checkpoint is not done when the next one is due",
        )
}

/// Seconds that the drive needs at its [share](SHARE) to write all of `shared_buffers`.
fn seconds_to_write(drive: &Drive, memory: u64) -> Result<leadline_model::Estimate, Unmeasured> {
    let bandwidth = drive.lasting_random_writes(PAGE)?;
    let seconds = |bandwidth: f64| BUFFERS * memory as f64 / (SHARE * bandwidth) / COMPLETION;
    Ok(leadline_model::Estimate::of(seconds(bandwidth.value), bandwidth.ci.map(seconds)))
}

/// Checkpoints far enough apart that all of `shared_buffers` can be written in between.
fn timeout(drive: &Drive, memory: u64) -> Result<Setting, Unmeasured> {
    let seconds = seconds_to_write(drive, memory)?;
    let (least, most) = (300.0, 3600.0);
    let value = 60.0 * (seconds.value.clamp(least, most) / 60.0).ceil();
    let rule = format!(
        "all of shared_buffers, a quarter of the memory, takes {:.0} s at half of the drive's sustained \
         random writes; 5 to 60 minutes",
        seconds.value
    );
    let key = "checkpoint_timeout";
    Ok(Setting::new(key, Value::Seconds(value), "seconds", rule, documented(CHECKPOINTS))
        .interval(seconds.ci.map(|end| end.clamp(least, most)))
        .fits(value / 1.5, most)
        .default(Value::Seconds(300.0))
        .if_wrong(
            "checkpoints write more per second than the drive can take during reads, and pages are logged in \
             full more often",
            "recovery after a crash takes longer",
        ))
}

/// As much log as may be written until the next checkpoint is due by the clock.
fn max_wal_size(drive: &Drive, memory: u64) -> Result<Setting, Unmeasured> {
    let seconds = seconds_to_write(drive, memory)?.value.clamp(300.0, 3600.0);
    let bandwidth = drive.lasting_random_writes(PAGE)?;
    // Each page that a checkpoint writes was first logged in full; a checkpoint begins when the log has
    // 1 / (1 + checkpoint_completion_target) of this size.
    let bytes = bandwidth.times(SHARE * seconds * (1.0 + COMPLETION));
    let most = drive.profile().device.capacity_bytes.map_or(f64::INFINITY, |bytes| 0.1 * bytes as f64);
    let least = f64::from(1 << 30);
    let value = bytes.value.min(BUFFERS * memory as f64 * 4.0).min(most).max(least);
    let value = ((value / least).ceil() * least) as u64;
    let rule = format!(
        "the pages that half of the drive's random writes can take in {seconds:.0} s are logged in full \
         once; at least 1 GiB, at most four times shared_buffers and a tenth of the device"
    );
    Ok(Setting::new("max_wal_size", Value::Bytes(value), "bytes", rule, documented(CHECKPOINTS))
        .interval(bytes.ci.map(|end| end.clamp(least, (value as f64).max(least))))
        .fits(value as f64 / 2.0, 16.0 * value as f64)
        .default(Value::Bytes(1 << 30))
        .if_wrong(
            "checkpoints come before their time, and after each, pages are logged in full again",
            "the log takes space, and recovery after a crash takes longer",
        ))
}

/// The nearest one, on a logarithmic axis.
fn power_of_two(bytes: f64) -> u64 {
    1 << bytes.log2().round() as u32
}

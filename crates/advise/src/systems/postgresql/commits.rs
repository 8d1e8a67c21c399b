//! How PostgreSQL makes commits durable.

use leadline_profile::{FileState, SyncMethod, SyncPoint};

use super::documented;
use crate::{Advice, Drive, Fits, Setting, Unmeasured, Value};

/// A method must be this much faster to be worth another setting.
const WORTH: f64 = 1.05;

/// A flush that takes less is not worth waiting for others: sleeping is not that exact.
const SHORTEST_FLUSH: f64 = 1e-3;

const WAL: &str = "documentation, \"Write Ahead Log\": \"Settings\"";
const TUNING: &str = "documentation, \"Reliability and the Write-Ahead Log\": \"WAL Configuration\"";

pub(super) fn add(drive: &Drive, _version: u32, advice: &mut Advice) {
    advice.add("wal_sync_method", sync_method(drive));
    advice.add("commit_delay", commit_delay(drive));
    if drive.flush().is_ok_and(|flush| flush.mean / 1e6 < SHORTEST_FLUSH) {
        return;
    }
    advice.add("commit_siblings", commit_siblings(drive));
}

/// Segments of the log are used again, so they are written before.
fn sync_method(drive: &Drive) -> Result<Setting, Unmeasured> {
    let missing = || Unmeasured::experiment("sync-methods", "the ways to make a write durable");
    let found = drive.profile().experiments.sync_methods.as_ref().ok_or_else(missing)?;
    let of = |method| found.points.iter().find(|p| p.method == method && p.file == FileState::Written);
    let named = [
        ("fdatasync", SyncMethod::Fdatasync),
        ("open_datasync", SyncMethod::ODsync),
        ("fsync", SyncMethod::Fsync),
    ];
    let known: Vec<(&str, &SyncPoint)> =
        named.into_iter().filter_map(|(name, method)| Some((name, of(method)?))).collect();
    let (_, default) = known.iter().find(|(name, _)| *name == "fdatasync").ok_or_else(missing)?;
    // Only what is faster for certain takes the place of the default.
    let is_better = |point: &SyncPoint| {
        let low = |p: &SyncPoint| p.iops_ci.map_or(p.iops, |ci| ci[0]);
        let high = |p: &SyncPoint| p.iops_ci.map_or(p.iops, |ci| ci[1]);
        point.iops > WORTH * default.iops && low(point) > high(default)
    };
    let better = known.iter().filter(|(_, point)| is_better(point));
    let (name, best) = better
        .max_by(|(_, a), (_, b)| a.iops.total_cmp(&b.iops))
        .map_or(("fdatasync", *default), |(name, point)| (*name, *point));
    let fastest = known.iter().map(|(_, point)| point.iops).fold(0.0, f64::max);
    let fine = known.iter().filter(|(_, point)| point.iops * 1.1 >= best.iops);
    let list: Vec<String> = known.iter().map(|(name, point)| format!("{name} {:.0}", point.iops)).collect();
    let rule = format!(
        "durable writes of {} KiB per second to a file written before: {}; fdatasync, the default, unless \
         another is more than 5 % faster for certain",
        found.block_bytes / 1024,
        list.join(", ")
    );
    let relative = |(name, point): &(&str, &SyncPoint)| (Value::word(*name), fastest / point.iops);
    let setting = Setting::new("wal_sync_method", Value::word(name), "a method", rule, documented(WAL));
    Ok(Setting { fits: Fits::Words(fine.map(|(name, _)| (*name).to_owned()).collect()), ..setting }
        .default(Value::word("fdatasync"))
        .if_wrong("each commit waits longer for its log than it has to", "")
        .costs("a commit", known.iter().map(relative).collect()))
}

/// Half of a flush, where that is long enough to gather others.
fn commit_delay(drive: &Drive) -> Result<Setting, Unmeasured> {
    let (flush, rule) = flush(drive)?;
    let delay = if flush < SHORTEST_FLUSH { 0.0 } else { (1e6 * flush / 2.0).round().min(1e5) };
    let rule = format!("half of {rule}; 0 where that takes less than 1 ms");
    let high = if delay > 0.0 { 2.0 * delay } else { 1e6 * SHORTEST_FLUSH };
    Ok(Setting::new("commit_delay", Value::Number(delay), "microseconds", rule, documented(TUNING))
        .fits(0.0, high)
        .default(Value::Number(0.0))
        .if_wrong("", "each commit waits longer for others than its own flush takes"))
}

/// Without commit_delay it has no effect.
fn commit_siblings(drive: &Drive) -> Result<Setting, Unmeasured> {
    let (_, rule) = flush(drive)?;
    let rule = format!("with slow flushes it pays to wait for few others; {rule}");
    let key = "commit_siblings";
    Ok(Setting::new(key, Value::Number(3.0), "open transactions", rule, documented(TUNING))
        .fits(1.0, 20.0)
        .default(Value::Number(5.0))
        .if_wrong("a commit waits although no other session commits", "commits seldom wait for others"))
}

/// Seconds of one flush by one writer, and that in words.
fn flush(drive: &Drive) -> Result<(f64, String), Unmeasured> {
    let seconds = drive.flush()?.mean / 1e6;
    Ok((seconds, format!("an fdatasync by one writer, {:.2} ms on average", 1e3 * seconds)))
}

//! How the commit log and the tables become durable.

use leadline_profile::Pattern;

use super::{INTERVAL, PERIOD, SOURCE, SYNC, TRICKLE};
use crate::lint::finding;
use crate::{Config, Drive, Finding, Fits, Setting, Unmeasured, Value, Verdict};

/// A flush that takes less lets a write wait for it, seconds.
const FAST_FLUSH: f64 = 1e-3;

/// `commitlog_sync_period` of cassandra.yaml, and no more than that was tried.
const DEFAULT_PERIOD: f64 = 10.0;

/// Share of the time that flushes of the log may take.
const SHARE: f64 = 0.01;

/// Share of the time that the flushes between parts of a table may take.
const SHARE_OF_TABLES: f64 = 0.1;

/// `trickle_fsync_interval` unless set, and the most that is advised.
const DEFAULT_INTERVAL: f64 = 10_485_760.0;
const MOST_INTERVAL: f64 = 671_088_640.0;

/// Periodic suits any device; `batch` only one that flushes fast. How much may be lost is not the device's to
/// say: another node has it.
pub(super) fn sync(drive: &Drive, version: &str) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let is_fast = flush <= FAST_FLUSH;
    let rule = format!(
        "an fdatasync takes {:.2} ms on average, for which each write waits with batch: {}",
        1e3 * flush,
        if is_fast { "batch does as well" } else { "batch needs 1 ms or less" }
    );
    let mut fits = vec!["periodic"];
    if version != "3.11" {
        fits.push("group");
    }
    if is_fast {
        fits.push("batch");
    }
    let setting = Setting::new(SYNC, Value::word("periodic"), "a mode", rule, SOURCE);
    Ok(Setting { fits: Fits::Words(fits.into_iter().map(str::to_owned).collect()), ..setting }
        .default(Value::word("periodic"))
        .if_wrong("each write waits for a flush of the commit log", ""))
}

/// Flushes take one percent of the time at most.
pub(super) fn period(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.p99 / 1e6;
    let value = (flush / SHARE).max(DEFAULT_PERIOD).ceil();
    let rule = format!(
        "a hundred times the 99th percentile of an fdatasync, {:.2} ms, and the default of 10 s at least: a \
         flush that takes longer than the period blocks writes",
        1e3 * flush
    );
    Ok(Setting::new(PERIOD, Value::Seconds(value), "seconds", rule, SOURCE)
        .fits((flush / SHARE / 5.0).min(value), 10.0 * value)
        .default(Value::Seconds(DEFAULT_PERIOD))
        .if_wrong(
            "writes are blocked behind flushes of the log",
            "a power cut takes more writes of this node",
        ))
}

/// Tables are flushed while they are written, in place of all at once at their end.
pub(super) fn trickle(drive: &Drive) -> Result<Setting, Unmeasured> {
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let rule = format!(
        "1 GiB that gathers in the page cache takes {:.1} s to write, in which reads wait",
        1_073_741_824.0 / bandwidth.value
    );
    let setting = Setting::new(TRICKLE, Value::word("true"), "true or false", rule, SOURCE);
    // "Not necessarily on platters": there each flush moves the heads.
    let fits = if drive.is_rotational() { vec!["true", "false"] } else { vec!["true"] };
    Ok(Setting { fits: Fits::Words(fits.into_iter().map(str::to_owned).collect()), ..setting }
        .default(Value::word("false"))
        .if_wrong("a table is written back at once, and reads wait behind it", ""))
}

/// As often as flushes take a tenth of the time.
pub(super) fn interval(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let bytes =
        drive.sustained_writes(Pattern::Sequential)?.times(flush * (1.0 - SHARE_OF_TABLES) / SHARE_OF_TABLES);
    let within = |bytes: f64| bytes.clamp(DEFAULT_INTERVAL, MOST_INTERVAL);
    let value = within(bytes.value);
    let rule = format!(
        "{:.1} MB in which an fdatasync, {:.2} ms, takes a tenth of the time at what the drive writes in \
         sequential writes; at least the default, 10 MiB",
        bytes.value / 1e6,
        1e3 * flush
    );
    Ok(Setting::new(INTERVAL, Value::Bytes(value as u64), "bytes", rule, SOURCE)
        .interval(bytes.ci.map(within))
        .fits(value / 5.0, 8.0 * value)
        .on_ladder(DEFAULT_INTERVAL, [DEFAULT_INTERVAL, MOST_INTERVAL])
        .default(Value::Bytes(DEFAULT_INTERVAL as u64))
        .if_wrong(
            "compactions and flushes wait for the device more than they write",
            "tables are written back in bursts, behind which reads wait",
        ))
}

/// A period in another mode, with which the server does not start (`DatabaseDescriptor.applySimpleConfig`).
pub(super) fn both_ways(config: &Config) -> Option<Finding> {
    let mode = config.last(SYNC).filter(|entry| !entry.value.eq_ignore_ascii_case("periodic"))?;
    let period = config.last(PERIOD)?;
    let reason = format!("{SYNC} is {} ({}): Cassandra refuses a period then", mode.value, mode.place);
    Some(finding(period, Verdict::Invalid, reason))
}

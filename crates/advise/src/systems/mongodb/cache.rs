//! Dirty pages in the cache: who writes them, and how many there may be.

use leadline_profile::Pattern;

use super::{DIRTY, EVICTORS, MOST_DIRTY, WIREDTIGER};
use crate::{Drive, Setting, Unmeasured, Value};

/// What `mongod` sets both to, and the most that WiredTiger takes in every version.
const DEFAULT_EVICTORS: f64 = 4.0;
const MOST_EVICTORS: f64 = 20.0;

/// The page of a tree.
const PAGE: u32 = 8192;

/// Shares of the cache from which dirty pages are written, and from which operations have to, in percent.
const DEFAULT_DIRTY: f64 = 5.0;
const DEFAULT_MOST_DIRTY: f64 = 20.0;

/// Seconds between checkpoints, of which writing may take half.
const PERIOD: f64 = 60.0;
const SHARE: f64 = 0.5;

/// `cacheSizeGB` unless set: half of the memory beyond a GiB.
fn cache_bytes(memory: u64) -> f64 {
    (0.5 * (memory as f64 - 1_073_741_824.0)).max(268_435_456.0)
}

/// Threads that write one page each.
pub(super) fn evictors(drive: &Drive, cores: u32) -> Result<Setting, Unmeasured> {
    let k = drive.writes_in_flight(Pattern::Random, PAGE)?;
    let most = MOST_EVICTORS.min(f64::from(cores).max(DEFAULT_EVICTORS));
    let within = |k: f64| k.clamp(DEFAULT_EVICTORS, most);
    let value = within(k.value);
    let rule = format!(
        "{} random writes of 8K in flight reach 90 % of the most that the device does, and each thread has one \
         under way after it compressed the page: from {DEFAULT_EVICTORS}, what mongod sets, to one per \
         processor ({cores}), at most {MOST_EVICTORS}",
        k.value
    );
    Ok(Setting::new(EVICTORS, Value::Number(value), "threads", rule, WIREDTIGER)
        .interval(k.ci.map(within))
        .fits((value / 3.0).floor().max(1.0), MOST_EVICTORS)
        .on_ladder(DEFAULT_EVICTORS, [DEFAULT_EVICTORS, most])
        .default(Value::Number(DEFAULT_EVICTORS))
        .if_wrong(
            "operations have to write pages themselves while the device could write more",
            "threads take turns on the processors",
        ))
}

/// Percent of the cache that is written in half of the time between checkpoints.
fn written(drive: &Drive, memory: u64) -> Result<f64, Unmeasured> {
    let bandwidth = drive.lasting_random_writes(PAGE)?.value;
    Ok(100.0 * SHARE * PERIOD * bandwidth / cache_bytes(memory))
}

/// From here on pages are written: a quarter of what may be dirty at most.
pub(super) fn dirty(drive: &Drive, memory: u64) -> Result<Setting, Unmeasured> {
    share(DIRTY, DEFAULT_DIRTY, written(drive, memory)? / 4.0, memory)
}

/// From here on operations have to write.
pub(super) fn most_dirty(drive: &Drive, memory: u64) -> Result<Setting, Unmeasured> {
    share(MOST_DIRTY, DEFAULT_MOST_DIRTY, written(drive, memory)?, memory)
}

fn share(key: &'static str, default: f64, written: f64, memory: u64) -> Result<Setting, Unmeasured> {
    let (least, most) = (default / 4.0, default);
    let value = written.clamp(least, most);
    let of_what = if key == DIRTY { "a quarter of what" } else { "what" };
    let rule = format!(
        "{of_what} the drive writes at random in half of the 60 s between checkpoints, {written:.1} % of a \
         cache of {:.1} GiB, half of the memory beyond a GiB; from {least} % to the default, {default} %",
        cache_bytes(memory) / 1_073_741_824.0
    );
    let (too_low, too_high) = if key == DIRTY {
        (
            "pages that change often are written again and again",
            "a checkpoint has more to write than the drive can in its time, and operations wait behind it",
        )
    } else {
        (
            "operations have to write pages although the drive would have time for them",
            "a checkpoint has more to write than the drive can in its time, and operations wait behind it",
        )
    };
    Ok(Setting::new(key, Value::Number(value), "% of the cache", rule, WIREDTIGER)
        .fits(value / 3.0, 2.0 * value)
        .on_ladder(default, [least, most])
        .default(Value::Number(default))
        .if_wrong(too_low, too_high))
}

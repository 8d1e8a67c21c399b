//! How much is written, and by how many.

use leadline_profile::{OpKind, Pattern};

use super::{BLOCKS, BUFFERS, FLUSHERS, THROTTLE, THROUGHPUT};
use crate::streams::Stream;
use crate::{Drive, Setting, Unmeasured, Value};

/// More flushers write in more places at a time.
const MOST_FLUSHERS: f64 = 8.0;

/// How long a burst of entries may be, seconds, so that none of them is dropped.
const BURST: f64 = 0.1;

/// `with_buffer_pool_size` unless set, and the most that is advised.
const DEFAULT_BUFFERS: f64 = 16_777_216.0;
const MOST_BUFFERS: f64 = 1_073_741_824.0;

/// Share of the sustained write rate that the cache may take from reads.
const SHARE: f64 = 0.75;

/// One write each.
pub(super) fn flushers(drive: &Drive) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, OpKind::Write)?;
    let value = stream.requests().min(MOST_FLUSHERS);
    let rule = format!(
        "each has one write under way, and {:.0} KiB of sequential writes in flight reach 90 % of the most, \
         256 KiB each; at most {MOST_FLUSHERS}",
        stream.bytes_in_flight as f64 / 1024.0
    );
    let whole = stream.shares.iter().filter(|(bytes, _)| *bytes >= 262_144);
    let times = whole.map(|(bytes, share)| (Value::Number(*bytes as f64 / 262_144.0), 1.0 / share));
    Ok(Setting::new(FLUSHERS, Value::Number(value), "flushers", rule, BLOCKS)
        .fits(1.0, 4.0 * value)
        .on_ladder(1.0, [1.0, MOST_FLUSHERS])
        .default(Value::Number(1.0))
        .if_wrong(
            "entries are dropped while the device could write more",
            "the buffers are divided among them, and the device writes in more places at a time",
        )
        .costs("writing small batches of entries", times.collect()))
}

/// As much as the drive writes during a burst: what finds no room is dropped.
pub(super) fn buffers(drive: &Drive) -> Result<Setting, Unmeasured> {
    let burst = drive.sustained_writes(Pattern::Sequential)?.times(BURST);
    let within = |bytes: f64| bytes.clamp(DEFAULT_BUFFERS, MOST_BUFFERS);
    let value = within(burst.value);
    let rule = format!(
        "the drive's sustained sequential writes of {:.0} ms, {:.1} MB: entries for which the buffers \
         of all flushers have no room are dropped; from the default, 16 MiB, to 1 GiB",
        1e3 * BURST,
        burst.value / 1e6
    );
    Ok(Setting::new(BUFFERS, Value::Bytes(value as u64), "bytes", rule, BLOCKS)
        .interval(burst.ci.map(within))
        .fits(value / 5.0, 16.0 * value)
        .on_ladder(DEFAULT_BUFFERS, [DEFAULT_BUFFERS, MOST_BUFFERS])
        .default(Value::Bytes(DEFAULT_BUFFERS as u64))
        .if_wrong(
            "entries of a burst are dropped while the device could write them",
            "memory that would hold entries holds what waits to be written",
        ))
}

/// Above this, entries are not admitted.
pub(super) fn throughput(drive: &Drive) -> Result<Setting, Unmeasured> {
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let limit = bandwidth.times(SHARE);
    let value = power_of_two(limit.value);
    let rule = format!(
        "a power of two up to three quarters of the {:.0} MB/s of sustained sequential writes: \
         above it foyer admits no entries, in place of keeping reads waiting",
        bandwidth.value / 1e6
    );
    Ok(Setting::new(THROUGHPUT, Value::Bytes(value as u64), "bytes per second", rule, THROTTLE)
        .interval(limit.ci)
        .fits(value / 4.0, (1.05 * bandwidth.ci[1]).max(value))
        .if_wrong(
            "entries are refused while the device could write them",
            "the limit is never reached: writes take the whole device, and reads wait behind them",
        ))
}

/// The nearest one on a logarithmic axis that is not above.
fn power_of_two(bytes: f64) -> f64 {
    2f64.powf(bytes.max(1.0).log2().floor())
}

//! When the log is written back.

use leadline_profile::Pattern;

use super::{CHECKPOINT, SOURCE};
use crate::{Drive, Setting, Unmeasured, Value};

/// Flushes of one checkpoint, as `strace` counts them in 1.4 and 2.0.
const FLUSHES: f64 = 3.0;

/// Share of a checkpoint that its flushes may take.
const SHARE: f64 = 0.1;

/// `checkpoint_threshold` unless set, and the most that is advised: reading the log after a crash takes time.
const DEFAULT: f64 = 16_777_216.0;
const MOST: f64 = 1_073_741_824.0;

/// Bytes of log after which a checkpoint's flushes take a tenth of the time.
pub(super) fn checkpoint(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let writes = drive.sustained_writes(Pattern::Sequential)?;
    let bytes = writes.times(FLUSHES * flush * (1.0 - SHARE) / SHARE);
    let within = |bytes: f64| bytes.clamp(DEFAULT, MOST);
    let value = within(bytes.value);
    let rule = format!(
        "a checkpoint flushes three times, {:.2} ms each: with {:.1} MB of log at {:.0} MB/s of sustained \
         sequential writes that is a tenth of its time; at least the default, 16 MiB, and at most 1 \
         GiB",
        1e3 * flush,
        bytes.value / 1e6,
        writes.value / 1e6
    );
    Ok(Setting::new(CHECKPOINT, Value::Bytes(value as u64), "bytes", rule, SOURCE)
        .interval(bytes.ci.map(within))
        .fits(value / 4.0, 64.0 * value)
        .on_ladder(DEFAULT, [DEFAULT, MOST])
        .default(Value::Bytes(DEFAULT as u64))
        .if_wrong(
            "commits wait behind checkpoints, which flush more than they write",
            "the log takes space, and reading it after a crash takes long",
        ))
}

//! What operations wait for.

use leadline_profile::{OpKind, Pattern};

use super::{COMMIT, OPTIONS, READERS};
use crate::{Drive, Setting, Source, Unmeasured, Value};

/// `commitIntervalMs` unless set, and the most that the server takes, seconds.
const DEFAULT_COMMIT: f64 = 0.1;
const MOST_COMMIT: f64 = 0.5;

/// Share of the time that flushes of the journal may take.
const SHARE: f64 = 0.1;

/// Operations that read at a time unless set, and the most that are advised.
const DEFAULT_READERS: f64 = 128.0;
const MOST_READERS: f64 = 1024.0;

/// The smallest pages of a tree on the device are 4K; those of collections are up to 32K.
const PAGE: u32 = 8192;

/// Flushes take a tenth of the time.
pub(super) fn commit(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let exact = (flush / SHARE).clamp(DEFAULT_COMMIT, MOST_COMMIT);
    // Steps that noise does not choose between.
    let value = if exact > 0.25 { MOST_COMMIT } else { DEFAULT_COMMIT };
    let rule = format!(
        "ten times an fdatasync, {:.2} ms on average, as 100 or 500 ms, so that flushes of the journal do not \
         take the device; 100 ms is the default, 500 the most",
        1e3 * flush
    );
    let low = (2.0 * flush).min(value);
    Ok(Setting::new(COMMIT, Value::Seconds(value), "seconds", rule, OPTIONS)
        .fits(low, MOST_COMMIT)
        .default(Value::Seconds(DEFAULT_COMMIT))
        .if_wrong("the journal is flushed all the time, and reads wait behind that", ""))
}

/// Tickets, one of which each operation holds while it waits for the device.
pub(super) fn readers(drive: &Drive) -> Result<Setting, Unmeasured> {
    let k = drive.reads_in_flight(Pattern::Random, PAGE)?;
    let within = |k: f64| k.clamp(DEFAULT_READERS, MOST_READERS);
    let value = within(k.value);
    let rule = format!(
        "{} random reads of 8K in flight reach 90 % of the most that the device does, and an operation has one \
         under way; at least the default, {DEFAULT_READERS}",
        k.value
    );
    let most = drive.plateau(OpKind::Read, Pattern::Random, PAGE)?.value;
    let curve = drive.curve(OpKind::Read, Pattern::Random, PAGE, false);
    let times = curve
        .iter()
        .map(|point| (Value::Number(f64::from(point.concurrency)), (most / point.iops).max(1.0)))
        .collect();
    let source = Source {
        defined: "src/mongo/db/storage/wiredtiger/wiredtiger_parameters.idl",
        version: "4.4 to 6.0",
    };
    Ok(Setting::new(READERS, Value::Number(value), "operations", rule, source)
        .interval(k.ci.map(within))
        .fits((k.value / 2.0).floor().clamp(1.0, value), 4.0 * value)
        .on_ladder(DEFAULT_READERS, [DEFAULT_READERS, MOST_READERS])
        .default(Value::Number(DEFAULT_READERS))
        .if_wrong(
            "operations wait for tickets while the device could serve more",
            "operations wait at the device and hold what others need",
        )
        .costs("reading documents that are not in memory", times))
}

//! How many reads are under way, and how much compactions may take.

use leadline_profile::{OpKind, Pattern};

use super::{COMPACTION, READS, SOURCE, STRATEGY};
use crate::{Drive, Fits, Setting, Unmeasured, Value};

/// Threads of reads and of counters unless set.
const DEFAULT_READS: f64 = 32.0;

/// More were not tried.
const MOST_READS: f64 = 512.0;

/// The size at which random reads are measured that is nearest to a chunk of a table.
const CHUNK: u32 = 8192;

/// Share of the sustained write rate that compactions may take.
const SHARE: f64 = 0.5;

const MIB: f64 = 1_048_576.0;

/// Least and most of the throughput.
const LEAST_RATE: f64 = 16.0 * MIB;
const MOST_RATE: f64 = 2048.0 * MIB;

/// How much longer than a page a read of what is around it may take to be as good as free.
const FREE: f64 = 1.25;

/// Threads, each of which waits for one read: of rows, and of counters before they are written.
pub(super) fn reads(drive: &Drive, key: &'static str) -> Result<Setting, Unmeasured> {
    let k = drive.reads_in_flight(Pattern::Random, CHUNK)?;
    let within = |k: f64| k.clamp(DEFAULT_READS, MOST_READS);
    let value = within(k.value);
    let what =
        if key == READS { "a thread waits for each read" } else { "a counter is read before it is written" };
    let rule = format!(
        "{} random reads of 8K in flight reach 90 % of the most that the device does, and {what}; at least the \
         default, {DEFAULT_READS}, since reads of what is in memory take threads, too",
        k.value
    );
    let most = drive.plateau(OpKind::Read, Pattern::Random, CHUNK)?.value;
    let curve = drive.curve(OpKind::Read, Pattern::Random, CHUNK, false);
    let times = curve
        .iter()
        .map(|point| (Value::Number(f64::from(point.concurrency)), (most / point.iops).max(1.0)))
        .collect();
    Ok(Setting::new(key, Value::Number(value), "threads", rule, SOURCE)
        .interval(k.ci.map(within))
        .fits((value / 3.0).floor(), 4.0 * value)
        .on_ladder(DEFAULT_READS, [DEFAULT_READS, MOST_READS])
        .default(Value::Number(DEFAULT_READS))
        .if_wrong(
            "reads wait for threads while the device could serve more",
            "reads wait at the device, where the kernel cannot put others first, and threads take memory",
        )
        .costs("reading rows that are not in memory", times))
}

/// So that flushes and reads have the other half.
pub(super) fn compaction(drive: &Drive, version: &str) -> Result<Setting, Unmeasured> {
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let half = bandwidth.times(SHARE);
    let within = |bytes: f64| bytes.clamp(LEAST_RATE, MOST_RATE);
    let value = within(half.value);
    let rule = format!(
        "half of the {:.0} MB/s of sustained sequential writes, for all compactions together, from \
         16 to 2048 MiB/s",
        bandwidth.value / 1e6
    );
    let default = if version == "3.11" { 16.0 } else { 64.0 };
    Ok(Setting::new(COMPACTION, Value::Bytes(value as u64), "bytes per second", rule, SOURCE)
        .interval(half.ci.map(within))
        .fits(value / 4.0, 2.2 * value)
        .on_ladder(LEAST_RATE, [LEAST_RATE, MOST_RATE])
        .default(Value::Bytes((default * MIB) as u64))
        .if_wrong(
            "compactions fall behind while the drive could write more, and each read looks into more tables",
            "compactions take the drive, and reads and flushes wait behind them",
        ))
}

/// How much is read for a row whose end is not known: more where that costs nothing.
pub(super) fn strategy(drive: &Drive) -> Result<Setting, Unmeasured> {
    let around = drive.read_around()?;
    let value = if around <= FREE && drive.is_rotational() { "spinning" } else { "ssd" };
    let rule = format!(
        "a read of 128K takes {around:.2} times as long as one of 4K, {}: spinning reads further where a second \
         read would move the heads",
        if drive.is_rotational() { "on a spinning disk" } else { "and nothing spins" }
    );
    let setting = Setting::new(STRATEGY, Value::word(value), "a strategy", rule, SOURCE);
    let fits = if value == "ssd" && drive.is_rotational() { vec!["ssd", "spinning"] } else { vec![value] };
    Ok(Setting { fits: Fits::Words(fits.into_iter().map(str::to_owned).collect()), ..setting }
        .default(Value::word("ssd"))
        .if_wrong(
            "spinning: more is read than is needed; ssd, where spinning fits: some rows take two reads",
            "",
        ))
}

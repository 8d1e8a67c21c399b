//! How many requests are under way.

use leadline_profile::{OpKind, Pattern};

use super::{BLOCKS, DEPTH, RECOVERY, URING, WEIGHT};
use crate::streams::Stream;
use crate::{Drive, Setting, Unmeasured, Value};

/// A small entry, and the index of a part of a block.
const ENTRY: u32 = 4096;

/// `with_io_depth` and `with_recover_concurrency` unless set.
const DEFAULT_DEPTH: f64 = 64.0;
const DEFAULT_RECOVERY: f64 = 8.0;

/// More were not tried.
const MOST: f64 = 1024.0;

/// Reads that saturate the device, and the writes at the same time.
pub(super) fn depth(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = drive.reads_in_flight(Pattern::Random, ENTRY)?;
    let writes = Stream::of(drive, OpKind::Write)?.requests();
    let in_all = |reads: f64| (reads + writes).clamp(4.0, MOST);
    let value = in_all(reads.value);
    let rule = format!(
        "{} random reads of 4K in flight reach 90 % of the most that the device does, and {writes} writes of \
         256K: both share the depth, which is of each thread of the engine",
        reads.value
    );
    Ok(Setting::new(DEPTH, Value::Number(value), "requests in flight", rule, URING)
        .interval(reads.ci.map(in_all))
        .fits((reads.value / 2.0).floor().max(1.0), (8.0 * value).max(DEFAULT_DEPTH))
        .on_ladder(DEFAULT_DEPTH, [4.0, MOST])
        .default(Value::Number(DEFAULT_DEPTH))
        .if_wrong(
            "reads wait in the engine while the device could serve more",
            "reads wait in the device, where writes cannot be held back for them",
        )
        .costs("reading entries that are not in memory", times(drive)?))
}

/// Reads in flight per write in flight while both wait.
pub(super) fn weight(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = drive.reads_in_flight(Pattern::Random, ENTRY)?;
    let writes = Stream::of(drive, OpKind::Write)?.requests();
    let per_write = |reads: f64| (reads / writes).clamp(1.0, MOST);
    let value = per_write(reads.value);
    let rule = format!(
        "{} random reads of 4K and {writes} writes of 256K in flight reach 90 % of the most that the device \
         does: as many reads per write are sent while both wait and the depth is not reached",
        reads.value
    );
    Ok(Setting::new(WEIGHT, Value::Number(value), "reads per write", rule, URING)
        .interval(reads.ci.map(per_write))
        .fits(value / 64.0, 16.0 * value)
        .on_ladder(1.0, [1.0, MOST])
        .default(Value::Number(1.0))
        .if_wrong(
            "reads wait behind writes that no program waits for",
            "writes wait until entries are dropped",
        ))
}

/// Blocks whose indexes are read at once, each one index after the other.
pub(super) fn recovery(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = drive.reads_in_flight(Pattern::Random, ENTRY)?;
    let value = reads.value.clamp(DEFAULT_RECOVERY, 256.0);
    let rule = format!(
        "each block has one read of its indexes under way, 4K at random places, and {} in flight reach 90 % \
         of the most that the device does; at least the default, {DEFAULT_RECOVERY}",
        reads.value
    );
    Ok(Setting::new(RECOVERY, Value::Number(value), "blocks at a time", rule, BLOCKS)
        .interval(reads.ci.map(|end| end.clamp(DEFAULT_RECOVERY, 256.0)))
        .fits((reads.value / 3.0).floor().max(1.0), 8.0 * value)
        .on_ladder(DEFAULT_RECOVERY, [DEFAULT_RECOVERY, 512.0])
        .default(Value::Number(DEFAULT_RECOVERY))
        .if_wrong("a restart takes longer than the device needs", "reads wait for each other at the device")
        .costs("reading the indexes at a start", times(drive)?))
}

/// Reads in flight, and time / time at the plateau.
fn times(drive: &Drive) -> Result<Vec<(Value, f64)>, Unmeasured> {
    let most = drive.plateau(OpKind::Read, Pattern::Random, ENTRY)?.value;
    let curve = drive.curve(OpKind::Read, Pattern::Random, ENTRY, false);
    let time = |iops: f64| (most / iops).max(1.0);
    Ok(curve.iter().map(|point| (Value::Number(f64::from(point.concurrency)), time(point.iops))).collect())
}

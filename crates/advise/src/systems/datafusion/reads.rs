//! How many reads are under way, and how much is read of a file's end.

use leadline_profile::OpKind;

use super::{HINT, METADATA, PARTITIONS, SOURCE};
use crate::streams::{Scattered, Stream};
use crate::{Drive, Setting, Unmeasured, Value};

/// Partitions per processor at most.
const PER_PROCESSOR: u32 = 4;

/// `meta_fetch_concurrency` unless set, and the most that is advised.
const DEFAULT_FILES: f64 = 32.0;
const MOST_FILES: f64 = 512.0;

/// Least and most of what is read of a file's end, and the default since 52.
const LEAST_HINT: f64 = 65_536.0;
const MOST_HINT: f64 = 4_194_304.0;
const DEFAULT_HINT: u64 = 524_288;

/// The largest requests that are measured.
const LARGE: u64 = 262_144;

/// Each partition reads for itself, and waits.
pub(super) fn partitions(drive: &Drive, cores: u32) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, OpKind::Read)?;
    let cores = cores.max(1);
    let most = PER_PROCESSOR * cores;
    let value = stream.requests().clamp(f64::from(cores), f64::from(most));
    let rule = format!(
        "one per processor ({cores}), and as many as have the {:.0} KiB under way with which sequential reads \
         reach 90 % of the most, 256 KiB each, since each waits for what it reads; at most {most}",
        stream.bytes_in_flight as f64 / 1024.0
    );
    let whole = stream.shares.iter().filter(|(bytes, _)| *bytes >= LARGE);
    let times = whole.map(|(bytes, share)| (Value::Number((bytes / LARGE) as f64), 1.0 / share));
    Ok(Setting::new(PARTITIONS, Value::Number(value), "partitions", rule, SOURCE)
        .fits((value / 2.0).floor().max(1.0), 2.0 * value.max(f64::from(cores)))
        .if_wrong(
            "processors are idle, or the device is while a partition decodes what it has read",
            "partitions take turns on the processors, and each takes memory",
        )
        .costs("reading files that are not in memory", times.collect()))
}

/// Files whose ends are read at a time.
pub(super) fn metadata(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = Scattered::of(drive, OpKind::Read)?;
    let needed = f64::from(reads.in_flight);
    let value = needed.clamp(DEFAULT_FILES, MOST_FILES);
    let rule = format!(
        "{needed} reads of 256K at random in flight reach 90 % of the most, {:.0} MB/s, and each file has one \
         under way; at least the default, {DEFAULT_FILES}",
        reads.bandwidth / 1e6
    );
    let times = reads.shares.iter().map(|(k, share)| (Value::Number(f64::from(*k)), 1.0 / share));
    Ok(Setting::new(METADATA, Value::Number(value), "files", rule, SOURCE)
        .fits((needed / 2.0).ceil(), 8.0 * value)
        .on_ladder(DEFAULT_FILES, [DEFAULT_FILES, MOST_FILES])
        .default(Value::Number(DEFAULT_FILES))
        .if_wrong(
            "schemas and statistics of many files are read a few at a time",
            "reads wait for each other at the device",
        )
        .costs("reading the ends of many files", times.collect()))
}

/// As much as takes as long as a second read, without which the metadata are read in two.
pub(super) fn hint(drive: &Drive, version: &str) -> Result<Setting, Unmeasured> {
    let k = Scattered::of(drive, OpKind::Read)?.in_flight.clamp(DEFAULT_FILES as u32, 256);
    let [bytes, request, _] = Scattered::bytes_per_request(drive, k)?;
    let exact = bytes.clamp(LEAST_HINT, MOST_HINT);
    let rule = format!(
        "with {k} reads in flight one more takes {:.1} \u{b5}s, as long as {:.0} KiB: without a hint the length \
         of a file's metadata is read first; from 64 KiB to 4 MiB",
        1e6 * request,
        bytes / 1024.0
    );
    let setting = Setting::new(HINT, Value::Bytes(exact as u64), "bytes", rule, SOURCE)
        .fits(exact / 10.0, 10.0 * exact)
        .on_ladder(LEAST_HINT, [LEAST_HINT, MOST_HINT])
        .if_wrong(
            "the metadata of each file take two reads",
            "more of each file's end is read than its metadata",
        );
    let has_default = ["52", "55"].contains(&version);
    Ok(if has_default { setting.default(Value::Bytes(DEFAULT_HINT)) } else { setting })
}

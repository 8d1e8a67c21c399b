//! How many reads are under way, and how large they are.

use leadline_profile::OpKind;

use super::{ASYNC_THREADS, GAP, SOURCE, THREADS};
use crate::streams::{Scattered, Stream};
use crate::{Drive, Setting, Source, Unmeasured, Value};

/// Threads per processor at most.
const PER_PROCESSOR: u32 = 4;

/// What a thread takes for what it works on, bytes ("Tuning Workloads" in DuckDB's documentation): eight of
/// them ran out of 128 MiB over a Parquet file (benches/RESULTS.md).
const MEMORY_PER_THREAD: u64 = 125_000_000;

/// `async_threads` unless set, as 2.0 tells on two processors, and the most that are advised.
const DEFAULT_ASYNC: f64 = 8.0;
const MOST_ASYNC: f64 = 256.0;

/// Least and most of the gap that DuckDB comes to by itself (`PrefetchCostModel`), and what it begins with.
const LEAST_GAP: f64 = 4096.0;
const MOST_GAP: f64 = 33_554_432.0;

/// A block of a file.
const LARGE: u32 = 256 << 10;

/// What only 2.0 has.
const SINCE_2: Source = Source { version: "2.0", ..SOURCE };

/// Before 2.0 a thread that needs a block reads it itself, and waits.
/// More than one per processor only where the memory is known to have room for them.
pub(super) fn reading(drive: &Drive, cores: u32, memory: Option<u64>) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, OpKind::Read)?;
    let cores = cores.max(1);
    let room = memory.map_or(0, |bytes| u32::try_from(bytes / MEMORY_PER_THREAD).unwrap_or(u32::MAX));
    let most = (PER_PROCESSOR * cores).min(room).max(cores);
    let value = stream.requests().clamp(f64::from(cores), f64::from(most));
    let rule = format!(
        "one per processor ({cores}), and as many as have the {:.0} KiB under way with which sequential reads \
         reach 90 % of the most, in blocks of 256 KiB, since each reads for itself; at most {most}, as far as \
         the memory{} has 125 MB for each",
        stream.bytes_in_flight as f64 / 1024.0,
        if memory.is_some() { "" } else { ", given by --memory," }
    );
    let whole = stream.shares.iter().filter(|(bytes, _)| *bytes >= u64::from(LARGE));
    let times = whole.map(|(bytes, share)| (Value::Number(*bytes as f64 / f64::from(LARGE)), 1.0 / share));
    Ok(Setting::new(THREADS, Value::Number(value), "threads", rule, SOURCE)
        .fits((value / 2.0).floor().max(1.0), 2.0 * value.max(f64::from(cores)))
        .if_wrong(
            "processors are idle, or the device is while a thread decodes what it has read",
            "threads take turns on the processors, and each takes memory for what it works on",
        )
        .costs("reading a table that is not in memory", times.collect()))
}

/// Since 2.0 threads that work do not read.
pub(super) fn working(cores: u32) -> Setting {
    let value = f64::from(cores.max(1));
    let rule = format!("one per processor ({cores}): {ASYNC_THREADS} read for them");
    Setting::new(THREADS, Value::Number(value), "threads", rule, SINCE_2)
        .fits((value / 2.0).floor().max(1.0), 2.0 * value)
        .if_wrong(
            "processors are idle",
            "threads take turns on the processors, and each takes memory for what it works on",
        )
}

/// One read each: as many as keep the device busy with the pieces of columns.
pub(super) fn asynchronous(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = Scattered::of(drive, OpKind::Read)?;
    let needed = f64::from(reads.in_flight);
    let value = needed.clamp(DEFAULT_ASYNC, MOST_ASYNC);
    let rule = format!(
        "each has one read under way, and {needed} reads of 256K at random reach 90 % of the most, {:.0} MB/s; \
         at least the default, {DEFAULT_ASYNC}",
        reads.bandwidth / 1e6
    );
    let times = reads.shares.iter().map(|(k, share)| (Value::Number(f64::from(*k)), 1.0 / share));
    Ok(Setting::new(ASYNC_THREADS, Value::Number(value), "threads", rule, SINCE_2)
        .fits((needed / 2.0).ceil(), 8.0 * value)
        .on_ladder(DEFAULT_ASYNC, [DEFAULT_ASYNC, MOST_ASYNC])
        .default(Value::Number(DEFAULT_ASYNC))
        .if_wrong(
            "the device could read more columns at a time (0: nothing is read ahead)",
            "reads wait for each other at the device, in threads that each take memory",
        )
        .costs("reading columns that are not in memory", times.collect()))
}

/// Bytes that take as long to read as one request more: what a request costs beyond its bytes, times the
/// bandwidth, with as many in flight as [`asynchronous`] allows. DuckDB defines the gap as latency times
/// bandwidth, of a local file 10 µs times 2 GB/s.
pub(super) fn gap(drive: &Drive) -> Result<Setting, Unmeasured> {
    let k = Scattered::of(drive, OpKind::Read)?.in_flight.clamp(DEFAULT_ASYNC as u32, MOST_ASYNC as u32);
    let [bytes, request, per_byte] = Scattered::bytes_per_request(drive, k)?;
    let exact = bytes.clamp(LEAST_GAP, MOST_GAP);
    let rule = format!(
        "with {k} reads in flight one more takes {:.1} \u{b5}s and {:.3} \u{b5}s per KiB: as long as {:.0} KiB \
         between two columns take; from 4 KiB to 32 MiB, as DuckDB has it",
        1e6 * request,
        1e6 * 1024.0 * per_byte,
        exact / 1024.0
    );
    Ok(Setting::new(GAP, Value::Bytes(exact as u64), "bytes", rule, SINCE_2)
        .fits(exact / 5.0, 5.0 * exact)
        .on_ladder(LEAST_GAP, [LEAST_GAP, MOST_GAP])
        .if_wrong(
            "columns that lie near each other are read by requests of their own",
            "what lies between two columns is read and thrown away",
        ))
}

//! What one run measured, if it kept one load on the device.

use leadline_profile::{Latency, OpKind, Pattern};

use super::document::{Document, Job, Side};
use super::latency;
use super::options::{Asked, FlushBy, asked};
use super::run::Run;
use crate::flush::Flush;
use crate::interval::usable;
use crate::load::{Kind, Load};

/// A run shorter than this counts only with as many requests.
const LEAST_SECONDS: f64 = 1.0;
const LEAST_REQUESTS: f64 = 10_000.0;

/// Flushes below which the 99th percentile says nothing.
const LEAST_FLUSHES: f64 = 1000.0;

/// Requests in flight by Little's law / those asked for: outside of this, the options are not what ran.
const IN_FLIGHT: std::ops::RangeInclusive<f64> = 0.5..=1.2;

/// Bytes per request that fio counted / those asked for.
const SAME_SIZE: std::ops::RangeInclusive<f64> = 0.99..=1.01;

/// What is taken of a run.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) load: Option<Load>,
    pub(super) flush: Option<Flush>,
    pub(super) assumed: Vec<String>,
}

/// What `run` measured.
///
/// # Errors
/// Why it is not taken.
pub(super) fn of(run: &Run, document: &Document) -> Result<Reading, String> {
    if let Some(failed) = run.entries.iter().find(|job| job.error != 0) {
        return Err(format!("ended with error {}", failed.error));
    }
    let Some(options) = &run.options else {
        return Err("fio did not write with which options it ran; newer ones do".to_owned());
    };
    if let Some(other) = options.get("name").filter(|name| **name != run.name) {
        return Err(summed(&format!("jobs named {other:?} are in it")));
    }
    let asked = asked(options)?;
    let counted = Counted::of(run, &asked, document)?;
    match asked.flush.filter(|_| asked.op == OpKind::Write) {
        Some(by) => flush(run, &asked, by, &counted),
        None => load(run, asked, &counted),
    }
}

/// Why an entry is of several jobs.
fn summed(evidence: &str) -> String {
    format!(
        "is the sum of several jobs (group_reporting): {evidence}; new_group or stonewall keeps them apart"
    )
}

/// What the entries count together.
struct Counted<'a> {
    sides: Vec<&'a Side>,
    requests: f64,
    seconds: f64,
    /// Requests per second, of each entry over its own time.
    iops: f64,
}

impl<'a> Counted<'a> {
    fn of(run: &Run<'a>, asked: &Asked, document: &Document) -> Result<Counted<'a>, String> {
        let of = |job: &&'a Job| match asked.op {
            OpKind::Read => (&job.read, &job.write),
            OpKind::Write => (&job.write, &job.read),
        };
        if run.entries.iter().any(|job| of(job).1.total_ios > 0.0 || job.trim.total_ios > 0.0) {
            return Err(summed("it has requests other than those it was asked for"));
        }
        let entries = run.entries.len();
        if entries > 1 && entries != asked.jobs as usize {
            return Err(format!("has {entries} entries of the {} of numjobs", asked.jobs));
        }
        let sides: Vec<&Side> = run.entries.iter().map(|job| of(job).0).collect();
        let sum = |of: fn(&Side) -> f64| sides.iter().map(|side| of(side)).sum::<f64>();
        let requests = sum(|side| side.total_ios);
        let seconds = sides.iter().map(|side| side.runtime / 1e3).fold(0.0, f64::max);
        let iops = sum(|side| 1e3 * side.total_ios / side.runtime);
        if ![requests, seconds, iops].into_iter().all(usable) || requests.fract() != 0.0 {
            return Err("has no requests, or took no time".to_owned());
        }
        let bytes = sum(|side| side.io_bytes) * document.byte_unit() / requests;
        if !SAME_SIZE.contains(&(bytes / f64::from(asked.block_bytes))) {
            return Err(summed(&format!(
                "requests had {bytes:.0} bytes on average, where {} were asked for",
                asked.block_bytes
            )));
        }
        if seconds < LEAST_SECONDS && requests < LEAST_REQUESTS {
            return Err(format!(
                "{requests} requests in {seconds:.2} s are too few; runtime={:.0} with time_based runs longer",
                10.0
            ));
        }
        Ok(Counted { sides, requests, seconds, iops })
    }

    /// Standard error of requests per second, as a share, by fio's samples of half a second each.
    fn spread(&self) -> Option<f64> {
        let of = |side: &&Side| {
            let (mean, deviation, samples) = (side.iops_mean, side.iops_stddev, side.iops_samples);
            let known = usable(mean) && samples >= 2.0 && deviation >= 0.0 && deviation.is_finite();
            known.then(|| deviation / mean / samples.sqrt())
        };
        let all = self.sides.iter().map(of).collect::<Option<Vec<f64>>>()?;
        all.into_iter().max_by(f64::total_cmp)
    }
}

/// A load that was kept on the device.
fn load(run: &Run, asked: Asked, counted: &Counted) -> Result<Reading, String> {
    if !asked.direct {
        return Err("went through the page cache, so that it shows memory; direct=1 bypasses it".to_owned());
    }
    let (latency, histogram) = latency::of_requests(&counted.sides);
    let concurrency = asked.depth.checked_mul(asked.jobs).filter(|k| *k <= 1 << 20);
    let concurrency = concurrency.ok_or("iodepth x numjobs is more than any device has")?;
    if !usable(latency.mean) {
        return Err("has no latencies (disable_lat), without which its depth cannot be checked".to_owned());
    }
    let in_flight = counted.iops * latency.mean / 1e6;
    let share = in_flight / f64::from(concurrency);
    if share > *IN_FLIGHT.end() {
        return Err(summed(&format!(
            "{in_flight:.1} requests were in flight on average, where iodepth x numjobs is {concurrency}"
        )));
    }
    if share < *IN_FLIGHT.start() {
        return Err(format!(
            "only {in_flight:.1} requests were in flight on average, where iodepth x numjobs is {concurrency}"
        ));
    }
    let mut assumed = asked.assumed;
    if run.entries.len() > 1 && latency.p99 == 0.0 {
        assumed.push("percentiles of its copies differ too much to be put together".to_owned());
    }
    let kind = Kind {
        pattern: asked.pattern,
        block_bytes: asked.block_bytes,
        op: asked.op,
        durable: asked.durable && asked.op == OpKind::Write,
    };
    let load = Load {
        kind,
        concurrency,
        ops: counted.requests,
        // So that requests per second are those of copies that did not end together.
        seconds: counted.requests / counted.iops,
        spread: counted.spread(),
        latency,
        histogram,
    };
    Ok(Reading { load: Some(load), assumed, ..Reading::default() })
}

/// Appends with a flush behind each: what etcd's documentation checks disks by.
fn flush(run: &Run, asked: &Asked, by: FlushBy, counted: &Counted) -> Result<Reading, String> {
    let times = &run.entries[0].sync.lat_ns;
    let mut notes = vec!["imported from fio".to_owned()];
    if by == FlushBy::Fsync {
        notes.push("by fsync, which writes more of a file's metadata than fdatasync".to_owned());
    }
    if asked.direct {
        notes.push("the appends bypassed the page cache (direct=1)".to_owned());
    }
    let flush = appends(Appends {
        pattern: asked.pattern,
        append_bytes: asked.block_bytes,
        is_alone: run.entries.len() == 1 && asked.jobs == 1 && asked.depth == 1,
        writes: counted.requests,
        flushes: times.count,
        seconds: counted.seconds,
        latency: latency::of_flushes(times),
        deviation: times.stddev / times.mean,
        notes,
    })?;
    Ok(Reading { flush: Some(flush), ..Reading::default() })
}

/// Writes with flushes, as fio counts them.
pub(super) struct Appends {
    pub(super) pattern: Pattern,
    pub(super) append_bytes: u32,
    /// Whether one writer had one under way.
    pub(super) is_alone: bool,
    pub(super) writes: f64,
    pub(super) flushes: f64,
    pub(super) seconds: f64,
    /// Of a flush.
    pub(super) latency: Latency,
    /// Standard deviation / mean of its times.
    pub(super) deviation: f64,
    pub(super) notes: Vec<String>,
}

/// What `appends` say of flushes.
///
/// # Errors
/// Why nothing.
pub(super) fn appends(appends: Appends) -> Result<Flush, String> {
    let Appends { writes, flushes, latency, .. } = appends;
    if appends.pattern != Pattern::Sequential {
        return Err("flushed behind writes at random places, which are no appends; rw=write appends, and \
                    sync=dsync without a flush writes durably at random"
            .to_owned());
    }
    if !appends.is_alone {
        return Err(
            "has several writers or requests at once; numjobs=1 with ioengine=sync has one".to_owned()
        );
    }
    if !usable(latency.mean) || !usable(latency.p99) {
        return Err("has no times of its flushes, which newer versions of fio write".to_owned());
    }
    if flushes < LEAST_FLUSHES || flushes < 0.9 * writes {
        return Err(format!(
            "{flushes} flushes of {writes} writes: at least {LEAST_FLUSHES} are needed, one behind each"
        ));
    }
    let spread = appends.deviation / flushes.sqrt();
    Ok(Flush {
        append_bytes: appends.append_bytes,
        commits: writes as u64,
        seconds: appends.seconds,
        spread: Some(spread).filter(|spread| spread.is_finite() && *spread >= 0.0),
        latency,
        notes: appends.notes,
    })
}

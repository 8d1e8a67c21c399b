//! Curves on a simulated drive: short closed loops, and what they come to.

use std::sync::atomic::AtomicBool;

use leadline_device::{Clock, Device as _, QueueShape};
use leadline_measure::MeasureError;
use leadline_measure::load::{AddressStream, Lane, Limits, Recorder, Region, Spread, Workload, closed_loop};
use leadline_profile::{OpKind, Pattern};
use leadline_sim::DeviceSpec;

use crate::measured::{Curve, CurveKind};

/// One simulated point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Simulated {
    pub(crate) concurrency: u32,
    pub(crate) iops: f64,
    pub(crate) median_us: f64,
}

/// Of every stream: the same addresses for every drive, so that drives differ by their parameters only.
const SEED: u64 = 0x5eed;

/// Requests of a point at least: then the median is known to some percent.
const OPS: u64 = 300;

/// Pages of a point at most, beyond what is in flight: large requests cost time and vary less.
const MOST_PAGES: u64 = 4_000;

/// Powers of two around all concurrencies of a curve. Between them curves are straight enough, on logarithmic
/// axes, to be read off.
pub(crate) fn grid(curve: &Curve) -> Vec<u32> {
    let mut grid: Vec<u32> = Vec::new();
    for target in &curve.targets {
        let floor = 1 << target.concurrency.ilog2();
        grid.push(floor);
        if floor < target.concurrency {
            grid.push(2 * floor);
        }
    }
    grid.sort_unstable();
    grid.dedup();
    grid
}

/// Throughput and median latency of one kind of request at these concurrencies, ascending.
pub(crate) fn curve(
    spec: &DeviceSpec,
    kind: CurveKind,
    grid: &[u32],
    footprint: u64,
    buffer_bytes: u64,
) -> Result<Vec<Simulated>, MeasureError> {
    let workload = Workload {
        read_share: if kind.op == OpKind::Read { 1.0 } else { 0.0 },
        block_bytes: kind.block_bytes,
        random_fraction: if kind.pattern == Pattern::Random { 1.0 } else { 0.0 },
        spread: Spread::Uniform,
        durable: kind.durable,
    };
    let most = grid.iter().copied().max().unwrap_or(1);
    let mut bench = Bench::new(spec, most, kind.block_bytes)?;
    let mut stream = AddressStream::new(workload, region(spec, footprint), SEED);
    let pages = u64::from(kind.block_bytes.div_ceil(4096));
    let mut found = Vec::with_capacity(grid.len());
    for &k in grid {
        let in_flight = u64::from(k);
        let ops = OPS.max(2 * in_flight).min(MOST_PAGES / pages).max(in_flight).max(10);
        // A buffer that is still empty would make writes look faster than they stay.
        let fill = if kind.op == OpKind::Write { buffer_bytes / u64::from(kind.block_bytes) } else { 0 };
        let fill = fill.min(MOST_PAGES / pages);
        if fill > ops / 2 {
            bench.closed(&mut stream, k, fill)?;
        }
        found.push(bench.closed(&mut stream, k, ops)?);
    }
    Ok(found)
}

/// The footprint, as far as the drive has it.
pub(crate) fn region(spec: &DeviceSpec, footprint: u64) -> Region {
    Region { start: 0, len: footprint.min(spec.capacity_bytes()) }
}

/// A simulated drive with one queue pair.
pub(crate) struct Bench {
    pub(crate) lane: Lane,
    pub(crate) recorder: Recorder,
}

impl Bench {
    pub(crate) fn new(spec: &DeviceSpec, depth: u32, block_bytes: u32) -> Result<Bench, MeasureError> {
        let queue = spec.device().queue_pair(QueueShape::new(depth, block_bytes))?;
        Ok(Bench { lane: Lane::new(queue, Clock::Virtual, SEED), recorder: Recorder::new() })
    }

    /// That many requests in flight until `ops` have been answered.
    pub(crate) fn closed(
        &mut self,
        stream: &mut AddressStream,
        k: u32,
        ops: u64,
    ) -> Result<Simulated, MeasureError> {
        let limits = Limits { min_ops: ops, ..Limits::of(1) };
        let cancel = AtomicBool::new(false);
        let window = closed_loop(&mut self.lane, stream, k, &limits, &mut self.recorder, &cancel)?;
        Ok(Simulated {
            concurrency: k,
            iops: window.ops as f64 * 1e9 / window.length.max(1) as f64,
            median_us: self.recorder.quantile(0.5) as f64 / 1e3,
        })
    }
}

/// Throughput and median latency at any concurrency: on logarithmic axes, straight between the two around it.
pub(crate) fn at(points: &[Simulated], k: u32) -> (f64, f64) {
    let above = points.iter().position(|point| point.concurrency >= k).unwrap_or(points.len() - 1);
    let upper = points[above];
    if upper.concurrency == k || above == 0 {
        return (upper.iops, upper.median_us);
    }
    let lower = points[above - 1];
    let log = |k: u32| f64::from(k).ln();
    let share = (log(k) - log(lower.concurrency)) / (log(upper.concurrency) - log(lower.concurrency));
    let between = |a: f64, b: f64| (a.ln() + share * (b.ln() - a.ln())).exp();
    (between(lower.iops, upper.iops), between(lower.median_us, upper.median_us))
}

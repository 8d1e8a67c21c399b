//! What the charts of `mix-line`, `durable-writes` and `io-cost` draw.

use leadline_profile::{DurableWrites, DurableWritesPoint, IoCost, Latency, UnderLoad, Work, WorkPoint};
use serde::Serialize;

use super::chart_numbers::{Line, Measured, round};
use crate::for_settings::{Mix, per_second, read_share};

/// Points of the straight line.
const LINE_POINTS: u32 = 40;

/// Throughput over the share of reads, and the straight line between reads alone and writes alone.
#[derive(Debug, Serialize)]
pub(super) struct MixChart {
    block: u32,
    /// `[share of reads, requests per second]`
    line: Line,
    by_k: Vec<MixPoints>,
}

#[derive(Debug, Serialize)]
struct MixPoints {
    k: u32,
    /// `[share of reads, requests per second, low, high]`, by rising share.
    points: Vec<Measured>,
}

impl MixChart {
    /// One for each size at which reads and writes were mixed.
    pub(super) fn all(work: &Work) -> Vec<MixChart> {
        Mix::all(work).iter().map(MixChart::new).collect()
    }

    fn new(mix: &Mix) -> MixChart {
        let mut ks: Vec<u32> = mix.points.iter().map(|p| p.concurrency).collect();
        ks.sort_unstable();
        ks.dedup();
        let at = |i: u32| f64::from(i) / f64::from(LINE_POINTS);
        MixChart {
            block: mix.block,
            line: (0..=LINE_POINTS).map(|i| (round(at(i)), round(mix.line(at(i))))).collect(),
            by_k: ks.into_iter().map(|k| MixPoints { k, points: mix_points(mix, k) }).collect(),
        }
    }
}

fn mix_points(mix: &Mix, k: u32) -> Vec<Measured> {
    let point = |p: &&WorkPoint| {
        let requests = (p.reads + p.writes) as f64;
        // The longer it may have taken, the slower it may be.
        let ends = p.seconds_ci.map(|[least, most]| (round(requests / most), round(requests / least)));
        let (low, high) = ends.unzip();
        (round(read_share(p)), round(per_second(p)), low, high)
    };
    let mut points: Vec<Measured> = mix.points.iter().filter(|p| p.concurrency == k).map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Reads one at a time beside writes: `[share, writes, requests, mean, low, high, p50, p90, p99, p99.9]`,
/// with writes in bytes or requests per second and latencies in microseconds; a percentile that fewer than
/// ten requests exceeded is absent.
pub(super) type BesideRow = (f64, f64, u64, f64, Option<f64>, Option<f64>, [Option<f64>; 4]);

/// Of the random writes that a drive sustains.
pub(super) fn beside_random(point: &UnderLoad) -> BesideRow {
    let written = point.bytes_per_second;
    beside(point.write_share, written, point.ops, &point.latency_us, point.mean_us_ci)
}

/// Of durable writes.
fn beside_durable(point: &DurableWritesPoint) -> BesideRow {
    let written = point.writes_per_second;
    beside(point.write_share, written, point.ops, &point.latency_us, point.mean_us_ci)
}

fn beside(share: f64, written: f64, ops: u64, l: &Latency, mean_ci: Option<[f64; 2]>) -> BesideRow {
    let slower = [(0.5, l.p50), (0.1, l.p90), (0.01, l.p99), (1e-3, l.p99_9)];
    let (low, high) = mean_ci.map(|[low, high]| (round(low), round(high))).unzip();
    let percentiles = slower.map(|(share, us)| (ops as f64 * share >= 10.0).then(|| round(us)));
    (round(share), round(written), ops, round(l.mean), low, high, percentiles)
}

/// Latency of reads over durable writes beside them.
#[derive(Debug, Serialize)]
pub(super) struct DurableChart {
    latencies: Vec<BesideRow>,
}

impl DurableChart {
    pub(super) fn new(found: &DurableWrites) -> DurableChart {
        DurableChart { latencies: found.points.iter().map(beside_durable).collect() }
    }
}

/// Each rate over the rounds, as shares of what is reported.
#[derive(Debug, Serialize)]
pub(super) struct CostChart {
    rates: Vec<CostLine>,
}

#[derive(Debug, Serialize)]
struct CostLine {
    name: &'static str,
    /// Bytes or requests per second.
    rate: f64,
    bytes: bool,
    /// The rate in each round.
    rounds: Vec<f64>,
}

impl CostChart {
    pub(super) fn new(found: &IoCost) -> CostChart {
        let line = |(name, rate): (&'static str, &leadline_profile::IoCostRate)| CostLine {
            name,
            rate: round(rate.per_second),
            bytes: name.ends_with("bps"),
            rounds: rate.rounds.iter().map(|&rate| round(rate)).collect(),
        };
        CostChart { rates: found.rates().into_iter().map(line).collect() }
    }
}

//! What has been measured so far: curves of points of slices.

use std::collections::BTreeMap;

use leadline_profile::{OpKind, Pattern, Slice};

use crate::disturbed::counted;
use crate::fit::CurvePoint;
use crate::load::Recorder;

/// What a curve is a curve of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CurveId {
    /// Bytes a request.
    pub block_bytes: u32,
    /// Random or sequential.
    pub pattern: Pattern,
    /// Read or write.
    pub op: OpKind,
    /// Whether writes are durable on completion.
    pub durable: bool,
}

/// One concurrency of a curve.
#[derive(Default)]
pub struct PointData {
    /// Slices of the epochs, in the order they ran.
    pub slices: Vec<Slice>,
    /// Long stretches of the same load, which the slices are held against.
    pub stretches: Vec<Slice>,
    /// Latencies of all slices.
    pub latencies: Recorder,
    /// Processor time of this process over all of them, seconds; `None` on a virtual clock.
    pub cpu_seconds: Option<f64>,
}

impl PointData {
    /// (operations, seconds) of the slices of an epoch that count: slices that no other program disturbed.
    pub fn epoch(&self, epoch: u32) -> (f64, f64) {
        counted(&self.slices)
            .filter(|slice| slice.epoch == epoch)
            .fold((0.0, 0.0), |(ops, seconds), slice| (ops + slice.ops as f64, seconds + slice.seconds))
    }

    /// (operations, seconds) of all slices that count.
    pub fn total(&self) -> (f64, f64) {
        counted(&self.slices).fold((0.0, 0.0), |(ops, s), slice| (ops + slice.ops as f64, s + slice.seconds))
    }

    /// Capacity: all operations / all time, so that stalls count; 0 when nothing completed.
    pub fn iops(&self) -> f64 {
        let (ops, seconds) = self.total();
        if seconds > 0.0 { ops / seconds } else { 0.0 }
    }

    /// Mean latency over the slices that count, seconds.
    pub fn mean_latency(&self) -> f64 {
        let (ops, _) = self.total();
        let sum: f64 = counted(&self.slices).map(|slice| slice.mean_latency_us * slice.ops as f64).sum();
        if ops > 0.0 { sum / ops / 1e6 } else { 0.0 }
    }

    /// Standard error of the capacity over epochs; 0 with fewer than two.
    fn standard_error(&self) -> f64 {
        let mut epochs: Vec<u32> = counted(&self.slices).map(|slice| slice.epoch).collect();
        epochs.dedup();
        let rates: Vec<f64> =
            epochs.iter().map(|&e| self.epoch(e)).filter(|e| e.1 > 0.0).map(|e| e.0 / e.1).collect();
        let n = rates.len() as f64;
        if n < 2.0 {
            return 0.0;
        }
        let mean = rates.iter().sum::<f64>() / n;
        let variance = rates.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (variance / n).sqrt()
    }
}

/// One curve: throughput and latency over concurrency.
pub struct Curve {
    /// What it is a curve of.
    pub id: CurveId,
    /// By concurrency.
    pub points: BTreeMap<u32, PointData>,
}

impl Curve {
    /// A curve with no points.
    pub fn new(id: CurveId) -> Self {
        Curve { id, points: BTreeMap::new() }
    }

    /// The points as [`crate::CurveFit`] takes them; those without a completion are left out.
    pub fn fit_points(&self) -> Vec<CurvePoint> {
        self.points
            .iter()
            .filter(|(_, data)| data.iops() > 0.0)
            .map(|(&k, data)| CurvePoint {
                k,
                iops: data.iops(),
                error: data.standard_error(),
                weight: data.total().1,
            })
            .collect()
    }
}

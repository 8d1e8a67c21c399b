//! Whether reads right after writes are slower than reads after reads.

use leadline_profile::{OpKind, OrderEffect, Point};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Reads of epochs that follow writes against reads that follow reads: the ratio of mean throughputs with
/// Welch's interval. `None` with fewer than two epochs of either.
pub fn order_effect(points: &[Point]) -> Option<OrderEffect> {
    let mut sequence: Vec<(u32, u32, OpKind)> =
        points.iter().flat_map(|p| p.slices.iter().map(|s| (s.order, s.epoch, p.op))).collect();
    sequence.sort_unstable_by_key(|&(order, ..)| order);
    let (mut after_writes, mut after_reads) = (Vec::new(), Vec::new());
    for (i, &(_, epoch, op)) in sequence.iter().enumerate() {
        let first_read_of_epoch = op == OpKind::Read
            && !sequence[..i].iter().rev().take_while(|s| s.1 == epoch).any(|s| s.2 == OpKind::Read);
        // Before the first epoch ran the search, which wrote last; its slices are not kept.
        if first_read_of_epoch && i > 0 {
            let group = if sequence[i - 1].2 == OpKind::Write { &mut after_writes } else { &mut after_reads };
            group.push(read_level(points, epoch)?);
        }
    }
    let (mean_w, error_w) = mean_and_error(&after_writes)?;
    let (mean_r, error_r) = mean_and_error(&after_reads)?;
    // Welch and Satterthwaite's degrees of freedom.
    let (w, r) = (error_w.powi(2), error_r.powi(2));
    let parts = w.powi(2) / (after_writes.len() - 1) as f64 + r.powi(2) / (after_reads.len() - 1) as f64;
    let freedom = if parts > 0.0 { (w + r).powi(2) / parts } else { 1.0 };
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975);
    let half = t * error_w.hypot(error_r);
    let [low, middle, high] = [-half, 0.0, half].map(|d| (mean_w - mean_r + d).exp());
    let seen = (low > 1.0 || high < 1.0) && (middle - 1.0).abs() > 0.05;
    Some(OrderEffect { ratio: middle, ratio_ci: [low, high], seen })
}

/// Mean logarithm of read throughput in an epoch, each point relative to its own mean.
fn read_level(points: &[Point], epoch: u32) -> Option<f64> {
    let mut logs = Vec::new();
    for point in points.iter().filter(|p| p.op == OpKind::Read) {
        for slice in point.slices.iter().filter(|s| s.epoch == epoch && s.ops > 0 && s.seconds > 0.0) {
            logs.push((slice.ops as f64 / slice.seconds / point.iops).ln());
        }
    }
    (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
}

pub(crate) fn mean_and_error(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Some((mean, (variance / n).sqrt()))
}

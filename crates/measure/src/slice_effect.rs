//! Slices against long stretches of the same load, in the same epochs.
//!
//! A profile is made of slices of some milliseconds, each after another load. Where a device needs longer to
//! come up to speed, or is held back by what came before, slices measure that and not what a program gets
//! that goes on. The long stretches tell.

use std::collections::BTreeMap;

use leadline_profile::{OpKind, Point, Slice, SliceEffect};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::disturbed::counted;
use crate::order_effect::mean_and_error;

/// Beyond this an effect is one to speak of.
const SEEN: f64 = 0.05;

/// The effect on reads and on plain writes, where long stretches ran in two epochs or more.
pub(crate) fn slice_effects(points: &[Point]) -> Vec<SliceEffect> {
    let effect = |op: OpKind| {
        let of_op: Vec<&Point> = points.iter().filter(|p| p.op == op && !p.stretches.is_empty()).collect();
        let logs: BTreeMap<u32, Vec<f64>> = of_op.iter().flat_map(|p| log_ratios(p)).fold(
            BTreeMap::new(),
            |mut epochs: BTreeMap<u32, Vec<f64>>, (epoch, log)| {
                epochs.entry(epoch).or_default().push(log);
                epochs
            },
        );
        // One number per epoch: its depths see the same conditions.
        let logs: Vec<f64> = logs.values().map(|logs| logs.iter().sum::<f64>() / logs.len() as f64).collect();
        let (mean, error) = mean_and_error(&logs)?;
        let half = StudentsT::new(0.0, 1.0, logs.len() as f64 - 1.0).ok()?.inverse_cdf(0.975) * error;
        let [low, ratio, high] = [-half, 0.0, half].map(|d| (mean + d).exp());
        let mut concurrencies: Vec<u32> = of_op.iter().map(|p| p.concurrency).collect();
        concurrencies.sort_unstable();
        concurrencies.dedup();
        let seen = (low > 1.0 || high < 1.0) && (ratio - 1.0).abs() > SEEN;
        Some(SliceEffect { op, concurrencies, ratio, ratio_ci: [low, high], seen })
    };
    [OpKind::Read, OpKind::Write].into_iter().filter_map(effect).collect()
}

/// Logarithm of throughput in slices / in the stretch, by epoch.
fn log_ratios(point: &Point) -> Vec<(u32, f64)> {
    let rate = |ops: u64, seconds: f64| (ops > 0 && seconds > 0.0).then(|| ops as f64 / seconds);
    let in_slices = |epoch: u32| {
        let of_epoch = counted(&point.slices).filter(|s| s.epoch == epoch);
        let (ops, seconds) = of_epoch.fold((0, 0.0), |(o, t), s: &Slice| (o + s.ops, t + s.seconds));
        rate(ops, seconds)
    };
    let log = |s: &Slice| Some((s.epoch, (in_slices(s.epoch)? / rate(s.ops, s.seconds)?).ln()));
    counted(&point.stretches).filter_map(log).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_profile::{Latency, Pattern};

    /// A point whose slices reach these shares of what its stretches reach.
    fn point(shares: &[f64]) -> Point {
        let slice = |epoch: usize, ops: f64, seconds: f64| Slice {
            epoch: epoch as u32,
            ops: ops as u64,
            seconds,
            ..Slice::default()
        };
        Point {
            op: OpKind::Write,
            pattern: Pattern::Random,
            block_bytes: 4096,
            concurrency: 1,
            durable: false,
            iops: 10_000.0,
            iops_ci: None,
            bandwidth_bytes: 40_960_000.0,
            latency_us: Latency::default(),
            cpu_bound: false,
            cpu_us_per_op: None,
            slices: shares.iter().enumerate().map(|(e, share)| slice(e, 1000.0 * share, 0.1)).collect(),
            stretches: (0..shares.len()).map(|e| slice(e, 10_000.0, 1.0)).collect(),
            histogram: Vec::new(),
            extra: Default::default(),
        }
    }

    #[test]
    fn slices_that_are_slower_than_a_long_stretch_are_an_effect() {
        let slow = slice_effects(&[point(&[0.74, 0.75, 0.76, 0.75])]).remove(0);
        assert!((slow.ratio - 0.75).abs() < 0.01 && slow.seen, "{slow:?}");
        let same = slice_effects(&[point(&[1.02, 0.98, 1.01, 0.99])]).remove(0);
        assert!((same.ratio - 1.0).abs() < 0.01 && !same.seen, "{same:?}");
    }

    #[test]
    fn noise_is_no_effect_and_one_epoch_tells_nothing() {
        let effects = slice_effects(&[point(&[0.6, 1.3, 0.7, 1.1])]);
        assert!(!effects[0].seen, "{effects:?}");
        assert!(slice_effects(&[point(&[0.5])]).is_empty());
    }
}

//! How far a fitted model is off near what was measured.
//!
//! A model has a few constants for all requests. Where a device has an unusual limit, even the best one can
//! be off by several times, so that its prediction is corrected by what was measured of like requests.

use leadline_model::{Observations, Predict};
use leadline_profile::OpKind;

/// How fast a measurement loses its weight, in doublings of size and of concurrency.
const REACH: f64 = 0.7;

/// Half of a 95 % interval, in standard deviations.
const NORMAL_95: f64 = 1.96;

/// Logarithms of measured over predicted times of random requests of one kind.
pub(crate) struct Residuals {
    /// Size and concurrency as powers of two, and the logarithm.
    points: Vec<[f64; 3]>,
}

/// What a prediction is corrected by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Correction {
    /// Added to the logarithm of the time.
    pub(crate) shift: f64,
    /// Half of the 95 % interval of that.
    pub(crate) spread: f64,
}

impl Residuals {
    pub(crate) fn of(model: &dyn Predict, observations: &Observations, op: OpKind) -> Self {
        let random = observations.pure(op).filter(|o| o.workload.random_fraction >= 1.0);
        let points = random.filter_map(|o| {
            let residual = (o.seconds / model.seconds(&o.workload)?).ln();
            let at = [f64::from(o.workload.block_bytes).log2(), f64::from(o.concurrency()).log2()];
            residual.is_finite().then_some([at[0], at[1], residual])
        });
        Residuals { points: points.collect() }
    }

    /// The most requests in flight that were measured of requests of about `size` bytes, both as powers of
    /// two: between two sizes that were measured, by how near each is. `None` where either was measured at a
    /// single concurrency, which does not tell where more in flight do no more.
    pub(crate) fn most_in_flight(&self, size: f64) -> Option<f64> {
        let mut by_size: Vec<[f64; 3]> = Vec::new();
        let mut points: Vec<&[f64; 3]> = self.points.iter().collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        for [size, k, _] in points {
            match by_size.last_mut().filter(|last| last[0] == *size) {
                Some(last) => (last[1], last[2]) = (last[1].min(*k), last[2].max(*k)),
                None => by_size.push([*size, *k, *k]),
            }
        }
        let after = by_size.partition_point(|at| at[0] < size);
        let (low, high) = (by_size.get(after.saturating_sub(1))?, by_size.get(after.min(by_size.len() - 1))?);
        let several = |at: &[f64; 3]| at[2] > at[1];
        let share =
            if high[0] > low[0] { ((size - low[0]) / (high[0] - low[0])).clamp(0.0, 1.0) } else { 0.0 };
        (several(low) && several(high)).then(|| low[2] + share * (high[2] - low[2]))
    }

    /// The correction for requests of `size` bytes, `k` at a time, both as powers of two, for a model whose
    /// own interval has half the width `spread`.
    pub(crate) fn near(&self, size: f64, k: f64, spread: f64) -> Correction {
        let distances = self.points.iter().map(|p| (p[0] - size).powi(2) + (p[1] - k).powi(2));
        let Some(nearest) = distances.clone().min_by(f64::total_cmp) else {
            return Correction { shift: 0.0, spread };
        };
        let weight = |squared: f64| (-squared / (2.0 * REACH * REACH)).exp();
        // Relative to the nearest, so that something counts however far away everything is.
        let weights: Vec<f64> = distances.map(|squared| weight(squared - nearest)).collect();
        let sum: f64 = weights.iter().sum();
        let mean = |of: &dyn Fn(f64) -> f64| {
            weights.iter().zip(&self.points).map(|(w, p)| w * of(p[2])).sum::<f64>() / sum
        };
        let shift = mean(&|residual| residual);
        let scatter = mean(&|residual| (residual - shift).powi(2)).sqrt();
        Correction { shift, spread: NORMAL_95 * scatter + (1.0 - weight(nearest)) * spread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_counts_there_and_the_model_far_away() {
        let residuals = Residuals { points: vec![[12.0, 0.0, 1.0], [12.0, 4.0, -1.0], [12.0, 4.0, -1.0]] };
        let near = residuals.near(12.0, 0.0, 0.5);
        assert!((near.shift - 1.0).abs() < 1e-3 && near.spread < 0.1, "{near:?}");
        let far = residuals.near(20.0, 6.0, 0.5);
        assert!((far.shift + 1.0).abs() < 1e-3 && far.spread > 0.5, "{far:?}");
        let between = residuals.near(12.0, 2.0, 0.5);
        assert!(between.shift < 0.0 && between.spread > 1.0, "{between:?}");
    }

    #[test]
    fn the_most_in_flight_of_a_size_is_what_was_measured_of_the_sizes_around_it() {
        let of =
            |points: &[[f64; 2]]| Residuals { points: points.iter().map(|p| [p[0], p[1], 0.0]).collect() };
        let measured = of(&[[12.0, 0.0], [12.0, 6.0], [16.0, 0.0], [16.0, 2.0]]);
        let most = |size| measured.most_in_flight(size);
        assert_eq!([10.0, 12.0, 13.0, 16.0, 21.0].map(most), [6.0, 6.0, 5.0, 2.0, 2.0].map(Some));
        // One concurrency does not tell where more do no more.
        assert_eq!(of(&[[12.0, 0.0]]).most_in_flight(12.0), None);
        assert_eq!(of(&[]).most_in_flight(12.0), None);
    }

    #[test]
    fn without_measurements_the_model_stands() {
        let none = Residuals { points: Vec::new() }.near(12.0, 0.0, 0.5);
        assert_eq!(none, Correction { shift: 0.0, spread: 0.5 });
    }
}

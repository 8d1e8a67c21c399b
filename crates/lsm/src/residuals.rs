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
    fn without_measurements_the_model_stands() {
        let none = Residuals { points: Vec::new() }.near(12.0, 0.0, 0.5);
        assert_eq!(none, Correction { shift: 0.0, spread: 0.5 });
    }
}

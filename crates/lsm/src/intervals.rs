//! What a prediction's interval holds besides the costs of the device: the chance of loads, and how far the
//! model itself was off on a real RocksDB.

use leadline_model::Estimate;

/// A relative standard error, and the half-width of its 95 % interval in standard errors (Student's t).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Error {
    standard: f64,
    half_95: f64,
}

impl Error {
    /// Of the mean of six loads.
    pub(crate) fn of_fills(standard: f64) -> Error {
        Error { standard, half_95: 2.571 }
    }

    /// Of the model, by ten trees.
    const fn of_ten_trees(standard: f64) -> Error {
        Error { standard, half_95: 2.262 }
    }

    /// Half of the 95 % interval of a logarithm.
    fn half(self) -> f64 {
        self.half_95 * self.standard
    }
}

/// Root mean squares of the logarithm of predicted over measured, of the first ten trees of
/// `benches/python/lsm_held_out.py` on RocksDB 7.8.3; ten others hold them (`benches/RESULTS.md`).
pub(crate) const POINT: Error = Error::of_ten_trees(0.19);
/// Likewise, of scans.
pub(crate) const SCAN: Error = Error::of_ten_trees(0.075);
/// Likewise, of fills, each of which ran once.
pub(crate) const FILL: Error = Error::of_ten_trees(0.35);

/// An interval widened by a relative error.
pub(crate) fn widened(estimate: Estimate, error: Error) -> Estimate {
    let wide = |end: f64| {
        let held = (end / estimate.value).ln();
        let ratio = held.hypot(error.half()).exp();
        if end <= estimate.value { estimate.value / ratio } else { estimate.value * ratio }
    };
    // An end that is the value itself may lie on either side.
    let [low, high] = estimate.ci.map(wide);
    let other = error.half().exp();
    Estimate {
        value: estimate.value,
        ci: [low.min(estimate.value / other), high.max(estimate.value * other)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_add_as_squares_and_an_end_at_the_value_gets_both_sides() {
        let [low, high] = widened(Estimate { value: 100.0, ci: [100.0, 150.0] }, SCAN).ci;
        let half: f64 = 0.075 * 2.262;
        assert!((low - 100.0 / half.exp()).abs() < 1e-9, "{low}");
        assert!((high - 100.0 * 1.5_f64.ln().hypot(half).exp()).abs() < 1e-9, "{high}");
        let same = widened(Estimate { value: 3.0, ci: [2.0, 4.0] }, Error::of_fills(0.0)).ci;
        assert!((same[0] - 2.0).abs() < 1e-12 && (same[1] - 4.0).abs() < 1e-12);
    }
}

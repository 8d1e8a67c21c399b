//! The steady-state test of the SNIA Solid State Storage Performance Test Specification.

use leadline_device::Nanos;

/// Length of a round.
pub const ROUND: Nanos = 5_000_000_000;

/// Rounds after which the device is taken not to settle.
pub const MAX_ROUNDS: usize = 25;

/// Rounds that must be steady together.
const WINDOW: usize = 5;

/// Looks at the last five rounds: passed, (max - min) / mean, and the rise of their fitted line / mean.
/// Passes with a range of at most 0.20 and a rise of at most 0.10; never with fewer than five rounds.
pub fn steady_state(rounds: &[f64]) -> (bool, f64, f64) {
    let window = &rounds[rounds.len().saturating_sub(WINDOW)..];
    let n = window.len() as f64;
    let mean = window.iter().sum::<f64>() / n;
    if window.len() < 2 || mean <= 0.0 {
        return (false, 0.0, 0.0);
    }
    let (low, high) = window.iter().fold((f64::MAX, 0f64), |(l, h), &x| (l.min(x), h.max(x)));
    let middle = (n - 1.0) / 2.0;
    let (mut above, mut below) = (0.0, 0.0);
    for (i, x) in window.iter().enumerate() {
        above += (i as f64 - middle) * (x - mean);
        below += (i as f64 - middle).powi(2);
    }
    let range = (high - low) / mean;
    let slope = (above / below * (n - 1.0)).abs() / mean;
    (window.len() == WINDOW && range <= 0.20 && slope <= 0.10, range, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_means_five_rounds_of_small_range_and_small_rise() {
        assert!(steady_state(&[900.0, 100.0, 101.0, 99.0, 100.0, 102.0]).0);
        assert!(!steady_state(&[100.0, 100.0, 100.0, 100.0]).0, "four rounds are too few");
        assert!(!steady_state(&[100.0, 100.0, 125.0, 100.0, 100.0]).0, "range 24 %");
        let (passed, range, slope) = steady_state(&[95.0, 98.0, 100.0, 103.0, 106.0]);
        assert!(!passed && range < 0.2 && slope > 0.1, "it drifts: {slope}");
        assert!(!steady_state(&[0.0; 5]).0 && !steady_state(&[]).0);
    }
}

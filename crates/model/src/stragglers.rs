//! What it costs to wait for the slowest of a batch.
//!
//! A closed loop replaces each completion at once; a program that submits a batch and waits for all of it
//! lets the device run dry at the end. With s servers at work, the last s requests end when the slowest
//! of them does: after the largest of s service times instead of a mean one. For exponential times the
//! formula is exact: a batch of b takes (b - s) / s + H_s mean services, H_s being the sum of 1 / i up to s.

use leadline_profile::{DeviceProfile, OpKind, PAGE_BYTES, Pattern, Point};

/// Counts tabulated: 1, 2, 4, ... 2^COUNTS.
const COUNTS: u32 = 20;

/// The expected largest of n latencies of single requests, as a multiple of the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Stragglers {
    /// Of 1, 2, 4, ... latencies.
    largest: Vec<f64>,
}

impl Stragglers {
    /// From the latencies of random requests at concurrency 1, of 4 KiB or else of the smallest block; `None`
    /// where the profile has no histogram of them.
    pub fn of(profile: &DeviceProfile, op: OpKind) -> Option<Self> {
        let alone = |p: &&Point| {
            p.op == op
                && p.concurrency == 1
                && p.pattern == Pattern::Random
                && !p.durable
                && !p.histogram.is_empty()
        };
        let points = || profile.points.iter().filter(alone);
        let point = points()
            .find(|p| p.block_bytes == PAGE_BYTES)
            .or_else(|| points().min_by_key(|p| p.block_bytes))?;
        let bins: Vec<(f64, f64)> = point.histogram.iter().map(|b| (b.upper_us, b.count as f64)).collect();
        Self::of_bins(&bins)
    }

    /// From (upper end, count), ascending.
    fn of_bins(bins: &[(f64, f64)]) -> Option<Self> {
        let total: f64 = bins.iter().map(|(_, count)| count).sum();
        let mean = bins.iter().map(|(upper, count)| upper * count).sum::<f64>() / total;
        if !(mean > 0.0 && mean.is_finite()) {
            return None;
        }
        // The mean of the largest of n: each bin with the probability that the largest lies in it.
        let largest = |n: f64| {
            let (mut below, mut sum) = (0.0, 0.0);
            for (upper, count) in bins {
                let up_to = below + count;
                sum += upper * ((up_to / total).min(1.0).powf(n) - (below / total).powf(n));
                below = up_to;
            }
            sum / mean
        };
        Some(Stragglers { largest: (0..=COUNTS).map(|i| largest(f64::from(1u32 << i))).collect() })
    }

    /// The expected largest of `n` latencies (at least one), as a multiple of the mean: 1 or more.
    pub fn largest_of(&self, n: f64) -> f64 {
        let at = n.max(1.0).log2().min(f64::from(COUNTS));
        let (i, share) = (at.floor() as usize, at.fract());
        let next = self.largest[(i + 1).min(self.largest.len() - 1)];
        self.largest[i] + share * (next - self.largest[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_exponential_latencies_the_largest_is_a_harmonic_number() {
        let fine = |i: u32| f64::from(i) * 0.002;
        let bins: Vec<(f64, f64)> =
            (1..=12_000).map(|i| (fine(i), (-fine(i - 1)).exp() - (-fine(i)).exp())).collect();
        let stragglers = Stragglers::of_bins(&bins).unwrap();
        for (n, harmonic) in [(1.0, 1.0), (2.0, 1.5), (16.0, 3.381), (64.0, 4.744)] {
            let found = stragglers.largest_of(n);
            assert!((found / harmonic - 1.0).abs() < 0.01, "{n}: {found}");
        }
    }

    #[test]
    fn equal_latencies_have_no_straggler() {
        let stragglers = Stragglers::of_bins(&[(80.0, 1000.0)]).unwrap();
        assert_eq!((stragglers.largest_of(1.0), stragglers.largest_of(1e9)), (1.0, 1.0));
        assert!(Stragglers::of_bins(&[]).is_none());
    }
}

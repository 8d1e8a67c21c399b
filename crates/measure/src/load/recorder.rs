//! Counting and timing completions without allocating.

use hdrhistogram::Histogram;
use leadline_device::Nanos;

/// Latencies above this are counted as this: nobody waits longer for one request.
const LONGEST: Nanos = 1_000_000_000_000;

/// Latencies in nanoseconds, to three digits.
pub struct Recorder {
    histogram: Histogram<u64>,
    sum: u128,
}

impl Recorder {
    /// Empty; the only allocation is here.
    pub fn new() -> Self {
        let histogram =
            Histogram::new_with_bounds(1, LONGEST, 3).expect("1 < LONGEST and three digits are valid");
        Recorder { histogram, sum: 0 }
    }

    /// Counts one request.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        self.histogram.saturating_record(latency);
        self.sum += u128::from(latency);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.histogram.reset();
        self.sum = 0;
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: &Recorder) {
        self.histogram.add(&other.histogram).expect("all recorders have the same bounds");
        self.sum += other.sum;
    }

    /// Adds `count` requests of about the same latency, as read back from a file.
    pub fn record_many(&mut self, latency: Nanos, count: u64) {
        self.histogram.saturating_record_n(latency, count);
        self.sum += u128::from(latency) * u128::from(count);
    }

    /// Requests counted.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Exact mean, nanoseconds; 0 when empty.
    pub fn mean(&self) -> f64 {
        if self.count() == 0 { 0.0 } else { self.sum as f64 / self.count() as f64 }
    }

    /// Latency that the share `quantile` (0 to 1) of the requests did not exceed, nanoseconds.
    pub fn quantile(&self, quantile: f64) -> Nanos {
        self.histogram.value_at_quantile(quantile)
    }

    /// The longest, nanoseconds.
    pub fn max(&self) -> Nanos {
        self.histogram.max()
    }

    /// Ascending (upper end in nanoseconds, count), each bin at least 1 % wide, none empty.
    pub fn bins(&self) -> Vec<(Nanos, u64)> {
        let mut bins: Vec<(Nanos, u64)> = Vec::new();
        let mut floor = 0.0;
        for value in self.histogram.iter_recorded() {
            let upper = value.value_iterated_to();
            match bins.last_mut() {
                Some(last) if (upper as f64) < floor * 1.01 => {
                    *last = (upper, last.1 + value.count_at_value());
                }
                _ => {
                    floor = upper as f64;
                    bins.push((upper, value.count_at_value()));
                }
            }
        }
        bins
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

/// What one lane did in one slice: neither ramp is counted, and a stall at either end is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Window {
    /// When it opened, device time.
    pub opened: Nanos,
    /// Its length.
    pub length: Nanos,
    /// Completions in it.
    pub ops: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// Sum of their latencies.
    pub latency_sum: u128,
    /// Longest stall between answers; 0 where they came evenly.
    pub longest_stall: Nanos,
    /// Whether it was closed by its limits, and not by a cancel.
    pub complete: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_every_request_once_and_are_few() {
        let mut recorder = Recorder::new();
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..50_000 {
            recorder.record(1_000 + (1e6 * random.f64() * random.f64()) as u64);
        }
        let bins = recorder.bins();
        assert_eq!(bins.iter().map(|b| b.1).sum::<u64>(), 50_000);
        assert!(bins.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(bins.len() < 750, "{}", bins.len());
    }

    #[test]
    fn what_is_written_to_a_file_and_read_back_has_the_same_percentiles() {
        let mut recorder = Recorder::new();
        for i in 1..=10_000u64 {
            recorder.record(i * 1_000);
        }
        let mut again = Recorder::new();
        for (upper, count) in recorder.bins() {
            again.record_many(upper, count);
        }
        for q in [0.5, 0.9, 0.99, 0.999] {
            let (a, b) = (recorder.quantile(q) as f64, again.quantile(q) as f64);
            assert!((a / b - 1.0).abs() < 0.011, "{q}: {a} {b}");
        }
    }

    #[test]
    fn an_absurd_latency_is_counted_not_lost() {
        let mut recorder = Recorder::new();
        recorder.record(u64::MAX);
        recorder.record(0);
        assert_eq!(recorder.count(), 2);
    }
}

//! Histograms as servers report them: Prometheus', with upper bounds, and other measurements put into
//! the same buckets.

use serde::{Deserialize, Serialize};

/// How often durations up to each bound were seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Upper bounds, milliseconds, ascending. What is above the last is counted behind it.
    pub bounds_ms: Vec<f64>,
    /// Counts of each bucket alone, one more than there are bounds.
    pub counts: Vec<u64>,
}

/// Where a quantile is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantile {
    /// Milliseconds, as if what is in a bucket were spread evenly over it.
    pub ms: f64,
    /// The bounds of its bucket, all that is known for certain; the last bucket has no upper one.
    pub bucket_ms: (f64, Option<f64>),
}

impl Histogram {
    /// Reads the histogram `name`, in seconds and without labels of its own, from the text that Prometheus
    /// collects; `None` where there is none.
    pub fn read(text: &str, name: &str) -> Option<Histogram> {
        let (mut bounds_ms, mut cumulative) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let bucket = line.strip_prefix(name).and_then(|rest| rest.strip_prefix("_bucket{le=\""));
            let Some((bound, count)) = bucket.and_then(|rest| rest.split_once("\"} ")) else { continue };
            if bound != "+Inf" {
                bounds_ms.push(bound.parse::<f64>().ok()? * 1e3);
            }
            // Counts are floating-point numbers there: large ones are 1.5e+06.
            cumulative.push(count.trim().parse::<f64>().ok()? as u64);
        }
        if cumulative.len() != bounds_ms.len() + 1 || !bounds_ms.is_sorted() {
            return None;
        }
        let mut before = 0;
        let counts = cumulative.into_iter().map(|count| {
            let alone = count.checked_sub(before);
            before = count;
            alone
        });
        Some(Histogram { counts: counts.collect::<Option<_>>()?, bounds_ms })
    }

    /// What values, in nanoseconds and with how often each was seen, are in buckets with these bounds.
    pub fn of(bounds_ms: &[f64], values: &[(f64, u64)]) -> Histogram {
        let mut counts = vec![0; bounds_ms.len() + 1];
        for (ns, count) in values {
            counts[bounds_ms.partition_point(|bound| *bound < ns / 1e6)] += count;
        }
        Histogram { bounds_ms: bounds_ms.to_vec(), counts }
    }

    /// What came since `before`; `None` where that is of another kind or later.
    pub fn since(&self, before: &Histogram) -> Option<Histogram> {
        if self.bounds_ms != before.bounds_ms {
            return None;
        }
        let counts = self.counts.iter().zip(&before.counts).map(|(now, then)| now.checked_sub(*then));
        Some(Histogram { bounds_ms: self.bounds_ms.clone(), counts: counts.collect::<Option<_>>()? })
    }

    /// Both together, which have the same bounds.
    pub fn add(&mut self, other: &Histogram) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, count)| *sum += count);
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The quantile `q`, 0 to 1, as Prometheus computes it; `None` of none.
    pub fn quantile(&self, q: f64) -> Option<Quantile> {
        let rank = q * self.total() as f64;
        let mut below = 0.0;
        for (which, &count) in self.counts.iter().enumerate() {
            let count = count as f64;
            if count > 0.0 && below + count >= rank {
                let low = if which == 0 { 0.0 } else { self.bounds_ms[which - 1] };
                let high = self.bounds_ms.get(which).copied();
                // Nothing is known of how far above the last bound they are.
                let ms = high.map_or(low, |high| low + (high - low) * (rank - below) / count);
                return Some(Quantile { ms, bucket_ms: (low, high) });
            }
            below += count;
        }
        None
    }

    /// The share that took longer than that many milliseconds; `None` of none.
    pub fn share_above(&self, ms: f64) -> Option<f64> {
        let mut above = 0.0;
        for (which, &count) in self.counts.iter().enumerate() {
            let low = if which == 0 { 0.0 } else { self.bounds_ms[which - 1] };
            let share = match self.bounds_ms.get(which) {
                Some(high) => ((high - ms) / (high - low)).clamp(0.0, 1.0),
                // Nothing is known of how far above the last bound they are.
                None => 1.0,
            };
            above += share * count as f64;
        }
        let total = self.total();
        (total > 0).then(|| above / total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As etcd 3.4 prints them, with fewer buckets.
    const TEXT: &str = r#"# HELP etcd_disk_wal_fsync_duration_seconds The latency distributions of fsync.
# TYPE etcd_disk_wal_fsync_duration_seconds histogram
etcd_disk_wal_fsync_duration_seconds_bucket{le="0.001"} 20
etcd_disk_wal_fsync_duration_seconds_bucket{le="0.002"} 90
etcd_disk_wal_fsync_duration_seconds_bucket{le="0.004"} 1.00e+02
etcd_disk_wal_fsync_duration_seconds_bucket{le="+Inf"} 100
etcd_disk_wal_fsync_duration_seconds_sum 0.2
etcd_disk_wal_fsync_duration_seconds_count 100
etcd_disk_wal_fsync_duration_seconds_other_bucket{le="+Inf"} 1
"#;

    fn histogram() -> Histogram {
        Histogram::read(TEXT, "etcd_disk_wal_fsync_duration_seconds").unwrap()
    }

    #[test]
    fn buckets_are_read_as_prometheus_gets_them() {
        let found = histogram();
        assert_eq!(found.bounds_ms, [1.0, 2.0, 4.0]);
        assert_eq!(found.counts, [20, 70, 10, 0]);
        for (old, new) in [("0.002\"} 90", "0.002\"} 9"), ("0.002\"} 90", "0.002\"} ?"), ("+Inf", "+inf")] {
            assert_eq!(
                Histogram::read(&TEXT.replace(old, new), "etcd_disk_wal_fsync_duration_seconds"),
                None
            );
        }
        assert_eq!(Histogram::read(TEXT, "etcd_disk_backend_commit_duration_seconds"), None);
    }

    #[test]
    fn quantiles_are_spread_evenly_over_their_bucket() {
        let found = histogram();
        let quantile = |q| found.quantile(q).unwrap();
        // Of 100, the 99th is the ninth of ten between 2 and 4 ms.
        assert_eq!(quantile(0.99), Quantile { ms: 3.8, bucket_ms: (2.0, Some(4.0)) });
        assert_eq!(quantile(0.5).ms, 1.0 + 30.0 / 70.0);
        assert_eq!(quantile(0.1), Quantile { ms: 0.5, bucket_ms: (0.0, Some(1.0)) });
        assert_eq!(quantile(1.0).ms, 4.0);
        let beyond = Histogram { counts: vec![0, 0, 0, 3], ..found.clone() };
        assert_eq!(beyond.quantile(0.99).unwrap(), Quantile { ms: 4.0, bucket_ms: (4.0, None) });
        assert_eq!(Histogram { counts: vec![0; 4], ..found }.quantile(0.99), None);
    }

    #[test]
    fn shares_above_a_time_are_spread_evenly_too() {
        let found = histogram();
        let above = |ms| found.share_above(ms).unwrap();
        assert!((above(2.0) - 0.1).abs() < 1e-12 && (above(3.0) - 0.05).abs() < 1e-12);
        assert_eq!((above(0.0), above(4.0)), (1.0, 0.0));
        assert_eq!(Histogram { counts: vec![0, 0, 0, 3], ..found }.share_above(100.0), Some(1.0));
    }

    #[test]
    fn what_came_since_is_the_difference_and_other_bounds_have_none() {
        let mut later = histogram();
        later.add(&Histogram::of(&later.bounds_ms, &[(0.5e6, 3), (1e6, 1), (3e6, 2), (9e6, 5)]));
        assert_eq!(later.counts, [24, 70, 12, 5]);
        assert_eq!(later.since(&histogram()).unwrap().counts, [4, 0, 2, 5]);
        assert_eq!(histogram().since(&later), None);
        let other = Histogram { bounds_ms: vec![1.0, 2.0, 8.0], ..histogram() };
        assert_eq!(other.since(&histogram()), None);
    }
}

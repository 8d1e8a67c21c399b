//! Falls of write throughput that stay: the end of an SLC cache, of a write buffer, of burst credits.

use leadline_profile::{Cliff, RunPhase};

/// One stretch of writing.
#[derive(Debug, Clone, Copy)]
pub struct WriteSample {
    /// Bytes written since the run began, at its end.
    pub written: u64,
    /// Throughput, in any unit that is the same for all samples.
    pub rate: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
}

/// After / before at which a fall is a cliff.
const FALL: f64 = 0.6;

/// Samples needed on either side.
const SIDE: usize = 6;

/// The cliff in a series of samples, if there is one: see [`find_split`].
pub fn find_cliff(phase: RunPhase, samples: &[WriteSample]) -> Option<Cliff> {
    let rates: Vec<f64> = samples.iter().map(|sample| sample.rate).collect();
    let split = find_split(&rates)?;
    let median = |part: &[WriteSample]| at(&sorted(part.iter().map(|s| s.bytes_per_second)), 0.5);
    Some(Cliff {
        phase,
        at_bytes: samples[split - 1].written,
        before_bytes_per_second: median(&samples[..split]),
        after_bytes_per_second: median(&samples[split..]),
    })
}

/// How many samples there are before the cliff in a series of rates, if there is one: the split that explains
/// most of the series' variance, where the median falls by 40 % or more and nine in ten samples after it are
/// below nine in ten before it.
pub fn find_split(rates: &[f64]) -> Option<usize> {
    let split = best_split(rates)?;
    let (before, after) = rates.split_at(split);
    let (before, after) = (sorted(before.iter().copied()), sorted(after.iter().copied()));
    let falls = at(&after, 0.9) < at(&before, 0.1) && at(&after, 0.5) < FALL * at(&before, 0.5);
    falls.then_some(split)
}

/// The split of a series of rates that explains most of the variance of their logarithms; `None` of fewer
/// than 12 samples.
pub fn best_split(rates: &[f64]) -> Option<usize> {
    let n = rates.len();
    if n < 2 * SIDE {
        return None;
    }
    let logs: Vec<f64> = rates.iter().map(|rate| rate.max(1e-12).ln()).collect();
    let all: f64 = logs.iter().sum();
    let mut before: f64 = logs[..SIDE - 1].iter().sum();
    let mut best = (SIDE, f64::NEG_INFINITY);
    for (i, log) in logs.iter().enumerate().take(n - SIDE).skip(SIDE - 1) {
        before += log;
        let (left, right) = ((i + 1) as f64, (n - i - 1) as f64);
        let explained = left * right * (before / left - (all - before) / right).powi(2);
        if explained >= best.1 {
            best = (i + 1, explained);
        }
    }
    Some(best.0)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The value at this level, 0 to 1.
fn at(values: &[f64], level: f64) -> f64 {
    values[(level * (values.len() - 1) as f64).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(n: usize, rate: impl Fn(usize) -> f64) -> Vec<WriteSample> {
        let mut random = fastrand::Rng::with_seed(9);
        (0..n)
            .map(|i| {
                let rate = rate(i) * (0.85 + 0.3 * random.f64());
                WriteSample { written: (i as u64 + 1) << 20, rate, bytes_per_second: rate * 1e6 }
            })
            .collect()
    }

    #[test]
    fn a_cliff_is_found_where_it_is() {
        let cliff =
            find_cliff(RunPhase::Layout, &series(60, |i| if i < 40 { 1000.0 } else { 300.0 })).unwrap();
        assert!((39 << 20..=41 << 20).contains(&cliff.at_bytes), "{}", cliff.at_bytes >> 20);
        assert!(cliff.before_bytes_per_second > 2.5 * cliff.after_bytes_per_second);
    }

    #[test]
    fn noise_a_stall_a_drift_and_a_rise_are_no_cliffs() {
        assert!(find_cliff(RunPhase::Write, &series(60, |_| 500.0)).is_none());
        assert!(
            find_cliff(RunPhase::Write, &series(60, |i| if (30..33).contains(&i) { 50.0 } else { 500.0 }))
                .is_none()
        );
        assert!(find_cliff(RunPhase::Write, &series(60, |i| 500.0 - 2.0 * i as f64)).is_none());
        assert!(find_cliff(RunPhase::Write, &series(60, |i| if i < 30 { 100.0 } else { 900.0 })).is_none());
        assert!(find_cliff(RunPhase::Write, &series(5, |i| if i < 2 { 900.0 } else { 100.0 })).is_none());
    }
}

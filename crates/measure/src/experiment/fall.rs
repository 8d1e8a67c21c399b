//! Where throughput falls and stays lower: one change point in a series, by least squares.

use super::sampled_load::Sample;

/// A fall to more than this share of the throughput before it is none.
const DEEPEST_SHARE: f64 = 0.9;

/// What lasts for fewer samples is a start and not a burst.
const FEWEST_BEFORE: usize = 5;

/// The lower throughput must last this share of the time before it.
const LASTING_SHARE: f64 = 0.25;

/// And at least this long, seconds, and that many samples.
const LASTING_SECONDS: f64 = 1.0;
const LASTING_SAMPLES: usize = 10;

/// The two halves of the lower part may differ by this share of it, and by this share of the fall.
const SETTLED_SHARE: f64 = 0.05;
const SETTLED_FALL: f64 = 0.05;

/// Difference of the means in standard errors from which it is not chance, in a series that was searched for
/// the largest difference.
const NOT_CHANCE: f64 = 6.0;

/// A fall that has settled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fall {
    /// Samples before it.
    pub(super) index: usize,
    /// Seconds from the start until then.
    pub(super) seconds: f64,
    /// Requests per second before.
    pub(super) before: f64,
    /// Requests per second after.
    pub(super) after: f64,
}

/// The fall in `samples`, if there is one that has settled.
pub(super) fn settled_fall(samples: &[Sample]) -> Option<Fall> {
    let fall = best_split(samples)?;
    let (before, after) = samples.split_at(fall.index);
    let (_, lasted) = total(after);
    let lasting =
        lasted >= (LASTING_SHARE * fall.seconds).max(LASTING_SECONDS) && after.len() >= LASTING_SAMPLES;
    let (first, second) = after.split_at(after.len() / 2);
    let halves = (rate(first) - rate(second)).abs();
    let settled = halves <= SETTLED_SHARE * fall.after + SETTLED_FALL * (fall.before - fall.after);
    let (squares_before, squares_after) = (squares(before, fall.before), squares(after, fall.after));
    let (n, m) = (before.len() as f64, after.len() as f64);
    // Few samples before it may happen to be alike: their spread is then that of all.
    let pooled = (squares_before + squares_after) / (n + m - 2.0);
    let error =
        (pooled.max(squares_before / (n - 1.0)) / n + pooled.max(squares_after / (m - 1.0)) / m).sqrt();
    let deep = fall.after <= DEEPEST_SHARE * fall.before;
    let real = fall.before - fall.after > NOT_CHANCE * error;
    (before.len() >= FEWEST_BEFORE && lasting && settled && deep && real).then_some(fall)
}

/// The split into two constant throughputs, the second lower, that leaves the least squares; `None` where no
/// split has the second lower.
pub(super) fn best_split(samples: &[Sample]) -> Option<Fall> {
    let (ops, seconds) = total(samples);
    let (mut ops_before, mut seconds_before) = (0.0, 0.0);
    let mut best: Option<(f64, Fall)> = None;
    for (i, sample) in samples.iter().enumerate().take(samples.len().saturating_sub(1)) {
        ops_before += sample.ops;
        seconds_before += sample.seconds;
        let seconds_after = seconds - seconds_before;
        let before = ops_before / seconds_before;
        let after = (ops - ops_before) / seconds_after;
        // What the split takes off the sum of squares.
        let gain = seconds_before * seconds_after / seconds * (before - after).powi(2);
        if before > after && best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, Fall { index: i + 1, seconds: seconds_before, before, after }));
        }
    }
    best.map(|(_, fall)| fall)
}

/// Requests and seconds.
pub(super) fn total(samples: &[Sample]) -> (f64, f64) {
    samples.iter().fold((0.0, 0.0), |(ops, seconds), s| (ops + s.ops, seconds + s.seconds))
}

/// Requests per second.
pub(super) fn rate(samples: &[Sample]) -> f64 {
    let (ops, seconds) = total(samples);
    ops / seconds
}

/// Sum of squares of the samples' throughput round `mean`.
fn squares(samples: &[Sample], mean: f64) -> f64 {
    samples.iter().map(|s| (s.ops / s.seconds - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of 10 ms with a noise of 20 %: that many at each rate.
    fn series(parts: &[(usize, f64)], seed: u64) -> Vec<Sample> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut sample = |rate: f64| Sample {
            seconds: 0.01,
            ops: rate * 0.01 * (1.0 + 0.4 * 3f64.sqrt() * (random.f64() - 0.5)),
        };
        parts.iter().flat_map(|&(n, rate)| vec![rate; n]).map(&mut sample).collect()
    }

    #[test]
    fn a_fall_is_found_where_it_is() {
        for seed in 0..50 {
            let samples = series(&[(400, 10_000.0), (200, 3000.0)], seed);
            let fall = settled_fall(&samples).expect("a fall");
            assert_eq!(fall.index, 400, "seed {seed}");
            assert!((fall.before / 10_000.0 - 1.0).abs() < 0.06 && (fall.after / 3000.0 - 1.0).abs() < 0.06);
        }
    }

    #[test]
    fn an_even_load_has_none() {
        for seed in 0..200 {
            assert_eq!(settled_fall(&series(&[(600, 10_000.0)], seed)), None, "seed {seed}");
        }
    }

    #[test]
    fn a_dip_a_rise_and_a_fall_that_goes_on_are_none() {
        for (parts, what) in [
            (vec![(400, 10_000.0), (20, 1000.0), (200, 10_000.0)], "a dip"),
            (vec![(300, 3000.0), (300, 10_000.0)], "a rise"),
            (vec![(400, 10_000.0), (30, 3000.0)], "too short"),
            (vec![(200, 10_000.0), (70, 8000.0), (70, 5000.0), (70, 2000.0)], "still falling"),
        ] {
            assert_eq!(settled_fall(&series(&parts, 3)), None, "{what}");
        }
    }
}

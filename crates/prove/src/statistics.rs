//! What repeats of a measurement say: medians, and ratios of pairs with intervals.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Resamples drawn.
const RESAMPLES: usize = 2000;

/// Fewer rounds have no interval.
const FEWEST_ROUNDS: usize = 3;

/// An interval whose ends are further apart than this leaves open whether a tenth was gained.
const WIDE: f64 = 1.2;

/// The upper end of a two-sided interval of 95 %.
const UPPER: f64 = 0.975;

/// The values of one variant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many.
    pub runs: usize,
    /// Their median.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of finite values; `None` of none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            1 => sorted[middle],
            _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
        };
        Some(Spread { runs: sorted.len(), median, min, max })
    }
}

/// How many times as long one variant took as another in the same round: the geometric mean over rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Below 1, the first was faster.
    pub ratio: f64,
    /// The 95 % interval; `None` of fewer than three rounds, whose scatter says nothing.
    pub interval: Option<[f64; 2]>,
    /// Rounds in which both ran.
    pub rounds: usize,
}

impl Ratio {
    /// Of pairs of positive times, one of each round; `None` of none.
    ///
    /// Rounds are resampled, because what both variants of a round met is its own. There are few of them, and
    /// the plain percentile interval would be too narrow: it is Student's t with the bootstrap's standard
    /// error of the mean logarithm, corrected by sqrt(n / (n - 1)), as for the epochs of a profile
    /// (Hesterberg, "What teachers should know about the bootstrap", The American Statistician 2015).
    pub fn of(pairs: &[(f64, f64)], seed: u64) -> Option<Ratio> {
        let logs: Vec<f64> = pairs.iter().map(|(first, second)| (first / second).ln()).collect();
        let rounds = logs.len();
        if rounds == 0 || logs.iter().any(|log| !log.is_finite()) {
            return None;
        }
        let mean = mean(&logs);
        let n = rounds as f64;
        let t = StudentsT::new(0.0, 1.0, n - 1.0).ok().filter(|_| rounds >= FEWEST_ROUNDS);
        let t = t.map(|t| t.inverse_cdf(UPPER));
        let interval = t.map(|t| {
            let half = t * standard_error(&logs, seed) * (n / (n - 1.0)).sqrt();
            [(mean - half).exp(), (mean + half).exp()]
        });
        Some(Ratio { ratio: mean.exp(), interval, rounds })
    }

    /// Whether both may have taken the same time.
    pub fn may_be_one(&self) -> bool {
        self.interval.is_none_or(|[low, high]| low <= 1.0 && 1.0 <= high)
    }

    /// Whether the interval leaves open what would matter.
    pub(crate) fn is_wide(&self) -> bool {
        self.interval.is_none_or(|[low, high]| high / low > WIDE)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of the mean, by the means of resamples.
fn standard_error(values: &[f64], seed: u64) -> f64 {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut draw = || mean(&values.iter().map(|_| values[random.usize(..values.len())]).collect::<Vec<_>>());
    let means: Vec<f64> = (0..RESAMPLES).map(|_| draw()).collect();
    let middle = mean(&means);
    (means.iter().map(|of| (of - middle).powi(2)).sum::<f64>() / (RESAMPLES - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slows_a_whole_round_down_is_no_part_of_a_ratio() {
        let pairs: Vec<(f64, f64)> =
            [1.0, 3.0, 0.5, 8.0].iter().map(|slow| (2.0 * slow, 4.0 * slow)).collect();
        let ratio = Ratio::of(&pairs, 1).unwrap();
        assert!((ratio.ratio - 0.5).abs() < 1e-12 && ratio.rounds == 4);
        let [low, high] = ratio.interval.unwrap();
        assert!((low - 0.5).abs() < 1e-9 && (high - 0.5).abs() < 1e-9);
    }

    #[test]
    fn intervals_of_six_rounds_hold_the_true_ratio_in_about_95_of_100() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut held = 0;
        for seed in 0..400 {
            // Sums of uniforms are near enough to normal; both of a round share most of what they meet.
            let mut noise = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            let pair = |_| {
                let round = noise();
                ((0.3 + round + 0.1 * noise()).exp(), (round + 0.1 * noise()).exp())
            };
            let pairs: Vec<(f64, f64)> = (0..6).map(pair).collect();
            let [low, high] = Ratio::of(&pairs, seed).unwrap().interval.unwrap();
            held += u32::from(low <= 0.3_f64.exp() && 0.3_f64.exp() <= high);
        }
        // 380 expected, standard deviation 4.4.
        assert!((364..=395).contains(&held), "{held} of 400");
    }

    #[test]
    fn one_or_two_rounds_have_a_ratio_without_an_interval_and_none_has_none() {
        assert_eq!(Ratio::of(&[(3.0, 2.0)], 1).unwrap().interval, None);
        assert_eq!(Ratio::of(&[(3.0, 2.0), (1.0, 2.0)], 1).unwrap().interval, None);
        assert_eq!(Ratio::of(&[], 1), None);
        // A time of zero is no time.
        assert_eq!(Ratio::of(&[(3.0, 0.0)], 1), None);
        assert_eq!(Ratio::of(&[(1.0, 2.0), (2.0, 1.5)], 7), Ratio::of(&[(1.0, 2.0), (2.0, 1.5)], 7));
    }

    #[test]
    fn a_spread_has_the_median_of_an_even_count_and_the_extremes() {
        let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(spread, Spread { runs: 4, median: 2.5, min: 1.0, max: 4.0 });
        assert_eq!(Spread::of(&[7.0]).unwrap().median, 7.0);
        assert_eq!(Spread::of(&[]), None);
    }
}

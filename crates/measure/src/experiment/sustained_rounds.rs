//! What a device sustains of a load that was measured once a round: of all rounds, or of those after a fall
//! that stayed.

use leadline_profile::IoCostRate;

use super::context::rate;
use crate::bootstrap::Resamples;

/// Every round after a fall is at most this share of every round before it; of a single one before it, which
/// may have had luck, at most the second.
const FALLEN: f64 = 0.8;
const FALLEN_FROM_ONE: f64 = 0.5;

/// Rounds after a fall at least: a single one may be chance, and has no interval.
const FEWEST_AFTER: usize = 2;

/// Of (amount, seconds) of each round, in order.
pub(super) fn sustained(rounds: &[(u64, f64)], seed: u64) -> IoCostRate {
    let rates: Vec<f64> = rounds.iter().map(|&(amount, seconds)| amount as f64 / seconds).collect();
    let (before, after) = rounds.split_at(fall(&rates).unwrap_or(0));
    let resamples = Resamples::new(after.len() as u32, seed);
    let (per_second, interval) = rate(after, resamples.as_ref());
    // It may be anywhere from the last round's on.
    let per_second_ci = interval.filter(|_| !falls_at_the_end(&rates));
    let before_fall = (!before.is_empty()).then(|| rate(before, None).0);
    IoCostRate { per_second, per_second_ci, rounds: rates, before_fall }
}

/// Whether the last round alone is as far below all others as a fall, so that it is open what is sustained.
pub(super) fn falls_at_the_end(rates: &[f64]) -> bool {
    rates.len() > 1 && depth(rates, rates.len() - 1) <= FALLEN
}

/// The first round after the deepest fall that stayed.
pub(super) fn fall(rates: &[f64]) -> Option<usize> {
    let splits = 1..(rates.len() + 1).saturating_sub(FEWEST_AFTER);
    let most = |i| if i == 1 { FALLEN_FROM_ONE } else { FALLEN };
    let falls = splits.map(|i| (i, depth(rates, i))).filter(|&(i, depth)| depth <= most(i));
    falls.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}

/// The highest rate from round `i` on / the lowest before.
fn depth(rates: &[f64], i: usize) -> f64 {
    let (before, after) = rates.split_at(i);
    after.iter().copied().fold(0.0, f64::max) / before.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rates: &[u64]) -> IoCostRate {
        sustained(&rates.iter().map(|&rate| (2 * rate, 2.0)).collect::<Vec<_>>(), 1)
    }

    #[test]
    fn a_steady_rate_is_that_of_all_rounds() {
        let found = of(&[1000, 1100, 900, 1000]);
        assert_eq!((found.per_second, found.before_fall), (1000.0, None));
        let [low, high] = found.per_second_ci.unwrap();
        assert!(low < 920.0 && high > 1080.0, "as wide as four such rounds deserve: {low} {high}");
        assert_eq!(found.rounds, [1000.0, 1100.0, 900.0, 1000.0]);
    }

    #[test]
    fn after_a_fall_only_what_stayed_counts_and_the_round_of_the_fall_does_not() {
        let found = of(&[3000, 3000, 1700, 300, 301, 299]);
        assert_eq!((found.per_second, found.before_fall), (300.0, Some(7700.0 / 3.0)));
        let [low, high] = found.per_second_ci.unwrap();
        assert!(low > 290.0 && high < 310.0, "{low} {high}");
        assert_eq!(of(&[3000, 300, 300]).per_second, 300.0);
        assert_eq!(of(&[3000, 3000, 2000, 2100]).per_second, 2050.0);
        assert_eq!(of(&[3000, 2000, 2100]).before_fall, None, "one good round");
        // A slow start, a dip and a rise are none.
        for rates in [[1000, 3000, 3000, 3000], [3000, 300, 3000, 3000], [3000, 2700, 2500, 2450]] {
            assert_eq!(of(&rates).before_fall, None, "{rates:?}");
        }
    }

    #[test]
    fn a_fall_in_the_last_round_leaves_open_what_is_sustained_and_is_told() {
        let found = of(&[3000, 3000, 3000, 300]);
        assert_eq!((found.per_second_ci, found.before_fall), (None, None));
        assert!(falls_at_the_end(&found.rounds));
        assert!(!falls_at_the_end(&[3000.0, 2500.0]) && !falls_at_the_end(&[3000.0]));
    }

    #[test]
    fn a_single_round_has_a_rate_and_no_interval() {
        let found = of(&[500]);
        assert_eq!((found.per_second, found.per_second_ci, found.before_fall), (500.0, None, None));
    }
}

//! Whether every that many reads one is slow: a period in a series of latencies, by autocorrelation.
//!
//! Two searches, as slow reads may be many and hardly stand out, or few and stand out clearly: correlation in
//! bands of periods ([`bands`]), and even distances of the slowest reads ([`events`]). What both find is
//! compared with the same in shuffled series ([`chance`]), measured ([`size`]), and told with what would have
//! been found ([`power`]). docs/experiment-read-disturb.md has it in words.

mod bands;
mod cells;
mod chance;
mod events;
mod power;
mod size;

pub(super) use self::cells::quantile;
use self::cells::{levelled, maxima, scores};
use self::chance::{Chance, Searched};
use self::power::Power;
pub(super) use self::size::Size;

/// Periods of which the smallest penalty is told that would have been found, reads.
const PERIODS: [f64; 4] = [30.0, 300.0, 3000.0, 30_000.0];

/// Where slow reads of the period and penalty that were found would hardly have been found, they are none.
const LEAST_PROBABILITY: f64 = 0.2;

/// Cells in a period of the autocorrelation that is kept, and periods of it.
const KEPT_CELLS: f64 = 64.0;
const KEPT_PERIODS: f64 = 3.5;

/// Lags of it where there is no period.
const KEPT_LAGS: usize = 256;

/// What a series of latencies says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Periodicity {
    /// Probability of as much periodicity in a series without order.
    pub(super) p_value: f64,
    /// The period and its penalty, where it is hardly chance.
    pub(super) size: Option<Size>,
    /// Share of such series in which a period like this is found.
    pub(super) detection_probability: Option<f64>,
    /// The smallest penalty that is found 19 times of 20, by period: (reads, microseconds).
    pub(super) detectable: Vec<(f64, f64)>,
    pub(super) correlation: Correlation,
}

/// Autocorrelation of the scores of a series in cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Correlation {
    /// Reads in a cell.
    pub(super) cell: usize,
    /// One a lag, from a lag of one cell on; -1 to 1.
    pub(super) values: Vec<f64>,
}

/// Probability of a period where there is none.
pub(super) const FALSE_ALARMS: f64 = chance::FALSE_ALARMS;

/// Analyses latencies in the order of the reads, microseconds.
pub(super) fn analyse(latencies: &[f64], seed: u64) -> Periodicity {
    let mut random = fastrand::Rng::with_seed(seed);
    let levelled = levelled(latencies);
    let searched = Searched::all(&levelled, &mut random);
    let chance = Chance::new(&searched, &mut random);
    let highest = chance.highest.filter(|_| chance.is_period());
    let size = highest.and_then(|peak| size::size(&levelled, peak.period, &mut random));
    let period = size.map(|size| size.period);
    let power = Power::new(&levelled, period, &searched, &chance, &mut random);
    // A peak that comes from something else than slow reads at even distances: those would not be found.
    let probability = size.map(|size| power.probability(size.period, size.penalty, &mut random));
    let size = size.filter(|size| size.penalty_ci[0] > 0.0 && probability >= Some(LEAST_PROBABILITY));
    let smallest = |period: f64, random: &mut fastrand::Rng| Some((period, power.smallest(period, random)?));
    Periodicity {
        p_value: chance.p_value,
        size,
        detection_probability: probability.filter(|_| size.is_some()),
        detectable: PERIODS.into_iter().filter_map(|period| smallest(period, &mut random)).collect(),
        correlation: correlation(&levelled, size.map(|size| size.period)),
    }
}

/// Whether latencies have a period that was found in others.
pub(super) fn recurs(latencies: &[f64], period: f64, seed: u64) -> bool {
    size::recurs(&levelled(latencies), period, &mut fastrand::Rng::with_seed(seed))
}

fn correlation(levelled: &[f64], period: Option<f64>) -> Correlation {
    let cell = period.map_or(1, |period| ((period / KEPT_CELLS) as usize).max(1));
    let lags = period.map_or(KEPT_LAGS, |period| (KEPT_PERIODS * period / cell as f64) as usize);
    let cells = maxima(levelled, cell);
    let lags = lags.min(cells.len() * 3 / 4);
    let scores = scores(&cells, 4 * lags.max(1));
    let sums = bands::correlation(&scores, lags);
    // In standard deviations, which are 1 / sqrt(pairs).
    let share = |(lag, &sum): (usize, &f32)| f64::from(sum) / ((scores.len() - lag) as f64).sqrt();
    Correlation { cell, values: sums.iter().enumerate().skip(1).map(share).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(r: &mut fastrand::Rng) -> f64 {
        (-2.0 * (1.0 - r.f64()).ln()).sqrt() * (std::f64::consts::TAU * r.f64()).cos()
    }

    /// Latencies of 100 us, and more: `slow_us` every `period` reads, give or take `drift`, and noise.
    fn series(reads: usize, sigma: f64, period: f64, drift: f64, slow_us: f64, seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut next = random.f64() * period;
        let latency = |i: usize| {
            let mut us = 100.0 * (sigma * normal(&mut random)).exp();
            if i as f64 >= next {
                next += period * (1.0 + drift * normal(&mut random));
                us += slow_us;
            }
            us
        };
        (0..reads).map(latency).collect()
    }

    #[track_caller]
    fn found(us: &[f64], period: f64, penalty: f64) {
        let found = analyse(us, 1);
        let size = found.size.unwrap_or_else(|| panic!("{period}: {found:?}"));
        let [low, high] = size.period_ci;
        assert!((size.period / period - 1.0).abs() < 0.02, "{period}: {size:?}");
        assert!(low < size.period && size.period < high && high / low < 1.1, "{size:?}");
        assert!((size.penalty / penalty - 1.0).abs() < 0.15, "{penalty}: {size:?}");
        assert!(found.p_value <= FALSE_ALARMS && found.detection_probability >= Some(0.9), "{found:?}");
    }

    #[test]
    fn periods_of_all_lengths_are_found_with_their_penalty() {
        for (period, penalty) in [(2.0, 60.0), (7.0, 60.0), (30.0, 60.0), (300.0, 200.0), (2500.0, 800.0)] {
            found(&series(20_000, 0.1, period, 0.0, penalty, 3), period, penalty);
        }
        // Eight slow reads.
        found(&series(1000, 0.2, 121.0, 0.0, 2000.0, 3), 121.0, 2000.0);
        // No noise at all.
        found(&series(5000, 0.0, 40.0, 0.0, 5.0, 3), 40.0, 5.0);
    }

    #[test]
    fn a_period_may_drift_a_little() {
        for (period, penalty) in [(30.0, 200.0), (300.0, 300.0), (1500.0, 1000.0)] {
            found(&series(20_000, 0.1, period, 0.02, penalty, 5), period, penalty);
        }
    }

    #[test]
    fn one_very_slow_read_hides_nothing() {
        let mut us = series(10_000, 0.1, 50.0, 0.0, 100.0, 7);
        us[1234] = 1e6;
        found(&us, 50.0, 100.0);
    }

    #[test]
    fn what_has_no_period_has_none() {
        let mut wrong = 0;
        for seed in 0..10 {
            wrong +=
                u32::from(analyse(&series(2000, 0.2, f64::INFINITY, 0.0, 0.0, seed), seed).size.is_some());
        }
        assert!(wrong <= 1, "{wrong} of 10");
        // Nor what is slow for a while, slower and slower, all alike, or too short.
        let mut bursts = series(20_000, 0.1, f64::INFINITY, 0.0, 0.0, 1);
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..30 {
            let at = random.usize(..19_900);
            bursts[at..at + 40].iter_mut().for_each(|us| *us += 300.0);
        }
        let warming: Vec<f64> = series(20_000, 0.05, f64::INFINITY, 0.0, 0.0, 1)
            .iter()
            .enumerate()
            .map(|(i, us)| us + i as f64 / 50.0)
            .collect();
        for us in [bursts, warming, vec![100.0; 20_000], vec![100.0, 200.0, 100.0]] {
            let found = analyse(&us, 1);
            assert_eq!(found.size, None, "{} reads: {found:?}", us.len());
        }
    }

    #[test]
    fn what_is_said_to_be_found_is_found_and_much_less_is_not() {
        let none = analyse(&series(5000, 0.15, f64::INFINITY, 0.0, 0.0, 1), 1);
        for (period, penalty) in none.detectable {
            let of =
                |times: f64, seed| analyse(&series(10_000, 0.15, period, 0.0, times * penalty, seed), seed);
            let found = (0..3).filter(|&seed| of(1.4, seed).size.is_some()).count();
            assert!(found >= 2, "{period}, {penalty}: {found} of 3");
            assert!(of(0.3, 0).size.is_none(), "{period}, {penalty}");
        }
    }

    #[test]
    fn a_period_recurs_only_as_itself() {
        let us = series(10_000, 0.1, 50.0, 0.0, 100.0, 7);
        assert!(recurs(&us, 50.0, 1) && recurs(&us, 51.0, 1));
        assert!(!recurs(&us, 75.0, 1) && !recurs(&series(10_000, 0.1, f64::INFINITY, 0.0, 0.0, 1), 50.0, 1));
    }
}

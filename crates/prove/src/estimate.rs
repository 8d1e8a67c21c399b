//! What was measured once in each round, as one number.

use serde::{Deserialize, Serialize};

use crate::Ratio;

/// A positive quantity: the geometric mean over rounds, with the interval of a [`Ratio`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// The 95 % interval; `None` of a single round.
    pub interval: Option<[f64; 2]>,
    /// The smallest and the largest of any round.
    pub extremes: [f64; 2],
    /// How many rounds.
    pub rounds: usize,
}

impl Estimate {
    /// Of positive values, one of each round; `None` of none.
    pub fn of(values: &[f64], seed: u64) -> Option<Estimate> {
        let pairs: Vec<(f64, f64)> = values.iter().map(|value| (*value, 1.0)).collect();
        let Ratio { ratio: value, interval, rounds } = Ratio::of(&pairs, seed)?;
        let min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let max = values.iter().copied().fold(0.0, f64::max);
        Some(Estimate { value, interval, extremes: [min, max], rounds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_become_a_geometric_mean_with_an_interval_and_extremes() {
        let found = Estimate::of(&[1.0, 4.0, 2.0], 1).unwrap();
        assert!((found.value - 2.0).abs() < 1e-12 && found.rounds == 3);
        assert_eq!(found.extremes, [1.0, 4.0]);
        let [low, high] = found.interval.unwrap();
        assert!(low < 2.0 && 2.0 < high, "{low} to {high}");
        assert_eq!(Estimate::of(&[3.0], 1).unwrap().interval, None);
        assert_eq!(Estimate::of(&[], 1), None);
        assert_eq!(Estimate::of(&[1.0, 0.0], 1), None);
    }
}

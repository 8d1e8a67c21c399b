//! What repeats of a measurement say together.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// The upper end of a two-sided interval of 95 %.
const UPPER: f64 = 0.975;

/// The median of repeats, and how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Repeats.
    pub repeats: usize,
    /// Their median.
    pub median: f64,
    /// The 95 % interval of their mean by Student's t, at least 0; `None` of fewer than two repeats. With
    /// three repeats a bootstrap has too few values to draw from, so their spread is taken for normal.
    pub interval: Option<[f64; 2]>,
}

impl Summary {
    /// Of these values, all finite and at least 0; `None` where there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Summary> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let repeats = values.len();
        let middle = repeats / 2;
        let median = match repeats % 2 {
            _ if repeats == 0 => return None,
            1 => values[middle],
            _ => (values[middle - 1] + values[middle]) / 2.0,
        };
        Some(Summary { repeats, median, interval: interval(&values) })
    }
}

fn interval(values: &[f64]) -> Option<[f64; 2]> {
    let n = values.len() as f64;
    let t = StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf(UPPER);
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = t * (variance / n).sqrt();
    Some([(mean - half).max(0.0), mean + half])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_three_repeats_is_students() {
        // Mean 11, standard deviation 1, t of 2 degrees of freedom 4.3027.
        let summary = Summary::of([12.0, 10.0, 11.0]).unwrap();
        let [low, high] = summary.interval.unwrap();
        assert_eq!((summary.repeats, summary.median), (3, 11.0));
        assert!((high - 11.0 - 4.3027 / 3_f64.sqrt()).abs() < 1e-3, "{high}");
        assert!((low + high - 22.0).abs() < 1e-9);
    }

    #[test]
    fn one_repeat_has_no_interval_and_none_has_no_median() {
        assert_eq!(Summary::of([3.0]), Some(Summary { repeats: 1, median: 3.0, interval: None }));
        assert_eq!(Summary::of([]), None);
        assert_eq!(Summary::of([1.0, 3.0]).unwrap().median, 2.0);
    }
}

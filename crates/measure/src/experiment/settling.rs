//! Whether a quantity that is measured in successive windows has settled: two halves of the last windows
//! agree, and so narrowly that it is not for want of precision.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Windows of a half at least: fewer say too little of how far windows scatter.
const SHORTEST_HALF: usize = 3;

/// The two halves may differ by this share, at the far end of the 95 % interval of their difference.
const AGREE: f64 = 0.01;

/// No interval is narrower than this share of the value, to either side: what still changes by as much passes
/// for settled, and windows do not tell it from a level.
const RESOLUTION: f64 = AGREE;

/// The mean of the last windows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    /// How many of the last windows it is of.
    pub(super) windows: usize,
    pub(super) mean: f64,
    /// Its 95 % interval; `None` of one window.
    pub(super) ci: Option<[f64; 2]>,
}

/// The level of the last windows, of as many as agree; `None` where it has not settled.
///
/// The last 2 m windows agree, for any m from [`SHORTEST_HALF`] on, if the 95 % interval (Student's t) of the
/// difference of their halves' means lies within ±1 % of the mean.
pub(super) fn settled(windows: &[f64]) -> Option<Level> {
    let most = windows.len() / 2;
    (SHORTEST_HALF..=most).rev().map(|half| &windows[windows.len() - 2 * half..]).find_map(|last| {
        let (first, second) = last.split_at(last.len() / 2);
        let pooled = (squares(first) + squares(second)) / (last.len() - 2) as f64;
        let error = (pooled * 2.0 / first.len() as f64).sqrt();
        let furthest = (mean(first) - mean(second)).abs() + t(last.len() - 2) * error;
        (furthest <= AGREE * mean(last)).then(|| level(last))
    })
}

/// The level of that many windows that are given, whether it has settled or not: Student's t of their mean
/// and half of what their two halves differ by, added as squares.
pub(super) fn level(windows: &[f64]) -> Level {
    let (n, mean_of_all) = (windows.len(), mean(windows));
    let ci = (n > 1).then(|| {
        let (first, second) = windows.split_at(n / 2);
        let drift = (mean(first) - mean(second)) / 2.0;
        let error = (squares(windows) / (n - 1) as f64 / n as f64).sqrt();
        let half = (t(n - 1) * error).hypot(drift).max(RESOLUTION * mean_of_all);
        // What is positive has a positive interval.
        let factor = (half / mean_of_all).exp();
        [mean_of_all / factor, mean_of_all * factor]
    });
    Level { windows: n, mean: mean_of_all, ci: ci.filter(|_| mean_of_all > 0.0) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sum of squares round the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// Half-width of a 95 % interval in standard errors.
fn t(freedom: usize) -> f64 {
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows whose level goes from 1 to 4 with this time constant, with noise.
    fn approach(n: usize, constant: f64, noise: f64, seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut window = |i: usize| {
            let level = 4.0 - 3.0 * (-(i as f64 + 1.0) / constant).exp();
            // Sums of uniforms: near enough to normal.
            let normal = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            level * (1.0 + noise * normal)
        };
        (0..n).map(&mut window).collect()
    }

    #[test]
    fn a_level_is_found_once_it_is_reached_and_not_before() {
        for seed in 0..20 {
            for (constant, noise) in [(2.0, 0.002), (2.0, 0.01), (5.0, 0.002), (0.01, 0.004)] {
                let all = approach(200, constant, noise, seed);
                let n = (1..=200).find(|&n| settled(&all[..n]).is_some()).expect("it settles");
                let level = settled(&all[..n]).unwrap();
                assert!((level.mean / 4.0 - 1.0).abs() < 0.02, "{seed} {constant} {noise}: {level:?} at {n}");
                let [low, high] = level.ci.unwrap();
                assert!(low < level.mean && level.mean < high && high / low < 1.05, "{level:?}");
            }
        }
    }

    #[test]
    fn intervals_hold_the_level_in_about_95_of_100() {
        let held = (0..400u64).filter(|&seed| {
            let [low, high] = level(&approach(8, 1e-3, 0.03, seed)).ci.unwrap();
            low <= 4.0 && 4.0 <= high
        });
        let held = held.count();
        // The share of the drift makes them a little wider than they need be.
        assert!((370..=398).contains(&held), "{held} of 400");
    }

    #[test]
    fn what_drifts_or_scatters_has_not_settled() {
        let drift: Vec<f64> = (0..60).map(|i| 3.0 + 0.05 * f64::from(i)).collect();
        assert_eq!(settled(&drift), None);
        assert_eq!(settled(&approach(12, 1e-3, 0.2, 3)), None);
        assert_eq!(settled(&[2.0; 5]), None, "too few");
        assert_eq!(settled(&[2.0; 6]).unwrap().mean, 2.0);
        assert_eq!(level(&[2.0]).ci, None);
    }
}

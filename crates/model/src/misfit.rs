//! How far a model is from what was measured, near a given workload.
//!
//! A model that is right for random reads may be wrong for sequential writes; one number for both would make
//! the one prediction look worse than it is and the other better. So errors of observations like the workload
//! count most.
//!
//! Errors are of two kinds. Noise makes each observation miss a model that is right, and a prediction of what
//! the device does on average is not worse for it; what the fit makes of noise is in the resamples. Lack of
//! fit makes neighbours miss in the same direction. The noise is told from it by the differences between
//! neighbours on a curve (Gasser, Sroka and Jennen-Steinmetz, Biometrika 1986), in which what neighbours
//! share cancels.

use std::collections::BTreeMap;

use crate::{InFlight, Observation, Workload};
use leadline_profile::OpKind;

/// Distances at which an error has e^(-1/2) of its weight: doublings of k, doublings of the request, share of
/// reads, share of random requests.
const REACH: [f64; 4] = [1.5, 2.0, 0.25, 0.3];

/// Least weight of an error, however far away, so that there is always something to take an interval from.
const FLOOR: f64 = 1e-6;

/// Differences between neighbours from which their median is taken.
const ENOUGH: usize = 12;

/// Median of the square of a standard normal variate.
const MEDIAN_OF_SQUARES: f64 = 0.4549;

/// ln(predicted / measured) of each observation.
#[derive(Debug, Clone, Default)]
pub struct Misfit {
    errors: Vec<([f64; 4], f64)>,
    /// Variance of one observation's noise.
    noise: f64,
}

/// What a model gets wrong near a workload, logarithms of times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Near {
    /// Mean of ln(predicted / measured).
    pub shift: f64,
    /// Its variance where the model is right: noise alone.
    pub noise: f64,
    /// Mean of the squares.
    pub squares: f64,
    /// How many observations of equal weight would say as much.
    pub count: f64,
}

impl Misfit {
    /// From observations and what was predicted for them; those without a prediction are left out.
    pub fn new<'a>(predicted: impl Iterator<Item = (&'a Observation, Option<f64>)>) -> Self {
        let mut curves = BTreeMap::<[u64; 3], Vec<(f64, f64)>>::new();
        let (mut errors, mut known) = (Vec::new(), 0.0);
        for (o, seconds) in predicted {
            let Some(log) = seconds.map(|s| (s / o.seconds).ln()).filter(|log| log.is_finite()) else {
                continue;
            };
            let at = place(&o.workload);
            errors.push((at, log));
            known += o.relative_error.powi(2);
            curves.entry([at[1], at[2], at[3]].map(f64::to_bits)).or_default().push((at[0], log));
        }
        known /= errors.len().max(1) as f64;
        let noise = between_neighbours(curves.into_values()).unwrap_or(0.0).max(known);
        Misfit { errors, noise }
    }

    /// The errors near `workload`; zeros without any.
    pub fn near(&self, workload: &Workload) -> Near {
        let here = place(workload);
        let (mut weights, mut of_weights, mut sum, mut squares) = (0.0, 0.0, 0.0, 0.0);
        for (there, log) in &self.errors {
            let distance: f64 =
                here.iter().zip(there).zip(REACH).map(|((a, b), reach)| ((a - b) / reach).powi(2)).sum();
            let weight = (-0.5 * distance).exp() + FLOOR;
            weights += weight;
            of_weights += weight * weight;
            sum += weight * log;
            squares += weight * log * log;
        }
        if weights <= 0.0 {
            return Near::default();
        }
        let count = weights * weights / of_weights;
        Near { shift: sum / weights, noise: self.noise / count, squares: squares / weights, count }
    }
}

impl Near {
    /// Standard deviation of what noise does not explain: of what neighbours share, or of a scatter that is
    /// clearly more than noise.
    pub fn lack_of_fit(&self) -> f64 {
        let shared = self.shift.powi(2) - self.noise;
        let noise = self.noise * self.count;
        let scattered = self.squares - noise * (1.0 + 2.0 * (2.0 / self.count).sqrt());
        shared.max(scattered).max(0.0).sqrt()
    }
}

/// Variance of the noise of errors along curves over ln k: of each, how far it is from the line through its
/// neighbours. `None` where no curve has three.
///
/// From the median where there are enough: the few next to a kink of the curve, which no smooth model has,
/// would pass for noise in a mean, and be left out of what the model gets wrong.
fn between_neighbours(curves: impl Iterator<Item = Vec<(f64, f64)>>) -> Option<f64> {
    let mut squares = Vec::new();
    for mut curve in curves {
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        for three in curve.windows(3) {
            let [(left, before), (k, error), (right, after)] = [three[0], three[1], three[2]];
            let share = if right > left { (k - left) / (right - left) } else { 0.5 };
            let off = error - (1.0 - share) * before - share * after;
            squares.push(off * off / (1.0 + share * share + (1.0 - share) * (1.0 - share)));
        }
    }
    if squares.len() < ENOUGH {
        return (!squares.is_empty()).then(|| squares.iter().sum::<f64>() / squares.len() as f64);
    }
    squares.sort_unstable_by(f64::total_cmp);
    Some(squares[squares.len() / 2] / MEDIAN_OF_SQUARES)
}

fn place(w: &Workload) -> [f64; 4] {
    let k = match w.in_flight {
        InFlight::Together(k) => f64::from(k),
        // Reads and writes take turns: the kind with more requests stands for both.
        InFlight::Batches { .. } => {
            f64::from(w.in_flight.of(if w.reads >= w.writes { OpKind::Read } else { OpKind::Write }))
        }
    };
    [k.log2(), f64::from(w.block_bytes).log2(), w.read_share(), w.random_fraction]
}

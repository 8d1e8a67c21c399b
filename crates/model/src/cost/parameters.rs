//! The parameters of a cost function as the search sees them.
//!
//! Every parameter is the exponential of an unconstrained one, so that no step of the search can leave the
//! set of functions that fall and stay positive. The sigmoid's are a, b, k0 and g; the rational function's
//! are its asymptote, its levels' drops (from the last but one to the first), and all weights except the
//! first. In degree 2 a drop is to the next level, so that levels descend; in degree 3 it is to the
//! asymptote.

use super::CostShape;

/// Largest logarithm of a parameter, in either direction: keeps every sum and product finite for k up to 1e6.
const LARGEST_LOG: f64 = 40.0;

/// Steepest sigmoid, nearly a step: steeper ones differ only where nothing was measured.
const STEEPEST: f64 = 8.0;

/// A parameter from its logarithm.
pub(super) fn parameter(shape: CostShape, index: usize, log: f64) -> f64 {
    let steepness = shape == CostShape::Sigmoid && index == 3;
    let largest = if steepness { STEEPEST.ln() } else { LARGEST_LOG };
    log.clamp(-LARGEST_LOG, largest).exp()
}

/// The cost at `k`, and its derivatives by the logarithm of each parameter.
pub(super) fn value(shape: CostShape, p: &[f64], k: f64, slopes: &mut [f64]) -> f64 {
    match shape {
        CostShape::Sigmoid => {
            let ln_ratio = (k / p[2]).ln();
            let share = 1.0 / (1.0 + (p[3] * ln_ratio).exp());
            let steep = p[1] * p[3] * share * (1.0 - share);
            slopes.copy_from_slice(&[p[0], p[1] * share, steep, -steep * ln_ratio]);
            p[0] + p[1] * share
        }
        CostShape::Rational(degree) => rational(usize::from(degree), p, k, slopes),
    }
}

/// Whether each drop is to the next level, not to the asymptote.
pub(super) fn descends(degree: usize) -> bool {
    degree < 3
}

/// The asymptote, and each drop times the weight of the levels that it lifts.
fn rational(degree: usize, p: &[f64], k: f64, slopes: &mut [f64]) -> f64 {
    let (drops, weights) = p[1..].split_at(degree);
    // `slopes` holds the levels' weights until the cost is known; the first level's is 1.
    let (mut power, mut sum) = (1.0, 1.0);
    for (i, weight) in weights.iter().enumerate() {
        power *= k;
        slopes[degree + 1 + i] = weight * power;
        sum += weight * power;
    }
    let mut cost = p[0];
    slopes[0] = p[0];
    let mut above = 0.0;
    for i in 0..degree {
        let share = if i == 0 { 1.0 } else { slopes[degree + i] } / sum;
        above += share;
        let drop = degree - 1 - i;
        let lifted = if descends(degree) { above } else { share };
        slopes[1 + drop] = drops[drop] * lifted;
        cost += drops[drop] * lifted;
    }
    let mut level = p[0];
    for i in (1..=degree).rev() {
        slopes[degree + i] *= (level - cost) / sum;
        level = drops[degree - i] + if descends(degree) { level } else { p[0] };
    }
    cost
}

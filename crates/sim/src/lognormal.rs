//! Spread of times.

/// A lognormal variate of mean 1 whose logarithm has the standard deviation `sigma`.
pub(crate) fn lognormal(random: &mut fastrand::Rng, sigma: f64) -> f64 {
    // Box and Muller; the second variate is thrown away, so that one request draws the same numbers whatever
    // came before it.
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    let normal = radius * (std::f64::consts::TAU * random.f64()).cos();
    (sigma * normal - 0.5 * sigma * sigma).exp()
}

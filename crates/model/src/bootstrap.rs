//! Resampling observations: the intervals of every model's parameters and predictions.
//!
//! A Bayesian bootstrap (Rubin, The Annals of Statistics 1981): each observation gets an exponential weight,
//! so that none ever vanishes and a model that could be fitted to all can be fitted to every resample. Where
//! an observation's own error is known, its time is perturbed by it as well: a curve that passes through
//! every point would otherwise seem certain.

use crate::Observations;

/// How many resamples are drawn.
pub(crate) const RESAMPLES: usize = 200;

/// Half-width of a 95 % interval in standard errors.
pub(crate) const NORMAL_95: f64 = 1.96;

/// Draws resamples of observations, always the same ones.
pub(crate) struct Resampler<'a> {
    original: &'a Observations,
    drawn: Observations,
    random: fastrand::Rng,
}

impl<'a> Resampler<'a> {
    pub(crate) fn new(original: &'a Observations) -> Self {
        Resampler { original, drawn: original.clone(), random: fastrand::Rng::with_seed(0x5eed) }
    }

    pub(crate) fn next(&mut self) -> &Observations {
        for (drawn, original) in self.drawn.all.iter_mut().zip(&self.original.all) {
            drawn.weight = -(1.0 - self.random.f64()).ln() * original.weight;
            drawn.seconds = original.seconds * (original.relative_error * normal(&mut self.random)).exp();
        }
        &self.drawn
    }
}

/// A standard normal variate.
pub(crate) fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// The 2.5th and 97.5th percentile; `None` for fewer than 20 values.
pub(crate) fn percentiles(values: &mut [f64]) -> Option<[f64; 2]> {
    if values.len() < 20 {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
    Some([at(0.025), at(0.975)])
}

/// 95 % interval of a positive `value`: from the logarithmic deviations of the resamples and a misfit.
pub(crate) fn interval_of_logs(value: f64, logs: &[f64], misfit: f64) -> [f64; 2] {
    let finite: Vec<f64> = logs.iter().copied().filter(|log| log.is_finite()).collect();
    let variance = finite.iter().map(|log| log * log).sum::<f64>() / finite.len().max(1) as f64;
    // No interval is wider than a factor of a thousand: beyond that it says nothing, and must stay finite.
    let half = (NORMAL_95 * (variance + misfit * misfit).sqrt()).min(1000f64.ln());
    [value * (-half).exp(), value * half.exp()]
}

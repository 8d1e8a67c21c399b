//! The intervals of every model's parameters and predictions: a parametric bootstrap with Student's tails.
//!
//! A fitted model is measured again, two hundred times, with the noise that its own residuals show, and is
//! fitted to each of these (Davison and Hinkley, *Bootstrap Methods and their Application*, 1997, section
//! 7.3). Two things that plain resampling gets wrong where points are few are built in:
//!
//! - A fit passes nearer to its points than the truth does. The variance of the noise is the sum of squares
//!   over what remains of n points when the fitted numbers are taken off, not over n.
//! - That variance is itself an estimate. Each resample draws it again, s^2 nu / chi^2(nu), so that what is
//!   fitted scatters as Student's t does. For a mean, and for any model that is linear in its logarithms,
//!   the interval is the t interval; a knee such as P or k_r is searched again in every resample.
//!
//! Where an observation's own error is known, its noise is never taken for smaller than that.

use crate::observation::NORMAL_95;
use crate::{Model, Observation, Observations};
use leadline_profile::OpKind;

/// How many resamples are drawn.
pub(crate) const RESAMPLES: usize = 200;

/// Degrees of freedom from which chi^2 is drawn by Wilson and Hilferty's approximation (PNAS 1931).
const MANY: usize = 30;

/// Draws resamples of observations, always the same ones of the same observations.
pub(crate) struct Resampler {
    drawn: Observations,
    /// What the model says of each observation; its own time where the model says nothing.
    fitted: Vec<f64>,
    noise: [Noise; 3],
    random: fastrand::Rng,
}

/// The noise of the reads, of the writes, or of the mixes.
#[derive(Default, Clone, Copy)]
struct Noise {
    /// Sum of squared logarithmic residuals.
    squares: f64,
    /// Mean of the squares of what is known of each observation's own error.
    known: f64,
    points: usize,
    /// Points less fitted numbers.
    freedom: usize,
}

/// Which noise an observation has.
fn kind(o: &Observation) -> usize {
    match o.workload.only() {
        Some(OpKind::Read) => 0,
        Some(OpKind::Write) => 1,
        None => 2,
    }
}

impl Resampler {
    /// `None` where nothing is known of the noise: there are no more points than fitted numbers, or all lie
    /// exactly on the model, and their own errors are not known.
    pub(crate) fn new<M: Model>(model: &M, observations: &Observations) -> Option<Self> {
        let mut noise = [Noise::default(); 3];
        let mut fitted = Vec::with_capacity(observations.all.len());
        for o in &observations.all {
            let said = model.seconds(&o.workload).filter(|s| s.is_finite() && *s > 0.0);
            let noise = &mut noise[kind(o)];
            if let Some(said) = said {
                noise.squares += (o.seconds / said).ln().powi(2);
                noise.known += o.relative_error.powi(2);
                noise.points += 1;
            }
            fitted.push(said.unwrap_or(o.seconds));
        }
        let numbers =
            [model.numbers(Some(OpKind::Read)), model.numbers(Some(OpKind::Write)), model.numbers(None)];
        for (noise, numbers) in noise.iter_mut().zip(numbers) {
            noise.known /= noise.points.max(1) as f64;
            noise.freedom = (noise.points as f64 - numbers).max(0.0) as usize;
        }
        let says_nothing = |n: &Noise| n.points > 0 && n.freedom == 0 && n.known <= 0.0;
        let drawn = observations.clone();
        // By what was measured: the same for the same data, and the luck of the draw is not the same for all.
        let bits = observations.all.iter().map(|o| o.seconds.to_bits());
        let random = fastrand::Rng::with_seed(bits.fold(0x5eed, |seed: u64, b| seed.rotate_left(7) ^ b));
        (!noise.iter().any(says_nothing)).then_some(Resampler { drawn, fitted, noise, random })
    }

    pub(crate) fn next(&mut self) -> &Observations {
        let random = &mut self.random;
        let beyond = self.noise.map(|noise| noise.beyond_known(random));
        for (drawn, fitted) in self.drawn.all.iter_mut().zip(&self.fitted) {
            let deviation = (drawn.relative_error.powi(2) + beyond[kind(drawn)]).sqrt();
            drawn.seconds = fitted * (deviation * normal(random)).exp();
        }
        &self.drawn
    }
}

impl Noise {
    /// A draw of the variance that the observations' own errors do not explain.
    fn beyond_known(&self, random: &mut fastrand::Rng) -> f64 {
        if self.freedom == 0 {
            return 0.0;
        }
        (self.squares / chi_squared(self.freedom, random) - self.known).max(0.0)
    }
}

/// A variate of chi squared with this many degrees of freedom, at least one.
fn chi_squared(freedom: usize, random: &mut fastrand::Rng) -> f64 {
    if freedom < MANY {
        return (0..freedom).map(|_| normal(random).powi(2)).sum();
    }
    let (n, z) = (freedom as f64, normal(random));
    n * (1.0 - 2.0 / (9.0 * n) + z * (2.0 / (9.0 * n)).sqrt()).powi(3)
}

/// A standard normal variate.
pub(crate) fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

/// Two of the values between which another one lies with a probability of 95 %; `None` for fewer than 39.
pub(crate) fn percentiles(values: &mut [f64]) -> Option<[f64; 2]> {
    // The smallest of n is exceeded by another with the probability n / (n + 1).
    let below = (0.025 * (values.len() + 1) as f64).floor() as usize;
    if below == 0 {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    Some([values[below - 1], values[values.len() - below]])
}

/// 95 % interval of a positive `value`: from the logarithmic deviations of the resamples and the standard
/// deviation of what the model gets wrong.
pub(crate) fn interval_of_logs(value: f64, logs: &mut Vec<f64>, misfit: f64) -> [f64; 2] {
    logs.retain(|log| log.is_finite());
    let [low, high] = percentiles(logs).unwrap_or([0.0, 0.0]);
    // No interval is wider than a factor of a thousand: beyond that it says nothing, and must stay finite.
    let most = 1000f64.ln();
    let half = |reach: f64| reach.max(0.0).hypot(NORMAL_95 * misfit).min(most);
    [value * (-half(-low)).exp(), value * half(high).exp()]
}

//! What the loads of `burst` come to: peak, baseline, credit and refill, each with its interval.
//!
//! Two uncertainties are in an interval: of each load, how exactly its levels and the place of its fall can
//! be told (resampled stretches of its samples, split again), and how far the loads differ from each other
//! (Student's t).

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::fall::{Fall, best_split, rate, total};
use super::sampled_load::Sample;
use super::stretches::resampled;

/// Resamples of one load.
const RESAMPLES: usize = 200;

/// A 95 % interval of a normal variate, in standard deviations.
const NORMAL: f64 = 1.96;

/// No interval is narrower than this share of the value: clock and window edges.
const RESOLUTION: f64 = 0.001;

/// A load that regained less than this share of the most did not find the credit full.
const FULL: f64 = 0.9;

/// After a fall, this share of what follows is left out of the baseline.
const SETTLING: f64 = 0.1;

/// One load.
#[derive(Debug, Clone)]
pub(super) struct Load {
    /// Rest before it, seconds.
    pub(super) rest_seconds: f64,
    pub(super) samples: Vec<Sample>,
    /// Where throughput fell, if it did.
    pub(super) fall: Option<Fall>,
}

/// A value and its 95 % interval.
pub(super) type Estimate = (f64, Option<[f64; 2]>);

/// What the loads come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Estimates {
    pub(super) peak: Option<Estimate>,
    pub(super) baseline: Option<Estimate>,
    pub(super) credit: Option<Estimate>,
    /// Operations per second of rest.
    pub(super) refill: Option<Estimate>,
    /// Of each load; `None` without a fall.
    pub(super) credits: Vec<Option<f64>>,
}

/// Levels of one load that fell.
#[derive(Debug, Clone, Copy)]
struct Levels {
    peak: f64,
    baseline: f64,
    /// Requests beyond the baseline.
    credit: f64,
}

impl Estimates {
    pub(super) fn new(loads: &[Load], seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let fallen: Vec<(&Load, Levels)> =
            loads.iter().filter_map(|load| Some((load, levels(&load.samples, load.fall?)))).collect();
        if fallen.is_empty() {
            return Estimates {
                peak: loads.first().map(|load| unlimited(&load.samples, &mut random)),
                credits: vec![None; loads.len()],
                ..Estimates::default()
            };
        }
        let errors: Vec<Levels> = fallen.iter().map(|(load, of)| error(load, of, &mut random)).collect();
        let most = fallen.iter().map(|(_, of)| of.credit).fold(0.0, f64::max);
        let is_full = |i: &usize| fallen[*i].1.credit >= FULL * most;
        let (full, partial): (Vec<usize>, Vec<usize>) = (0..fallen.len()).partition(is_full);
        let of = |which: &[usize], value: &dyn Fn(&Load, &Levels) -> f64, error: &dyn Fn(&Levels) -> f64| {
            let values: Vec<(f64, f64)> =
                which.iter().map(|&i| (value(fallen[i].0, &fallen[i].1), error(&errors[i]))).collect();
            estimate(&values)
        };
        let all: Vec<usize> = (0..fallen.len()).collect();
        let rested: Vec<usize> = partial.into_iter().filter(|&i| fallen[i].0.rest_seconds > 0.0).collect();
        Estimates {
            peak: of(&all, &|_, l| l.peak, &|e| e.peak),
            baseline: of(&all, &|_, l| l.baseline, &|e| e.baseline),
            credit: of(&full, &|_, l| l.credit, &|e| e.credit),
            refill: of(&rested, &|load, l| l.credit / load.rest_seconds, &|e| e.credit),
            credits: loads.iter().map(|load| Some(levels(&load.samples, load.fall?).credit)).collect(),
        }
    }
}

/// Throughput before and after, and what was done beyond the latter: that needs the exact place of the fall
/// only to tell the levels.
fn levels(samples: &[Sample], fall: Fall) -> Levels {
    let after = &samples[fall.index..];
    let settling = ((SETTLING * after.len() as f64).ceil() as usize).min(after.len() - 1);
    let baseline = rate(&after[settling..]);
    let (ops, seconds) = total(samples);
    Levels { peak: rate(&samples[..fall.index]), baseline, credit: ops - baseline * seconds }
}

/// Standard deviations of the logarithms of a load's levels, from stretches of its samples put together
/// again.
fn error(load: &Load, of: &Levels, random: &mut fastrand::Rng) -> Levels {
    let index = load.fall.map_or(load.samples.len(), |fall| fall.index);
    let (before, after) = load.samples.split_at(index);
    let again: Vec<Levels> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut samples = resampled(before, random);
            samples.extend(resampled(after, random));
            Some(levels(&samples, best_split(&samples)?))
        })
        .collect();
    let deviation = |value: f64, of: &dyn Fn(&Levels) -> f64| {
        let squares: f64 = again.iter().map(|l| (of(l) / value - 1.0).powi(2)).sum();
        (squares / again.len().max(1) as f64).sqrt()
    };
    Levels {
        peak: deviation(of.peak, &|l| l.peak),
        baseline: deviation(of.baseline, &|l| l.baseline),
        credit: deviation(of.credit, &|l| l.credit),
    }
}

/// Throughput of a load that never fell.
fn unlimited(samples: &[Sample], random: &mut fastrand::Rng) -> Estimate {
    let mean = rate(samples);
    let squares: f64 = (0..RESAMPLES).map(|_| (rate(&resampled(samples, random)) / mean - 1.0).powi(2)).sum();
    (mean, Some(around(mean, NORMAL * (squares / RESAMPLES as f64).sqrt())))
}

/// Mean of (value, relative standard error) with its interval; `None` of nothing.
fn estimate(values: &[(f64, f64)]) -> Option<Estimate> {
    let n = values.len() as f64;
    let mean = values.iter().map(|(value, _)| value).sum::<f64>() / n;
    if !(mean.is_finite() && mean > 0.0) {
        return None;
    }
    let own = values.iter().map(|(_, error)| error.powi(2)).sum::<f64>().sqrt() / n;
    let between = if values.len() < 2 {
        0.0
    } else {
        let squares: f64 = values.iter().map(|(value, _)| (value / mean - 1.0).powi(2)).sum();
        let t = StudentsT::new(0.0, 1.0, n - 1.0).map_or(NORMAL, |t| t.inverse_cdf(0.975));
        t * (squares / (n - 1.0) / n).sqrt()
    };
    Some((mean, Some(around(mean, (NORMAL * own).hypot(between)))))
}

/// An interval of positive numbers.
fn around(value: f64, half: f64) -> [f64; 2] {
    let half = half.max(RESOLUTION);
    [value * (-half).exp(), value * half.exp()]
}

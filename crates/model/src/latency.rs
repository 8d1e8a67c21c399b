//! Latency over load, from the `ladder` experiment: each percentile as a function of the share of the
//! capacity.

mod curve;
mod percentile;

pub use percentile::Percentile;

use crate::FitError;
use crate::interval::{normal, percentiles};
use curve::Curve;
use leadline_profile::{Ladder, LadderMix, Latency, Rung};

/// Latency percentiles over load, fitted to a ladder.
///
/// Each percentile of each mix follows L(rho) = L0 (1 + a rho^g / (1 - rho)), rho being the offered rate as a
/// share of the mix's closed-loop capacity: the latency of an idle device, and a queue that grows without
/// bound as rho nears 1. With g = 1 it is the latency of one server; a device of many servers has a larger g
/// and stays flat for longer. Between two mixes the logarithm of the latency, and the time a request takes of
/// the capacity, are interpolated.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyModel {
    mixes: Vec<MixModel>,
}

#[derive(Debug, Clone, PartialEq)]
struct MixModel {
    read_share: f64,
    capacity_iops: f64,
    /// Standard error of its logarithm; 0 where it is not known.
    capacity_error: f64,
    /// Lowest and highest load measured and kept.
    loads: [f64; 2],
    /// Whether there were higher ones, with which the device did not keep up.
    overloaded: bool,
    /// The rungs kept: load and latency.
    rungs: Vec<(f64, Latency)>,
    /// One per percentile, in their order.
    curves: Vec<Curve>,
}

/// The highest rate that a device sustains within a latency limit.
#[derive(Debug, Clone, PartialEq)]
pub struct SustainableRate {
    /// Requests per second, open loop.
    pub iops: f64,
    /// 95 % interval.
    pub iops_ci: [f64; 2],
    /// Share of the capacity of this mix.
    pub load: f64,
    /// The capacity, operations per second.
    pub capacity_iops: f64,
    /// What to keep in mind, such as that the rate may be higher than the highest one measured.
    pub warnings: Vec<String>,
}

/// Why a limit cannot be met, or nothing can be said about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LatencyError {
    /// The latency exceeds the limit even at the lowest load measured.
    #[error(
        "{percentile} is already {floor_us:.0} us at the lowest load, above the limit of {limit_us:.0} us"
    )]
    OutOfReach {
        /// The percentile.
        percentile: &'static str,
        /// The least it can be, microseconds.
        floor_us: f64,
        /// What was asked for, microseconds.
        limit_us: f64,
    },
    /// The ladder's mixes do not enclose this one.
    #[error(
        "{share_percent:.0} % reads is outside the measured range, {low_percent:.0} to {high_percent:.0} %"
    )]
    NotMeasured {
        /// Reads asked for, percent.
        share_percent: f64,
        /// The least measured, percent.
        low_percent: f64,
        /// The most measured, percent.
        high_percent: f64,
    },
}

/// Below this ratio of completed to offered requests a rung was overloaded: its latency depends on how long
/// it ran.
const KEPT_UP: f64 = 0.97;

/// Fewest rungs that a mix is fitted to.
const FEWEST_RUNGS: usize = 4;

/// Resamples of a curve.
const RESAMPLES: usize = 100;

impl LatencyModel {
    /// Fits every percentile of every mix.
    ///
    /// # Errors
    /// [`FitError`] where no mix has four rungs with which the device kept up.
    pub fn fit(ladder: &Ladder) -> Result<Self, FitError> {
        let mut mixes: Vec<MixModel> = ladder.mixes.iter().filter_map(MixModel::fit).collect();
        mixes.sort_by(|a, b| a.read_share.total_cmp(&b.read_share));
        if mixes.is_empty() {
            let needs =
                format!("a mix with {FEWEST_RUNGS} rungs at which the device kept up; run the ladder again");
            return Err(FitError::new("latency", needs));
        }
        Ok(LatencyModel { mixes })
    }

    /// Shares of reads that were measured, ascending.
    pub fn read_shares(&self) -> Vec<f64> {
        self.mixes.iter().map(|m| m.read_share).collect()
    }

    /// Latency at `load`, a share of the capacity from 0 to 1, microseconds; `None` for a share of reads
    /// outside those measured.
    pub fn latency_us(&self, percentile: Percentile, read_share: f64, load: f64) -> Option<f64> {
        Some(self.between(read_share)?.latency_us(percentile, load))
    }

    /// The highest open-loop rate at which `percentile` stays within `limit_us`.
    ///
    /// # Errors
    /// [`LatencyError`].
    pub fn sustainable_rate(
        &self,
        percentile: Percentile,
        limit_us: f64,
        read_share: f64,
    ) -> Result<SustainableRate, LatencyError> {
        let Some(between) = self.between(read_share) else {
            let (first, last) = (&self.mixes[0], &self.mixes[self.mixes.len() - 1]);
            return Err(LatencyError::NotMeasured {
                share_percent: read_share * 100.0,
                low_percent: first.read_share * 100.0,
                high_percent: last.read_share * 100.0,
            });
        };
        let [low, high] = between.loads();
        let floor_us = between.latency_us(percentile, low);
        if floor_us > limit_us {
            return Err(LatencyError::OutOfReach { percentile: percentile.name(), floor_us, limit_us });
        }
        let load = between.load_at(percentile, limit_us);
        let capacity_iops = between.capacity_iops();
        // The device may drift until the rate is used, as it did between the ladder's rounds.
        let mut random = fastrand::Rng::with_seed(0xd21f);
        let error = between.lower.capacity_error.max(between.upper.capacity_error);
        let mut rates: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let lower = between.lower.resampled(percentile, &mut random);
                let upper = between.upper.resampled(percentile, &mut random);
                let drawn = Between { lower: &lower, upper: &upper, weight: between.weight };
                drawn.load_at(percentile, limit_us) * (error * normal(&mut random)).exp()
            })
            .collect();
        let [less, more] = percentiles(&mut rates).unwrap_or([load, load]);
        let mut warnings = Vec::new();
        if load >= high {
            let percent = high * 100.0;
            warnings.push(if between.lower.overloaded || between.upper.overloaded {
                format!("within the limit at {percent:.0} % of the capacity; at higher loads it did not keep up")
            } else {
                format!(
                    "still within the limit at the highest load measured, {percent:.0} % of the capacity: it may \
                     sustain more"
                )
            });
        }
        Ok(SustainableRate {
            iops: load * capacity_iops,
            iops_ci: [less.min(load) * capacity_iops, more.max(load) * capacity_iops],
            load,
            capacity_iops,
            warnings,
        })
    }

    /// The measured mixes around a share of reads.
    fn between(&self, read_share: f64) -> Option<Between<'_>> {
        let above = self.mixes.iter().position(|m| m.read_share >= read_share - 1e-9)?;
        let upper = &self.mixes[above];
        if (upper.read_share - read_share).abs() < 1e-9 {
            return Some(Between { lower: upper, upper, weight: 0.0 });
        }
        let lower = &self.mixes[above.checked_sub(1)?];
        let weight = (read_share - lower.read_share) / (upper.read_share - lower.read_share);
        Some(Between { lower, upper, weight })
    }
}

/// A mix between two measured ones; `weight` is the upper one's.
struct Between<'a> {
    lower: &'a MixModel,
    upper: &'a MixModel,
    weight: f64,
}

impl Between<'_> {
    fn loads(&self) -> [f64; 2] {
        let ([a, b], [c, d]) = (self.lower.loads, self.upper.loads);
        let high = b.min(d);
        [a.max(c).min(high), high]
    }

    /// Interpolates the share of the capacity that a request takes, which adds up.
    fn capacity_iops(&self) -> f64 {
        1.0 / ((1.0 - self.weight) / self.lower.capacity_iops + self.weight / self.upper.capacity_iops)
    }

    /// Never below a lower percentile's, although separately fitted curves may cross.
    fn latency_us(&self, percentile: Percentile, load: f64) -> f64 {
        let of = |p: Percentile| {
            let log = |mix: &MixModel| mix.curves[p as usize].at(load).ln();
            ((1.0 - self.weight) * log(self.lower) + self.weight * log(self.upper)).exp()
        };
        Percentile::ALL.into_iter().filter(|p| *p <= percentile).map(of).fold(0.0, f64::max)
    }

    /// The highest load measured at which the latency stays within the limit; the lowest where none does.
    fn load_at(&self, percentile: Percentile, limit_us: f64) -> f64 {
        let [mut low, mut high] = self.loads();
        if self.latency_us(percentile, high) <= limit_us {
            return high;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.latency_us(percentile, middle) <= limit_us { low = middle } else { high = middle }
        }
        low
    }
}

impl MixModel {
    fn fit(mix: &LadderMix) -> Option<MixModel> {
        let rungs: Vec<(f64, Latency)> = mix
            .rungs
            .iter()
            .filter(|rung| rung.iops >= KEPT_UP * rung.offered_iops)
            .map(|rung| (rung.offered_iops / mix.capacity_iops, rung.latency_us))
            .filter(|(load, _)| *load > 0.0 && *load < 1.0)
            .filter(|(_, latency)| Percentile::ALL.iter().all(|p| p.of(latency) > 0.0))
            .collect();
        if rungs.len() < FEWEST_RUNGS {
            return None;
        }
        let ends = |[low, high]: [f64; 2], (load, _): &(f64, Latency)| [low.min(*load), high.max(*load)];
        let alike = vec![1.0; rungs.len()];
        let behind = |rung: &Rung| rung.iops < KEPT_UP * rung.offered_iops;
        Some(MixModel {
            overloaded: mix.rungs.iter().any(behind),
            read_share: mix.read_share,
            capacity_iops: mix.capacity_iops,
            capacity_error: crate::observation::log_error(mix.capacity_ci),
            loads: rungs.iter().fold([1.0, 0.0], ends),
            curves: curves(&rungs, &alike, Percentile::P99_99),
            rungs,
        })
    }

    /// The same, fitted to a resample up to this percentile: each rung with an exponential weight.
    fn resampled(&self, percentile: Percentile, random: &mut fastrand::Rng) -> MixModel {
        let weights: Vec<f64> = self.rungs.iter().map(|_| -(1.0 - random.f64()).ln()).collect();
        MixModel { curves: curves(&self.rungs, &weights, percentile), ..self.clone() }
    }
}

/// The curves of all percentiles up to `last`.
fn curves(rungs: &[(f64, Latency)], weights: &[f64], last: Percentile) -> Vec<Curve> {
    let of = |p: Percentile| {
        let points: Vec<[f64; 3]> = rungs
            .iter()
            .zip(weights)
            .map(|((load, latency), weight)| [*load, p.of(latency), *weight])
            .collect();
        Curve::fit(&points)
    };
    Percentile::ALL.into_iter().filter(|p| *p <= last).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M/M/1: the p-th percentile of the time in the system is -ln(1 - p) / (mu - lambda).
    fn mm1(read_share: f64, service_us: f64) -> LadderMix {
        let capacity = 1e6 / service_us;
        let rung = |load: f64| {
            let at = |p: f64| -(1.0 - p).ln() * service_us / (1.0 - load);
            Rung {
                offered_iops: load * capacity,
                iops: load * capacity,
                ops: 10_000,
                latency_us: Latency {
                    mean: service_us / (1.0 - load),
                    p50: at(0.5),
                    p90: at(0.9),
                    p99: at(0.99),
                    p99_5: at(0.995),
                    p99_9: at(0.999),
                    p99_95: at(0.9995),
                    p99_99: at(0.9999),
                    max: at(0.99999),
                },
            }
        };
        let rungs = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95].map(rung).to_vec();
        LadderMix { read_share, capacity_iops: capacity, capacity_ci: None, capacity_concurrency: 64, rungs }
    }

    fn ladder(mixes: Vec<LadderMix>) -> Ladder {
        Ladder { block_bytes: 4096, mixes, ..Ladder::default() }
    }

    #[test]
    fn one_server_sustains_what_queueing_theory_says() {
        let model = LatencyModel::fit(&ladder(vec![mm1(1.0, 100.0)])).unwrap();
        // p99 = 460.5 us / (1 - rho) <= 1000 us: rho <= 0.5395.
        let sustained = model.sustainable_rate(Percentile::P99, 1000.0, 1.0).unwrap();
        assert!((sustained.iops / 5395.0 - 1.0).abs() < 0.01, "{sustained:?}");
        assert!(sustained.iops_ci[0] <= sustained.iops && sustained.iops <= sustained.iops_ci[1]);
        let p50 = model.latency_us(Percentile::P50, 1.0, 0.5).unwrap();
        assert!((p50 / 138.6 - 1.0).abs() < 0.02, "{p50}");
    }

    #[test]
    fn a_limit_below_the_idle_latency_is_out_of_reach() {
        let model = LatencyModel::fit(&ladder(vec![mm1(1.0, 100.0)])).unwrap();
        let error = model.sustainable_rate(Percentile::P99, 300.0, 1.0).unwrap_err();
        assert!(matches!(error, LatencyError::OutOfReach { floor_us, .. } if floor_us > 450.0), "{error}");
    }

    #[test]
    fn a_limit_never_reached_gives_the_highest_load_measured_and_says_so() {
        let model = LatencyModel::fit(&ladder(vec![mm1(1.0, 100.0)])).unwrap();
        let sustained = model.sustainable_rate(Percentile::P50, 1e6, 1.0).unwrap();
        assert!((sustained.load - 0.95).abs() < 1e-6);
        assert_eq!(sustained.warnings.len(), 1);
    }

    #[test]
    fn a_mix_between_two_measured_ones_lies_between_them() {
        let model = LatencyModel::fit(&ladder(vec![mm1(0.5, 200.0), mm1(1.0, 100.0)])).unwrap();
        let rate = |share| model.sustainable_rate(Percentile::P99, 2000.0, share).unwrap().iops;
        assert!(rate(0.5) < rate(0.75) && rate(0.75) < rate(1.0));
        assert!(matches!(
            model.sustainable_rate(Percentile::P99, 2000.0, 0.3),
            Err(LatencyError::NotMeasured { .. })
        ));
    }

    #[test]
    fn rungs_with_which_the_device_did_not_keep_up_are_left_out() {
        let mut mix = mm1(1.0, 100.0);
        mix.rungs[7].iops *= 0.9;
        mix.rungs[7].latency_us.p99 = 1e7;
        let model = LatencyModel::fit(&ladder(vec![mix])).unwrap();
        let sustained = model.sustainable_rate(Percentile::P99, 1000.0, 1.0).unwrap();
        assert!((sustained.iops / 5395.0 - 1.0).abs() < 0.01, "{sustained:?}");
        let mut few = mm1(1.0, 100.0);
        few.rungs.truncate(3);
        assert!(LatencyModel::fit(&ladder(vec![few])).is_err());
    }
}

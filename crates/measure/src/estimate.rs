//! From a curve to its numbers: the plateau, throughput at depth 1, k, each with its resamples.

use std::collections::BTreeMap;

use crate::bootstrap::Resamples;
use crate::curve::{Curve, CurveId};
use crate::fit::{ADVISED, CurveFit, CurvePoint, REACHES};
use crate::smooth::SmoothCurve;

/// The smallest concurrency that reaches a share of the plateau.
pub struct Reaching {
    /// The share.
    pub level: f64,
    /// The concurrency.
    pub k: u32,
    /// Its interval.
    pub ci: Option<[u32; 2]>,
}

impl Reaching {
    fn new(fit: &CurveFit, smooth: Option<&SmoothCurve>, level: f64) -> Self {
        let k = match smooth {
            Some(curve) => whole(curve.reaching(level, highest(fit))).clamp(1, highest(fit)),
            None => fit.smallest_reaching(level),
        };
        Reaching { level, k, ci: None }
    }
}

/// How far a concurrency read off a smooth curve may be off although every resample agrees, as a share of it.
const SMOOTH_RESOLUTION: f64 = 0.01;

/// The smallest whole concurrency that is not below `k`: 75.999999 servers are 76.
fn whole(k: f64) -> u32 {
    (k - 1e-6).ceil().max(1.0) as u32
}

/// The highest concurrency of a fit, which has one.
fn highest(fit: &CurveFit) -> u32 {
    fit.ks[fit.ks.len() - 1]
}

/// One curve's numbers, and the same over the resamples where there are any.
pub struct CurveEstimate {
    /// What it is a curve of.
    pub id: CurveId,
    /// The fit to all epochs. Its plateau is the smooth curve's end where there is a smooth curve.
    pub fit: CurveFit,
    /// The smooth curve through it, where the points are of that kind.
    smooth: Option<SmoothCurve>,
    /// Throughput at depth 1, operations per second.
    pub depth_one: Option<f64>,
    /// Mean latency at depth 1, seconds.
    pub latency_one: Option<f64>,
    /// Median latency at depth 1, seconds.
    pub median_one: Option<f64>,
    /// Where it reaches 95 % of the plateau.
    pub k: Reaching,
    /// Where it reaches 90 %.
    pub k_90: Reaching,
    /// Interval of each point's throughput.
    pub point_ci: BTreeMap<u32, [f64; 2]>,
    /// The plateau of each resample; NaN where it has none.
    pub plateaus: Vec<f64>,
    /// Throughput at depth 1 of each resample; NaN where it has none.
    pub depth_ones: Vec<f64>,
}

impl CurveEstimate {
    /// Estimates one curve; `None` when it has no point with a completion.
    pub fn new(curve: &Curve, resamples: Option<&Resamples>, epochs: u32) -> Option<Self> {
        let points = curve.fit_points();
        if points.is_empty() {
            return None;
        }
        let mut fit = CurveFit::new(&points);
        let smooth = SmoothCurve::new(&points, &fit);
        if let Some(curve) = &smooth {
            fit.plateau = curve.at(highest(&fit).into());
        }
        let one = curve.points.get(&1).filter(|data| data.iops() > 0.0);
        let mut estimate = CurveEstimate {
            id: curve.id,
            depth_one: one.map(|data| data.iops()),
            latency_one: one.map(|data| data.mean_latency()),
            median_one: one.map(|data| data.latencies.quantile(0.5) as f64 / 1e9),
            k: Reaching::new(&fit, smooth.as_ref(), REACHES),
            k_90: Reaching::new(&fit, smooth.as_ref(), ADVISED),
            point_ci: BTreeMap::new(),
            plateaus: Vec::new(),
            depth_ones: Vec::new(),
            smooth,
            fit,
        };
        if let Some(resamples) = resamples {
            estimate.resample(curve, &points, resamples, epochs);
        }
        Some(estimate)
    }

    fn resample(&mut self, curve: &Curve, points: &[CurvePoint], resamples: &Resamples, epochs: u32) {
        // (operations, seconds) of each point in each epoch: all that a resample needs.
        let table: Vec<Vec<(f64, f64)>> =
            points.iter().map(|p| (0..epochs).map(|e| curve.points[&p.k].epoch(e)).collect()).collect();
        let mut ends: [(Vec<f64>, Vec<f64>); 2] = Default::default();
        let mut rates = vec![Vec::new(); points.len()];
        let mut resampled = Vec::with_capacity(points.len());
        for counts in resamples.iter() {
            resampled.clear();
            for (i, (point, row)) in points.iter().zip(&table).enumerate() {
                let (mut ops, mut seconds) = (0.0, 0.0);
                for (&count, &(o, s)) in counts.iter().zip(row) {
                    ops += f64::from(count) * o;
                    seconds += f64::from(count) * s;
                }
                if seconds > 0.0 && ops > 0.0 {
                    resampled.push(CurvePoint { iops: ops / seconds, weight: seconds, ..*point });
                }
                rates[i].push(ops / seconds);
            }
            let depth_one = resampled.first().filter(|p| p.k == 1).map_or(f64::NAN, |p| p.iops);
            self.depth_ones.push(depth_one);
            if resampled.is_empty() {
                self.plateaus.push(f64::NAN);
                continue;
            }
            if let Some(curve) = &self.smooth {
                let curve = curve.refitted(&resampled, &self.fit);
                self.plateaus.push(curve.at(highest(&self.fit).into()));
                for (level, (low, high)) in [self.k.level, self.k_90.level].into_iter().zip(&mut ends) {
                    let k = curve.reaching(level, highest(&self.fit));
                    low.push(k * (1.0 - SMOOTH_RESOLUTION));
                    high.push(k * (1.0 + SMOOTH_RESOLUTION));
                }
                continue;
            }
            // The plateau's points are those of the full fit: chosen anew, the choice's own luck would be
            // counted as noise of the device.
            let plateau = pooled(&resampled, &self.fit);
            self.plateaus.push(plateau);
            let fit = CurveFit { plateau, ..CurveFit::new(&resampled) };
            for (level, (low, high)) in [self.k.level, self.k_90.level].into_iter().zip(&mut ends) {
                // What was not measured between the bracket's ends is not known: k may be any of them.
                low.push(f64::from(fit.bracket(level).0 + 1));
                high.push(f64::from(fit.smallest_reaching(level)));
            }
        }
        for (point, rates) in points.iter().zip(rates) {
            if let Some(ci) = resamples.interval_of_positive(point.iops, &rates) {
                self.point_ci.insert(point.k, ci);
            }
        }
        for (reaching, (mut low, mut high)) in [&mut self.k, &mut self.k_90].into_iter().zip(ends) {
            let (low, high) = (resamples.percentiles(&mut low), resamples.percentiles(&mut high));
            if let (Some([low, _]), Some([_, high])) = (low, high) {
                let low = if self.smooth.is_some() { whole(low) } else { low.floor() as u32 };
                reaching.ci = Some([low.clamp(1, reaching.k), whole(high).max(reaching.k)]);
            }
        }
        if let (Some([_, high]), None) = (&mut self.k.ci, &self.smooth) {
            *high = self.fit.plateau_from.max(*high);
        }
    }

    /// X_max R_1: saturated throughput times mean latency at depth 1.
    pub fn little(&self) -> Option<f64> {
        self.latency_one.map(|latency| self.fit.plateau * latency)
    }

    /// Interval of the plateau.
    pub fn plateau_ci(&self, resamples: Option<&Resamples>) -> Option<[f64; 2]> {
        resamples?.interval_of_positive(self.fit.plateau, &self.plateaus)
    }
}

/// Throughput over the points of `fit`'s plateau: all operations / all time.
fn pooled(points: &[CurvePoint], fit: &CurveFit) -> f64 {
    let last = fit.ks[fit.ks.len() - 1];
    let plateau = points.iter().filter(|p| (fit.plateau_from..=last).contains(&p.k));
    let (ops, time) = plateau.fold((0.0, 0.0), |(ops, time), p| (ops + p.iops * p.weight, time + p.weight));
    ops / time
}

/// Estimates of every curve that has data, in the curves' order.
pub fn estimate_curves(curves: &[Curve], resamples: Option<&Resamples>, epochs: u32) -> Vec<CurveEstimate> {
    curves.iter().filter_map(|curve| CurveEstimate::new(curve, resamples, epochs)).collect()
}

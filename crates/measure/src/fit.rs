//! Reading a throughput curve: the monotone fit, its plateau, where it reaches 95 %, its knee.
//!
//! Pure functions over (concurrency, throughput) points; docs/method.md names each rule.

use leadline_model::monotone;

/// Share of the plateau that k must reach, as in the papers.
pub const REACHES: f64 = 0.95;

/// Share of the plateau that advice aims at: near a flat top the last percents cost many requests, and say
/// little.
pub const ADVISED: f64 = 0.9;

/// What cannot be told from the top of the fit even without noise: half a percent.
const SAME: f64 = 0.005;

/// Standard errors by which a point must be below the plateau not to belong to it: many points are held
/// against it, so that the customary two would turn one away too often.
const SURE: f64 = 2.5;

/// One measured point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Requests in flight.
    pub k: u32,
    /// Throughput, operations per second.
    pub iops: f64,
    /// Its standard error; 0 where unknown.
    pub error: f64,
    /// Device time spent on it: its weight in the fit.
    pub weight: f64,
}

/// A curve with its monotone fit and its plateau.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveFit {
    /// Concurrencies fitted, ascending. A collapse past the peak is left out.
    pub ks: Vec<u32>,
    /// Non-decreasing throughput at each.
    pub fit: Vec<f64>,
    /// Throughput of the plateau: pooled over all points whose fit cannot be told from the top.
    pub plateau: f64,
    /// Smallest concurrency that cannot be told from the plateau.
    pub plateau_from: u32,
    /// Throughput fell by more than 3 % and two standard errors past the peak.
    pub collapses: bool,
}

impl CurveFit {
    /// Fits `points`, which must be ascending in k and not empty.
    ///
    /// A non-decreasing curve by weighted least squares (pool adjacent violators). The plateau is the
    /// weighted mean of every point whose fitted value cannot be told from it (0.5 %, or 2.5 standard
    /// errors): not the luckiest point.
    pub fn new(points: &[CurvePoint]) -> CurveFit {
        assert!(!points.is_empty(), "a curve has points");
        debug_assert!(points.windows(2).all(|w| w[0].k < w[1].k), "points ascend in k");
        let kept = without_collapse(points);
        let used = &points[..kept];
        let fit = monotone(used.iter().map(|p| (p.iops, p.weight)));
        let first = plateau_start(used, &fit);
        CurveFit {
            ks: used.iter().map(|p| p.k).collect(),
            fit,
            plateau: pooled(&used[first..]),
            plateau_from: used[first].k,
            collapses: kept < points.len(),
        }
    }

    /// Concurrencies between which the fit crosses `level` of the plateau: (highest below, lowest not below).
    /// The first is 0 where k = 1 already reaches it.
    pub fn bracket(&self, level: f64) -> (u32, u32) {
        let goal = level * self.plateau;
        match self.fit.iter().position(|&x| reaches(x, goal)) {
            Some(0) => (0, self.ks[0]),
            Some(i) => (self.ks[i - 1], self.ks[i]),
            // A plateau pooled above its own top cannot be: the mean of the fit's last block is the fit.
            None => (self.ks[self.ks.len() - 1], self.ks[self.ks.len() - 1]),
        }
    }

    /// Smallest concurrency whose throughput, interpolated between measured points, reaches `level` of the
    /// plateau.
    pub fn smallest_reaching(&self, level: f64) -> u32 {
        let goal = level * self.plateau;
        let (low, high) = self.bracket(level);
        if low == 0 || low == high {
            return high;
        }
        let at =
            |k: u32| self.fit[self.ks.iter().position(|&x| x == k).expect("a bracket's ends are points")];
        let (below, above) = (at(low), at(high));
        let share = ((goal - below) / (above - below)).clamp(0.0, 1.0);
        let k = f64::from(low) + share * f64::from(high - low);
        // A hair below an integer is that integer: 75.9999 servers are 76.
        ((k - 1e-6).ceil() as u32).clamp(low + 1, high)
    }

    /// Whether the last doubling of concurrency still gained more than 5 %: k is then a lower bound. Needs
    /// points at two concurrencies at least a factor 1.9 apart; a single point tells nothing and counts as
    /// growing.
    pub fn still_grows(&self) -> bool {
        let last = self.ks.len() - 1;
        if self.collapses {
            return false;
        }
        let half = (0..last).rev().find(|&i| f64::from(self.ks[last]) >= 1.9 * f64::from(self.ks[i]));
        half.is_none_or(|i| self.fit[last] > 1.05 * self.fit[i])
    }

    /// Whether the fit rises by at most 2 % over the last two doublings.
    pub fn flat_at_end(&self) -> bool {
        let last = self.ks.len() - 1;
        let quarter = (0..last).rev().find(|&i| u64::from(self.ks[last]) >= 4 * u64::from(self.ks[i]));
        match quarter {
            Some(i) => !self.collapses && self.fit[last] <= 1.02 * self.fit[i],
            // A curve flat from k = 1 is flat, though it has fewer points.
            None => !self.collapses && self.fit[last] <= 1.02 * self.fit[0] && last >= 1,
        }
    }

    /// The knee by Kneedle (Satopää et al., ICDCSW 2011): both axes scaled to [0, 1], the point farthest
    /// above the diagonal, concurrency on a linear axis up to twice `plateau_from`. `None` with fewer than
    /// three points.
    pub fn kneedle(&self) -> Option<u32> {
        let limit = u64::from(self.plateau_from) * 2;
        let n = self.ks.iter().filter(|&&k| u64::from(k) <= limit).count();
        if n < 3 || self.fit[n - 1] <= self.fit[0] {
            return (n > 0 && self.fit[n - 1] <= self.fit[0]).then_some(self.ks[0]);
        }
        let x = |i: usize| f64::from(self.ks[i] - self.ks[0]) / f64::from(self.ks[n - 1] - self.ks[0]);
        let y = |i: usize| (self.fit[i] - self.fit[0]) / (self.fit[n - 1] - self.fit[0]);
        (0..n).max_by(|&a, &b| (y(a) - x(a)).total_cmp(&(y(b) - x(b)))).map(|i| self.ks[i])
    }
}

/// One part in 10^9 is rounding, not a shortfall.
fn reaches(value: f64, goal: f64) -> bool {
    value >= goal * (1.0 - 1e-9)
}

/// How many leading points to keep: trailing ones that fell by more than 3 % and two standard errors below
/// the best before them are a collapse (queue overflow, thrashing), not the plateau.
fn without_collapse(points: &[CurvePoint]) -> usize {
    let mut kept = points.len();
    while kept > 1 {
        let last = points[kept - 1];
        let best = points[..kept - 1].iter().max_by(|a, b| a.iops.total_cmp(&b.iops)).expect("not empty");
        if last.iops >= 0.97 * best.iops || best.iops - last.iops <= 2.0 * last.error.hypot(best.error) {
            break;
        }
        kept -= 1;
    }
    kept
}

/// Index of the first point of the plateau: from the top down, each point joins whose fitted value cannot be
/// told from the mean of those that have, so that a lucky top is soon outvoted.
fn plateau_start(points: &[CurvePoint], fit: &[f64]) -> usize {
    let error = typical_error(points);
    let mut first = points.len() - 1;
    while first > 0 {
        let plateau = pooled(&points[first..]);
        let joined = (points.len() - first) as f64;
        let same = SAME.max(SURE * error * (1.0 + 1.0 / joined).sqrt());
        if plateau - fit[first - 1] > same * plateau {
            break;
        }
        first -= 1;
    }
    first
}

/// Throughput over all points together: all operations / all time.
fn pooled(points: &[CurvePoint]) -> f64 {
    let (ops, time) =
        points.iter().fold((0.0, 0.0), |(ops, time), p| (ops + p.iops * p.weight, time + p.weight));
    ops / time
}

/// Median of the points' relative standard errors: each comes from a few epochs, and would by itself be now
/// too small, now too large.
pub(crate) fn typical_error(points: &[CurvePoint]) -> f64 {
    let mut errors: Vec<f64> = points.iter().map(|p| p.error / p.iops).collect();
    errors.sort_unstable_by(f64::total_cmp);
    errors[errors.len() / 2]
}

//! Where throughput stops growing: the P that PDAM and PIO divide a page's cost by, found among whole
//! numbers.
//!
//! A page costs c / min(k, P). For P between two neighbouring measured concurrencies a <= P <= b, points up
//! to a do not depend on P and points from b on depend on P alone. So the sum of squared logarithmic errors,
//! with the best c, is a parabola in ln P there, and the best whole number is next to its minimum: a few
//! candidates instead of every P.

use std::collections::BTreeMap;

use super::pages::pages;
use crate::Observations;
use leadline_profile::OpKind;

/// Costs of one kind of request over concurrency, in logarithms: ln(seconds per page).
///
/// A search looks at it once for every measured concurrency, so what is below and above each is added up
/// beforehand.
pub(super) struct Curve {
    /// Measured concurrencies, ascending.
    ks: Vec<u32>,
    /// Of the first i concurrencies: seconds per page times k, which is c where k <= P.
    below: Vec<Moments>,
    /// Of all but the first i: seconds per page, which is c / P where k >= P.
    above: Vec<Moments>,
}

/// A whole number of requests that a device serves at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plateau {
    /// The number; of those that fit equally well, the smallest.
    pub(super) p: u32,
    /// Largest measured concurrency. Where `p` equals it, throughput was still growing.
    pub(super) largest: u32,
}

impl Plateau {
    /// Whether it may be larger.
    pub(super) fn is_lower_bound(self) -> bool {
        self.p == self.largest
    }

    /// The remark that says so; `name` is P, k_r or k_w.
    pub(super) fn remark(self, name: &str) -> Option<String> {
        let Plateau { p, largest } = self;
        self.is_lower_bound().then(|| {
            format!(
                "{name} = {p} is a lower bound: throughput still grows at k = {largest}, the largest measured"
            )
        })
    }
}

impl Curve {
    /// The observations of `op` alone; `None` where there are none.
    pub(super) fn of(observations: &Observations, op: OpKind) -> Option<Self> {
        let mut at = BTreeMap::<u32, Moments>::new();
        for o in observations.pure(op).filter(|o| o.weight > 0.0) {
            let log = (o.cost() / pages(o.workload.block_bytes)).ln();
            at.entry(o.concurrency()).or_default().add(log, o.weight);
        }
        let sums = |points: &mut dyn Iterator<Item = (f64, f64)>| {
            let mut sum = Moments::default();
            let rest = points.map(|(log, weight)| {
                sum.add(log, weight);
                sum
            });
            let mut sums = vec![Moments::default()];
            sums.extend(rest);
            sums
        };
        let below = sums(&mut at.iter().map(|(&k, m)| (m.mean + f64::from(k).ln(), m.weight)));
        let mut above = sums(&mut at.values().rev().map(|m| (m.mean, m.weight)));
        above.reverse();
        let ks: Vec<u32> = at.into_keys().collect();
        (!ks.is_empty()).then_some(Curve { ks, below, above })
    }

    /// How many different concurrencies there are.
    pub(super) fn concurrencies(&self) -> usize {
        self.ks.len()
    }

    /// The squared errors as a parabola in ln P, for P from `a` to the next larger measured concurrency.
    /// (Without the scatter among observations of one concurrency, which no P explains.)
    fn parabola(&self, a: u32) -> Parabola {
        let i = self.ks.partition_point(|&k| k <= a);
        let (below, above) = (self.below[i], self.above[i]);
        let width = below.weight * above.weight / (below.weight + above.weight);
        Parabola { floor: below.squares + above.squares, width, bottom: below.mean - above.mean }
    }
}

/// The one P that fits all curves best. `None` unless one of them has two concurrencies.
pub(super) fn plateau<'a>(curves: impl Iterator<Item = &'a Curve> + Clone) -> Option<Plateau> {
    if curves.clone().all(|curve| curve.concurrencies() < 2) {
        return None;
    }
    let mut ks: Vec<u32> = curves.clone().flat_map(|curve| curve.ks.iter().copied()).collect();
    ks.sort_unstable();
    ks.dedup();
    let (mut best, mut least) = (ks[0], f64::INFINITY);
    for pair in ks.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let parabola = curves.clone().map(|curve| curve.parabola(a)).reduce(Parabola::plus)?;
        // A cast from f64 to u32 saturates, so whatever the bottom is, the candidates stay between a and b.
        let bottom = parabola.bottom.exp();
        for p in [a, (bottom.floor() as u32).clamp(a, b), (bottom.ceil() as u32).clamp(a, b), b] {
            let error = parabola.at(f64::from(p).ln());
            // Better by more than rounding, so that of equals the smallest remains.
            if error < least * (1.0 - 1e-9) - 1e-20 {
                (best, least) = (p, error);
            }
        }
    }
    // No point tells apart the numbers up to the smallest concurrency; c makes up for them.
    let p = if best == ks[0] { 1 } else { best };
    Some(Plateau { p, largest: ks[ks.len() - 1] })
}

/// floor + width (x - bottom)^2
#[derive(Clone, Copy)]
struct Parabola {
    floor: f64,
    width: f64,
    bottom: f64,
}

impl Parabola {
    fn at(self, x: f64) -> f64 {
        self.floor + self.width * (x - self.bottom).powi(2)
    }

    fn plus(self, other: Parabola) -> Parabola {
        let width = self.width + other.width;
        if width <= 0.0 {
            return Parabola { floor: self.floor + other.floor, ..self };
        }
        let bottom = (self.width * self.bottom + other.width * other.bottom) / width;
        Parabola { floor: self.at(bottom) + other.at(bottom), width, bottom }
    }
}

/// A weighted mean and the squares about it, of positive weights, without the cancellation of a plain sum of
/// squares.
#[derive(Default, Clone, Copy)]
struct Moments {
    weight: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64, weight: f64) {
        self.weight += weight;
        let step = value - self.mean;
        self.mean += step * weight / self.weight;
        self.squares += weight * step * (value - self.mean);
    }
}

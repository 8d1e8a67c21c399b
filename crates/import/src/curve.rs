//! What a curve of throughput over concurrency says: by the rules of a measured profile where the curve
//! supports them, else nothing.

use leadline_measure::{ADVISED, CurveFit, CurvePoint, REACHES};

use crate::interval::around;
use crate::load::Load;

/// Concurrencies that a curve must have.
const LEAST_POINTS: usize = 3;

/// How far apart the lowest and the highest must be.
const LEAST_REACH: u32 = 4;

/// By how much each point may be off against the others, as a share: they are of one run each.
const APART: f64 = 0.05;

/// What a curve says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    /// It ends flat.
    Flat(Flat),
    /// It still grows at its end: neither how much the device does nor how many in flight that takes is
    /// known.
    Grows,
    /// It has too few concurrencies to say either.
    TooFew,
}

/// The numbers of a curve that ends flat.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flat {
    /// Requests per second.
    pub(crate) plateau: f64,
    pub(crate) plateau_ci: [f64; 2],
    /// Where 95 and 90 % of it are reached, each with its interval.
    pub(crate) k: (u32, [u32; 2]),
    pub(crate) k_90: (u32, [u32; 2]),
    pub(crate) knee: Option<u32>,
}

/// Of the loads of one kind, ascending in concurrency, each concurrency once.
pub(crate) fn read(loads: &[&Load]) -> Reading {
    let reach = |loads: &[&Load]| loads[loads.len() - 1].concurrency / loads[0].concurrency;
    if loads.len() < LEAST_POINTS || reach(loads) < LEAST_REACH {
        return Reading::TooFew;
    }
    let points: Vec<CurvePoint> = loads
        .iter()
        .map(|load| CurvePoint {
            k: load.concurrency,
            iops: load.iops(),
            error: load.spread.unwrap_or(0.0) * load.iops(),
            weight: load.seconds,
        })
        .collect();
    let fit = CurveFit::new(&points);
    if fit.still_grows() {
        return Reading::Grows;
    }
    let on_plateau = loads.iter().filter(|load| load.concurrency >= fit.plateau_from);
    // The most certain of them: they were pooled.
    let spread = on_plateau.filter_map(|load| load.spread).min_by(f64::total_cmp);
    Reading::Flat(Flat {
        plateau: fit.plateau,
        plateau_ci: around(fit.plateau, spread),
        k: reaching(&fit, REACHES),
        k_90: reaching(&fit, ADVISED),
        knee: fit.kneedle(),
    })
}

/// Where a share of the plateau is reached, and between which concurrencies that is if every point may be
/// off.
fn reaching(fit: &CurveFit, level: f64) -> (u32, [u32; 2]) {
    let k = fit.smallest_reaching(level);
    // What was not measured between two concurrencies is not known: it may be any of them.
    let low = fit.bracket(level * (1.0 - APART)).0.saturating_add(1);
    let high = fit.bracket((level * (1.0 + APART)).min(1.0)).1;
    (k, [low.min(k), high.max(k)])
}

#[cfg(test)]
mod tests {
    use leadline_profile::{Latency, OpKind, Pattern};

    use super::*;
    use crate::load::Kind;

    /// A device of eight servers that take 100 us each.
    fn load(concurrency: u32) -> Load {
        let kind = Kind { pattern: Pattern::Random, block_bytes: 4096, op: OpKind::Read, durable: false };
        let ops = 10_000.0 * f64::from(concurrency.min(8));
        let latency = Latency::default();
        Load { kind, concurrency, ops, seconds: 1.0, spread: Some(0.0), latency, histogram: Vec::new() }
    }

    fn reading(concurrencies: &[u32]) -> Reading {
        let loads: Vec<Load> = concurrencies.iter().map(|&k| load(k)).collect();
        read(&loads.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_flat_end_gives_the_servers_within_what_was_measured_between() {
        let Reading::Flat(flat) = reading(&[1, 2, 4, 8, 16, 32]) else { panic!() };
        assert_eq!(flat.plateau, 80_000.0);
        assert_eq!(flat.k_90, (8, [5, 8]));
        let Reading::Flat(coarse) = reading(&[1, 16, 64]) else { panic!() };
        assert!(coarse.k_90.1[0] == 2 && coarse.k_90.1[1] == 16, "{coarse:?}");
        let Reading::Flat(flat) = reading(&[16, 32, 64]) else { panic!() };
        assert_eq!(flat.k_90, (16, [1, 16]), "fewer than the fewest tried may do");
    }

    #[test]
    fn a_curve_that_grows_or_has_too_few_points_gives_nothing() {
        assert_eq!(reading(&[1, 2, 4, 8]), Reading::Grows);
        assert_eq!(reading(&[8, 32]), Reading::TooFew);
        assert_eq!(reading(&[8, 12, 16]), Reading::TooFew);
        assert_eq!(reading(&[32]), Reading::TooFew);
    }
}

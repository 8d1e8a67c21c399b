//! Which concurrency to try next: double until throughput stops growing, then bisect round the knee.

use crate::fit::{CurveFit, CurvePoint, REACHES};

/// A doubling must gain this much over the best before it to count as growth.
const GROWTH: f64 = 1.03;

/// A bracket this narrow, as a share of k, is narrow enough.
const RESOLUTION: f64 = 0.025;

/// A level below the one where k is read off, bracketed coarsely, so that noise about k is not read as a k
/// far lower.
const BELOW: f64 = 0.9;

/// Where the plateau must show itself: at these multiples of k, or within this share of them. At the first, k
/// / 0.95 servers are all busy.
const ABOVE: [(f64, f64); 3] = [(1.0 / REACHES, 0.005), (1.12, 0.04), (1.3, 0.08)];

/// The next concurrency worth measuring on a curve, or `None` when the curve is known well enough.
///
/// `points` ascend in k and may be noisy; `max` is the highest concurrency allowed. With `bisect` false it
/// only doubles. Doubling ends when two doublings in a row gained less than 3 % over the best before them,
/// when throughput fell by 30 %, or at `max`.
pub fn next_concurrency(points: &[CurvePoint], max: u32, bisect: bool) -> Option<u32> {
    let Some(last) = points.last() else { return Some(1) };
    if last.k < max && !stopped_growing(points) {
        return Some(last.k.saturating_mul(2).min(max));
    }
    if !bisect {
        return None;
    }
    let fit = CurveFit::new(points);
    let halve = |level: f64, resolution: f64| {
        let (low, high) = fit.bracket(level);
        let wide = high > low + 1 && f64::from(high - low) > resolution * f64::from(high);
        (low > 0 && wide).then(|| low + (high - low) / 2)
    };
    halve(REACHES, RESOLUTION)
        .or_else(|| halve(BELOW, 3.0 * RESOLUTION))
        .or_else(|| above_the_knee(points, &fit, max))
}

/// A concurrency just above k whose neighbourhood has not been measured.
fn above_the_knee(points: &[CurvePoint], fit: &CurveFit, max: u32) -> Option<u32> {
    let knee = f64::from(fit.smallest_reaching(REACHES));
    ABOVE.iter().find_map(|&(at, within)| {
        let k = (at * knee).round();
        let measured = points.iter().any(|p| (f64::from(p.k) - k).abs() <= within * k);
        (!measured && k > knee && k <= f64::from(max)).then_some(k as u32)
    })
}

fn stopped_growing(points: &[CurvePoint]) -> bool {
    // Bisected points lie between doublings; only the doublings say whether it grows.
    let doublings: Vec<&CurvePoint> = points
        .iter()
        .enumerate()
        .filter(|(i, p)| p.k.is_power_of_two() || *i + 1 == points.len())
        .map(|(_, p)| p)
        .collect();
    let n = doublings.len();
    if n < 3 {
        return false;
    }
    let best_before = |i: usize| doublings[..i].iter().map(|p| p.iops).fold(0.0, f64::max);
    let gained = |i: usize| doublings[i].iops > GROWTH * best_before(i);
    let fell = doublings[n - 1].iops < 0.7 * best_before(n - 1);
    fell || (!gained(n - 1) && !gained(n - 2))
}

/// The concurrencies that every epoch measures, out of all that the search tried: the doublings, and the
/// concurrencies round the knee. The rest only found the way. A `coarse` curve is asked for its ends only.
pub fn grid(points: &[CurvePoint], coarse: bool) -> Vec<u32> {
    if points.is_empty() {
        return Vec::new();
    }
    let fit = CurveFit::new(points);
    let last = points[points.len() - 1].k;
    let (low, high) = fit.bracket(REACHES);
    let (from, to) = (0.9 * f64::from(low), 1.45 * f64::from(high));
    // Far below the knee every second doubling draws the curve as well.
    let doubling = |k: u32| {
        let every = !coarse && f64::from(k) >= 0.4 * from;
        k.is_power_of_two() && (every || k.trailing_zeros().is_multiple_of(2))
    };
    let keep = |k: u32| doubling(k) || k == last || (from..=to).contains(&f64::from(k));
    points.iter().map(|p| p.k).filter(|&k| keep(k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the search on a curve as it would be measured, and returns all points.
    fn search(max: u32, curve: impl Fn(u32) -> f64) -> Vec<CurvePoint> {
        let mut points: Vec<CurvePoint> = Vec::new();
        while let Some(k) = next_concurrency(&points, max, true) {
            assert!(points.iter().all(|p| p.k != k), "{k} asked for twice");
            assert!(k >= 1 && k <= max);
            points.push(CurvePoint { k, iops: curve(k), error: 0.0, weight: 1.0 });
            points.sort_by_key(|p| p.k);
            assert!(points.len() < 60, "does not end");
        }
        points
    }

    #[test]
    fn an_ideal_device_of_any_size_is_found_exactly_or_within_the_resolution() {
        for servers in 1..=400u32 {
            let points = search(1024, |k| f64::from(k.min(servers)) * 12_345.6);
            let fit = CurveFit::new(&points);
            let truth = (0.95 * f64::from(servers)).ceil() as u32;
            let (low, _) = fit.bracket(REACHES);
            let k = fit.smallest_reaching(REACHES);
            assert!(low < truth && fit.plateau_from >= truth, "{servers} servers: {low} {truth} {k}");
            assert!(k.abs_diff(truth) as f64 <= 1.0 + 0.025 * f64::from(truth), "{servers}: {k} {truth}");
            assert!(f64::from(k - low - 1) <= 0.04 * f64::from(truth), "{servers}: {low}..{k}");
            let from = fit.plateau_from;
            assert!(
                from >= k && f64::from(from - low - 1) <= 0.14 * f64::from(truth),
                "{servers}: {low} {k} {from}"
            );
            assert!((fit.plateau / (f64::from(servers) * 12_345.6) - 1.0).abs() < 0.005);
            assert!(!fit.still_grows() && points.len() < 30);
        }
    }

    #[test]
    fn a_curve_that_never_stops_growing_ends_at_the_maximum_and_says_so() {
        let points = search(300, f64::from);
        assert_eq!(points.last().unwrap().k, 300);
        assert!(CurveFit::new(&points).still_grows());
    }

    #[test]
    fn a_flat_curve_needs_three_points() {
        let points = search(1024, |_| 100.0);
        assert_eq!(points.iter().map(|p| p.k).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(grid(&points, false), [1, 2, 4]);
    }

    #[test]
    fn a_curve_that_collapses_stops_early() {
        let points = search(1024, |k| if k <= 8 { f64::from(k) } else { 3.0 });
        assert!(points.last().unwrap().k <= 32);
        assert_eq!(CurveFit::new(&points).smallest_reaching(REACHES), 8);
    }
}

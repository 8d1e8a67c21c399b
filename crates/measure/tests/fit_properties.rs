//! What must hold of the fit, the knee and the search whatever the curve looks like.

use leadline_measure::{CurveFit, CurvePoint, next_concurrency};
use proptest::prelude::*;

/// Share of the plateau at which k is read off.
const REACHES: f64 = 0.95;

fn point(k: u32, iops: f64, error_share: f64) -> CurvePoint {
    CurvePoint { k, iops, error: error_share * iops, weight: 1.0 }
}

fn k(points: &[CurvePoint]) -> u32 {
    CurveFit::new(points).smallest_reaching(REACHES)
}

/// Runs the search as a session does; the curve may answer whatever it likes.
fn search(max: u32, mut curve: impl FnMut(u32) -> f64) -> Vec<CurvePoint> {
    let mut points: Vec<CurvePoint> = Vec::new();
    while let Some(k) = next_concurrency(&points, max, true) {
        assert!((1..=max).contains(&k), "asked for {k} of {max}");
        let at = points.partition_point(|p| p.k < k);
        assert!(points.get(at).is_none_or(|p| p.k != k), "asked for {k} twice");
        points.insert(at, point(k, curve(k), 0.0));
        assert!(points.len() < 60, "does not end: {points:?}");
    }
    points
}

/// Any curve: up to 24 points at any concurrencies, throughputs over twelve decades.
fn any_curve() -> impl Strategy<Value = Vec<CurvePoint>> {
    let iops = prop_oneof![-3.0..9.0, 3.0..3.2, Just(5.0)].prop_map(|exponent: f64| 10f64.powf(exponent));
    prop::collection::btree_map(1u32..5000, (iops, prop_oneof![Just(0.0), 0.0..0.1f64], 0.01..10.0f64), 1..24)
        .prop_map(|points| {
            let point = |(k, (iops, error, weight))| CurvePoint { k, iops, error: error * iops, weight };
            points.into_iter().map(point).collect()
        })
}

/// What every fit promises.
fn hold_promises(points: &[CurvePoint]) {
    let fit = CurveFit::new(points);
    let values = || points.iter().map(|p| p.iops);
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
    assert!(fit.fit.windows(2).all(|w| w[0] <= w[1]), "the fit falls: {fit:?}");
    assert!(fit.fit.iter().all(|x| x.is_finite()) && fit.plateau.is_finite(), "{fit:?}");
    assert_eq!(fit.fit.len(), fit.ks.len());
    assert!(
        low * (1.0 - 1e-9) <= fit.plateau && fit.plateau <= high * (1.0 + 1e-9),
        "plateau {} of {low}..{high}",
        fit.plateau
    );
    assert!(fit.ks.contains(&fit.plateau_from));
    let ks = points[0].k..=points[points.len() - 1].k;
    for level in [0.5, 0.9, REACHES, 1.0] {
        let (below, above) = fit.bracket(level);
        let k = fit.smallest_reaching(level);
        assert!(ks.contains(&k) && below <= k && k <= above, "k {k} in {below}..{above}");
    }
    // With larger errors than this, even a point below 95 % cannot be told from the plateau.
    if points.iter().all(|p| p.error <= 0.01 * p.iops) {
        assert!(fit.smallest_reaching(REACHES) <= fit.plateau_from, "{fit:?}");
    }
    assert!(fit.kneedle().is_none_or(|knee| fit.ks.contains(&knee)));
    if fit.ks[fit.ks.len() - 1] >= 2 * fit.ks[0] {
        assert!(!(fit.still_grows() && fit.flat_at_end()), "it cannot both grow and be flat: {fit:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_curve_has_a_rising_fit_a_plateau_within_it_and_a_k_within_it(points in any_curve()) {
        hold_promises(&points);
    }

    #[test]
    fn other_units_scale_the_plateau_and_leave_k(points in any_curve(), power in -30i32..30) {
        // A power of two scales without rounding, so that all must be exactly the same.
        let c = 2f64.powi(power);
        let scaled: Vec<CurvePoint> =
            points.iter().map(|p| CurvePoint { iops: c * p.iops, error: c * p.error, ..*p }).collect();
        let (one, other) = (CurveFit::new(&points), CurveFit::new(&scaled));
        prop_assert_eq!(other.plateau, c * one.plateau);
        prop_assert_eq!(other.plateau_from, one.plateau_from);
        prop_assert_eq!(other.smallest_reaching(REACHES), one.smallest_reaching(REACHES));
        prop_assert_eq!(other.kneedle(), one.kneedle());
        prop_assert_eq!(other.still_grows(), one.still_grows());
    }

    #[test]
    fn the_unit_of_time_spent_does_not_matter(points in any_curve(), power in -30i32..30) {
        let weighted: Vec<CurvePoint> =
            points.iter().map(|p| CurvePoint { weight: 2f64.powi(power) * p.weight, ..*p }).collect();
        prop_assert_eq!(CurveFit::new(&weighted), CurveFit::new(&points));
    }

    #[test]
    fn a_collapse_past_the_end_changes_neither_k_nor_plateau(points in any_curve(), share in 0.0..0.7f64) {
        let best = points.iter().map(|p| p.iops).fold(0.0, f64::max);
        let mut longer = points.clone();
        longer.push(point(2 * points[points.len() - 1].k, (share * best).max(1e-6), 0.0));
        let (one, other) = (CurveFit::new(&points), CurveFit::new(&longer));
        prop_assert!(other.collapses);
        prop_assert!(!other.still_grows());
        prop_assert_eq!(other.plateau, one.plateau);
        prop_assert_eq!(k(&longer), k(&points));
    }

    #[test]
    fn one_lucky_point_on_the_plateau_is_outvoted(
        servers in 1u32..200, doublings in 3u32..6, lucky in 0usize..6, error in 0.01..0.015f64,
    ) {
        // Doublings up to the knee, then a plateau of at least four points, one of them 3 % too high.
        let top = servers.next_power_of_two();
        let mut points: Vec<CurvePoint> = (0..=top.trailing_zeros() + doublings)
            .map(|i| point(1 << i, f64::from(servers.min(1 << i)) * 1000.0, error))
            .collect();
        let plateau: Vec<usize> = (0..points.len()).filter(|&i| points[i].k >= servers).collect();
        let at = plateau[lucky % plateau.len()];
        points[at].iops *= 1.03;
        let (found, truth) = (CurveFit::new(&points).plateau, f64::from(servers) * 1000.0);
        prop_assert!((found / truth - 1.0).abs() < 0.01, "{found}, truth {truth}");
    }

    #[test]
    fn the_search_ends_on_any_curve_and_asks_for_nothing_twice(
        answers in prop::collection::vec(prop_oneof![Just(0.0), 1e-3..1e9f64, 99.0..101.0f64], 60),
        max in prop_oneof![1u32..10, 1u32..=4096],
    ) {
        let mut answers = answers.into_iter();
        let points = search(max, |_| answers.next().expect("fewer than 60 steps"));
        prop_assert!(!points.is_empty() && points[0].k == 1);
        prop_assert_eq!(next_concurrency(&points, max, true), None);
    }

    #[test]
    fn the_search_ends_on_a_noisy_device_of_any_shape(
        servers in 1u32..3000, max in 1u32..=4096, noise in 0.0..0.5f64, seed: u64, falls in any::<bool>(),
    ) {
        let mut random = fastrand::Rng::with_seed(seed);
        let points = search(max, |k| {
            let over = f64::from(k.saturating_sub(servers));
            let ideal = f64::from(k.min(servers)) / if falls { 1.0 + 0.01 * over } else { 1.0 };
            1000.0 * ideal * (1.0 + noise * (random.f64() - 0.5))
        });
        hold_promises(&points);
    }

    #[test]
    fn without_bisecting_it_only_doubles(servers in 1u32..5000, max in 1u32..=4096) {
        let mut points: Vec<CurvePoint> = Vec::new();
        while let Some(k) = next_concurrency(&points, max, false) {
            prop_assert!(k.is_power_of_two() || k == max);
            prop_assert!(points.last().is_none_or(|last| last.k < k));
            points.push(point(k, f64::from(k.min(servers)), 0.0));
        }
        let last = points[points.len() - 1].k;
        prop_assert!(last == max || last >= 2 * servers, "stopped at {last}, {servers} servers");
    }
}

#[test]
fn curves_of_one_two_and_equal_points() {
    let one = [point(1, 5.0, 0.0)];
    hold_promises(&one);
    assert_eq!((CurveFit::new(&one).plateau, k(&one)), (5.0, 1));
    assert!(CurveFit::new(&one).still_grows(), "one point tells nothing");
    for (first, second, truth) in [(5.0, 5.0, 1), (5.0, 10.0, 2), (10.0, 5.0, 1)] {
        let two = [point(1, first, 0.0), point(2, second, 0.0)];
        hold_promises(&two);
        assert_eq!(k(&two), truth, "{first} {second}");
    }
}

#[test]
fn decreasing_curves_have_k_at_their_first_point() {
    let points: Vec<CurvePoint> = (0..10).map(|i| point(1 << i, 1e6 / f64::from(i + 1), 0.0)).collect();
    let fit = CurveFit::new(&points);
    assert_eq!((fit.smallest_reaching(REACHES), fit.plateau, fit.collapses), (1, 1e6, true));
    assert!(!fit.still_grows());
}

#[test]
fn flat_curves_have_k_1_and_do_not_grow() {
    for iops in [1e-3, 1.0, 1e9] {
        let points: Vec<CurvePoint> = (0..10).map(|i| point(1 << i, iops, 0.0)).collect();
        let fit = CurveFit::new(&points);
        assert_eq!((fit.smallest_reaching(REACHES), fit.plateau_from), (1, 1));
        assert!((fit.plateau / iops - 1.0).abs() < 1e-12 && fit.flat_at_end() && !fit.still_grows());
        assert_eq!(fit.kneedle(), Some(1));
    }
}

#[test]
fn a_single_allowed_concurrency_is_asked_for_once() {
    assert_eq!(search(1, |_| 7.0).len(), 1);
    assert_eq!(search(2, f64::from).iter().map(|p| p.k).collect::<Vec<_>>(), [1, 2]);
    for max in [3, 100, 1000, 4095] {
        let points = search(max, f64::from);
        assert_eq!(points[points.len() - 1].k, max, "a growing curve is followed to the maximum");
        assert!(CurveFit::new(&points).still_grows(), "{max}");
    }
}

#[test]
fn search_without_bisection_sees_where_it_stopped() {
    // A hard wall: k is 95 % of the servers, interpolated between doublings that a bisection would have
    // narrowed.
    for servers in [5u32, 48, 100, 700] {
        let points: Vec<CurvePoint> =
            (0..13).map(|i| point(1 << i, f64::from(servers.min(1 << i)), 0.0)).collect();
        let fit = CurveFit::new(&points);
        let (low, high) = fit.bracket(REACHES);
        assert!(low < servers && servers <= high && high <= 2 * servers);
    }
}

#[test]
fn with_noise_of_one_percent_k_is_within_ten_percent_and_one() {
    let (mut tried, mut off) = (0, Vec::new());
    for servers in 1..300u32 {
        for seed in 0..4 {
            let mut random = fastrand::Rng::with_seed(u64::from(servers) << 8 | seed);
            // Sum of twelve uniforms: mean 6, standard deviation 1.
            let mut noisy = |k: u32| {
                let normal = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
                1e4 * f64::from(k.min(servers)) * (1.0 + 0.01 * normal)
            };
            // As a session does: one look to find the grid, eight epochs to measure it.
            let grid: Vec<u32> = search(1024, &mut noisy).iter().map(|p| p.k).collect();
            let points: Vec<CurvePoint> = grid
                .iter()
                .map(|&k| {
                    let mean = (0..8).map(|_| noisy(k)).sum::<f64>() / 8.0;
                    point(k, mean, 0.01 / 8f64.sqrt())
                })
                .collect();
            let (found, truth) = (k(&points), (0.95 * f64::from(servers)).ceil());
            tried += 1;
            if (f64::from(found) - truth).abs() > 0.1 * truth + 1.0 {
                off.push((servers, seed, found, truth));
            }
        }
    }
    assert!(off.is_empty(), "{} of {tried}: {off:?}", off.len());
}

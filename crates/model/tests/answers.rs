//! What answers: a prediction does not contradict what was measured.

use leadline_model::{
    Bottleneck, EXTRAPOLATED, INTERPOLATED, MEASURED, ModelComparison, Observation, Observations, Predict,
    Prediction, Workload,
};
use leadline_profile::OpKind;

use crate::common::truths::{Design, Truth, normal};

/// Reads of 37 us on 11 servers, writes of 20 us on 3.
fn device(noise: f64, seed: u64) -> Observations {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut all = Vec::new();
    for block in [4096, 8192] {
        for (op, us, servers) in [(OpKind::Read, 37.0, 11.0), (OpKind::Write, 20.0, 3.0f64)] {
            for k in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256u32] {
                let size = if block == 4096 { 1.0 } else { 1.2 };
                let seconds =
                    size * us * 1e-6 / f64::from(k).min(servers) * (noise * normal(&mut random)).exp();
                let workload = Workload::pure(op, 1.0, block, 1.0, k);
                all.push(Observation { workload, seconds, relative_error: noise, weight: 1.0 });
            }
        }
    }
    Observations { all, ..Observations::default() }
}

fn read(answers: &dyn Predict, k: u32) -> Prediction {
    answers.predict(&Workload::pure(OpKind::Read, 1.0, 4096, 1.0, k)).expect("reads")
}

#[test]
fn at_a_measured_point_the_measurement_answers() {
    for (noise, seed) in [(0.0, 1), (0.1, 1), (0.1, 2), (0.1, 3)] {
        let comparison = ModelComparison::new(device(noise, seed));
        let answers = comparison.answers().expect("models");
        assert!(!["dam", "affine"].contains(&answers.name()), "{} knows no concurrency", answers.name());
        for o in &comparison.observations.all {
            let asked =
                Workload { reads: 1e3 * o.workload.reads, writes: 1e3 * o.workload.writes, ..o.workload };
            let found = answers.predict(&asked).expect("measured");
            assert_eq!(found.model, MEASURED);
            assert!((found.seconds / (1e3 * o.seconds) - 1.0).abs() < 1e-9, "{o:?}: {found:?}");
            assert_eq!(answers.seconds(&o.workload).map(|s| (s / o.seconds * 1e9).round()), Some(1e9));
        }
    }
}

/// The kink at 11 servers lies between two measured concurrencies, where no smooth function shows it.
#[test]
fn between_measured_points_the_truth_of_a_noiseless_device_is_inside_the_interval() {
    let comparison = ModelComparison::new(device(0.0, 1));
    let answers = comparison.answers().expect("models");
    for k in 1..=256u32 {
        let truth = 37e-6 / f64::from(k).min(11.0);
        let found = read(answers, k);
        let [low, high] = found.seconds_ci;
        assert!(low <= truth * 1.000_001 && truth <= high * 1.000_001, "k = {k}: {truth} {found:?}");
        assert!((found.seconds / truth - 1.0).abs() < 0.1, "k = {k}: {truth} {found:?}");
        let one = answers.seconds(&Workload::pure(OpKind::Read, 1.0, 4096, 1.0, k)).expect("reads");
        assert_eq!(one.to_bits(), found.seconds.to_bits(), "both ways of asking");
        match k {
            ..=5 => assert_eq!(found.bottleneck, Bottleneck::Concurrency, "k = {k}"),
            12.. => assert_eq!(found.bottleneck, Bottleneck::Reads, "k = {k}"),
            _ => (),
        }
    }
}

#[test]
fn answers_do_not_jump_where_the_measured_points_are() {
    let comparison = ModelComparison::new(device(0.05, 7));
    let answers = comparison.answers().expect("models");
    for k in [64, 128] {
        let at = read(answers, k).seconds;
        for near in [k - 1, k + 1] {
            let found = read(answers, near);
            assert_eq!(found.model, INTERPOLATED);
            assert!((found.seconds / at - 1.0).abs() < 0.04, "{near}: {found:?}, {k}: {at}");
        }
    }
    let (beyond, last) = (read(answers, 300), read(answers, 256));
    assert_eq!(beyond.model, EXTRAPOLATED);
    assert!((beyond.seconds / last.seconds - 1.0).abs() < 0.04, "{beyond:?}, {last:?}");
    assert!(beyond.warnings[0].contains("300 was not measured"), "{beyond:?}");
}

/// On devices that follow a model, one with a kink and one without, measured at few concurrencies and at
/// many.
#[test]
fn intervals_between_measured_points_hold_the_truth() {
    let exhaustive = leadline_testing::exhaustive();
    let seeds = if exhaustive { 500 } else { 15 };
    for (truth, points) in [(Truth::Pdam, 5), (Truth::Pdam, 20), (Truth::Mqssd, 5), (Truth::Mqssd, 20)] {
        let (mut inside, mut all) = (0, 0);
        for seed in 0..seeds {
            let measured = truth.measured(Design { points, rows: 1, error_known: true }, seed);
            let comparison = ModelComparison::with_resamples(measured, 0);
            let answers = comparison.answers().expect("models");
            for k in [2, 7, 11, 12, 30, 90, 201] {
                for op in [OpKind::Read, OpKind::Write] {
                    let asked = Workload::pure(op, 1.0, 4096, 1.0, k);
                    let found = answers.predict(&asked).expect("measured");
                    if found.model == INTERPOLATED {
                        let [low, high] = found.seconds_ci;
                        let true_seconds = truth.seconds(&asked);
                        inside += u32::from(low <= true_seconds && true_seconds <= high);
                        all += 1;
                    }
                }
            }
        }
        let percent = 100.0 * f64::from(inside) / f64::from(all);
        println!("{truth:?}, {points} points: {percent:.1} % of {all}");
        assert!(
            percent >= if exhaustive { 93.0 } else { 90.0 },
            "{truth:?}, {points} points: {percent:.1} %"
        );
    }
}

//! PDAM and PIO on devices that follow them exactly, and against trying every P.

use leadline_model::{FittedModel, Model, Observation, Observations, Pdam, Pio, Workload};
use leadline_profile::{OpKind, Parameters, Pattern};
use proptest::prelude::*;

const KS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

fn observation(op: OpKind, k: u32, seconds: f64) -> Observation {
    let workload = Workload::pure(op, 1.0, 4096, 1.0, k);
    Observation { workload, seconds, relative_error: 0.0, weight: 1.0 }
}

/// A device that serves `at_once` requests, each `us`.
fn side(op: OpKind, us: f64, at_once: u32) -> Vec<Observation> {
    KS.into_iter().map(|k| observation(op, k, us * 1e-6 / f64::from(k.min(at_once)))).collect()
}

fn observations(sides: &[Vec<Observation>]) -> Observations {
    Observations { all: sides.concat(), ..Observations::default() }
}

fn published(pattern: Pattern, block_bytes: u32, k_r: Option<u32>, k_w: Option<u32>) -> Parameters {
    Parameters { k_r, k_w, ..Parameters::new(pattern, block_bytes) }
}

fn value(model: &impl Model, name: &str) -> f64 {
    let found = model.parameters().into_iter().find(|p| p.name == name);
    found.unwrap_or_else(|| panic!("no {name}")).value
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

/// Sum of squared logarithmic errors.
fn misfit(model: &impl Model, observations: &Observations) -> f64 {
    let error = |o: &Observation| (model.seconds(&o.workload).unwrap() / o.seconds).ln();
    observations.all.iter().map(|o| o.weight * error(o).powi(2)).sum()
}

#[test]
fn pdam_finds_p_and_both_costs() {
    let device = observations(&[side(OpKind::Read, 80.0, 11), side(OpKind::Write, 20.0, 11)]);
    let pdam = Pdam::fit(&device).unwrap();
    assert_eq!(pdam.p(), 11);
    assert!(close(value(&pdam, "page_read"), 80.0) && close(value(&pdam, "page_write"), 20.0));
    assert!(pdam.remarks().is_empty());
    // Four pages, whatever the order, in four times the time; beyond P nothing is gained.
    assert!(close(pdam.cost(OpKind::Read, 16384, 0.0, 4).unwrap(), 80e-6));
    assert_eq!(pdam.cost(OpKind::Read, 4096, 1.0, 11), pdam.cost(OpKind::Read, 4096, 1.0, 1000));
}

#[test]
fn a_p_at_the_end_of_the_ladder_is_a_lower_bound_and_says_so() {
    let device = observations(&[side(OpKind::Read, 80.0, 1000)]);
    let pdam = Pdam::fit(&device).unwrap();
    assert_eq!(pdam.p(), 128);
    assert_eq!(pdam.remarks().len(), 1);
    assert!(pdam.remarks()[0].contains("lower bound") && pdam.remarks()[0].contains("k = 128"));
    let pio = Pio::fit(&device).unwrap();
    assert_eq!(pio.k_r(), Some(128));
    assert!(pio.remarks()[0].contains("k_r = 128 is a lower bound"), "{:?}", pio.remarks());
}

#[test]
fn a_device_that_gains_nothing_has_p_1_even_where_k_1_was_not_measured() {
    let flat: Vec<_> = [4, 8, 16].map(|k| observation(OpKind::Read, k, 80e-6)).to_vec();
    let pdam = Pdam::fit(&observations(&[flat])).unwrap();
    assert_eq!(pdam.p(), 1);
    assert!(close(value(&pdam, "page_read"), 80.0));
}

#[test]
fn a_given_p_stays_through_every_resample() {
    let device = observations(&[side(OpKind::Read, 80.0, 11)]);
    let pdam = Pdam::with_p(&device, 4).unwrap();
    assert_eq!(pdam.p(), 4);
    assert_eq!(pdam.refit(&device).unwrap().p(), 4);
    assert_eq!(pdam.remarks(), ["P = 4 was given, not fitted"]);
    let one = observations(&[vec![observation(OpKind::Write, 8, 10e-6)]]);
    assert!(close(value(&Pdam::with_p(&one, 4).unwrap(), "page_write"), 40.0));
    let lacking = Pdam::with_p(&one, 0).unwrap_err().to_string();
    assert_eq!(lacking, "pdam needs a P of at least 1; 0 was given");
}

#[test]
fn what_pdam_and_pio_lack() {
    let none = Observations::default();
    let one =
        observations(&[vec![observation(OpKind::Read, 1, 80e-6), observation(OpKind::Write, 8, 80e-6)]]);
    let says = |error: leadline_model::FitError| error.to_string();
    let pdam = |o| says(Pdam::fit(o).unwrap_err());
    assert_eq!(pdam(&none), "pdam needs 2 different concurrencies of reads or of writes; there is none");
    assert_eq!(pdam(&one), "pdam needs 2 different concurrencies of reads or of writes; there is 1");
    let pio = |o| says(Pio::fit(o).unwrap_err());
    assert_eq!(pio(&none), "pio needs at least one point of reads or of writes; there is none");
    assert_eq!(pio(&one), "pio needs 2 different concurrencies of reads, or k_r in the profile; there is 1");
}

#[test]
fn pio_keeps_the_single_and_the_saturated_asymmetry_apart() {
    let device = observations(&[side(OpKind::Read, 100.0, 80), side(OpKind::Write, 28.0, 8)]);
    let pio = Pio::fit(&device).unwrap();
    assert_eq!((pio.k_r(), pio.k_w()), (Some(80), Some(8)));
    assert!(close(pio.alpha_1().unwrap(), 0.28) && close(pio.alpha().unwrap(), 2.8));
    let names: Vec<String> = pio.parameters().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["page_read", "alpha_1", "k_r", "k_w", "alpha"]);
    // One write at a time costs alpha_1 reads; at saturation a write takes alpha times as long as a read.
    let cost = |op, k| pio.cost(op, 4096, 1.0, k).unwrap();
    assert!(close(cost(OpKind::Write, 1) / cost(OpKind::Read, 1), 0.28));
    assert!(close(cost(OpKind::Write, 128) / cost(OpKind::Read, 128), 2.8));
    assert!(close(pio.numbers().unwrap().alpha, 0.28));
}

#[test]
fn one_kind_alone_leaves_the_other_open() {
    let writes = Pio::fit(&observations(&[side(OpKind::Write, 28.0, 8)])).unwrap();
    assert_eq!((writes.k_r(), writes.k_w()), (None, Some(8)));
    assert_eq!((writes.alpha(), writes.alpha_1(), writes.numbers()), (None, None, None));
    assert_eq!(writes.cost(OpKind::Read, 4096, 1.0, 1), None);
    assert!(close(value(&writes, "page_write"), 28.0));
    let reads = Pdam::fit(&observations(&[side(OpKind::Read, 28.0, 8)])).unwrap();
    assert_eq!(reads.cost(OpKind::Write, 4096, 1.0, 1), None);
}

#[test]
fn a_published_device_brings_its_concurrencies() {
    let mut device =
        observations(&[vec![observation(OpKind::Read, 1, 12.4e-6), observation(OpKind::Write, 1, 19.6e-6)]]);
    device.parameters = vec![
        published(Pattern::Sequential, 4096, Some(3), Some(3)),
        published(Pattern::Random, 8192, Some(40), Some(7)),
        published(Pattern::Random, 4096, Some(80), Some(8)),
    ];
    let pio = Pio::fit(&device).unwrap();
    assert_eq!((pio.k_r(), pio.k_w()), (Some(80), Some(8)));
    assert!(close(pio.alpha_1().unwrap(), 19.6 / 12.4));
    assert!(
        pio.remarks()
            .iter()
            .any(|note| note.contains("k_w = 8 comes from the profile's parameters (random requests of 4096"))
    );
    // Without the usual entry the first one that knows.
    device.parameters = vec![
        published(Pattern::Random, 16384, None, Some(9)),
        published(Pattern::Random, 8192, Some(40), Some(7)),
    ];
    let pio = Pio::fit(&device).unwrap();
    assert_eq!((pio.k_r(), pio.k_w()), (Some(40), Some(9)));
    // A curve is worth more than what was published.
    device.all.extend(side(OpKind::Read, 12.4, 16));
    assert_eq!(Pio::fit(&device).unwrap().k_r(), Some(16));
}

#[test]
fn the_interval_of_a_noisy_concurrency_holds_it() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut all = [side(OpKind::Read, 100.0, 24), side(OpKind::Write, 28.0, 6)].concat().repeat(3);
    for o in &mut all {
        o.seconds *= 1.0 + 0.05 * (random.f64() - 0.5);
    }
    let fitted = FittedModel::<Pio>::new(&Observations { all, ..Observations::default() }).unwrap();
    assert_eq!(fitted.resamples.len(), 200);
    for (name, truth) in [("k_r", 24.0), ("k_w", 6.0), ("alpha_1", 0.28)] {
        let (found, interval) = fitted.parameters().into_iter().find(|(p, _)| p.name == name).unwrap();
        let [low, high] = interval.unwrap();
        assert!(
            low <= truth * 1.02 && truth * 0.98 <= high && high / low < 1.2,
            "{name}: {found:?} {low} {high}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// The search looks at a handful of P; none of those that it skipped is better, and no smaller one as
    /// good.
    #[test]
    fn no_other_p_fits_better(
        points in prop::collection::vec(
            (any::<bool>(), 1..60u32, 0.1..10.0f64, 0.01..5.0f64),
            2..25,
        )
    ) {
        let all: Vec<Observation> = points
            .into_iter()
            .map(|(read, k, us, weight)| {
                let op = if read { OpKind::Read } else { OpKind::Write };
                Observation { weight, ..observation(op, k, us * 1e-6) }
            })
            .collect();
        let observations = Observations { all, ..Observations::default() };
        let Ok(pdam) = Pdam::fit(&observations) else { return Ok(()) };
        let ours = misfit(&pdam, &observations);
        let largest = observations.all.iter().map(|o| o.concurrency()).max().unwrap();
        for p in 1..=largest {
            let other = misfit(&Pdam::with_p(&observations, p).unwrap(), &observations);
            prop_assert!(ours <= other * (1.0 + 1e-9) + 1e-12, "P = {}: {ours}, P = {p}: {other}", pdam.p());
            if p < pdam.p() {
                prop_assert!(other > ours * (1.0 + 1e-12), "{p} fits as well as {}", pdam.p());
            }
        }
    }

    /// Each kind by itself, PIO is PDAM.
    #[test]
    fn pio_of_one_kind_is_pdam(points in prop::collection::vec((1..60u32, 0.1..10.0f64), 2..25)) {
        let all = points.into_iter().map(|(k, us)| observation(OpKind::Write, k, us * 1e-6)).collect();
        let observations = Observations { all, ..Observations::default() };
        if let Ok(pdam) = Pdam::fit(&observations) {
            let pio = Pio::fit(&observations).unwrap();
            prop_assert_eq!(pio.k_w(), Some(pdam.p()));
            prop_assert_eq!(pio.cost(OpKind::Write, 4096, 1.0, 9), pdam.cost(OpKind::Write, 4096, 1.0, 9));
        }
    }
}

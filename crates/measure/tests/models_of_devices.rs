//! From a device whose truth is known, by way of the experiments, to the model that describes it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_device::{Device, QueueShape};
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_measure::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, Spread, Workload, open_loop,
};
use leadline_measure::summary::{self, Circumstances};
use leadline_measure::{Budget, Plan, measure};
use leadline_model::{FittedModel, InFlight, LatencyModel, ModelComparison, Mqssd, Observations, Percentile};
use leadline_profile::DeviceProfile;
use leadline_sim::{Parametric, ParametricSpec};

/// (service_us, per_kib_us, servers) of reads and of writes; service times vary by 30 %.
fn device(read: (f64, f64, u32), write: (f64, f64, u32), seed: u64) -> Parametric {
    let side = |(service, per_kib, servers): (f64, f64, u32)| {
        format!("service_us = {service}\nper_kib_us = {per_kib}\nservers = {servers}\n")
    };
    let (read, write) = (side(read), side(write));
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"lognormal\"\nseed = {seed}\n[read]\n{read}[write]\n{write}"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

/// A profile that holds these experiments.
fn profile(device: &Parametric, experiments: &[&'static dyn Experiment]) -> DeviceProfile {
    let mut profile = DeviceProfile::default();
    for &which in experiments {
        let mut plan = ExperimentPlan::new(which, device.geometry(), device.clock());
        (plan.layout, plan.seconds) = (false, 120.0);
        let ran = experiment::run(device, &plan, &Arc::default(), &mut |_| ()).unwrap();
        profile.experiments.add(ran.found);
    }
    profile
}

fn compare(device: &Parametric, experiments: &[&'static dyn Experiment]) -> ModelComparison {
    ModelComparison::with_resamples(Observations::from_profile(&profile(device, experiments)), 0)
}

fn value(comparison: &ModelComparison, model: &str, name: &str) -> f64 {
    let parameters = &comparison.get(model).unwrap().parameters;
    parameters.iter().find(|(p, _)| p.name == name).unwrap_or_else(|| panic!("no {name}")).0.value
}

#[track_caller]
fn near(found: f64, truth: f64, share: f64) {
    assert!((found / truth - 1.0).abs() <= share, "found {found}, truth {truth}");
}

#[test]
fn one_server_with_a_setup_is_affine() {
    for seed in 1..=3 {
        let found = compare(&device((100.0, 1.0, 1), (300.0, 1.5, 1), seed), &[experiment::R_BY_K]);
        assert_eq!(found.best, Some("affine"));
        near(value(&found, "affine", "setup_read"), 100.0, 0.02);
        near(value(&found, "affine", "transfer_read"), 4.0, 0.02);
        near(value(&found, "affine", "setup_write"), 300.0, 0.02);
        near(value(&found, "affine", "transfer_write"), 6.0, 0.02);
    }
}

#[test]
fn servers_without_a_setup_are_dam_pdam_or_pio() {
    for seed in 1..=3 {
        let dam = compare(&device((0.0, 20.0, 1), (0.0, 30.0, 1), seed), &[experiment::R_BY_K]);
        assert_eq!(dam.best, Some("dam"));
        near(value(&dam, "dam", "page_write"), 120.0, 0.02);

        let pdam = compare(&device((0.0, 20.0, 12), (0.0, 30.0, 12), seed), &[experiment::R_BY_K]);
        assert_eq!(pdam.best, Some("pdam"));
        assert_eq!(value(&pdam, "pdam", "p"), 12.0, "exactly");

        let pio = compare(&device((0.0, 20.0, 40), (0.0, 30.0, 6), seed), &[experiment::R_BY_K]);
        assert_eq!(pio.best, Some("pio"));
        assert_eq!((value(&pio, "pio", "k_r"), value(&pio, "pio", "k_w")), (40.0, 6.0), "exactly");
        near(value(&pio, "pio", "alpha_1"), 1.5, 0.02);
    }
}

/// Reads and writes have servers of their own here: what `shared` is for.
#[test]
fn a_flash_drive_needs_more_and_mixes_are_foretold() {
    let found =
        compare(&device((80.0, 0.2, 80), (224.0, 0.4, 8), 1), &[experiment::R_BY_K, experiment::MIXED]);
    // The kinks at 8 and 80 servers cost both about 5 %, beside which the mixes weigh little.
    assert!(matches!(found.best, Some("mqssd" | "shared")), "{:?}", found.best);
    let mixed =
        |name: &str| found.get(name).unwrap().class_percent(leadline_model::WorkloadClass::Mixed).unwrap();
    assert!(mixed("shared") < mixed("mqssd"), "{} {}", mixed("shared"), mixed("mqssd"));
    assert!(found.get("shared").unwrap().error_percent().unwrap() < 10.0);
}

#[test]
fn a_latency_limit_is_kept_at_the_rate_foretold() {
    let device = device((100.0, 0.0, 1), (100.0, 0.0, 1), 1);
    let profile = profile(&device, &[experiment::LADDER]);
    let model = LatencyModel::fit(profile.experiments.ladder.as_ref().unwrap()).unwrap();
    for limit_us in [300.0, 500.0, 1000.0] {
        let sustained = model.sustainable_rate(Percentile::P99, limit_us, 1.0).unwrap();
        let p99 = p99_at(&device, sustained.iops);
        assert!((p99 / limit_us - 1.0).abs() < 0.12, "{p99} us at {sustained:?}, not {limit_us}");
    }
    assert!(
        model.sustainable_rate(Percentile::P99, 100.0, 1.0).is_err(),
        "half of the requests take longer alone"
    );
}

/// The 99th percentile of reads that arrive at this rate, microseconds.
fn p99_at(device: &Parametric, rate: f64) -> f64 {
    let mut lane = Lane::new(device.queue_pair(QueueShape::new(128, 4096)).unwrap(), device.clock(), 1);
    let workload = Workload {
        read_share: 1.0,
        block_bytes: 4096,
        random_fraction: 1.0,
        spread: Spread::Uniform,
        durable: false,
    };
    let mut stream = AddressStream::new(workload, Region { start: 0, len: 1 << 30 }, 5);
    let (limits, mut recorder) = (Limits::of(20_000_000_000), Recorder::new());
    let never = AtomicBool::new(false);
    open_loop(&mut lane, &mut stream, Arrivals::Poisson(rate), &limits, &mut recorder, 5, &never).unwrap();
    recorder.quantile(0.99) as f64 / 1e3
}

/// Figure 10's program on drives whose service times vary by 30 %: each batch waits for its slowest request.
#[test]
fn what_batching_gains_is_foretold() {
    for (read, write) in [((80.0, 0.0, 80), (224.0, 0.0, 8)), ((60.0, 0.0, 16), (30.0, 0.0, 6))] {
        let device = device(read, write, 1);
        let mut plan = Plan::new(Budget::Custom(Duration::from_secs(20)), device.geometry(), device.clock());
        plan.region = Region { start: 0, len: 1 << 30 };
        plan.layout = false;
        let (prepared, outcome) = measure(&device, &plan, None, &Arc::default(), &mut |_| ()).unwrap();
        let around = Circumstances::simulated("sim:test", "test", 1 << 30);
        let mut whole = summary::profile(&plan, &prepared, &outcome, around, None);
        whole.experiments = profile(&device, &[experiment::R_BY_K, experiment::PIO_CLASSES]).experiments;
        let model = FittedModel::<Mqssd>::from_profile(&whole).unwrap();
        for point in &whole.experiments.pio_classes.as_ref().unwrap().points {
            let time = |reads, writes| {
                let in_flight = InFlight::Batches { reads, writes };
                let (reads, writes) = (point.read_share, 1.0 - point.read_share);
                let asked = leadline_model::Workload {
                    reads,
                    writes,
                    block_bytes: 4096,
                    random_fraction: 1.0,
                    in_flight,
                };
                model.predict(&asked).unwrap().seconds
            };
            let at_once = |batches: bool| if batches { point.batch } else { 1 };
            let batched = time(at_once(point.class.batches_reads()), at_once(point.class.batches_writes()));
            let predicted_speedup = time(1, 1) / batched;
            assert!((predicted_speedup / point.speedup - 1.0).abs() < 0.15, "{predicted_speedup} {point:?}");
        }
    }
}

/// Ten profiles with 10 % of noise of each of ten devices, or two of three.
#[test]
fn no_answer_contradicts_what_was_measured() {
    let all = [
        "flash",
        "sata",
        "optane",
        "capped",
        "gp2-1t",
        "gp3",
        "io2",
        "pd-balanced",
        "aws-virtual",
        "hdd-disk",
    ];
    let (names, seeds) = if leadline_testing::exhaustive() { (&all[..], 10) } else { (&all[..3], 2) };
    for name in names {
        let device = leadline_sim::open(name).unwrap();
        let mut plan = Plan::new(Budget::Custom(Duration::from_secs(10)), device.geometry(), device.clock());
        plan.layout = false;
        let (prepared, outcome) = measure(&device, &plan, None, &Arc::default(), &mut |_| ()).unwrap();
        let around = Circumstances::simulated("sim:test", "test", 1 << 30);
        let exact = Observations::from_profile(&summary::profile(&plan, &prepared, &outcome, around, None));
        for seed in 0..seeds {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut noisy = exact.clone();
            for o in &mut noisy.all {
                // Uniform, with the deviation of 10 %.
                o.seconds *= (0.1 * 12f64.sqrt() * (random.f64() - 0.5)).exp();
                o.relative_error = 0.1;
            }
            let comparison = ModelComparison::with_resamples(noisy, 0);
            let answers = comparison.answers().expect("a model");
            for o in &comparison.observations.all {
                let found = answers.predict(&o.workload).unwrap();
                let off = (found.seconds / o.seconds).ln().abs();
                assert!(off <= 1.96 * o.relative_error, "{name}, profile {seed}: {o:?} {found:?}");
            }
        }
    }
}

//! The intervals of every experiment's numbers, on a simulated device that differs only in its seed.
//!
//! Whatever an experiment prints with an interval is found by its name in the profile (`…_ci`), so that a new
//! number is held against its truth without being named here. The truth is the mean over other seeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use leadline_device::Device as _;
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_measure::summary::Circumstances;
use leadline_sim::{Parametric, ParametricSpec};
use serde_json::{Map, Value};

/// Units that names end in.
const UNITS: [&str; 4] = ["_per_second", "_iops", "_bytes", "_us"];

/// 95 of 100 are promised. The means over other seeds have an error of their own, and with few seeds a large
/// one.
fn least(all: u64) -> u64 {
    if leadline_testing::exhaustive() { all * 88 / 100 } else { (all * 85 / 100).saturating_sub(2) }
}

/// Reads 80 us at eight servers, writes 200 us at four, both of lognormal times.
fn device(seed: u64) -> Parametric {
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"256M\"\njitter = \"lognormal\"\nseed = {seed}\n\
         [read]\nservice_us = 80\nper_kib_us = 0.5\nservers = 8\n\
         [write]\nservice_us = 200\nper_kib_us = 1\nservers = 4\n"
    );
    ParametricSpec::parse(&toml, "test.toml").unwrap().device()
}

/// Those that print an interval for a device that has neither files nor wear, and are not held against
/// something planted elsewhere.
fn with_intervals() -> impl Iterator<Item = &'static dyn Experiment> {
    let elsewhere = [
        experiment::BUFFER,
        experiment::BURST,
        experiment::CHANNELS,
        experiment::READ_DISTURB,
        experiment::SYNC_METHODS,
        experiment::WRITE_AMPLIFICATION,
    ];
    experiment::ALL.iter().copied().filter(move |one| !elsewhere.contains(one))
}

fn found(experiment: &'static dyn Experiment, seed: u64) -> Value {
    let device = device(seed);
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    (plan.layout, plan.seed, plan.seconds) = (false, seed, 60.0);
    if experiment.uses_whole_drive() {
        plan.max_bytes = 512 << 20;
    } else {
        plan.max_ops_per_slice = plan.max_ops_per_slice.min(3000);
    }
    let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{}: {:?}", experiment.name(), ran.stopped_by);
    let around = Circumstances::simulated("sim:test", "test", device.geometry().capacity_bytes);
    let profile = experiment::profile(&plan, ran, around, None);
    serde_json::to_value(profile.experiments).unwrap()[experiment.name()].take()
}

/// A number with its interval.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: f64,
    ci: [f64; 2],
}

/// Where a number is: the names on the way to it. The second says which number it is whatever its place in a
/// list, so that coverage is told of all points together.
type Place = (String, String);

/// Everything with an interval.
fn numbers(json: &Value, place: &Place, into: &mut BTreeMap<Place, Number>) {
    match json {
        Value::Array(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                numbers(entry, &(format!("{}[{i}]", place.0), format!("{}[]", place.1)), into);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let here = (format!("{}.{name}", place.0), format!("{}.{name}", place.1));
                match (name.strip_suffix("_ci"), serde_json::from_value::<[f64; 2]>(field.clone())) {
                    (Some(stem), Ok(ci)) => {
                        into.insert(here, number(fields, stem, ci));
                    }
                    _ => numbers(field, &here, into),
                }
            }
        }
        _ => (),
    }
}

/// The number that an interval belongs to: of its name and a unit, or of its name alone. Seconds are those of
/// as many requests as a run came to, and are told per request.
fn number(fields: &Map<String, Value>, stem: &str, ci: [f64; 2]) -> Number {
    let count = |name: &str| fields.get(name).and_then(Value::as_f64);
    let value = match stem {
        "mean_us" => fields["latency_us"]["mean"].as_f64(),
        _ => {
            let unit = |name: &str| {
                name.strip_prefix(stem).is_some_and(|rest| UNITS.iter().any(|u| rest.ends_with(u)))
            };
            let mut of_a_unit = fields.iter().filter(|(name, _)| unit(name));
            of_a_unit.find_map(|(_, field)| field.as_f64()).or_else(|| count(stem))
        }
    };
    let value = value.unwrap_or_else(|| panic!("what has the interval {stem}_ci in {fields:?}?"));
    let per = if stem == "seconds" { count("reads").unwrap() + count("writes").unwrap() } else { 1.0 };
    Number { value: value / per, ci: ci.map(|end| end / per) }
}

fn all_numbers(experiment: &'static dyn Experiment, seed: u64) -> BTreeMap<Place, Number> {
    let mut all = BTreeMap::new();
    numbers(&found(experiment, seed), &(String::new(), String::new()), &mut all);
    all
}

#[test]
fn intervals_hold_the_mean_over_other_seeds() {
    let seeds = if leadline_testing::exhaustive() { 60 } else { 5 };
    for experiment in with_intervals() {
        let mut means: BTreeMap<Place, (f64, f64)> = BTreeMap::new();
        for seed in 1..=seeds {
            for (place, number) in all_numbers(experiment, 10_000 + seed) {
                let mean = means.entry(place).or_default();
                *mean = (mean.0 + number.value, mean.1 + 1.0);
            }
        }
        let mut held: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        for seed in 1..=seeds {
            for (place, number) in all_numbers(experiment, seed) {
                let (sum, count) = means[&place];
                let [low, high] = number.ci;
                let [inside, all] = held.entry(place.1).or_default();
                *inside += u64::from((low..=high).contains(&(sum / count)));
                *all += 1;
            }
        }
        assert!(!held.is_empty(), "{}: no interval", experiment.name());
        for (what, [inside, all]) in held {
            let share = inside as f64 / all as f64;
            println!("{}{what}: {inside} of {all}, {:.1} %", experiment.name(), 100.0 * share);
            assert!(inside >= least(all), "{}{what}: {inside} of {all}", experiment.name());
        }
    }
}

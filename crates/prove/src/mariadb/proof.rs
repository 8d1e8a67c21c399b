//! All workloads of a plan, one after the other.

use std::sync::atomic::AtomicBool;

use super::instance::Instance;
use super::plan::Plan;
use super::programs::Programs;
use super::writes::{KEYS, Writes};
use crate::proof::System;
use crate::variant::line_up;
use crate::{Part, Progress, ProveError, Role, Variant, value};

/// What was measured, and what it says of the advice.
pub type Proof = crate::Proof<Plan>;

/// Measures what `plan` says. Whichever way this ends, no process runs then, and no file of it is left.
///
/// The thread that calls it must live until the end: servers die with it.
///
/// # Errors
/// [`ProveError`]: before anything is started, for what is missing or makes no sense.
pub fn prove(
    plan: &Plan,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Proof, ProveError> {
    plan.check()?;
    let programs = Programs::find()?;
    let loading = |done, detail: String| Progress { phase: "loading", done, detail };
    let fixed = fixed(plan);
    let mut instance = Instance::create(&programs, plan, fixed.clone(), cancel)?;
    let advice: Vec<_> = plan.advice.iter().map(|(key, value)| (value::name(key), value.clone())).collect();
    let variants = lineup(plan);
    for (_, variant) in &variants {
        instance.check(variant)?;
    }
    progress(loading(0.0, "making a data folder".into()));
    instance.install()?;
    progress(loading(0.1, format!("loading tables of {} MiB", plan.data_bytes >> 20)));
    let writes = Writes { plan, variants: &variants };
    writes.load(&instance)?;
    let mut comparisons = Vec::new();
    for workload in &plan.workloads {
        comparisons.extend(writes.run(*workload, &instance, progress)?);
    }
    let system = System { name: "mariadb", version: &programs.version, program: programs.mariadbd.clone() };
    Ok(Proof::of(system, plan, &advice, fixed, instance.in_force(), comparisons))
}

/// What `plan` tries of its advice, and about how long that takes.
pub fn parts(plan: &Plan) -> Vec<Part> {
    let variants = lineup(plan);
    let run = f64::from(plan.seconds + plan.warm_up_seconds) + 5.0;
    plan.workloads.iter().map(|one| Part::of(one.name(), &variants, &KEYS, plan.rounds, run)).collect()
}

fn lineup(plan: &Plan) -> Vec<(Role, Variant)> {
    let advice: Vec<_> = plan.advice.iter().map(|(key, value)| (value::name(key), value.clone())).collect();
    line_up(&advice, &KEYS, plan.with_single_keys, plan.all_of_grid())
}

/// What would make runs differ for other reasons than a variant's settings, or does not belong to a device.
fn fixed(plan: &Plan) -> Vec<(String, String)> {
    [
        ("innodb_buffer_pool_size", plan.buffer_pool_bytes.to_string()),
        ("innodb_log_file_size", plan.log_bytes.to_string()),
        ("innodb_buffer_pool_dump_at_shutdown", "OFF".into()),
        ("innodb_buffer_pool_load_at_startup", "OFF".into()),
        // A sample of a table's pages now and then, when enough of them have changed.
        ("innodb_stats_auto_recalc", "OFF".into()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .to_vec()
}

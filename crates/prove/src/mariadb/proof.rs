//! All workloads of a plan, one after the other.

use std::sync::atomic::AtomicBool;

use super::instance::Instance;
use super::plan::{Plan, Workload};
use super::programs::Programs;
use super::writes::{KEYS, Writes};
use crate::proof::System;
use crate::variant::line_up;
use crate::{Effort, Foreseen, Part, Progress, ProveError, Role, Variant, value};

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
    progress(loading(0.0, "making a data directory".into()));
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

/// Bytes per second at which tables are loaded, and those that sysbench makes a server write on an SSD:
/// every page twice, and its log.
const LOADED: f64 = 25e6;
const WRITTEN: u64 = 80_000_000;

/// Bytes of a data directory without tables of ours.
const EMPTY_BYTES: u64 = 128 << 20;

/// What `plan` tries of its advice, with which programs, and about how much time and space that takes.
///
/// # Errors
/// As [`prove()`] before anything is started.
pub fn foresee(plan: &Plan) -> Result<Foreseen, ProveError> {
    plan.check()?;
    let Programs { mariadbd, install, client, sysbench, version } = Programs::find()?;
    let variants = lineup(plan);
    let seconds = plan.seconds + plan.warm_up_seconds;
    let run = Effort { seconds: f64::from(seconds) + 5.0, written_bytes: u64::from(seconds) * WRITTEN };
    let part = |one: &Workload| Part::of(one.name(), &variants, &KEYS, plan.rounds, run);
    Ok(Foreseen {
        target: plan.target.clone(),
        version,
        programs: vec![mariadbd, install, client, sysbench],
        loading: Effort {
            seconds: 5.0 + plan.data_bytes as f64 / LOADED,
            written_bytes: EMPTY_BYTES + plan.log_bytes + 2 * plan.data_bytes,
        },
        parts: plan.workloads.iter().map(part).collect(),
        on_disk_bytes: plan.space_bytes(),
    })
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

//! All experiments of a plan, one after the other.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use leadline_process::Program;
use serde::{Deserialize, Serialize};

use super::checkpoints::{self, Checkpoints};
use super::choices::{self, Judge, PlanChoices};
use super::cluster::Cluster;
use super::plan::{Experiment, Plan};
use super::programs::{Programs, Version};
use super::scans::{self, Scans};
use super::table::Table;
use crate::proof::{SCHEMA, document};
use crate::variant::line_up;
use crate::{Comparison, Effort, Foreseen, Part, Progress, ProveError, Role, Variant};

const MIB: u64 = 1 << 20;

/// The first version with io_method.
const METHODS: u32 = 18;

/// What was measured, and what it says of the advice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of Leadline.
    pub leadline: String,
    /// The system.
    pub system: String,
    /// Its version.
    pub version: Version,
    /// The server that was started.
    pub server: PathBuf,
    /// What was asked for.
    pub plan: Plan,
    /// What all servers had, whatever a variant said.
    pub fixed: Vec<(String, String)>,
    /// Keys of the advice that were not tried, because all servers had the same value.
    pub not_tried: Vec<String>,
    /// What servers said, by variants' names: the value of every key that any variant sets.
    pub in_force: BTreeMap<String, BTreeMap<String, String>>,
    /// Runs that were timed.
    pub comparisons: Vec<Comparison>,
    /// Plans that were chosen.
    pub plan_choices: Option<PlanChoices>,
}

impl Proof {
    /// The document: JSON, indented, with a line feed at its end.
    pub fn to_json(&self) -> String {
        document(self)
    }
}

/// The variants of each experiment.
struct Lineups {
    scans: Vec<(Role, Variant)>,
    plans: Vec<(Role, Variant)>,
    checkpoints: Vec<(Role, Variant)>,
    methods: Vec<(Role, Variant)>,
}

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
    let programs = Programs::find(plan.bin.as_deref())?;
    check_version(plan, &programs.version)?;
    if plan.has(Experiment::Checkpoints) && programs.pgbench.is_none() {
        Program { name: "pgbench", package: "postgresql" }.find(&[])?;
    }
    progress(Progress { phase: "loading", done: 0.0, detail: "making a cluster".into() });
    let fixed = fixed(plan);
    let mut cluster = Cluster::create(&programs, &plan.target, plan.space_bytes(), fixed.clone(), cancel)?;
    let lineups = Lineups::of(plan);
    for (_, variant) in lineups.all() {
        cluster.check(variant)?;
    }
    let measured = measure(plan, lineups, &cluster, progress);
    let (comparisons, plan_choices) = measured.map_err(|error| cluster.explained(error))?;
    let not_tried = plan.advice.iter().map(|(key, _)| key.clone()).filter(|key| cluster.is_fixed(key));
    Ok(Proof {
        schema: SCHEMA.into(),
        leadline: env!("CARGO_PKG_VERSION").into(),
        system: "postgresql".into(),
        version: programs.version.clone(),
        server: programs.postgres.clone(),
        plan: plan.clone(),
        not_tried: not_tried.collect(),
        in_force: cluster.in_force(),
        fixed,
        comparisons,
        plan_choices,
    })
}

/// Seconds from a server's start to its end, in addition to its work in between.
const SERVER: f64 = 0.5;

/// Bytes that a server writes whatever it does: its control file, statistics, a checkpoint.
const SERVER_BYTES: u64 = MIB;

/// Bytes of an empty cluster, with a segment of its log.
const CLUSTER_BYTES: u64 = 64 * MIB;

/// Bytes per second at which tables are loaded, and those that pgbench makes a server write on an SSD.
const LOADED: f64 = 60e6;
const WRITTEN: u64 = 80_000_000;

/// What `plan` tries of its advice, with which programs, and about how much time and space that takes.
///
/// # Errors
/// As [`prove()`] before anything is started.
pub fn foresee(plan: &Plan) -> Result<Foreseen, ProveError> {
    plan.check()?;
    let programs = Programs::find(plan.bin.as_deref())?;
    let mut loaded_bytes = 0;
    if plan.has_table() {
        loaded_bytes += plan.table_bytes * 3 / 2;
    }
    if plan.has(Experiment::Checkpoints) {
        loaded_bytes += u64::from(plan.scale) * 16 * MIB;
    }
    Ok(Foreseen {
        target: plan.target.clone(),
        version: programs.version.text.clone(),
        programs: [programs.postgres, programs.initdb, programs.psql]
            .into_iter()
            .chain(programs.pgbench.filter(|_| plan.has(Experiment::Checkpoints)))
            .collect(),
        loading: Effort {
            seconds: 3.0 + loaded_bytes as f64 / LOADED,
            written_bytes: CLUSTER_BYTES + loaded_bytes,
        },
        parts: parts(plan),
        on_disk_bytes: plan.space_bytes(),
    })
}

fn parts(plan: &Plan) -> Vec<Part> {
    let lineups = Lineups::of(plan);
    let reading = |seconds| Effort { seconds, written_bytes: SERVER_BYTES };
    let scan = reading(plan.scan_seconds + SERVER);
    // Three ways for each query on two columns; some take as long as reading everything.
    let judged = 6 * plan.queries;
    let judged = Effort {
        seconds: f64::from(judged) * (1.0 + SERVER) / lineups.plans.len().max(1) as f64,
        written_bytes: u64::from(judged) * SERVER_BYTES / lineups.plans.len().max(1) as u64,
    };
    let pgbench = Effort {
        seconds: f64::from(plan.pgbench_seconds) + 2.0 * SERVER,
        written_bytes: u64::from(plan.pgbench_seconds) * WRITTEN,
    };
    let of = |one: Experiment, lineup: &[_], keys: &[&str], rounds, run| {
        Part::of(one.name(), lineup, keys, rounds, run)
    };
    let parts = [
        of(Experiment::Scans, &lineups.scans, &scans::KEYS, plan.rounds, scan),
        of(Experiment::Plans, &lineups.plans, &choices::KEYS, plan.plan_rounds, judged),
        of(Experiment::Checkpoints, &lineups.checkpoints, &checkpoints::KEYS, plan.pgbench_rounds, pgbench),
        of(Experiment::Methods, &lineups.methods, &scans::KEYS, 2 * plan.rounds, scan),
    ];
    parts.into_iter().filter(|part| part.runs > 0).collect()
}

/// All experiments.
fn measure(
    plan: &Plan,
    lineups: Lineups,
    cluster: &Cluster,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Vec<Comparison>, Option<PlanChoices>), ProveError> {
    let (mut comparisons, mut plan_choices) = (Vec::new(), None);
    if plan.has_table() {
        let detail = format!("loading a table of {} MiB", plan.table_bytes >> 20);
        progress(Progress { phase: "loading", done: 0.5, detail });
        let table = Table::load(cluster, plan.table_bytes, plan.seed)?;
        comparisons = scan(plan, &lineups, cluster, &table, progress)?;
        if plan.has(Experiment::Plans) {
            let Plan { queries, plan_rounds: rounds, seed, .. } = *plan;
            let (table, variants, runs_under) = (&table, lineups.plans, without_costs(&plan.advice));
            let judge = Judge { table, variants, runs_under, queries, rounds, seed };
            plan_choices = Some(judge.run(cluster, progress)?);
        }
    }
    if plan.has(Experiment::Checkpoints) {
        let Plan { scale, clients, pgbench_seconds: seconds, seed, .. } = *plan;
        let rounds = plan.rounds_of(plan.pgbench_rounds);
        let variants = lineups.checkpoints;
        let both = Checkpoints { variants, scale, clients, seconds, rounds, seed }.run(cluster, progress)?;
        comparisons.extend(both);
    }
    Ok((comparisons, plan_choices))
}

/// The comparisons of scans.
fn scan(
    plan: &Plan,
    lineups: &Lineups,
    cluster: &Cluster,
    table: &Table,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Comparison>, ProveError> {
    let mut comparisons = Vec::new();
    if !plan.has(Experiment::Scans) && !plan.has(Experiment::Methods) {
        return Ok(comparisons);
    }
    progress(Progress { phase: "scans", done: 0.0, detail: "how much one scan reads".into() });
    let pages = scans::pages_for(cluster, table, plan.scan_seconds, plan.seed)?;
    let (rounds, seed) = (plan.rounds_of(plan.rounds), plan.seed);
    let scans = |phase, variants: &[(Role, Variant)], pages| {
        let variants = variants.to_vec();
        Scans { variants, pages, rounds, seed, phase, table }
    };
    if plan.has(Experiment::Scans) {
        comparisons.push(scans("scans", &lineups.scans, Some(pages)).run(cluster, progress)?);
    }
    if plan.has(Experiment::Methods) {
        comparisons.push(scans("methods", &lineups.methods, Some(pages)).run(cluster, progress)?);
        comparisons.push(scans("methods", &lineups.methods, None).run(cluster, progress)?);
    }
    Ok(comparisons)
}

/// What plans are timed under.
fn without_costs(advice: &[(String, String)]) -> Variant {
    let is_cost = |key: &str| choices::KEYS.contains(&key);
    let settings = advice.iter().filter(|(key, _)| !is_cost(key)).cloned().collect();
    Variant { name: "advice without costs".into(), settings }
}

fn check_version(plan: &Plan, version: &Version) -> Result<(), ProveError> {
    if plan.has(Experiment::Methods) && version.major < METHODS {
        let problem = format!("PostgreSQL {METHODS} or later is needed, and this is {}", version.text);
        return Err(ProveError::Plan { what: "io_method and io_workers", problem });
    }
    Ok(())
}

/// What would make runs differ for other reasons than a variant's settings, or does not belong to a device.
fn fixed(plan: &Plan) -> Vec<(String, String)> {
    let shared_buffers = format!("{}kB", plan.shared_buffers_bytes >> 10);
    [
        ("shared_buffers", shared_buffers.as_str()),
        ("autovacuum", "off"),
        ("checkpoint_timeout", "30s"),
        ("jit", "off"),
        ("max_parallel_workers_per_gather", "0"),
        // Bitmaps that name every page.
        ("work_mem", "64MB"),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .to_vec()
}

impl Lineups {
    fn of(plan: &Plan) -> Lineups {
        let singles = |key: &str, values: &mut dyn Iterator<Item = String>| -> Vec<Variant> {
            values.map(|value| Variant::single(key, &value)).collect()
        };
        let concurrencies =
            singles("effective_io_concurrency", &mut plan.concurrencies.iter().map(u32::to_string));
        let costs = singles("random_page_cost", &mut plan.random_page_costs.iter().map(f64::to_string));
        let mut methods = vec![Variant::single("io_method", "sync")];
        methods.extend([1, 3, 8, 16, 32].map(|workers| Variant::single("io_workers", &workers.to_string())));
        let with_keys = plan.with_single_keys;
        let one = |keys: &[&str], with_keys, grid| line_up(&plan.advice, keys, with_keys, grid);
        let mut lineups = Lineups {
            scans: one(&scans::KEYS, with_keys, concurrencies),
            plans: one(&choices::KEYS, with_keys, costs),
            checkpoints: one(&checkpoints::KEYS, with_keys, plan.flush_grid.clone()),
            methods: one(&scans::KEYS, with_keys, methods),
        };
        let only = |experiment, lineup: &mut Vec<_>| {
            if !plan.has(experiment) {
                lineup.clear();
            }
        };
        // Which plan is chosen takes no run that could differ.
        lineups.plans.retain(|(role, _)| *role != Role::Control);
        only(Experiment::Scans, &mut lineups.scans);
        only(Experiment::Plans, &mut lineups.plans);
        only(Experiment::Checkpoints, &mut lineups.checkpoints);
        only(Experiment::Methods, &mut lineups.methods);
        lineups
    }

    fn all(&self) -> impl Iterator<Item = &(Role, Variant)> {
        self.scans.iter().chain(&self.plans).chain(&self.checkpoints).chain(&self.methods)
    }
}

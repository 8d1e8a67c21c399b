//! All experiments of a plan, one after the other.

use std::sync::atomic::AtomicBool;

use super::commits::{self, Commits};
use super::database::{Databases, FIXED, sizes};
use super::plan::{Experiment, Plan};
use super::program::Sqlite;
use super::reads::{self, Reads};
use crate::proof::System;
use crate::variant::line_up;
use crate::{Effort, Foreseen, Part, Progress, ProveError, Role, Variant, value};

const MIB: u64 = 1 << 20;

/// What was measured, and what it says of the advice.
pub type Proof = crate::Proof<Plan>;

/// The variants of each experiment.
struct Lineups {
    reads: Vec<(Role, Variant)>,
    commits: Vec<(Role, Variant)>,
}

/// Measures what `plan` says. Whichever way this ends, no process runs then, and no file of it is left.
///
/// The thread that calls it must live until the end: sqlite3 dies with it.
///
/// # Errors
/// [`ProveError`]: before anything is loaded, for what is missing or makes no sense.
pub fn prove(
    plan: &Plan,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Proof, ProveError> {
    plan.check()?;
    let sqlite = Sqlite::find(plan.bin.as_deref())?;
    let lineups = Lineups::of(plan);
    let mut databases = Databases::create(&sqlite, &plan.target, lineups.space_bytes(plan), cancel)?;
    let loading = |done, detail: String| Progress { phase: "loading", done, detail };
    progress(loading(0.0, "asking SQLite about settings".into()));
    databases.check(&lineups.all())?;
    let mut comparisons = Vec::new();
    if plan.has_reads() {
        progress(loading(0.1, format!("loading tables of {} MiB", plan.table_bytes >> 20)));
        let copies = databases.load("read", plan.table_bytes, &variants(&lineups.reads))?;
        let reads = Reads { plan, databases: &databases, copies: &copies, variants: &lineups.reads };
        for experiment in [Experiment::Points, Experiment::Scans] {
            if plan.has(experiment) {
                comparisons.extend(reads.run(experiment, progress)?);
            }
        }
    }
    if plan.has(Experiment::Commits) {
        progress(loading(0.9, format!("loading tables of {} MiB", plan.commit_table_bytes >> 20)));
        let copies = databases.load("commit", plan.commit_table_bytes, &variants(&lineups.commits))?;
        let variants = &lineups.commits;
        comparisons.extend(Commits { plan, databases: &databases, copies: &copies, variants }.run(progress)?);
    }
    let system = System { name: "sqlite", version: &sqlite.version, program: sqlite.path.clone() };
    let fixed = FIXED.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    Ok(Proof::of(system, plan, &advice(plan), fixed, databases.in_force(), comparisons))
}

/// Bytes per second at which tables are loaded, and seconds of a durable commit, on an SSD.
const LOADED: f64 = 200e6;
const COMMITTED: f64 = 1e-3;

/// Seconds of a process in addition to its work, and to scan a mebibyte.
const PROCESS: f64 = 0.05;
const SCANNED: f64 = 1e-3;

/// Bytes of a page that most variants have.
const PAGE_BYTES: u64 = 4096;

/// What `plan` tries of its advice, with which program, and about how much time and space that takes.
///
/// # Errors
/// As [`prove()`] before anything is loaded.
pub fn foresee(plan: &Plan) -> Result<Foreseen, ProveError> {
    plan.check()?;
    let sqlite = Sqlite::find(plan.bin.as_deref())?;
    let lineups = Lineups::of(plan);
    let reading = |seconds| Effort { seconds, written_bytes: 0 };
    let scan = SCANNED * (plan.table_bytes / MIB) as f64;
    // Each page is written to the log, and once more by a checkpoint; before that, all of them are.
    let pages = u64::from(plan.commits) * u64::from(plan.rows_per_commit);
    let written_bytes = 2 * (pages * PAGE_BYTES + plan.commit_table_bytes);
    let before = 2.0 * plan.commit_table_bytes as f64 / LOADED;
    let commits = Effort { seconds: PROCESS + before + COMMITTED * f64::from(plan.commits), written_bytes };
    let parts = [
        (
            Experiment::Points,
            &lineups.reads,
            &reads::KEYS[..],
            plan.rounds,
            reading(PROCESS + plan.point_seconds),
        ),
        (Experiment::Scans, &lineups.reads, &reads::KEYS[..], plan.rounds, reading(PROCESS + scan)),
        (Experiment::Commits, &lineups.commits, &commits::KEYS[..], plan.commit_rounds, commits),
    ];
    let asked = parts.into_iter().filter(|(experiment, ..)| plan.has(*experiment));
    let loaded = lineups.loaded_bytes(plan);
    Ok(Foreseen {
        target: plan.target.clone(),
        version: sqlite.version,
        programs: vec![sqlite.path],
        loading: Effort { seconds: 1.0 + loaded as f64 / LOADED, written_bytes: loaded },
        parts: asked
            .map(|(one, all, keys, rounds, run)| Part::of(one.name(), all, keys, rounds, run))
            .collect(),
        on_disk_bytes: lineups.space_bytes(plan),
    })
}

/// With names as SQLite prints them.
fn advice(plan: &Plan) -> Vec<(String, String)> {
    plan.advice.iter().map(|(key, value)| (value::name(key), value.clone())).collect()
}

fn variants(lineup: &[(Role, Variant)]) -> Vec<&Variant> {
    lineup.iter().map(|(_, variant)| variant).collect()
}

impl Lineups {
    fn of(plan: &Plan) -> Lineups {
        let one = |keys: &[&str], grid: &[Variant]| {
            line_up(&advice(plan), keys, plan.with_single_keys, grid.to_vec())
        };
        let (reads, commits) = (plan.has_reads(), plan.has(Experiment::Commits));
        Lineups {
            reads: if reads { one(&reads::KEYS, &plan.read_grid) } else { Vec::new() },
            commits: if commits { one(&commits::KEYS, &plan.commit_grid) } else { Vec::new() },
        }
    }

    fn all(&self) -> Vec<&Variant> {
        variants(&self.reads).into_iter().chain(variants(&self.commits)).collect()
    }

    /// All databases.
    fn loaded_bytes(&self, plan: &Plan) -> u64 {
        let of = |lineup: &[_], bytes: u64| bytes.saturating_mul(sizes(&variants(lineup)).len() as u64);
        of(&self.reads, plan.table_bytes).saturating_add(of(&self.commits, plan.commit_table_bytes))
    }

    /// The most that is on disk at a time, bytes.
    fn space_bytes(&self, plan: &Plan) -> u64 {
        // A log that is not checkpointed until the end has every page of every commit, of the largest size.
        let pages = u64::from(plan.commits) * (u64::from(plan.rows_per_commit) + 2);
        let log = if self.commits.is_empty() { 0 } else { pages * (64 << 10) + 2 * plan.commit_table_bytes };
        self.loaded_bytes(plan).saturating_add(log).saturating_add(16 * MIB)
    }
}

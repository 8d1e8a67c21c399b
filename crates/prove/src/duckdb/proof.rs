//! All experiments of a plan, one after the other.

use std::sync::atomic::AtomicBool;

use super::inserts;
use super::plan::{Experiment, Plan};
use super::program::Duckdb;
use super::queries::{self, Copies, Queries, block_size};
use super::session::{Sessions, quoted};
use super::setting;
use crate::proof::System;
use crate::variant::line_up;
use crate::{Effort, Foreseen, Part, Progress, ProveError, Role, Variant, cold};

const MIB: u64 = 1 << 20;

/// What was measured, and what it says of the advice.
pub type Proof = crate::Proof<Plan>;

/// The variants of an experiment.
type Lineup = Vec<(Role, Variant)>;

/// Measures what `plan` says. Whichever way this ends, no process runs then, and no file of it is left.
///
/// The thread that calls it must live until the end: duckdb dies with it.
///
/// # Errors
/// [`ProveError`]: before anything is loaded, for what is missing or makes no sense.
pub fn prove(
    plan: &Plan,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Proof, ProveError> {
    plan.check()?;
    let duckdb = Duckdb::find(plan.bin.as_deref())?;
    let lineups = lineups(plan);
    let mut sessions = Sessions::create(&duckdb, plan, space_bytes(plan, &lineups), cancel)?;
    let loading = |done, detail: String| Progress { phase: "loading", done, detail };
    progress(loading(0.0, "asking DuckDB about settings".into()));
    let all: Vec<&Variant> =
        lineups.iter().flat_map(|(_, lineup)| lineup).map(|(_, variant)| variant).collect();
    sessions.check(&all)?;
    progress(loading(0.1, format!("loading tables of {} MiB", plan.data_bytes >> 20)));
    let (tables, file) = load(plan, &sessions, &lineups)?;
    let mut comparisons = Vec::new();
    for (experiment, variants) in &lineups {
        let copies = if *experiment == Experiment::Parquet { &file } else { &tables };
        let queries = Queries { plan, sessions: &sessions, copies, variants };
        comparisons.extend(match experiment {
            Experiment::Inserts => inserts::run(plan, &sessions, variants, progress)?,
            _ => queries.run(*experiment, progress)?,
        });
    }
    let system = System { name: "duckdb", version: &duckdb.version, program: duckdb.path.clone() };
    let fixed = sessions.fixed.clone();
    Ok(Proof::of(system, plan, &advice(plan), fixed, sessions.in_force(), comparisons))
}

/// The table, once for each size of blocks that is scanned, and as a Parquet file.
fn load(
    plan: &Plan,
    sessions: &Sessions,
    lineups: &[(Experiment, Lineup)],
) -> Result<(Copies, Copies), ProveError> {
    let (mut tables, mut file) = (Copies::new(), Copies::new());
    let rows = plan.rows();
    let select = format!(
        "SELECT i AS id, hash(i) AS h, hash(i * 7 + 1) % 1000000 AS k, md5(i::VARCHAR) AS s FROM range({rows}) AS r(i)"
    );
    let run = |script: String| sessions.execute(None, &script, "loading a table", &mut || ());
    for size in block_sizes(lineups) {
        let path = sessions.data.join(format!("table-{}", size.as_deref().unwrap_or("default")));
        let option = size.as_ref().map_or(String::new(), |size| format!(" (BLOCK_SIZE {size})"));
        let place = quoted(&path.display().to_string());
        run(format!(
            "ATTACH {place} AS made{option};\nCREATE TABLE made.t AS {select};\nCHECKPOINT made;\n"
        ))?;
        cold::sync(std::slice::from_ref(&path))?;
        tables.insert(size, path);
    }
    if plan.has(Experiment::Parquet) {
        let path = sessions.data.join("table.parquet");
        run(format!("COPY ({select}) TO {} (FORMAT parquet);\n", quoted(&path.display().to_string())))?;
        cold::sync(std::slice::from_ref(&path))?;
        file.insert(None, path);
    }
    Ok((tables, file))
}

/// Bytes per second at which a table is made, scanned and sorted by two processors, and seconds of a durable
/// transaction, on an SSD.
const LOADED: f64 = 60e6;
const SCANNED: f64 = 500e6;
const SPILLED: f64 = 120e6;
const INSERTED: f64 = 3e-3;

/// Seconds of a process in addition to its work.
const PROCESS: f64 = 0.1;

/// A Parquet file, what is spilled of a table, and what temporary files have at a time, over the table.
const PARQUET: u64 = 2;
const SPILL: u64 = 3;
const MOST_SPILL: u64 = 8;

/// What `plan` tries of its advice, with which program, and about how much time and space that takes.
///
/// # Errors
/// As [`prove()`] before anything is loaded.
pub fn foresee(plan: &Plan) -> Result<Foreseen, ProveError> {
    plan.check()?;
    let duckdb = Duckdb::find(plan.bin.as_deref())?;
    let lineups = lineups(plan);
    let loaded = loaded_bytes(plan, &lineups);
    let part = |(experiment, lineup): &(Experiment, Lineup)| {
        let (count, run) = (queries::count(*experiment).max(1), effort(plan, *experiment));
        Part::of(experiment.name(), lineup, keys(*experiment), plan.rounds * count, run)
    };
    Ok(Foreseen {
        target: plan.target.clone(),
        version: duckdb.version,
        programs: vec![duckdb.path],
        loading: Effort { seconds: 1.0 + loaded as f64 / LOADED, written_bytes: loaded },
        parts: lineups.iter().map(part).collect(),
        on_disk_bytes: space_bytes(plan, &lineups),
    })
}

/// Of one run.
fn effort(plan: &Plan, experiment: Experiment) -> Effort {
    let data = plan.data_bytes;
    let (seconds, written_bytes) = match experiment {
        Experiment::Scans | Experiment::Parquet => (data as f64 / SCANNED, 0),
        Experiment::Spills => (data as f64 / SPILLED, SPILL * data),
        Experiment::Inserts => (INSERTED * f64::from(plan.transactions), 3 * inserted_bytes(plan)),
    };
    Effort { seconds: PROCESS + seconds, written_bytes }
}

fn inserted_bytes(plan: &Plan) -> u64 {
    u64::from(plan.transactions) * u64::from(plan.rows_per_transaction) * inserts::LOGGED_BYTES
}

/// Keys that matter to an experiment.
fn keys(experiment: Experiment) -> &'static [&'static str] {
    match experiment {
        Experiment::Scans => &queries::SCAN_KEYS,
        Experiment::Parquet => &queries::PARQUET_KEYS,
        Experiment::Spills => &queries::SPILL_KEYS,
        Experiment::Inserts => &inserts::KEYS,
    }
}

/// With names as DuckDB prints them.
fn advice(plan: &Plan) -> Vec<(String, String)> {
    plan.advice.iter().map(|(key, value)| (setting::name(key), value.clone())).collect()
}

/// The experiments of a plan, with their variants.
fn lineups(plan: &Plan) -> Vec<(Experiment, Lineup)> {
    let lineup = |experiment| {
        let grid = match experiment {
            Experiment::Scans => &plan.scan_grid,
            Experiment::Parquet => &plan.parquet_grid,
            Experiment::Spills => &plan.spill_grid,
            Experiment::Inserts => &plan.insert_grid,
        };
        line_up(&advice(plan), keys(experiment), plan.with_single_keys, grid.clone())
    };
    let all = Experiment::ALL.into_iter().filter(|one| plan.has(*one));
    all.map(|experiment| (experiment, lineup(experiment))).collect()
}

/// The sizes of blocks of tables that are read; `None` for the default.
fn block_sizes(lineups: &[(Experiment, Lineup)]) -> Vec<Option<String>> {
    let of_tables = lineups.iter().filter(|(one, _)| matches!(one, Experiment::Scans | Experiment::Spills));
    let mut sizes: Vec<_> =
        of_tables.flat_map(|(_, lineup)| lineup).map(|(_, variant)| block_size(variant)).collect();
    sizes.sort();
    sizes.dedup();
    sizes
}

fn loaded_bytes(plan: &Plan, lineups: &[(Experiment, Lineup)]) -> u64 {
    let parquet = if plan.has(Experiment::Parquet) { PARQUET } else { 0 };
    plan.data_bytes.saturating_mul(block_sizes(lineups).len() as u64 + parquet)
}

/// The most that is on disk at a time, bytes.
fn space_bytes(plan: &Plan, lineups: &[(Experiment, Lineup)]) -> u64 {
    let spill = if plan.has(Experiment::Spills) { MOST_SPILL * plan.data_bytes } else { 0 };
    let inserts = if plan.has(Experiment::Inserts) { 3 * inserted_bytes(plan) } else { 0 };
    loaded_bytes(plan, lineups).saturating_add(spill.max(inserts)).saturating_add(16 * MIB)
}

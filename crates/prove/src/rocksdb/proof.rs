//! All experiments of a plan, one after the other.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use leadline_lsm::validate::DbBench;
use leadline_process::{Program, Scratch};

use super::bench::{Bench, KEYS, RATE, is_fixed};
use super::plan::{Experiment, Plan};
use super::{fills, reads};
use crate::proof::System;
use crate::variant::line_up;
use crate::{Effort, Foreseen, Part, Progress, ProveError, Role, Variant};

/// Of the scratch directories, for their names.
const KIND: &str = "prove";

/// What was measured, and what it says of the advice.
pub type Proof = crate::Proof<Plan>;

/// Measures what `plan` says. Whichever way this ends, no process runs then, and no file of it is left.
///
/// The thread that calls it must live until the end: db_bench dies with it.
///
/// # Errors
/// [`ProveError`]: before anything is filled, for what is missing or makes no sense.
pub fn prove(
    plan: &Plan,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Proof, ProveError> {
    plan.check()?;
    let program = program(plan.db_bench.as_deref())?;
    let db_bench = DbBench::find(&program)?;
    let scratch = Scratch::create(&plan.target, KIND)?;
    scratch.check_space(plan.space_bytes())?;
    progress(Progress { phase: "settings", done: 0.0, detail: "asking RocksDB about settings".into() });
    let (filled, read) = (fills_lineup(plan), reads_lineup(plan));
    let bench = Bench { db_bench: &db_bench, folder: &scratch, plan, in_force: RefCell::default(), cancel };
    let (with_fills, with_reads) = (plan.has(Experiment::Fills), plan.has(Experiment::Reads));
    let all: Vec<_> =
        filled.iter().filter(|_| with_fills).chain(read.iter().filter(|_| with_reads)).collect();
    bench.check(&all)?;
    let mut comparisons = Vec::new();
    for io in &plan.io {
        if with_fills {
            comparisons.extend(fills::run(&bench, &filled, *io, progress)?);
        }
        if with_reads {
            comparisons.extend(reads::run(&bench, &read, *io, progress)?);
        }
    }
    let version = db_bench.release().to_string();
    let system = System { name: "rocksdb", version: &version, program };
    let given = plan.advice.iter().filter(|(key, _)| is_fixed(key));
    // In words, since each comparison has its own.
    let fixed = given.map(|(key, _)| (key.clone(), "by the plan".into())).collect();
    Ok(Proof::of(system, plan, &plan.advice, fixed, bench.in_force.take(), comparisons))
}

/// Bytes per second at which a database is filled and compacted on an SSD.
const FILLED: f64 = 40e6;

/// How often a pair is written until the last compaction has ended, its log included.
const WRITTEN: u64 = 6;

/// What `plan` tries of its advice, with which program, and about how much time and space that takes.
///
/// # Errors
/// As [`prove()`] before anything is filled.
pub fn foresee(plan: &Plan) -> Result<Foreseen, ProveError> {
    plan.check()?;
    let program = program(plan.db_bench.as_deref())?;
    let version = DbBench::find(&program)?.release().to_string();
    let (filled, read) = (fills_lineup(plan), reads_lineup(plan));
    let all_io = plan.io.len() as u32;
    let fill = Effort { seconds: plan.data_bytes as f64 / FILLED, written_bytes: WRITTEN * plan.data_bytes };
    let read_seconds = 2 * plan.read_seconds;
    let reading = Effort {
        seconds: f64::from(read_seconds) + 3.0,
        written_bytes: WRITTEN * plan.write_bytes_per_second * u64::from(read_seconds),
    };
    let parts = [
        (Experiment::Fills, filled, plan.rounds, fill),
        (Experiment::Reads, read, plan.read_rounds, reading),
    ];
    let asked = parts.into_iter().filter(|(experiment, ..)| plan.has(*experiment));
    Ok(Foreseen {
        target: plan.target.clone(),
        version,
        programs: vec![program],
        // What is read is filled once for each way of I/O.
        loading: fill.times(if plan.has(Experiment::Reads) { all_io } else { 0 }),
        parts: asked
            .map(|(one, all, rounds, run)| Part::of(one.name(), &all, &KEYS, all_io * rounds, run))
            .collect(),
        on_disk_bytes: plan.space_bytes(),
    })
}

/// The variants of fills.
fn fills_lineup(plan: &Plan) -> Vec<(Role, Variant)> {
    line_up(&plan.advice, &KEYS, plan.with_single_keys, plan.grid.clone())
}

/// The variants of reads.
fn reads_lineup(plan: &Plan) -> Vec<(Role, Variant)> {
    let limits = plan.rate_limits.iter().map(|limit| Variant::single(RATE, &limit.to_string()));
    line_up(&plan.advice, &KEYS, plan.with_single_keys, limits.collect())
}

/// The one that is asked for, else that in PATH.
fn program(asked: Option<&Path>) -> Result<PathBuf, ProveError> {
    match asked {
        Some(path) => Ok(path.to_owned()),
        None => Ok(Program { name: DbBench::NAME, package: "rocksdb-tools" }.find(&[])?),
    }
}

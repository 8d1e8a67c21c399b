//! `leadline prove duckdb`: with its own program.

use std::path::Path;
use std::thread;

use leadline_advise::Inputs;
use leadline_prove::duckdb::{Experiment, Plan, foresee, installed, prove};

use super::{Announced, Args, Shown, advised, chosen, compared, proven, tried};
use crate::failure::Failure;

/// The table over the memory, and the least with which DuckDB sorts with several threads.
const TABLE_OVER_MEMORY: u64 = 2;
const LEAST_MEMORY: u64 = 128 << 20;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    let version = installed(args.bin.as_deref())?;
    let mut plan = Plan::new(args.target.to_path_buf(), Vec::new());
    if args.quick {
        plan = plan.quick();
    }
    if let Some(bytes) = args.data {
        plan.memory_bytes = plan.memory_bytes.min(bytes / TABLE_OVER_MEMORY).max(LEAST_MEMORY);
        plan.data_bytes = bytes;
    }
    if let Some(rounds) = args.rounds {
        (plan.rounds, plan.extension) = (rounds, 1);
    }
    plan.experiments = chosen("duckdb", &args.only, &Experiment::ALL.map(|one| (one.name(), one)))?;
    (plan.bin, plan.seed) = (args.bin.as_deref().map(Path::to_owned), args.seed);
    let inputs = Inputs {
        // It runs here, wherever the profile is of.
        cores: thread::available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok()),
        memory_bytes: Some(plan.memory_bytes),
        data_bytes: Some(plan.data_bytes),
        ..Inputs::default()
    };
    let advised = advised("duckdb", args, &version, inputs)?;
    plan.advice.clone_from(&advised.pairs);
    let [tried, left_out] = tried(args, &foresee(&plan)?.parts)?;
    plan.experiments.retain(|one| tried.contains(&one.name()));
    let announced = Announced::new(args, foresee(&plan)?, advised, left_out);
    proven(
        args,
        &announced,
        |cancel, progress| prove(&plan, cancel, progress),
        |proof| compared("DuckDB", args, proof),
    )
}

//! `leadline prove sqlite`: with its own program.

use std::path::Path;

use leadline_advise::Inputs;
use leadline_prove::sqlite::{Experiment, Plan, foresee, installed, prove};

use super::{Announced, Args, Shown, advised, chosen, compared, proven, tried};
use crate::failure::Failure;

/// The table over the memory that the advice may take for granted.
const TABLE_OVER_MEMORY: u64 = 4;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    let version = installed(args.bin.as_deref())?;
    let mut plan = Plan::new(args.target.to_path_buf(), Vec::new());
    if args.quick {
        plan = plan.quick();
    }
    plan.table_bytes = args.data.unwrap_or(plan.table_bytes);
    if let Some(rounds) = args.rounds {
        (plan.rounds, plan.commit_rounds, plan.extension) = (rounds, rounds, 1);
    }
    plan.experiments = chosen("sqlite", &args.only, &Experiment::ALL.map(|one| (one.name(), one)))?;
    (plan.bin, plan.seed) = (args.bin.as_deref().map(Path::to_owned), args.seed);
    let inputs = Inputs {
        memory_bytes: Some(plan.table_bytes / TABLE_OVER_MEMORY),
        data_bytes: Some(plan.table_bytes),
        ..Inputs::default()
    };
    let advised = advised("sqlite", args, &version, inputs)?;
    plan.advice.clone_from(&advised.pairs);
    let [tried, left_out] = tried(args, &foresee(&plan)?.parts)?;
    plan.experiments.retain(|one| tried.contains(&one.name()));
    let announced = Announced::new(args, foresee(&plan)?, advised, left_out);
    proven(
        args,
        &announced,
        |cancel, progress| prove(&plan, cancel, progress),
        |proof| compared("SQLite", args, proof),
    )
}

//! `leadline prove postgresql`.

use leadline_advise::Inputs;
use leadline_prove::postgresql::{Experiment, Plan, Proof, foresee, installed, prove};
use leadline_report::render_text;
use std::path::Path;

use super::{Announced, Args, Shown, advised, chosen, proven, tried};
use crate::failure::Failure;
use crate::output;

/// The first version with io_method.
const METHODS: u32 = 18;

/// Memory over `shared_buffers`, by the rules of the advice.
const MEMORY_OVER_BUFFERS: u64 = 4;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    let version = installed(args.bin.as_deref())?;
    let mut plan = Plan::new(args.target.to_path_buf(), Vec::new());
    if args.quick {
        plan = plan.quick();
    }
    if let Some(bytes) = args.data {
        plan.shared_buffers_bytes = plan.shared_buffers_bytes.min(bytes / 16).max(1 << 20);
        plan.table_bytes = bytes;
    }
    if let Some(rounds) = args.rounds {
        (plan.rounds, plan.plan_rounds, plan.pgbench_rounds, plan.extension) = (rounds, rounds, rounds, 1);
    }
    plan.experiments = experiments(args, version.major)?;
    let memory = MEMORY_OVER_BUFFERS * plan.shared_buffers_bytes;
    let inputs = Inputs { memory_bytes: Some(memory), ..Inputs::default() };
    let advised = advised("postgresql", args, &version.text, inputs)?;
    plan.advice.clone_from(&advised.pairs);
    (plan.bin, plan.seed) = (args.bin.as_deref().map(Path::to_owned), args.seed);
    let [tried, left_out] = tried(args, &foresee(&plan)?.parts)?;
    plan.experiments.retain(|one| tried.contains(&one.name()));
    let announced = Announced::new(args, foresee(&plan)?, advised, left_out);
    proven(args, &announced, |cancel, progress| prove(&plan, cancel, progress), text)
}

/// Those that were asked for, else all that the version has.
fn experiments(args: &Args, version: u32) -> Result<Vec<Experiment>, Failure> {
    let all = [Experiment::Scans, Experiment::Plans, Experiment::Checkpoints, Experiment::Methods]
        .map(|one| (one.name(), one));
    let mut chosen = chosen("postgresql", &args.only, &all)?;
    if args.only.is_empty() && version < METHODS {
        chosen.retain(|one| *one != Experiment::Methods);
    }
    Ok(chosen)
}

fn text(proof: &Proof) -> String {
    let width = output::width();
    let mut parts = vec![format!("PostgreSQL {} at {}\n", proof.version.text, proof.plan.target.display())];
    parts.extend(proof.comparisons.iter().map(|one| render_text(&one.text(), width)));
    parts.extend(proof.plan_choices.iter().map(|choices| render_text(&choices.text(), width)));
    parts.join("\n")
}

//! `leadline prove rocksdb`: with its own db_bench.

use leadline_advise::{Inputs, System};
use leadline_prove::rocksdb::{Experiment, Plan, installed, parts, prove};
use leadline_report::render_text;

use super::{Args, Shown, advised, announce, chosen, watched};
use crate::failure::Failure;
use crate::output;

/// Data over the block cache.
const DATA_OVER_CACHE: u64 = 32;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    let mut plan = Plan::new(args.target.to_path_buf(), Vec::new());
    if args.quick {
        plan = plan.quick();
    }
    plan.db_bench = args.bin.as_deref().map(|bin| bin.join("db_bench"));
    if let Some(bytes) = args.data {
        plan.cache_bytes = plan.cache_bytes.min(bytes / DATA_OVER_CACHE).max(1 << 20);
        plan.data_bytes = bytes;
    }
    if !args.only.is_empty() {
        let all = [Experiment::Fills, Experiment::Reads].map(|one| (one.name(), one));
        plan.experiments = chosen("rocksdb", &args.only, &all)?;
    }
    if let Some(rounds) = args.rounds {
        (plan.rounds, plan.read_rounds, plan.extension) = (rounds, rounds, 1);
    }
    plan.seed = args.seed;
    let version = installed(plan.db_bench.as_deref())?;
    plan.advice = advised(System::Rocksdb, args, &version, Inputs::default())?.pairs();
    let tried = announce("rocksdb", args, &parts(&plan))?;
    plan.experiments.retain(|one| tried.contains(&one.name()));
    let proof = watched(|cancel, progress| prove(&plan, cancel, progress))?;
    let width = output::width();
    let mut parts = vec![format!("RocksDB {} at {}\n", proof.version, plan.target.display())];
    parts.extend(proof.comparisons.iter().map(|one| render_text(&one.text(), width)));
    Ok(Shown { json: proof.to_json(), text: parts.join("\n") })
}

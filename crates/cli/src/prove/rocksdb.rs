//! `leadline prove rocksdb`: with its own db_bench.

use leadline_advise::Inputs;
use leadline_prove::rocksdb::{Experiment, Plan, foresee, installed, prove};

use super::{Announced, Args, Shown, advised, chosen, compared, proven, tried};
use crate::failure::Failure;

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
    let advised = advised("rocksdb", args, &version, Inputs::default())?;
    plan.advice.clone_from(&advised.pairs);
    let [tried, left_out] = tried(args, &foresee(&plan)?.parts)?;
    plan.experiments.retain(|one| tried.contains(&one.name()));
    let announced = Announced::new(args, foresee(&plan)?, advised, left_out);
    proven(
        args,
        &announced,
        |cancel, progress| prove(&plan, cancel, progress),
        |proof| compared("RocksDB", args, proof),
    )
}

//! `leadline prove innodb`: on MariaDB.

use leadline_advise::Inputs;
use leadline_prove::mariadb::{Plan, Workload, foresee, installed, prove};

use super::{Announced, Args, Shown, advised, chosen, compared, proven, tried};
use crate::failure::Failure;

/// Data over the buffer pool.
const DATA_OVER_POOL: u64 = 8;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    if args.bin.is_some() {
        return Err(Failure::Input(
            "--bin: is for postgresql and etcd; MariaDB is taken from PATH".to_owned(),
        ));
    }
    let version = installed()?;
    let mut plan = Plan::new(args.target.to_path_buf(), Vec::new());
    if args.quick {
        plan = plan.quick();
    }
    if let Some(bytes) = args.data {
        plan.buffer_pool_bytes = plan.buffer_pool_bytes.min(bytes / DATA_OVER_POOL).max(8 << 20);
        plan.data_bytes = bytes;
    }
    if !args.only.is_empty() {
        let all = [Workload::WriteOnly, Workload::ReadWrite].map(|one| (one.name(), one));
        plan.workloads = chosen("innodb", &args.only, &all)?;
    }
    if let Some(rounds) = args.rounds {
        (plan.rounds, plan.extension) = (rounds, 1);
    }
    plan.seed = args.seed;
    let inputs = Inputs { memory_bytes: Some(plan.buffer_pool_bytes * 4 / 3), ..Inputs::default() };
    let advised = advised("innodb", args, &version, inputs)?;
    plan.advice.clone_from(&advised.pairs);
    let [tried, left_out] = tried(args, &foresee(&plan)?.parts)?;
    plan.workloads.retain(|one| tried.contains(&one.name()));
    let announced = Announced::new(args, foresee(&plan)?, advised, left_out);
    proven(
        args,
        &announced,
        |cancel, progress| prove(&plan, cancel, progress),
        |proof| compared("MariaDB", args, proof),
    )
}

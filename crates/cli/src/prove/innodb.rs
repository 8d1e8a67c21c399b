//! `leadline prove innodb`: on MariaDB.

use leadline_advise::{Inputs, System};
use leadline_prove::mariadb::{Plan, Workload, installed, parts, prove};
use leadline_report::render_text;

use super::{Args, Shown, advised, announce, chosen, watched};
use crate::failure::Failure;
use crate::output;

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
    plan.advice = advised(System::Innodb, args, &version, inputs)?.pairs();
    let tried = announce("innodb", args, &parts(&plan))?;
    plan.workloads.retain(|one| tried.contains(&one.name()));
    let proof = watched(|cancel, progress| prove(&plan, cancel, progress))?;
    let width = output::width();
    let mut parts = vec![format!("MariaDB {} at {}\n", proof.version, plan.target.display())];
    parts.extend(proof.comparisons.iter().map(|one| render_text(&one.text(), width)));
    Ok(Shown { json: proof.to_json(), text: parts.join("\n") })
}

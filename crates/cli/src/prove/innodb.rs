//! `leadline prove innodb`: on MariaDB.

use leadline_advise::{Inputs, System};
use leadline_prove::mariadb::{Plan, Workload, installed, prove};
use leadline_report::render_comparison_of_settings;

use super::{Args, Shown, advised, chosen, watched};
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
        let all = [("write-only", Workload::WriteOnly), ("read-write", Workload::ReadWrite)];
        plan.workloads = chosen("innodb", &args.only, &all)?;
    }
    plan.rounds = args.rounds.unwrap_or(plan.rounds);
    plan.seed = args.seed;
    let inputs = Inputs { memory_bytes: Some(plan.buffer_pool_bytes * 4 / 3), ..Inputs::default() };
    plan.advice = advised(System::Innodb, args, &version, inputs)?.pairs();
    let proof = watched(|cancel, progress| prove(&plan, cancel, progress))?;
    let width = output::width();
    let mut parts = vec![format!("MariaDB {} at {}\n", proof.version, plan.target.display())];
    parts.extend(proof.comparisons.iter().map(|one| render_comparison_of_settings(one, width)));
    Ok(Shown { json: proof.to_json(), text: parts.join("\n") })
}

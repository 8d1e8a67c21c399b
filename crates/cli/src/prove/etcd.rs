//! `leadline prove etcd`: the predicted 99th percentile of fdatasync against fio's and etcd's own.

use leadline_advise::{Inputs, System, advise};
use leadline_prove::etcd::{Plan, Prediction, prove};
use leadline_report::render_etcd_proof;

use super::{Args, Shown, watched};
use crate::failure::Failure;
use crate::{output, source};

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    if args.data.is_some() || !args.only.is_empty() {
        return Err(Failure::Input("--data, --only: are not for etcd, which writes only its log".to_owned()));
    }
    let profile = source::load_profile(&args.profile)?;
    let found = profile.experiments.fsync.as_ref();
    let alone = found.and_then(|found| found.points.iter().find(|point| point.writers == 1));
    let Some(alone) = alone else {
        let text = format!(
            "{}: durable appends were not measured: leadline experiment fsync TARGET --into PROFILE does",
            args.profile
        );
        return Err(Failure::Input(text));
    };
    let predicted = Prediction { p99_ms: alone.latency_us.p99 / 1e3, interval_ms: None };
    let advice = advise(System::Etcd, &profile, &Inputs::default())?.pairs();
    let mut plan = Plan::new(args.target.clone(), Some(predicted), advice);
    if args.quick {
        plan = plan.quick();
    }
    plan.rounds = args.rounds.unwrap_or(plan.rounds);
    (plan.bin, plan.seed) = (args.bin.clone(), args.seed);
    let proof = watched(|cancel, progress| prove(&plan, cancel, progress))?;
    Ok(Shown { json: proof.to_json(), text: render_etcd_proof(&proof, output::width()) })
}

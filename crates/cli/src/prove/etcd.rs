//! `leadline prove etcd`: the predicted 99th percentile of fdatasync against fio's and etcd's own.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_advise::{Inputs, System, advise};
use leadline_device::target::Target;
use leadline_measure::experiment::{self, ExperimentPlan};
use leadline_measure::target::{Access, OpenTarget};
use leadline_process::ProcessError;
use leadline_profile::DeviceProfile;
use leadline_prove::etcd::{Plan, Prediction, foresee, prove};
use leadline_prove::{Progress, ProveError};
use leadline_report::render_text;

use super::{Advised, Announced, Args, Shown, proven};
use crate::failure::Failure;
use crate::output;

/// Bytes of the file through which the device is opened, the least there is: appends have their own.
const OPENED_BYTES: u64 = 2 << 20;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    if args.data.is_some() || !args.only.is_empty() || !args.set.is_empty() {
        let text = "--data, --only, --set: are not for etcd, which writes only its log: what a profile predicts of \
                    that is compared";
        return Err(Failure::Input(text.to_owned()));
    }
    let profile = DeviceProfile::open(&args.profile)?;
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
    let advised = Advised::from(advise(System::Etcd, &profile, &Inputs::default())?);
    let mut plan = Plan::new(args.target.to_path_buf(), Some(predicted), advised.pairs.clone());
    if args.quick {
        plan = plan.quick();
    }
    plan.rounds = args.rounds.unwrap_or(plan.rounds);
    (plan.bin, plan.seed) = (args.bin.as_deref().map(Path::to_owned), args.seed);
    let announced = Announced::new(args, foresee(&plan, true)?, advised, Vec::new());
    let measuring = |cancel: &Arc<AtomicBool>, progress: &mut dyn FnMut(Progress)| {
        let mut own = |folder: &Path, seconds: f64| {
            measured(folder, seconds, cancel).map_err(|source| match cancel.load(Ordering::Relaxed) {
                true => ProcessError::Cancelled.into(),
                false => ProveError::Measurement { folder: folder.to_owned(), source },
            })
        };
        prove(&plan, Some(&mut own), cancel, progress)
    };
    proven(args, &announced, measuring, |proof| render_text(&proof.text(), output::width()))
}

/// The same as in the profile, now: the p99 of durable appends by one writer, milliseconds.
fn measured(
    folder: &Path,
    seconds: f64,
    cancel: &Arc<AtomicBool>,
) -> Result<f64, Box<dyn Error + Send + Sync>> {
    let access = Access { size_bytes: Some(OPENED_BYTES), ..Access::default() };
    let target = OpenTarget::open(&Target::resolve(folder)?, OPENED_BYTES, &access)?;
    let mut plan = ExperimentPlan::for_target(experiment::FSYNC, &target);
    (plan.seconds, plan.most_writers, plan.layout) = (seconds, 1, false);
    let ran = experiment::run(target.device.as_ref(), &plan, cancel, &mut |_| ())?;
    let Some(found) = ran.found.fsync else { unreachable!("that is what was asked for") };
    Ok(found.points[0].latency_us.p99 / 1e3)
}

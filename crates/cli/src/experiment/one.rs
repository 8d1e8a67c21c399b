//! One experiment: into the profile that was named, or into a new one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_measure::experiment::{self, Experiment, ExperimentPlan, Ran};
use leadline_measure::summary::Circumstances;
use leadline_measure::target::OpenTarget;
use leadline_measure::{MeasureError, PlanError, Surroundings};
use leadline_profile::DeviceProfile;
use leadline_report::render_experiment;

use super::opened::{dry_run, open};
use super::{Args, refuse_another_device};
use crate::failure::{Failure, why_stopped};
use crate::messages;
use crate::output::{self, OutputPaths};
use crate::progress::Display;
use crate::signals;
use crate::target::Target;

/// Runs the experiment on TARGET, writes the profile with its result, and prints that.
pub(super) fn run(args: &Args, which: &'static dyn Experiment) -> Result<(), Failure> {
    let into = args.into.as_deref().filter(|path| path.exists()).map(DeviceProfile::load).transpose()?;
    let target = Target::find(&args.target)?;
    if which.needs_directory() && !target.candidate().is_directory() {
        return Err(PlanError::NeedsDirectory { experiment: which.name() }.into());
    }
    if which.needs_wear() && !target.candidate().reports_wear() {
        return Err(Failure::Input(format!("{}: {}", args.target, PlanError::NoWear)));
    }
    if args.dry_run {
        return dry_run(args, target, &[which]);
    }
    let cancel = signals::cancel_flag()?;
    let opened = open(args, target, &[which])?;
    let plan = args.plan(which, &opened.target, into.as_ref())?;
    if let (Some(path), Some(profile)) = (&args.into, &into) {
        refuse_another_device(path, &profile.device, &opened.target.facts)?;
    }
    let mut paths = OutputPaths::choose(
        args.into.as_deref().map(Path::to_owned),
        None,
        args.json,
        &opened.target.facts.name,
    )?;
    opened.announce();
    let target = opened.target;
    let measured = measure(&plan, &target, &mut Display::new(), &cancel);
    target.device.warnings().iter().for_each(|warning| messages::warning(warning));
    let (ran, around) = measured?;
    let stopped = why_stopped(ran.stopped_by.as_ref());
    let profile = match args.into.as_deref() {
        Some(path) => add(path, |there| experiment::profile(&plan, ran, around, there))?,
        None => {
            let profile = experiment::profile(&plan, ran, around, None);
            paths.write(&profile)?;
            profile
        }
    };
    finish(args, which, &paths, &profile, stopped)
}

/// Adds a result to the profile at `path` as it is now: another command may have added its own since this one
/// began.
pub(super) fn add(
    path: &Path,
    with: impl FnOnce(Option<DeviceProfile>) -> DeviceProfile,
) -> Result<DeviceProfile, Failure> {
    DeviceProfile::change(path, with).map_err(|error| Failure::Operation(error.to_string()))
}

/// Measures with a progress bar: what was found, and under which circumstances.
pub(super) fn measure(
    plan: &ExperimentPlan,
    target: &OpenTarget,
    display: &mut Display,
    cancel: &Arc<AtomicBool>,
) -> Result<(Ran, Circumstances), MeasureError> {
    let mut surroundings = Surroundings::watch(target, output::now());
    let result = experiment::run(target.device.as_ref(), plan, cancel, &mut |progress| {
        surroundings.sample();
        display.show(&progress);
    });
    display.finish();
    Ok((result?, surroundings.circumstances(env!("CARGO_PKG_VERSION"))))
}

/// Prints what was written; a run cut short is kept, marked, and fails.
fn finish(
    args: &Args,
    which: &'static dyn Experiment,
    paths: &OutputPaths,
    profile: &DeviceProfile,
    stopped: Option<String>,
) -> Result<(), Failure> {
    if args.json {
        output::print(&profile.to_json())?;
    } else {
        let table = render_experiment(profile, which.name(), output::width());
        output::print(&table.unwrap_or_default())?;
    }
    paths.say();
    match stopped {
        None => Ok(()),
        Some(reason) => {
            Err(Failure::Operation(format!("{reason}; what was measured is kept, in fewer rounds")))
        }
    }
}

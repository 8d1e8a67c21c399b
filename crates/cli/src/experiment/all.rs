//! `leadline experiment all`: every experiment that TARGET allows, one after the other into one profile. What
//! the profile has already is not measured again, so that a run that was interrupted goes on.

use std::path::Path;

use leadline_device::format_size;
use leadline_measure::experiment::{self, Experiment};
use leadline_measure::{MeasureError, PlanError};
use leadline_profile::{DeviceProfile, Procedure};
use leadline_report::render_experiment;

use super::announced::announce;
use super::one::measure;
use super::{Args, refuse_another_device};
use crate::failure::{Failure, why_stopped};
use crate::output;
use crate::progress::Display;
use crate::signals;
use crate::target::Target;

/// Runs what is left to be run, and saves the profile after each.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let Some(path) = args.into.as_deref() else {
        let text = "all: name the profile that the results go into with --into PROFILE";
        return Err(Failure::Input(text.to_owned()));
    };
    let target = Target::find(&args.target)?;
    let mut profile = Some(path).filter(|path| path.exists()).map(DeviceProfile::load).transpose()?;
    if let Some(profile) = &profile {
        refuse_another_device(path, &profile.device, &target.facts())?;
    }
    output::check_writable(path)?;
    let mut left = left_to_run(args, path, &target, profile.as_ref());
    if left.is_empty() {
        output::say(&format!("{}: nothing is left to be measured", args.target));
        return finish(args, profile.as_ref());
    }
    let announced = announce(args, &target, &left)?;
    let seconds: f64 = left.iter().map(|&one| args.seconds(one)).sum();
    output::say(&format!("{}: {}; measures for {seconds} s: {}", args.target, announced.words, names(&left)));
    let cancel = signals::cancel_flag()?;
    let target = target.open(announced.bytes, &announced.access)?;
    target.warnings.iter().for_each(|warning| output::say(warning));
    leave_out(&mut left, "need writes, and this target is only read", |one| {
        !target.writes && one.needs_writes()
    });

    let (mut written, mut laid_out) = (0, false);
    // What --max-writes was not enough for.
    let mut short: Vec<Experiment> = Vec::new();
    for (i, &one) in left.iter().enumerate() {
        let mut plan = args.plan(one, &target);
        plan.layout &= !laid_out;
        plan.max_writes = args.max_writes.map(|max| {
            let layout = if plan.layout { plan.region.len } else { 0 };
            let rest = max.saturating_sub(written + layout);
            layout + rest / (left.len() - i) as u64
        });
        plan.check(&target.device.geometry())?;
        let mut display = Display::of_part(i + 1, left.len());
        let measured = measure(&plan, &target, &mut display, &cancel);
        laid_out |= plan.layout;
        let (ran, around) = match measured {
            Ok(measured) => measured,
            Err(MeasureError::Plan(PlanError::WritesSpent { .. })) => {
                output::say(&format!(
                    "{}: its share of --max-writes was not enough; nothing is kept",
                    one.name()
                ));
                written += plan.max_writes.unwrap_or(0);
                short.push(one);
                continue;
            }
            Err(error) => return Err(failure(path, one, error)),
        };
        let stopped = why_stopped(ran.stopped_by.as_ref());
        let with = experiment::profile(&plan, ran, around, profile);
        with.save(path).map_err(|error| Failure::Operation(error.to_string()))?;
        written += procedure(&with, one).map_or(0, |procedure| procedure.bytes_written);
        if !args.json {
            let table = render_experiment(&with, one.name(), output::width()).unwrap_or_default();
            output::print(&format!("{}\n\n{table}\n", one.name()))?;
        }
        profile = Some(with);
        if let Some(reason) = stopped {
            return Err(Failure::Operation(format!(
                "{}: {reason}; what it had measured is kept, in fewer rounds, and the same command measures it \
                 again and goes on",
                one.name()
            )));
        }
    }
    target.device.warnings().iter().for_each(|note| output::say(note));
    output::say(&format!("profile in {}", path.display()));
    finish(args, profile.as_ref())?;
    match args.max_writes {
        Some(max) if !short.is_empty() => {
            let (max, names) = (format_size(max), names(&short));
            Err(Failure::Input(format!("--max-writes {max}: not enough for {names}; allow more")))
        }
        _ => Ok(()),
    }
}

/// Those that the profile does not have whole and that the target allows; says which are skipped, and why.
fn left_to_run(
    args: &Args,
    path: &Path,
    target: &Target,
    profile: Option<&DeviceProfile>,
) -> Vec<Experiment> {
    let mut left = Experiment::ALL.to_vec();
    let complete = |one: Experiment| {
        let found = profile.and_then(|profile| procedure(profile, one));
        found.is_some_and(|procedure| procedure.stopped_by.is_none())
    };
    leave_out(&mut left, &format!("complete in {}", path.display()), complete);
    leave_out(&mut left, "need writes", |one| args.access.reads_only && one.needs_writes());
    leave_out(&mut left, "need a directory", |one| one.needs_directory() && !target.is_directory());
    left
}

fn leave_out(left: &mut Vec<Experiment>, why: &str, skipped: impl Fn(Experiment) -> bool) {
    let (out, stay): (Vec<Experiment>, Vec<Experiment>) = left.iter().partition(|&&one| skipped(one));
    if !out.is_empty() {
        output::say(&format!("skipped ({why}): {}", names(&out)));
    }
    *left = stay;
}

fn names(which: &[Experiment]) -> String {
    which.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ")
}

fn procedure(profile: &DeviceProfile, one: Experiment) -> Option<&Procedure> {
    profile.experiments.procedures().find(|(name, _)| *name == one.name()).map(|(_, procedure)| procedure)
}

/// Why an experiment failed of which nothing is kept; those before it are in the profile.
fn failure(path: &Path, one: Experiment, error: MeasureError) -> Failure {
    let name = one.name();
    match error {
        MeasureError::Interrupted => Failure::Operation(format!(
            "interrupted: nothing of {name} is kept; what was finished before it is in {}, and the same command \
             goes on from there",
            path.display()
        )),
        error => match error.into() {
            Failure::Input(text) => Failure::Input(format!("{name}: {text}")),
            Failure::Operation(text) => Failure::Operation(format!("{name}: {text}")),
        },
    }
}

fn finish(args: &Args, profile: Option<&DeviceProfile>) -> Result<(), Failure> {
    match profile {
        Some(profile) if args.json => output::print(&profile.to_json()),
        _ => Ok(()),
    }
}

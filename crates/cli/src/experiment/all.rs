//! Several experiments, such as `leadline experiment all`: all that TARGET allows, one after the other into
//! one profile. What the profile has already is not measured again, so that a run that was interrupted goes
//! on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leadline_device::format_size;
use leadline_measure::experiment::{self, Experiment, names};
use leadline_measure::target::OpenTarget;
use leadline_measure::{MeasureError, PlanError};
use leadline_profile::{DeviceProfile, Procedure};
use leadline_report::render_experiment;

use super::one::{add, measure};
use super::opened::{dry_run, has_large_blocks, open, through_page_cache};
use super::{Args, refuse_another_device};
use crate::failure::{Failure, why_stopped};
use crate::messages;
use crate::output;
use crate::progress::Display;
use crate::signals;
use crate::target::Target;

/// Runs what is left to be run, and saves the profile after each.
pub(super) fn run(args: &Args, list: &[&'static dyn Experiment]) -> Result<(), Failure> {
    let Some(path) = args.into.as_deref() else {
        let text = "all: name the profile that the results go into with --into PROFILE";
        return Err(Failure::Input(text.to_owned()));
    };
    let target = Target::find(&args.target)?;
    let profile = Some(path).filter(|path| path.exists()).map(DeviceProfile::load).transpose()?;
    if let Some(profile) = &profile {
        refuse_another_device(path, &profile.device, &target.facts())?;
    }
    let left = left_to_run(args, list, path, &target, profile.as_ref());
    if left.is_empty() {
        messages::note(&format!("{}: nothing is left to be measured", args.target));
        return finish(args, profile.as_ref());
    }
    if args.dry_run {
        return dry_run(args, target, &left);
    }
    let access = args.access.access(args.quick);
    let (cached, direct): (Vec<&'static dyn Experiment>, Vec<&'static dyn Experiment>) =
        left.iter().partition(|&&one| through_page_cache(&target, &access, one));
    // Of a simulated drive these use more than the others.
    let (whole, direct): (Vec<&'static dyn Experiment>, Vec<&'static dyn Experiment>) = direct
        .iter()
        .partition(|one| one.uses_whole_drive() && target.candidate().simulated_capacity().is_some());
    let cancel = signals::cancel_flag()?;
    let (done, of, written, short) = (0, left.len(), 0, Vec::new());
    let mut run = Run { args, path, profile, cancel, done, of, ahead: left.clone(), written, short };
    for group in [direct, whole, cached] {
        if !group.is_empty() {
            run.group(group)?;
        }
    }
    if !args.quiet {
        output::written("profile", path);
    }
    finish(args, run.profile.as_ref())?;
    match args.max_writes {
        Some(max) if !run.short.is_empty() => {
            let (max, names) = (format_size(max), names(&run.short));
            Err(Failure::Input(format!("--max-writes {max}: not enough for {names}; allow more")))
        }
        _ => Ok(()),
    }
}

/// How far all of them are.
struct Run<'a> {
    args: &'a Args,
    path: &'a Path,
    profile: Option<DeviceProfile>,
    cancel: Arc<AtomicBool>,
    /// Experiments that were begun, and how many there are.
    done: usize,
    of: usize,
    /// Those that were not begun.
    ahead: Vec<&'static dyn Experiment>,
    /// Bytes written.
    written: u64,
    /// What --max-writes was not enough for.
    short: Vec<&'static dyn Experiment>,
}

impl Run<'_> {
    /// Those that TARGET can be opened for once.
    fn group(&mut self, mut group: Vec<&'static dyn Experiment>) -> Result<(), Failure> {
        let opened = open(self.args, Target::find(&self.args.target)?, &group)?;
        opened.announce();
        let target = opened.target;
        let before = group.len();
        leave_out(&mut group, "need writes, and this target is only read", |one| {
            !target.writes && one.needs_writes()
        });
        self.of -= before - group.len();
        self.ahead.retain(|one| target.writes || !one.needs_writes());
        let mut laid_out = false;
        for one in group {
            laid_out |= self.measure(one, &target, laid_out)?;
        }
        target.device.warnings().iter().for_each(|warning| messages::warning(warning));
        Ok(())
    }

    /// The share of what may still be written that is for this one: in proportion to what each of those ahead
    /// writes where there is no limit.
    fn share_of(&self, one: &'static dyn Experiment, region_bytes: u64) -> f64 {
        let all: f64 = self.ahead.iter().map(|one| one.write_budget(region_bytes) as f64).sum();
        if all > 0.0 { one.write_budget(region_bytes) as f64 / all } else { 1.0 }
    }

    /// Measures one and saves the profile; whether it laid out the scratch file.
    fn measure(
        &mut self,
        one: &'static dyn Experiment,
        target: &OpenTarget,
        laid_out: bool,
    ) -> Result<bool, Failure> {
        let mut plan = self.args.plan(one, target, self.profile.as_ref())?;
        plan.layout &= !laid_out;
        if let Some(max) = self.args.max_writes {
            let layout = if plan.layout { plan.region.len } else { 0 };
            let rest = max.saturating_sub(self.written + layout);
            let share = (rest as f64 * self.share_of(one, plan.region.len)) as u64;
            plan.max_writes = Some(layout + share);
            plan.write_budget = plan.write_budget.map(|_| share);
        }
        plan.check(&target.device.geometry())?;
        self.done += 1;
        self.ahead.retain(|&other| other != one);
        let mut display = Display::of_part(self.done, self.of);
        let (ran, around) = match measure(&plan, target, &mut display, &self.cancel) {
            Ok(measured) => measured,
            Err(MeasureError::Plan(PlanError::WritesSpent { .. })) => {
                messages::warning(&format!(
                    "{}: its share of --max-writes was not enough; nothing is kept",
                    one.name()
                ));
                self.written += plan.max_writes.unwrap_or(0);
                self.short.push(one);
                return Ok(plan.layout);
            }
            Err(error) => return Err(failure(self.path, one, error)),
        };
        let stopped = why_stopped(ran.stopped_by.as_ref());
        let with = add(self.path, |there| experiment::profile(&plan, ran, around, there))?;
        self.written += procedure(&with, one).map_or(0, |procedure| procedure.bytes_written);
        if !self.args.json && !self.args.quiet {
            let table = render_experiment(&with, one.name(), output::width()).unwrap_or_default();
            output::print(&format!("{}\n\n{table}\n", one.name()))?;
        }
        self.profile = Some(with);
        match stopped {
            None => Ok(plan.layout),
            Some(reason) => Err(Failure::Operation(format!(
                "{}: {reason}; what it had measured is kept, in fewer rounds, and the same command measures it \
                 again and goes on",
                one.name()
            ))),
        }
    }
}

/// Those that the profile does not have whole and that the target allows; says which are skipped, and why.
fn left_to_run(
    args: &Args,
    list: &[&'static dyn Experiment],
    path: &Path,
    target: &Target,
    profile: Option<&DeviceProfile>,
) -> Vec<&'static dyn Experiment> {
    let mut left = list.to_vec();
    let complete = |one: &'static dyn Experiment| {
        let found = profile.and_then(|profile| procedure(profile, one));
        found.is_some_and(|procedure| procedure.stopped_by.is_none())
    };
    let access = args.access.access(args.quick);
    leave_out(&mut left, &format!("complete in {}", path.display()), complete);
    leave_out(&mut left, "need writes", |one| args.access.reads_only && one.needs_writes());
    leave_out(&mut left, "need a drive that counts what it writes to its medium", |one| {
        one.needs_wear() && !target.candidate().reports_wear()
    });
    leave_out(&mut left, "need a directory", |one| {
        one.needs_directory() && !target.candidate().is_directory()
    });
    leave_out(&mut left, "need smaller blocks", |one| {
        !target.candidate().is_directory() && has_large_blocks(target, &access, one)
    });
    left
}

fn leave_out(
    left: &mut Vec<&'static dyn Experiment>,
    why: &str,
    skipped: impl Fn(&'static dyn Experiment) -> bool,
) {
    let (out, stay): (Vec<&'static dyn Experiment>, Vec<&'static dyn Experiment>) =
        left.iter().partition(|&&one| skipped(one));
    if !out.is_empty() {
        messages::note(&format!("skipped ({why}): {}", names(&out)));
    }
    *left = stay;
}

fn procedure<'a>(profile: &'a DeviceProfile, one: &dyn Experiment) -> Option<&'a Procedure> {
    profile.experiments.procedures().find(|(name, _)| *name == one.name()).map(|(_, procedure)| procedure)
}

/// Why an experiment failed of which nothing is kept; those before it are in the profile.
fn failure(path: &Path, one: &'static dyn Experiment, error: MeasureError) -> Failure {
    let name = one.name();
    match error {
        MeasureError::Interrupted => Failure::Operation(format!(
            "interrupted: nothing of {name} is kept; what was finished before it is in {}, and the same command \
             goes on from there",
            path.display()
        )),
        error => Failure::from(error).about(name),
    }
}

fn finish(args: &Args, profile: Option<&DeviceProfile>) -> Result<(), Failure> {
    match profile {
        Some(profile) if args.json => output::print(&profile.to_json()),
        _ => Ok(()),
    }
}

//! `cargo xtask test`: the developer's loop, or everything that must pass.

mod build;
mod cargo;
mod columns;
mod memory;
mod output;
mod parts;
mod passed;
mod python;
mod queue;
mod summary;
mod tier;
mod watched;

use std::ffi::OsString;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::children;
use crate::dist::dist;
use crate::run::{Usage, Workspace, cargo, root, run, say, words};
use crate::setup::{Setup, Uses};
use build::{Binary, Built, build};
use memory::Memory;
use output::Counts;
use passed::Passed;
use queue::{Beside, Job, Ran};
use summary::Left;
use tier::Tier;

/// Set for the tests when they are to try every case; `leadline_testing::exhaustive` reads it.
const EXHAUSTIVE: &str = "LEADLINE_EXHAUSTIVE";

const FORMAT: &[&str] = &["fmt", "--all", "--check"];

/// Runs set-up and all steps; stops at the first step that fails. The last two lines say how long each step
/// took, and how many tests passed and failed.
pub(crate) fn test(arguments: &[OsString]) -> anyhow::Result<()> {
    let tier = Tier::parse(arguments)?;
    children::end_with_us()?;
    let mut steps = Steps::default();
    let uses = if tier.all { Uses::Everything } else { Uses::Loop };
    let setup = steps.step("set-up", || Setup::begin(uses))?;
    steps.step("format", format)?;
    steps.step("columns", columns::check)?;
    let built = build_while_installing(&mut steps, setup)?;
    let mut counts = Counts::default();
    let mut result = steps.step("tests", || {
        let ran = run_tests(tier, &built)?;
        ran.iter().for_each(|ran| counts.add(ran.counts));
        if counts.failed == 0 { Ok(()) } else { bail!("{} of {} tests", counts.failed, counts.total()) }
    });
    if tier.all && result.is_ok() {
        result = steps.step("wheel", || python::wheel(&built));
    }
    if tier.exhaustive && result.is_ok() {
        result = steps.step("builds repeat themselves", || dist(&["--again".into()]));
    }
    if result.is_ok() {
        say(&format!("xtask test: all passed in {} ({})", seconds(steps.total()), steps.summary()));
    }
    say(&format!("{} passed, {} failed", counts.passed, counts.failed));
    result
}

fn format() -> anyhow::Result<()> {
    for workspace in [&[][..], &["--manifest-path", "examples/Cargo.toml"]] {
        let mut command = cargo();
        command.args(FORMAT).args(workspace).current_dir(root());
        say(&format!("==> format: {}", words(&command)));
        run(&mut command)?;
    }
    Ok(())
}

/// The compiler waits for no network: what comes from there comes meanwhile.
fn build_while_installing(steps: &mut Steps, setup: Setup) -> anyhow::Result<Built> {
    thread::scope(|scope| {
        let installing = scope.spawn(move || setup.finish());
        let built = steps.step("build", || build(Workspace::Main))?;
        steps.step("rest of set-up", || installing.join().expect("an installation does not panic"))?;
        Ok(built)
    })
}

/// Runs the programs of a tier, but for those that would only pass again, and says what was run and what not.
fn run_tests(tier: Tier, built: &Built) -> anyhow::Result<Vec<Ran>> {
    let mut left = Left::default();
    let mut programs = built.programs.clone();
    if !tier.all {
        let (in_loop, to_all) = tier::loop_of(&programs);
        (programs, left.to_all) = (in_loop, Some(to_all));
    }
    let mut jobs = jobs_of(&programs, tier, built)?;
    let passed = Passed::load();
    if !tier.again {
        left.passed = passed.take_out(&mut jobs);
    }
    let memory = Memory::new();
    if let Some(memory) = &memory {
        memory.lend(&mut jobs);
    }
    let mut beside = Beside::default();
    if tier.all {
        jobs.extend(python::jobs(built, tier.exhaustive)?);
        // It has few tests, and all others would wait.
        beside.build = Some(Box::new(move || {
            let built = build(Workspace::Examples)?;
            jobs_of(&built.programs, tier, &built)
        }));
        beside.checks = cargo::jobs(built, tier.exhaustive)?;
    }
    // At once, so that a run that is ended early has been of use.
    let passed = Mutex::new(passed);
    let note = |ran: &Ran| passed.lock().unwrap_or_else(PoisonError::into_inner).note(ran);
    let ran = queue::run_all(jobs, beside, &note)?;
    summary::print(&ran, &left);
    Ok(ran)
}

fn jobs_of(programs: &[Binary], tier: Tier, built: &Built) -> anyhow::Result<Vec<Job>> {
    let jobs = programs.iter().map(|program| program.jobs(tier.exhaustive, built));
    Ok(jobs.collect::<anyhow::Result<Vec<Vec<Job>>>>()?.into_iter().flatten().collect())
}

/// What was done so far, and how long each step took.
#[derive(Default)]
struct Steps {
    times: Vec<(&'static str, Duration)>,
}

impl Steps {
    /// Does `work` and notes its time.
    fn step<T>(&mut self, name: &'static str, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let start = Instant::now();
        let result = work();
        self.times.push((name, start.elapsed()));
        match result {
            // A line that says what the user must do stands for itself.
            Err(error) if error.is::<Usage>() => Err(error),
            Err(error) => bail!("{name} failed: {error:#} ({})", self.summary()),
            done => done,
        }
    }

    fn total(&self) -> Duration {
        self.times.iter().map(|(_, time)| *time).sum()
    }

    fn summary(&self) -> String {
        let each = self.times.iter().map(|(name, time)| format!("{name} {}", seconds(*time)));
        each.collect::<Vec<_>>().join(", ")
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A command for tests: they learn whether to try every case, and nothing of who started it.
fn for_tests(mut command: Command, exhaustive: bool) -> Command {
    command.env_remove(EXHAUSTIVE);
    if exhaustive {
        command.env(EXHAUSTIVE, "1");
    }
    command
}

//! `cargo xtask test`: everything that must pass.

mod build;
mod cargo;
mod columns;
mod output;
mod python;
mod queue;
mod summary;
mod watched;

use std::ffi::OsString;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::children;
use crate::run::{Usage, cargo, root, run, say, words};
use crate::setup::Setup;
use build::{Built, build};
use output::Counts;
use queue::Job;

/// Set for the tests when they are to try every case; `leadline_testing::exhaustive` reads it.
const EXHAUSTIVE: &str = "LEADLINE_EXHAUSTIVE";

const FORMAT: &[&str] = &["fmt", "--all", "--check"];

/// Runs set-up and all steps; stops at the first step that fails. The last two lines say how long each step
/// took, and how many tests passed and failed.
pub(crate) fn test(arguments: &[OsString]) -> anyhow::Result<()> {
    let exhaustive = parse(arguments)?;
    children::end_with_us()?;
    let mut steps = Steps::default();
    let setup = steps.step("set-up", Setup::begin)?;
    steps.step("format", format)?;
    steps.step("columns", columns::check)?;
    let built = build_while_installing(&mut steps, setup)?;
    let mut counts = Counts::default();
    let mut result = steps.step("tests", || {
        let ran = queue::run_all(tests(&built, exhaustive)?, cargo::jobs(exhaustive))?;
        summary::print(&ran);
        ran.iter().for_each(|ran| counts.add(ran.counts));
        if counts.failed == 0 { Ok(()) } else { bail!("{} of {} tests", counts.failed, counts.total()) }
    });
    if exhaustive && result.is_ok() {
        result = steps.step("wheel", python::wheel);
    }
    if result.is_ok() {
        say(&format!("xtask test: all passed in {} ({})", seconds(steps.total()), steps.summary()));
    }
    say(&format!("{} passed, {} failed", counts.passed, counts.failed));
    result
}

/// Whether every case is to be tried.
fn parse(arguments: &[OsString]) -> anyhow::Result<bool> {
    match arguments {
        [] => Ok(false),
        [word] if word == "--exhaustive" => Ok(true),
        [word, ..] => Err(Usage::error(format!(
            "`test` does not take `{}`: it takes --exhaustive or nothing",
            word.display()
        ))),
    }
}

fn format() -> anyhow::Result<()> {
    let mut command = cargo();
    command.args(FORMAT).current_dir(root());
    say(&format!("==> format: {}", words(&command)));
    run(&mut command)
}

/// The compiler waits for no network: what comes from there comes meanwhile.
fn build_while_installing(steps: &mut Steps, setup: Setup) -> anyhow::Result<Built> {
    thread::scope(|scope| {
        let installing = scope.spawn(move || setup.finish());
        let built = steps.step("build", build)?;
        steps.step("rest of set-up", || installing.join().expect("an installation does not panic"))?;
        Ok(built)
    })
}

fn tests(built: &Built, exhaustive: bool) -> anyhow::Result<Vec<Job>> {
    let mut jobs: Vec<Job> = built.programs.iter().map(|program| program.job(exhaustive)).collect();
    jobs.extend(python::jobs(built, exhaustive)?);
    Ok(jobs)
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

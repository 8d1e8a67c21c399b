//! `cargo xtask test`: everything that must pass, in the order in which it fails fastest.

mod build;
mod columns;
mod output;
mod queue;
mod summary;

use std::ffi::OsString;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::children;
use crate::run::{Usage, cargo, root, run, say, words};
use crate::setup::setup;

/// Set for the tests when they are to try every case; `leadline_testing::exhaustive` reads it.
const EXHAUSTIVE: &str = "LEADLINE_EXHAUSTIVE";

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const LINTS: &[&str] = &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
/// Its list of files and its dependencies make each crate a package. It is built from that only in an
/// exhaustive run, since that takes as long as a first build. What is never published need not be complete:
/// the fuzzer reads samples of other crates.
const PACKAGE: &[&str] = &[
    "package",
    "--workspace",
    "--exclude=leadline-benches",
    "--exclude=leadline-btree",
    "--exclude=leadline-crash",
    "--exclude=leadline-fuzz",
    "--exclude=leadline-testing",
    "--exclude=leadline-tpcc",
    "--exclude=leadline-tpch",
    "--exclude=xtask",
    "--locked",
    "--allow-dirty",
    "--quiet",
];
const DOCS: &[&str] = &["doc", "--workspace", "--no-deps", "--locked"];

/// Runs set-up and all steps; stops at the first step that fails. The last two lines say how long each step
/// took, and how many tests passed and failed.
pub(crate) fn test(arguments: &[OsString]) -> anyhow::Result<()> {
    let exhaustive = parse(arguments)?;
    children::end_with_us()?;
    let mut steps = Steps::default();
    steps.step("set-up", setup)?;
    steps.cargo("format", FORMAT)?;
    steps.step("columns", columns::check)?;
    steps.cargo("lints", LINTS)?;
    let binaries = steps.step("build", build::build)?;
    let mut counts = output::Counts::default();
    let result = steps.step("tests", || {
        counts = queue::run_all(&binaries, exhaustive)?;
        if counts.failed == 0 { Ok(()) } else { bail!("{} of {} tests", counts.failed, counts.total()) }
    });
    if result.is_ok() {
        steps.cargo("docs", DOCS)?;
        let unverified: &[&str] = if exhaustive { &[] } else { &["--no-verify"] };
        steps.cargo("packages", &[PACKAGE, unverified].concat())?;
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

    /// Runs cargo with `arguments`.
    fn cargo(&mut self, name: &'static str, arguments: &[&str]) -> anyhow::Result<()> {
        let mut command = cargo();
        command.args(arguments).current_dir(root());
        if arguments[0] == "doc" {
            command.env("RUSTDOCFLAGS", "-D warnings");
        }
        say(&format!("==> {name}: {}", words(&command)));
        self.step(name, || run(&mut command))?;
        say(&format!("<== {name}: passed in {}", seconds(self.times[self.times.len() - 1].1)));
        Ok(())
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

//! `cargo xtask test`: everything that must pass, in the order in which it fails fastest.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::run::{cargo, root, run, say, words};
use crate::setup::setup;

const STEPS: [(&str, &[&str]); 4] = [
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
    ("tests", &["test", "--workspace", "--locked"]),
    ("docs", &["doc", "--workspace", "--no-deps", "--locked"]),
];

/// Runs set-up and all steps. The last line, passed or failed, says how long each took.
pub(crate) fn test() -> anyhow::Result<()> {
    let mut times = Vec::new();
    timed("set-up", &mut times, setup)?;
    for (name, arguments) in STEPS {
        let mut command = step(arguments);
        say(&format!("==> {name}: {}", words(&command)));
        if let Err(error) = timed(name, &mut times, || run(&mut command)) {
            bail!("{name} failed: {error:#} ({})", summary(&times));
        }
        say(&format!("<== {name}: passed in {}", seconds(times[times.len() - 1].1)));
    }
    let total = times.iter().map(|(_, time)| *time).sum();
    say(&format!("xtask test: all passed in {} ({})", seconds(total), summary(&times)));
    Ok(())
}

fn step(arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments).current_dir(root());
    if arguments[0] == "doc" {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    command
}

fn timed<T>(
    name: &'static str,
    times: &mut Vec<(&'static str, Duration)>,
    work: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let start = Instant::now();
    let result = work();
    times.push((name, start.elapsed()));
    result
}

fn summary(times: &[(&str, Duration)]) -> String {
    times.iter().map(|(name, time)| format!("{name} {}", seconds(*time))).collect::<Vec<_>>().join(", ")
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

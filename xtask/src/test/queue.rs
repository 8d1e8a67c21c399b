//! Runs the test programs, as many at a time as there are processors, the longest first.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::output::{Counts, Format, Reader, Timed};
use super::seconds;
use crate::children;
use crate::run::{say, words};

/// The programs that take longest, in the order of their times: were one of them begun last, the others would
/// wait for it. Taken from the summary of a run; it costs time and nothing else if it is out of date.
const LONGEST: [&str; 9] = [
    "crates/cli e2e",
    "crates/report browser",
    "python tests",
    "crates/measure all",
    "crates/graph all",
    "examples/tpch all",
    "crates/calibrate all",
    "crates/cli throttled",
    "testing/crash all",
];

/// A program to run.
pub(super) struct Job {
    /// What it belongs to: "crates/pool".
    pub(super) krate: String,
    pub(super) name: String,
    pub(super) command: Command,
    /// How it tells of its tests.
    pub(super) format: Format,
}

/// What came of a program.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) krate: String,
    pub(super) name: String,
    pub(super) time: Duration,
    pub(super) counts: Counts,
    pub(super) tests: Vec<Timed>,
    pub(super) failed: Vec<String>,
}

/// Runs all of `jobs`, and beside them `fillers`, one after the other, with what time of the processors the
/// others leave. Says what each one came to.
pub(super) fn run_all(mut jobs: Vec<Job>, fillers: Vec<Job>) -> anyhow::Result<Vec<Ran>> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    say(&format!("==> tests: {} programs, {workers} at a time, and cargo beside them", jobs.len()));
    jobs.sort_by_key(|job| {
        let label = format!("{} {}", job.krate, job.name);
        LONGEST.iter().position(|longest| *longest == label).unwrap_or(LONGEST.len())
    });
    let queue = Mutex::new(VecDeque::from(jobs));
    let ran: anyhow::Result<Vec<Vec<Ran>>> = thread::scope(|scope| {
        let work = || {
            let mut ran = Vec::new();
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(job) = job else { return Ok(ran) };
                ran.push(run(job)?);
            }
        };
        let mut threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.push(scope.spawn(|| {
            // On Linux it is the thread that gives way, and what it starts does too. If it must not, it only
            // takes longer.
            let _ = rustix::process::nice(10);
            fillers.into_iter().map(run).collect()
        }));
        threads.into_iter().map(|thread| thread.join().expect("a worker does not panic")).collect()
    });
    Ok(ran?.into_iter().flatten().collect())
}

/// Runs a job and says what it came to: one line, and all that it wrote if it failed.
fn run(mut job: Job) -> anyhow::Result<Ran> {
    let start = Instant::now();
    job.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = children::start(&mut job.command)
        .with_context(|| format!("cannot run the tests {} {}", job.krate, job.name))?;
    let stdout = child.stdout.take().context("stdout was not kept")?;
    let stderr = child.stderr.take().context("stderr was not kept")?;
    let errors = thread::spawn(move || read_errors(stderr));
    let mut reader = Reader::new(job.format, start);
    let written = read(stdout, |line| {
        if reader.line(line, Instant::now()) {
            say(line);
        }
    });
    let status = child.wait()?;
    children::ended(&child);
    let errors = errors.join().unwrap_or_default();
    let time = start.elapsed();

    if !status.success() && reader.counts.failed == 0 {
        // It was ended by a signal, left before it could count, or has no tests.
        reader.counts.failed = 1;
        reader.failed.push(match job.format {
            Format::None => format!("`{}` ended with {status}", words(&job.command)),
            Format::Rust | Format::Pytest => format!("ended with {status}"),
        });
    }
    let Reader { counts, tests, failed, .. } = reader;
    let ran = Ran { krate: job.krate, name: job.name, time, counts, tests, failed };
    let outcome = if counts.failed == 0 { "ok" } else { "FAILED" };
    let line = format!("{outcome:6} {:>7}  {} {}", seconds(time), ran.krate, ran.name);
    match counts {
        Counts { passed: 0, failed: 0 } => say(&line),
        Counts { passed, failed: 0 } => say(&format!("{line}: {passed} passed")),
        Counts { passed, failed } => {
            say(&format!("{line}: {passed} passed, {failed} failed\n{written}{errors}"));
        }
    }
    Ok(ran)
}

/// Reads to the end, a line at a time as it comes.
fn read(from: impl Read, mut each: impl FnMut(&str)) -> String {
    let (mut all, mut line) = (String::new(), Vec::new());
    let mut from = BufReader::new(from);
    while from.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        let text = String::from_utf8_lossy(&line);
        each(text.trim_end());
        all.push_str(&text);
        line.clear();
    }
    all
}

/// Tests that cannot run here say so on stderr; that is passed on at once.
fn read_errors(stderr: impl Read) -> String {
    read(stderr, |line| {
        if line.starts_with("SKIPPED ") {
            say(line);
        }
    })
}

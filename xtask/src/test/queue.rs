//! Runs the test programs, as many at a time as there are processors, the longest first.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::build::Binary;
use super::output::{Counts, Reader, Timed};
use super::{for_tests, seconds, summary};
use crate::children;
use crate::run::{cargo, root, say};

/// The programs that take longest, in the order of their times: were one of them begun last, the others would
/// wait for it. Taken from the summary of a run; it costs time and nothing else if it is out of date.
const LONGEST: [&str; 7] = [
    "crates/cli e2e",
    "crates/report browser",
    "crates/graph all",
    "crates/pool all",
    "crates/measure all",
    "documentation examples",
    "crates/cli throttled",
];

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

/// A program to run, or cargo for the examples in the documentation.
struct Job {
    krate: String,
    name: String,
    command: Command,
}

/// Runs all tests, says what each program came to, and sums up.
pub(super) fn run_all(binaries: &[Binary], exhaustive: bool) -> anyhow::Result<Counts> {
    let queue = Mutex::new(jobs(binaries, exhaustive));
    let workers = thread::available_parallelism().map_or(2, usize::from);
    say(&format!("==> tests: {} test programs, {workers} at a time", binaries.len()));
    let ran: anyhow::Result<Vec<Vec<Ran>>> = thread::scope(|scope| {
        let work = || {
            let mut ran = Vec::new();
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(job) = job else { return Ok(ran) };
                ran.push(run(job)?);
            }
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a worker does not panic")).collect()
    });
    let ran: Vec<Ran> = ran?.into_iter().flatten().collect();
    summary::print(&ran);
    let mut counts = Counts::default();
    ran.iter().for_each(|ran| counts.add(ran.counts));
    Ok(counts)
}

fn jobs(binaries: &[Binary], exhaustive: bool) -> VecDeque<Job> {
    let mut jobs: Vec<Job> = binaries.iter().map(|binary| job(binary, exhaustive)).collect();
    jobs.push(examples(exhaustive));
    let place = |job: &Job| {
        let label = format!("{} {}", job.krate, job.name);
        LONGEST.iter().position(|longest| *longest == label).unwrap_or(LONGEST.len())
    };
    jobs.sort_by_key(place);
    jobs.into()
}

/// One test after the other, so that each one's time is known; the programs beside it keep the processors
/// busy.
fn job(binary: &Binary, exhaustive: bool) -> Job {
    let mut command = for_tests(Command::new(&binary.program), exhaustive);
    command.args(["--test-threads=1", "--color=never"]).current_dir(&binary.folder);
    // As cargo sets it; ours would mislead them.
    command.env("CARGO_MANIFEST_DIR", &binary.folder);
    Job { krate: binary.krate.clone(), name: binary.name.clone(), command }
}

/// The examples in the documentation of all libraries.
fn examples(exhaustive: bool) -> Job {
    let mut command = for_tests(cargo(), exhaustive);
    command.args(["test", "--workspace", "--doc", "--locked", "--quiet", "--color=never"]);
    command.current_dir(root());
    Job { krate: "documentation".to_owned(), name: "examples".to_owned(), command }
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
    let mut reader = Reader::new(start);
    let written = read(stdout, |line| reader.line(line, Instant::now()));
    let status = child.wait()?;
    children::ended(&child);
    let errors = errors.join().unwrap_or_default();
    let time = start.elapsed();

    if !status.success() && reader.counts.failed == 0 {
        // It was ended by a signal, or left before it could count.
        reader.counts.failed = 1;
        reader.failed.push(format!("ended with {status}"));
    }
    let Reader { counts, tests, failed, .. } = reader;
    let ran = Ran { krate: job.krate, name: job.name, time, counts, tests, failed };
    let outcome = if counts.failed == 0 { "ok" } else { "FAILED" };
    let line =
        format!("{outcome:6} {:>7}  {} {}: {} passed", seconds(time), ran.krate, ran.name, counts.passed);
    if counts.failed == 0 {
        say(&line);
    } else {
        say(&format!("{line}, {} failed\n{written}{errors}", counts.failed));
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

//! Runs the test programs, several at a time, the longest first.

use std::collections::VecDeque;
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::output::{Counts, Format, Reader, Timed};
use super::seconds;
use super::watched::{Patience, Stream, Watched, watch};
use crate::run::{say, words};

/// The programs that take longest, in the order of their times: were one of them begun last, the others would
/// wait for it. Taken from the summary of a run; it costs time and nothing else if it is out of date.
const LONGEST: [&str; 13] = [
    "python tests",
    "crates/report browser",
    "crates/graph all",
    "crates/cli pages",
    "crates/cli e2e",
    "crates/measure all",
    "crates/prove all",
    "crates/index all",
    "crates/calibrate all",
    "examples/tpch all",
    "crates/pool all",
    "crates/cli throttled",
    "testing/crash all",
];

/// Many times what a test takes.
const SILENCE: Duration = Duration::from_mins(10);
/// The same for tests that try all cases, and for what works at low priority and says little of it.
pub(super) const LONG_SILENCE: Duration = Duration::from_hours(1);

/// How long a program of tests may write nothing.
pub(super) fn silence(exhaustive: bool) -> Duration {
    if exhaustive { LONG_SILENCE } else { SILENCE }
}

/// Time for what a program has left running to end and close its output.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// A program to run.
pub(super) struct Job {
    /// What it belongs to: "crates/pool".
    pub(super) krate: String,
    pub(super) name: String,
    pub(super) command: Command,
    /// How it tells of its tests.
    pub(super) format: Format,
    /// How long it may write nothing.
    pub(super) silence: Duration,
    /// What its outcome depends on, if that is known: [`passed`](super::passed).
    pub(super) inputs: Option<String>,
}

impl Job {
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.krate, self.name)
    }
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
    /// Whether it said that it could not test something.
    pub(super) skipped: bool,
    pub(super) inputs: Option<String>,
}

/// What cargo does next to the test programs, one after the other.
#[derive(Default)]
pub(super) struct Beside {
    /// Builds more test programs.
    pub(super) build: Option<Build>,
    pub(super) checks: Vec<Job>,
}

/// A build, of which come test programs.
pub(super) type Build = Box<dyn FnOnce() -> anyhow::Result<Vec<Job>> + Send>;

/// Test programs that wait for a worker.
struct Queue {
    jobs: VecDeque<Job>,
    /// Whether a build that is under way may add more.
    more: bool,
}

impl Queue {
    fn add(&mut self, jobs: Vec<Job>) {
        self.jobs.extend(jobs);
        self.jobs.make_contiguous().sort_by_key(|job| {
            let label = job.label();
            LONGEST.iter().position(|longest| label.starts_with(longest)).unwrap_or(LONGEST.len())
        });
    }
}

/// The queue, and what tells the workers that it changed.
struct Waiting {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Waiting {
    fn new(jobs: Vec<Job>) -> Waiting {
        let mut queue = Queue { jobs: VecDeque::new(), more: true };
        queue.add(jobs);
        Waiting { queue: Mutex::new(queue), changed: Condvar::new() }
    }

    /// The next one; none if there is none and none will come.
    fn next(&self) -> Option<Job> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = |queue: &mut Queue| queue.jobs.is_empty() && queue.more;
        let mut queue = self.changed.wait_while(queue, empty).unwrap_or_else(PoisonError::into_inner);
        queue.jobs.pop_front()
    }

    fn change(&self, change: impl FnOnce(&mut Queue)) {
        change(&mut self.queue.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

/// Runs all of `jobs`, and `beside` next to them. Says what each one came to, and hands it to `done`.
pub(super) fn run_all(
    jobs: Vec<Job>,
    beside: Beside,
    done: &(dyn Fn(&Ran) -> anyhow::Result<()> + Sync),
) -> anyhow::Result<Vec<Ran>> {
    // Programs of tests wait for devices, clocks and servers for half of their time or more.
    let workers = thread::available_parallelism().map_or(2, usize::from) * 2;
    let cargo = if beside.checks.is_empty() { "" } else { ", and cargo next to them" };
    say(&format!("==> tests: {} programs, {workers} at a time{cargo}", jobs.len()));
    let waiting = Waiting::new(jobs);
    let finish = |job: Job| -> anyhow::Result<Ran> {
        let ran = run(job)?;
        done(&ran)?;
        Ok(ran)
    };
    let ran: anyhow::Result<Vec<Vec<Ran>>> = thread::scope(|scope| {
        let work =
            || -> anyhow::Result<Vec<Ran>> { std::iter::from_fn(|| waiting.next()).map(&finish).collect() };
        let mut threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.push(scope.spawn(|| run_beside(beside, &waiting, &finish)));
        threads.into_iter().map(|thread| thread.join().expect("a worker does not panic")).collect()
    });
    Ok(ran?.into_iter().flatten().collect())
}

/// Runs what is next to the test programs. What it builds they wait for; its checks give way to them.
fn run_beside(
    beside: Beside,
    waiting: &Waiting,
    finish: &dyn Fn(Job) -> anyhow::Result<Ran>,
) -> anyhow::Result<Vec<Ran>> {
    let built = beside.build.map_or(Ok(Vec::new()), |build| build());
    let failed = built.map(|jobs| waiting.change(|queue| queue.add(jobs)));
    // Also if the build failed: the workers do not wait for more.
    waiting.change(|queue| queue.more = false);
    failed?;
    // On Linux it is the thread that gives way, and what it starts does too. If it must not, it only takes
    // longer.
    let _ = rustix::process::nice(5);
    beside.checks.into_iter().map(finish).collect()
}

/// Runs a job and says what it came to: one line, and all that it wrote if it failed.
fn run(job: Job) -> anyhow::Result<Ran> {
    let (ran, watched) = run_watched(job)?;
    let outcome = if ran.counts.failed == 0 { "ok" } else { "FAILED" };
    let line = format!("{outcome:6} {:>7}  {} {}", seconds(ran.time), ran.krate, ran.name);
    match ran.counts {
        Counts { passed: 0, failed: 0 } => say(&line),
        Counts { passed, failed: 0 } => say(&format!("{line}: {passed} passed")),
        Counts { passed, failed } => {
            say(&format!("{line}: {passed} passed, {failed} failed\n{}{}", watched.stdout, watched.stderr));
            if let Some(processes) = watched.hung {
                say(&format!("\nwhat its processes did when it was killed:\n{processes}"));
            }
        }
    }
    Ok(ran)
}

/// Runs a job to its end.
fn run_watched(mut job: Job) -> anyhow::Result<(Ran, Watched)> {
    let start = Instant::now();
    let mut reader = Reader::new(job.format, start);
    let mut skipped = false;
    let patience = Patience { silence: job.silence, last_words: LAST_WORDS };
    let watched = watch(&mut job.command, patience, |stream, line| {
        let to_be_seen = match stream {
            Stream::Stdout => reader.line(line, Instant::now()),
            // Tests that cannot run here say so; that is passed on at once.
            Stream::Stderr => line.starts_with("SKIPPED "),
        };
        if to_be_seen {
            skipped = true;
            say(line);
        }
    })
    .with_context(|| format!("cannot run the tests {} {}", job.krate, job.name))?;
    let time = start.elapsed();

    let Reader { mut counts, tests, mut failed, .. } = reader;
    let ended = watched.status.map_or("no end".to_owned(), |status| status.to_string());
    if watched.hung.is_some() {
        counts.failed += 1;
        let last = watched.stdout.lines().next_back().unwrap_or("its start").trim_end();
        failed.push(format!("wrote nothing for {} after `{last}`, and was killed", seconds(job.silence)));
    } else if !watched.status.is_some_and(|status| status.success()) && counts.failed == 0 {
        // It was ended by a signal, left before it could count, or has no tests.
        counts.failed = 1;
        failed.push(match job.format {
            Format::None => format!("`{}` ended with {ended}", words(&job.command)),
            Format::Rust | Format::Pytest => format!("ended with {ended}"),
        });
    }
    let Job { krate, name, inputs, .. } = job;
    Ok((Ran { krate, name, time, counts, tests, failed, skipped, inputs }, watched))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_fails_and_the_test_that_it_ran_is_named() {
        let script =
            "echo 'running 2 tests'; echo 'test reads ... ok'; printf 'test hangs ... '; exec sleep 1000";
        // As long as it takes to get that far.
        let mut silence = Duration::from_millis(50);
        let (ran, watched) = loop {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            let (krate, name) = ("crates/made_up".to_owned(), "all".to_owned());
            let job = Job { krate, name, command, format: Format::Rust, silence, inputs: None };
            let (ran, watched) = run_watched(job).unwrap();
            assert_eq!(ran.counts, Counts { passed: 0, failed: 1 });
            if watched.stdout.ends_with("hangs ... ") {
                break (ran, watched);
            }
            silence *= 2;
        };
        let [failed] = &ran.failed[..] else { panic!("{:?}", ran.failed) };
        assert!(failed.ends_with(" after `test hangs ...`, and was killed"), "{failed}");
        assert!(watched.hung.unwrap().contains("sleep 1000\n"));
    }

    #[test]
    fn programs_that_are_built_meanwhile_are_waited_for_and_run() {
        let job = |name: &str| Job {
            krate: "crates/made_up".to_owned(),
            name: name.to_owned(),
            command: Command::new("true"),
            format: Format::None,
            silence: SILENCE,
            inputs: None,
        };
        let later = vec![job("built meanwhile")];
        let beside = Beside { build: Some(Box::new(|| Ok(later))), checks: vec![job("check")] };
        let ran = run_all(vec![job("first")], beside, &|_| Ok(())).unwrap();
        let mut names: Vec<&str> = ran.iter().map(|ran| ran.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["built meanwhile", "check", "first"]);
        let failed =
            Beside { build: Some(Box::new(|| anyhow::bail!("it does not build"))), ..Beside::default() };
        assert!(run_all(vec![job("first")], failed, &|_| Ok(())).is_err());
    }
}

//! One run of an engine: a process of ours starts it, waits, and reports what the kernel counted for it.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike as _};
use serde_json::{Value, json};

use crate::cgroup::Cgroup;

/// Runs a program and prints its time and use of resources. A process that has no other children, so that
/// what the kernel counts for its children is the program's.
#[derive(Parser)]
pub struct Args {
    /// The program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    words: Vec<OsString>,
}

/// What [`Args`] says, to standard output as JSON.
pub fn child(args: &Args) -> Result<()> {
    let started = Instant::now();
    let output = Command::new(&args.words[0]).args(&args.words[1..]).output();
    let seconds = started.elapsed().as_secs_f64();
    let output = output.with_context(|| args.words[0].display().to_string())?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    // The kernel counts blocks of 512 bytes that were read from a device, and kibibytes of memory.
    let document = json!({
        "seconds": seconds,
        "read_bytes": usage.block_reads() * 512,
        "peak_rss_bytes": usage.max_rss() * 1024,
        "cpu_seconds": cpu_seconds(&usage),
        "code": output.status.code(),
        "signal": output.status.signal(),
        "stdout": String::from_utf8_lossy(&output.stdout),
        "stderr": String::from_utf8_lossy(&output.stderr),
    });
    println!("{document}");
    Ok(())
}

fn cpu_seconds(usage: &Usage) -> f64 {
    let seconds = |time: TimeVal| time.num_microseconds() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// With exit code 0.
    Done,
    /// By the kernel: it wanted more memory than its cgroup has.
    Killed,
    /// By us.
    TimedOut,
    /// With another exit code, or a signal; what it said last.
    Failed(String),
}

impl Outcome {
    fn of(report: &Value, timeout_seconds: f64, oom: bool) -> Self {
        if report["seconds"].as_f64().is_some_and(|seconds| seconds >= timeout_seconds) {
            return Outcome::TimedOut;
        }
        // An engine that loses one of its processes may still end well, but not with an answer.
        if oom {
            return Outcome::Killed;
        }
        if report["code"].as_i64() == Some(0) {
            return Outcome::Done;
        }
        let last =
            |name: &str| report[name].as_str().and_then(|text| text.trim().lines().last()).map(str::to_owned);
        let said = last("stderr").or_else(|| last("stdout")).unwrap_or_default();
        Outcome::Failed(format!("exit code {}, signal {}: {said}", report["code"], report["signal"]))
    }
}

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Measured {
    /// From the start of the program to its end.
    pub seconds: f64,
    /// Of processors, user and system.
    pub cpu_seconds: f64,
    /// From the device, by the program and all it started.
    pub read_bytes: u64,
    /// Of the largest of its processes.
    pub peak_rss_bytes: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What it printed.
    pub stdout: String,
}

impl Measured {
    /// A number of the JSON document that the run printed.
    ///
    /// # Errors
    /// Where it printed none, or no such number.
    pub fn number(&self, key: &str) -> Result<f64> {
        let document: Value = serde_json::from_str(&self.stdout)
            .with_context(|| format!("not a JSON document: {}", self.stdout))?;
        document[key].as_f64().with_context(|| format!("no number {key:?} in the JSON document"))
    }
}

/// Runs a program, in the group where there is one, for at most so many seconds.
///
/// # Errors
/// Where it cannot be started at all. Its own failure is an [`Outcome`].
pub fn measure(words: &[OsString], group: Option<&Cgroup>, timeout_seconds: f64) -> Result<Measured> {
    let mut command = Command::new(std::env::current_exe()?);
    // `timeout` kills the whole process group, so also what a script started.
    command.args(["child", "timeout", "--signal=KILL"]).arg(timeout_seconds.to_string());
    if let Some(group) = group {
        command.args(["sh", "-c", r#"echo $$ > "$0" && exec "$@""#]).arg(group.procs());
    }
    // A group of its own: Ctrl-C is for us, who let a run end before what it runs on is taken away.
    let output = command.args(words).process_group(0).output().context("cannot start a run")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let report: Value = serde_json::from_slice(&output.stdout).context("a run's report")?;
    let whole = |name: &str| report[name].as_u64().with_context(|| format!("no {name} in a run's report"));
    let oom = group.map_or(Ok(false), Cgroup::killed)?;
    Ok(Measured {
        seconds: report["seconds"].as_f64().context("no seconds in a run's report")?,
        cpu_seconds: report["cpu_seconds"].as_f64().context("no cpu_seconds in a run's report")?,
        read_bytes: whole("read_bytes")?,
        peak_rss_bytes: whole("peak_rss_bytes")?,
        outcome: Outcome::of(&report, timeout_seconds, oom),
        stdout: report["stdout"].as_str().unwrap_or_default().to_owned(),
    })
}

/// Takes files out of the page cache: everything as root, else what lies under `dir`.
///
/// # Errors
/// Where a file cannot be opened.
pub fn drop_caches(dir: &Path) -> Result<()> {
    // Dirty pages stay; write them first.
    nix::unistd::sync();
    if std::fs::write("/proc/sys/vm/drop_caches", "3").is_ok() {
        return Ok(());
    }
    for path in files(dir)? {
        use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
        let file = std::fs::File::open(&path).with_context(|| path.display().to_string())?;
        posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)?;
    }
    Ok(())
}

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_killed_is_no_success_and_a_failed_one_says_why() {
        let report = |seconds: f64, code: Option<i32>| json!({"seconds": seconds, "code": code, "signal": null, "stdout": "", "stderr": "one\nno such vertex\n"});
        assert_eq!(Outcome::of(&report(1.0, Some(0)), 60.0, false), Outcome::Done);
        assert_eq!(Outcome::of(&report(1.0, Some(0)), 60.0, true), Outcome::Killed);
        assert_eq!(Outcome::of(&report(60.1, None), 60.0, false), Outcome::TimedOut);
        let Outcome::Failed(why) = Outcome::of(&report(1.0, Some(2)), 60.0, false) else {
            panic!("not failed")
        };
        assert!(why.contains("exit code 2") && why.contains("no such vertex"), "{why}");
    }
}

//! Running `leadline` and looking at what came of it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use leadline_profile::DeviceProfile;
use leadline_testing::processes;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::advised;

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The smallest measurement of a real target that still has every kind of point: seconds.
pub(crate) const SMALL: [&str; 8] =
    ["--budget-seconds", "1.5", "--size", "16M", "--block-size", "4K", "--max-concurrency", "8"];

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_leadline"))
}

/// A folder on the file system of the build: a disk, where `/tmp` may be memory.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// File names in `dir`, sorted.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Text of a path or number, for arguments.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `leadline` in `dir`.
#[track_caller]
pub(crate) fn run(dir: &Path, arguments: &[&str]) -> Ran {
    start(dir, arguments).end().0
}

/// Runs a command that is not, or not only, `leadline` in some folder. It reads nothing.
#[track_caller]
pub(crate) fn outcome(command: &mut Command) -> Ran {
    begin(command).end().0
}

/// Runs `leadline profile TARGET` with [`SMALL`] and more.
pub(crate) fn small(dir: &Path, target: &str, more: &[&str]) -> Ran {
    run(dir, &[&["profile", target], &SMALL[..], more].concat())
}

impl Ran {
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Exit code 2, nothing on stdout, and on stderr one line that has all of `said`: nothing was announced.
    #[track_caller]
    pub(crate) fn refused(&self, said: &[&str]) {
        self.failed(2, said);
        assert_eq!(self.stdout, "");
        assert!(!self.stderr.contains(" ...\n"), "no phase was begun: {}", self.stderr);
        assert!(!self.stderr.contains("; measures "), "what is refused is not announced: {}", self.stderr);
    }

    /// This exit code, and a last line on stderr that has all of `said`. Before it only the plan and the
    /// phases.
    #[track_caller]
    pub(crate) fn failed(&self, code: i32, said: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        let is_plan = |line: &&str| {
            let measures = line.contains("; measures for ") || line.contains("; measures until ");
            // What `prove` says beforehand.
            let proves =
                ["; installs nothing", ": takes about ", " runs, about ", "not part of the advice: "];
            let is_proof = proves.iter().any(|words| line.contains(words));
            let written = line.contains("profile in ") || line.contains("report in ");
            measures || is_proof || line.ends_with(" ...") || written
        };
        let lines: Vec<&str> = self.stderr.lines().filter(|line| !is_plan(line)).collect();
        let [line] = lines[..] else { panic!("one line, not {}", self.stderr) };
        assert!(line.starts_with("error: "), "{line}");
        for word in said {
            assert!(line.contains(word), "no {word:?} in {line:?}");
        }
    }

    /// stdout as the profile that it is.
    #[track_caller]
    pub(crate) fn profile(&self) -> DeviceProfile {
        // One document and nothing else: trailing text would be an error.
        DeviceProfile::parse(&self.stdout, Path::new("stdout")).unwrap()
    }
}

/// A run under way; killed when dropped.
pub(crate) struct Running {
    child: Child,
    /// Of `leadline`; none of another program.
    arguments: Vec<String>,
    /// All of it, once it was closed.
    stdout: Receiver<Vec<u8>>,
    lines: Receiver<String>,
    seen: Vec<String>,
}

/// Starts `leadline` in `dir`.
#[track_caller]
pub(crate) fn start(dir: &Path, arguments: &[&str]) -> Running {
    let mut running = begin(Command::new(program()).current_dir(dir).args(arguments));
    running.arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
    running
}

/// Starts `leadline` in `dir` with at most this number of descriptors.
#[track_caller]
pub(crate) fn start_with_descriptors(dir: &Path, most: u32, arguments: &[&str]) -> Running {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &most.to_string()]).arg(program());
    begin(shell.current_dir(dir).args(arguments))
}

/// Starts a command. What it writes is read from now on, so that it never waits for us.
#[track_caller]
fn begin(command: &mut Command) -> Running {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (mut out, errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (to_stdout, stdout) = channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        out.read_to_end(&mut all).unwrap();
        let _ = to_stdout.send(all);
    });
    let (to_lines, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
            if to_lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    Running { child, arguments: Vec::new(), stdout, lines, seen: Vec::new() }
}

impl Running {
    /// Waits until `phase` has begun.
    #[track_caller]
    pub(crate) fn reaches(&mut self, phase: &str) {
        let awaited = format!("{phase} ...");
        while self.seen.last() != Some(&awaited) {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(line),
                Err(error) => self.give_up(&format!("{phase} never began ({error})")),
            }
        }
    }

    /// Waits until a line on stderr has these words.
    #[track_caller]
    pub(crate) fn says(&mut self, words: &str) {
        while !self.seen.last().is_some_and(|line| line.contains(words)) {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(line),
                Err(error) => self.give_up(&format!("{words:?} was never said ({error})")),
            }
        }
    }

    /// Waits until it has a thread whose name begins so.
    #[track_caller]
    pub(crate) fn has_thread(&self, name: &str) {
        let (tasks, began) = (format!("/proc/{}/task", self.child.id()), Instant::now());
        let named = || {
            let tasks = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
            tasks
                .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
                .any(|own| own.starts_with(name))
        };
        while !named() {
            assert!(began.elapsed() < PATIENCE, "no thread {name}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until it has written `bytes` or more in all, to files with or without a name.
    #[track_caller]
    pub(crate) fn has_written(&self, bytes: u64) {
        let (io, began) = (format!("/proc/{}/io", self.child.id()), Instant::now());
        let written = || {
            let text = std::fs::read_to_string(&io).unwrap_or_default();
            let count = text.lines().find_map(|line| line.strip_prefix("wchar: "));
            count.and_then(|count| count.parse().ok()).unwrap_or(0)
        };
        while written() < bytes {
            assert!(began.elapsed() < PATIENCE, "{} of {bytes} bytes written", written());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end, and says how long that took.
    #[track_caller]
    pub(crate) fn end(mut self) -> (Ran, ExitStatus, Duration) {
        let began = Instant::now();
        let left = || PATIENCE.saturating_sub(began.elapsed());
        // What it started may keep its output open longer than it runs itself.
        let Ok(stdout) = self.stdout.recv_timeout(left()) else {
            self.give_up("its stdout was never closed")
        };
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if left().is_zero() => self.give_up("it closed its stdout and runs on"),
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        let took = began.elapsed();
        loop {
            match self.lines.recv_timeout(left()) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => self.give_up("its stderr was never closed"),
            }
        }
        let stdout = String::from_utf8(stdout).unwrap();
        let stderr = self.seen.iter().map(|line| format!("{line}\n")).collect();
        if status.code() != Some(0)
            && let (Some(line), [_, ..]) = (self.seen.last(), &self.arguments[..])
        {
            advised::checked(&self.arguments, line);
        }
        (Ran { code: status.code(), stdout, stderr }, status, took)
    }

    /// Says what was waited for in vain, what was seen until then, and what it does instead.
    #[track_caller]
    fn give_up(&mut self, why: &str) -> ! {
        let does = processes::describe(&processes::family(self.child.id()));
        self.seen.extend(self.lines.try_iter());
        panic!("{why}; on stderr were {:#?}; its threads:\n{does}", self.seen);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The one folder that a run without `-o` made in `dir`.
#[track_caller]
pub(crate) fn made_folder(dir: &Path) -> PathBuf {
    let made: Vec<String> =
        names(dir).into_iter().filter(|name| name.starts_with("leadline-") && !name.contains('.')).collect();
    let [name] = &made[..] else { panic!("one folder, not {made:?}") };
    dir.join(name)
}

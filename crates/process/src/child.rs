//! A child process: its lines as they come, its counters while it runs, and its end, which may be ours.

use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::{Launch, ProcessError};

/// How often a running child is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What a child was seen to do.
#[derive(Debug)]
pub enum Seen<'a> {
    /// It printed this line.
    Line(&'a str),
    /// It runs on, 50 ms after it was last seen.
    Running,
}

/// One line of a child.
struct Line {
    text: String,
    is_error: bool,
}

/// Runs a program to its end, and returns what it printed on stdout; `during` says in messages what it does.
/// `see` is called with the child's process id for every line, and some twenty times per second.
///
/// # Errors
/// [`ProcessError::Died`] where it fails, with the last line it said; [`ProcessError::Cancelled`] once
/// `cancel` is set, after the child was ended; [`ProcessError::Start`] where it cannot be started.
pub fn run(
    launch: &Launch,
    during: &str,
    cancel: &AtomicBool,
    see: &mut dyn FnMut(u32, Seen),
) -> Result<String, ProcessError> {
    let (mut child, lines) = start(launch)?;
    let (mut stdout, mut last, mut last_error) = (String::new(), String::new(), String::new());
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Err(ProcessError::Cancelled);
        }
        match lines.recv_timeout(LOOK) {
            Ok(Line { text, is_error }) => {
                see(child.0.id(), Seen::Line(&text));
                if is_error {
                    // How far it is, is not why it ended.
                    if !text.starts_with("... ") {
                        last_error.clone_from(&text);
                    }
                } else {
                    stdout.push_str(&text);
                    stdout.push('\n');
                    last.clone_from(&text);
                }
            }
            Err(RecvTimeoutError::Timeout) => see(child.0.id(), Seen::Running),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let ended =
        child.0.wait().map_err(|source| ProcessError::io(launch.program, "waiting for it", source))?;
    if ended.success() {
        return Ok(stdout);
    }
    // What it was told by a terminal's Ctrl-C or a shutdown, we were told as well.
    if cancel.load(Ordering::Relaxed) {
        return Err(ProcessError::Cancelled);
    }
    let said = match (last_error.is_empty(), last.is_empty()) {
        (false, _) => last_error,
        (true, false) => last,
        (true, true) => "nothing".to_owned(),
    };
    Err(ProcessError::Died { program: launch.name(), during: during.into(), how: how(ended), said })
}

/// A child that ends with us, whichever way we leave.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        // Both fail where it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(launch: &Launch) -> Result<(Ending, Receiver<Line>), ProcessError> {
    let mut command = launch.command()?;
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn();
    let mut child =
        Ending(child.map_err(|source| ProcessError::Start { program: launch.program.into(), source })?);
    let (sender, lines) = channel();
    if let Some(stderr) = child.0.stderr.take() {
        let sender = sender.clone();
        std::thread::spawn(move || send_lines(stderr, true, &sender));
    }
    if let Some(stdout) = child.0.stdout.take() {
        std::thread::spawn(move || send_lines(stdout, false, &sender));
    }
    Ok((child, lines))
}

/// Sends what ends with a line feed, or with the carriage return with which a program overwrites its own
/// line.
fn send_lines(mut from: impl Read, is_error: bool, to: &Sender<Line>) {
    let (mut line, mut buffer) = (Vec::new(), [0; 4096]);
    let send = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line).trim_end().to_owned();
        line.clear();
        text.is_empty() || to.send(Line { text, is_error }).is_ok()
    };
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for &byte in &buffer[..count] {
            if matches!(byte, b'\n' | b'\r') {
                if !send(&mut line) {
                    return;
                }
            } else {
                line.push(byte);
            }
        }
    }
    send(&mut line);
}

pub(crate) fn how(ended: ExitStatus) -> String {
    match (ended.code(), ended.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use super::*;

    fn shell(
        script: &str,
        cancel: &AtomicBool,
        see: &mut dyn FnMut(u32, Seen),
    ) -> Result<String, ProcessError> {
        let arguments = ["-c".to_owned(), script.to_owned()];
        let lock = File::open("/dev/null").unwrap();
        run(&Launch::new(Path::new("/bin/sh"), &arguments, &lock), "a test", cancel, see)
    }

    #[test]
    fn lines_come_from_both_streams_and_carriage_returns_end_them() {
        let mut seen = Vec::new();
        let see = &mut |_: u32, what: Seen| {
            if let Seen::Line(text) = what {
                seen.push(text.to_owned());
            }
        };
        let stdout =
            shell("echo one; printf '... 5 ops\\r... 6 ops' >&2; echo two", &AtomicBool::new(false), see);
        assert_eq!(stdout.unwrap(), "one\ntwo\n");
        seen.sort();
        assert_eq!(seen, ["... 5 ops", "... 6 ops", "one", "two"]);
    }

    #[test]
    fn a_child_that_fails_is_told_with_its_last_words_and_not_with_its_progress() {
        let said = |script| shell(script, &AtomicBool::new(false), &mut |_, _| ()).unwrap_err().to_string();
        let full = said("echo hello; echo 'put error: No space left' >&2; printf '... 7 ops\\r' >&2; exit 3");
        assert!(
            full.contains("sh, a test: ended with exit code 3") && full.ends_with("No space left"),
            "{full}"
        );
        let killed = said("echo half; kill -9 $$");
        assert!(killed.contains("killed by signal 9") && killed.ends_with("half"), "{killed}");
    }

    #[test]
    fn a_child_is_ended_when_we_are_to_end() {
        let cancel = AtomicBool::new(false);
        let mut pid = 0;
        let ran = shell("echo begun; exec sleep 1000", &cancel, &mut |id, _| {
            pid = id;
            cancel.store(true, Ordering::Relaxed);
        });
        assert!(matches!(ran, Err(ProcessError::Cancelled)));
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }
}

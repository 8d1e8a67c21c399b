//! A program that is watched: its lines as it writes them, and its end, which is ours if it hangs.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use leadline_testing::processes;
use rustix::process::Pid;

use crate::children;

/// How long a program may write nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// While it runs; then it hangs, and is killed.
    pub(super) silence: Duration,
    /// Once it has ended, if what it left running in a group of its own has its output still.
    pub(super) last_words: Duration,
}

/// Where a line was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// What came of a program.
#[derive(Debug)]
pub(super) struct Watched {
    /// None if it could not even be killed.
    pub(super) status: Option<ExitStatus>,
    /// All that it wrote, with its last line as far as it came.
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// What its processes did when it was killed because it hung.
    pub(super) hung: Option<String>,
}

enum Event {
    Wrote(Stream, Vec<u8>),
    Ended(io::Result<ExitStatus>),
}

/// Runs `command` to its end and calls `line` for each line as it comes.
pub(super) fn watch(
    command: &mut Command,
    patience: Patience,
    mut line: impl FnMut(Stream, &str),
) -> io::Result<Watched> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = children::start(command)?;
    let (id, group) = (child.id(), Pid::from_child(&child));
    let (sender, events) = channel();
    if let Some(stdout) = child.stdout.take() {
        read(stdout, Stream::Stdout, sender.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        read(stderr, Stream::Stderr, sender.clone());
    }
    // Each of these threads may be left behind: who has left the group can keep the output open for ever.
    thread::spawn(move || sender.send(Event::Ended(child.wait())));

    let (mut stdout, mut stderr) = (Lines::default(), Lines::default());
    let (mut status, mut hung, mut wait) = (None, None, patience.silence);
    loop {
        match events.recv_timeout(wait) {
            Ok(Event::Wrote(Stream::Stdout, bytes)) => stdout.add(&bytes, |text| line(Stream::Stdout, text)),
            Ok(Event::Wrote(Stream::Stderr, bytes)) => stderr.add(&bytes, |text| line(Stream::Stderr, text)),
            Ok(Event::Ended(ended)) => {
                children::ended(group);
                status = Some(ended?);
                wait = patience.last_words;
            }
            Err(RecvTimeoutError::Timeout) if status.is_none() && hung.is_none() => {
                let family = processes::family(id);
                hung = Some(processes::describe(&family));
                children::kill_all(&family);
                wait = patience.last_words;
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    let stdout = stdout.end(|text| line(Stream::Stdout, text));
    let stderr = stderr.end(|text| line(Stream::Stderr, text));
    Ok(Watched { status, stdout, stderr, hung })
}

fn read(mut from: impl Read + Send + 'static, stream: Stream, to: Sender<Event>) {
    thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) if to.send(Event::Wrote(stream, buffer[..count].to_vec())).is_ok() => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    });
}

/// All that was written, and how much of it was in whole lines.
#[derive(Default)]
struct Lines {
    all: Vec<u8>,
    whole: usize,
}

impl Lines {
    fn add(&mut self, bytes: &[u8], mut each: impl FnMut(&str)) {
        let mut looked_at = self.all.len();
        self.all.extend_from_slice(bytes);
        while let Some(length) = self.all[looked_at..].iter().position(|&byte| byte == b'\n') {
            looked_at += length + 1;
            each(String::from_utf8_lossy(&self.all[self.whole..looked_at]).trim_end());
            self.whole = looked_at;
        }
    }

    fn end(self, mut each: impl FnMut(&str)) -> String {
        if self.whole < self.all.len() {
            each(String::from_utf8_lossy(&self.all[self.whole..]).trim_end());
        }
        String::from_utf8_lossy(&self.all).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Instant;

    use super::*;

    /// What `sh` does with a script, and its lines.
    fn sh(script: &str, silence: Duration, last_words: Duration) -> (Watched, Vec<String>) {
        let mut lines = Vec::new();
        let mut command = Command::new("/bin/sh");
        let patience = Patience { silence, last_words };
        let watched = watch(command.args(["-c", script]), patience, |stream, line| {
            if stream == Stream::Stdout {
                lines.push(line.to_owned());
            }
        });
        (watched.unwrap(), lines)
    }

    const LONG: Duration = Duration::from_secs(60);

    fn runs(id: &str) -> bool {
        std::fs::read_to_string(Path::new("/proc").join(id).join("stat"))
            .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" Z")))
    }

    #[test]
    fn what_is_written_comes_in_lines_and_as_a_whole() {
        let (watched, lines) = sh("printf 'a\\n\\nb'; echo c >&2; exit 3", LONG, LONG);
        assert_eq!((watched.stdout.as_str(), watched.stderr.as_str()), ("a\n\nb", "c\n"));
        assert_eq!(lines, ["a", "", "b"]);
        assert_eq!((watched.status.unwrap().code(), watched.hung), (Some(3), None));
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_what_it_started_and_its_unfinished_line_is_kept() {
        // The second has left the group.
        let script = "setsid sleep 1001 & echo $!; printf 'test hangs ... '; exec sleep 1002";
        // As long as it takes to get that far.
        let mut silence = Duration::from_millis(50);
        let (watched, lines) = loop {
            let (watched, lines) = sh(script, silence, LONG);
            let hung = watched.hung.as_deref().unwrap();
            assert!(watched.status.is_some_and(|status| !status.success()), "{watched:?}");
            if hung.contains(": sleep 1001\n") && hung.contains(": sleep 1002\n") {
                break (watched, lines);
            }
            silence *= 2;
        };
        assert_eq!((lines.len(), lines[1].as_str()), (2, "test hangs ..."));
        assert!(watched.stdout.ends_with("\ntest hangs ... "), "{watched:?}");
        let hung = watched.hung.unwrap();
        assert!(hung.contains(" sleep: S "), "{hung}");
        let began = Instant::now();
        while runs(&lines[0]) {
            assert!(began.elapsed() < LONG, "sleep 1001 runs on");
            thread::yield_now();
        }
    }

    #[test]
    fn output_that_is_kept_open_for_ever_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let id = folder.path().join("id").display().to_string();
        // It has left the group before the shell ends, and is nobody's child then.
        let script = format!(
            "setsid sh -c 'echo $$ > {id}; exec sleep 1003' & while [ ! -s {id} ]; do :; done; cat {id}; exit 4"
        );
        let (watched, lines) = sh(&script, LONG, Duration::from_millis(50));
        assert_eq!((watched.status.unwrap().code(), watched.hung), (Some(4), None));
        assert!(runs(&lines[0]));
        assert!(Command::new("kill").arg(&lines[0]).status().unwrap().success());
    }
}

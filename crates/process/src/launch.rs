//! What is to be started, and under which conditions.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::find::Program;
use crate::{Account, ProcessError};

/// Starts a program that gets a signal when the thread that started it ends: the one way without unsafe code.
const SETPRIV: Program = Program { name: "setpriv", package: "util-linux" };

/// Becomes the program only if the process that starts it is still there: one that ended before the signal
/// was asked for never sends it. The first argument is its number.
const UNLESS_ORPHANED: &str = "[ \"$PPID\" = \"$0\" ] || exit 1; exec \"$@\"";

/// A program with its arguments, whom it runs as, and what becomes of it.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [String],
    /// The lock of the directory it works in: it keeps that locked if this process is killed.
    pub lock: &'a File,
    /// Whom it runs as; `None` for ourselves.
    pub account: Option<&'a Account>,
    /// Its working directory; `None` for ours.
    pub folder: Option<&'a Path>,
    /// It does not get our environment variables whose names begin so.
    pub hidden: Option<&'a str>,
    /// What it is sent when this process is killed. `None` for programs that end by themselves.
    pub orphaned: Option<Signal>,
}

impl<'a> Launch<'a> {
    /// A program that runs as we do, and to its end even if we are killed.
    pub fn new(program: &'a Path, arguments: &'a [String], lock: &'a File) -> Self {
        Launch { program, arguments, lock, account: None, folder: None, hidden: None, orphaned: None }
    }

    /// The program's name, for messages.
    pub(crate) fn name(&self) -> String {
        self.program.file_name().unwrap_or(self.program.as_os_str()).to_string_lossy().into_owned()
    }

    /// To be started with the lock as its standard input.
    pub(crate) fn command(&self) -> Result<Command, ProcessError> {
        let mut command = match self.orphaned {
            None => Command::new(self.program),
            Some(signal) => {
                // It is set after the user has changed, which would take it away again.
                let mut command = Command::new(SETPRIV.find(&[])?);
                command.args(["--pdeathsig", name_of(signal), "--", "/bin/sh", "-c", UNLESS_ORPHANED]);
                command.arg(std::process::id().to_string()).arg(self.program);
                command
            }
        };
        command.args(self.arguments);
        let lock = self.lock.try_clone();
        command.stdin(lock.map_err(|source| ProcessError::io(self.program, "passing it a lock", source))?);
        // A group of its own: Ctrl-C is for us, and we end what we started.
        command.process_group(0);
        if let Some(account) = self.account {
            account.apply(&mut command);
        }
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        if let Some(hidden) = self.hidden {
            let names = std::env::vars_os().map(|(name, _)| name);
            names.filter(|name| name.to_string_lossy().starts_with(hidden)).for_each(|name| {
                command.env_remove(name);
            });
        }
        Ok(command)
    }
}

/// As setpriv knows them; what it may not know is replaced by what ends everything.
fn name_of(signal: Signal) -> &'static str {
    [(Signal::QUIT, "QUIT"), (Signal::INT, "INT"), (Signal::TERM, "TERM")]
        .into_iter()
        .find_map(|(known, name)| (known == signal).then_some(name))
        .unwrap_or("KILL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_whose_starter_is_gone_is_not_begun() {
        let begins = |starter: u32| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", UNLESS_ORPHANED]).arg(starter.to_string()).args(["/bin/sh", "-c", "exit 7"]);
            command.status().unwrap().code()
        };
        assert_eq!(begins(std::process::id()), Some(7));
        // Whoever was there, and is not any more.
        let mut gone = Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        assert_eq!(begins(gone.id()), Some(1));
    }
}

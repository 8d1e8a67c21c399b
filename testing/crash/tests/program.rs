//! What the crash proof needs to know of a program.

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use crate::client::Request;

/// A program that keeps commits, numbered from 1 for each of its clients.
pub(crate) trait Program {
    /// As in the table of results.
    fn name(&self) -> &str;

    /// Makes what it needs in a folder that is not on an emulated drive.
    fn set_up(&mut self, folder: &Path);

    /// Starts the program, which recovers, and checks everything it has. The last commit of each client, up
    /// to which none is missing; or what is damaged.
    fn recover(&mut self, folder: &Path) -> Result<Vec<u64>, String>;

    /// A client for each number that [`Program::recover`] returns, ready to start.
    fn clients(&self, folder: &Path) -> Vec<(Command, Request)>;

    /// How many commits there are before a cut, at least and at most; few where one takes long.
    fn commits(&self) -> RangeInclusive<u64> {
        5..=19
    }

    /// Cuts by strict rules where all cases are to be tried.
    fn strict_cuts(&self) -> u64 {
        100
    }

    /// Programs that add load and do not have numbered commits.
    fn load(&self) -> Vec<Command> {
        Vec::new()
    }

    /// SIGSTOP to whatever [`Program::recover`] has left running.
    fn freeze(&mut self) {}

    /// SIGKILL to whatever [`Program::recover`] has left running, and waits until it is gone.
    fn kill(&mut self) {}
}

/// Runs a command to its end: its output, or what it wrote to stderr.
pub(crate) fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        return Err(format!("{command:?} ended with {}: {err}{out}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
}

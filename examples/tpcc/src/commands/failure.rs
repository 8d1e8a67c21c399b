//! How commands fail: one line on stderr, exit code 2 for what the user gave us, 1 for what went wrong doing
//! it.

use std::io::Write;
use std::process::ExitCode;

use leadline_device::guard::GuardError;
use leadline_device::{DeviceError, format_size};
use leadline_tpcc::StoreError;

/// A command that failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Bad usage or bad input: exit code 2.
    Input(String),
    /// The operation failed: exit code 1.
    Operation(String),
}

impl Failure {
    /// Prints the one line and gives the exit code.
    pub(crate) fn exit(self) -> ExitCode {
        let (text, code) = match self {
            Failure::Input(text) => (text, 2),
            Failure::Operation(text) => (text, 1),
        };
        say(&text.replace('\n', " "));
        ExitCode::from(code)
    }

    /// Not enough room in a database file of `bytes`.
    pub(crate) fn room(bytes: u64) -> Failure {
        Failure::Input(format!(
            "--room: the file of {} is too small for what is loaded; give more",
            format_size(bytes)
        ))
    }
}

/// What clap has to say: help and version as they are, an error in one line.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    let said = said.join("; ").replace("error: ", "").replace(":;", ":");
    say(&format!("{}; see tpcc --help", if said.is_empty() { "nothing to do" } else { &said }));
    ExitCode::from(2)
}

/// A line on stderr.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "tpcc: {text}");
}

impl From<GuardError> for Failure {
    fn from(error: GuardError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Failure::Operation(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            // The file that was named is not what it must be.
            StoreError::Damaged { .. } | StoreError::NoPage { .. } => Failure::Input(error.to_string()),
            _ => Failure::Operation(error.to_string()),
        }
    }
}

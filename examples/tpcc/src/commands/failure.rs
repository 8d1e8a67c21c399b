//! How commands fail: one line on stderr, exit code 2 for what the user gave us, 1 for what went wrong doing
//! it.

use std::process::ExitCode;

use leadline_examples::Terminal;
use leadline_tpcc::StoreError;

const TERMINAL: Terminal = Terminal("tpcc");

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
        match self {
            Failure::Input(text) => TERMINAL.fail(&text, 2),
            Failure::Operation(text) => TERMINAL.fail(&text, 1),
        }
    }
}

/// What clap has to say.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    TERMINAL.usage(error, "tpcc --help")
}

/// A line on stderr.
pub(crate) fn say(text: &str) {
    TERMINAL.say(text);
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            // The directory that was named is not what it must be.
            StoreError::NoDatabase | StoreError::Unfinished | StoreError::Damaged { .. } => {
                Failure::Input(error.to_string())
            }
            _ => Failure::Operation(error.to_string()),
        }
    }
}

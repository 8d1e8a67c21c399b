//! How commands fail: one line on stderr, exit code 2 for what the user gave us, 1 for what went wrong doing
//! it.

use std::process::ExitCode;

use leadline_emulate::EmulateError;
use leadline_examples::Terminal;
use leadline_tpch::TpchError;

const TERMINAL: Terminal = Terminal("tpch");

/// Prints the one line and gives the exit code.
pub(crate) fn exit(error: &TpchError) -> ExitCode {
    TERMINAL.fail(&error.to_string(), if is_input(error) { 2 } else { 1 })
}

/// Whether the user can change it by naming something else.
fn is_input(error: &TpchError) -> bool {
    match error {
        TpchError::Input(_) => true,
        TpchError::Emulate(error) => !matches!(
            error,
            EmulateError::NoFuse { .. } | EmulateError::Mount { .. } | EmulateError::Io { .. }
        ),
        _ => false,
    }
}

/// What clap has to say.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    TERMINAL.usage(error, "tpch --help")
}

/// A line on stderr.
pub(crate) fn say(text: &str) {
    TERMINAL.say(text);
}

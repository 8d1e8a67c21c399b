//! How commands fail: one line on stderr, exit code 2 for what the user gave us, 1 for what went wrong doing
//! it.

use std::io::Write;
use std::process::ExitCode;

use leadline_emulate::EmulateError;
use leadline_tpch::TpchError;

/// Prints the one line and gives the exit code.
pub(crate) fn exit(error: &TpchError) -> ExitCode {
    say(&error.to_string().replace('\n', " "));
    ExitCode::from(if is_input(error) { 2 } else { 1 })
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
    say(&format!("{}; see tpch --help", if said.is_empty() { "nothing to do" } else { &said }));
    ExitCode::from(2)
}

/// A line on stderr.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "tpch: {text}");
}

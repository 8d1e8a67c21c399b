//! The programs for which files are written. Where one is missing, that is said and nothing is checked.

use std::io::Write;
use std::process::{Command, Output};

/// What a program did; `None` where it is not here.
pub(crate) fn ran(command: &mut Command) -> Option<Output> {
    let found = command.output();
    if found.is_err() {
        skipped(command, "it is not here: cargo xtask setup installs it");
    }
    found.ok()
}

/// Says that something was not checked, and why.
pub(crate) fn skipped(command: &Command, reason: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {}: {reason}", command.get_program().to_string_lossy());
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

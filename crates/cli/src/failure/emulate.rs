//! Failures of the emulator.

use leadline_emulate::EmulateError;

use super::Failure;

impl From<EmulateError> for Failure {
    fn from(error: EmulateError) -> Self {
        let line = error.to_string();
        match error {
            EmulateError::Published { .. } | EmulateError::Simulated(_) => Failure::Input(line),
            error if error.is_bad_input() => Failure::Input(line),
            _ => Failure::Operation(line),
        }
    }
}

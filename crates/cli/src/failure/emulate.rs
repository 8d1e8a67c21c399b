//! Failures of the emulator.

use leadline_emulate::EmulateError;

use super::Failure;

impl From<EmulateError> for Failure {
    fn from(error: EmulateError) -> Self {
        let line = error.to_string();
        if error.is_bad_input() { Failure::Input(line) } else { Failure::Operation(line) }
    }
}

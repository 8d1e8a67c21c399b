//! Scratch directories and programs that could not be had.

use leadline_process::ProcessError;

use super::Failure;

impl From<ProcessError> for Failure {
    fn from(error: ProcessError) -> Self {
        if error.is_input() {
            Failure::Input(error.to_string())
        } else {
            Failure::Operation(error.to_string())
        }
    }
}

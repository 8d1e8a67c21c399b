//! Directories that cannot be captured.

use leadline_capture::CaptureError;

use super::Failure;

impl From<CaptureError> for Failure {
    fn from(error: CaptureError) -> Self {
        match error.is_bad_input() {
            true => Failure::Input(error.to_string()),
            false => Failure::Operation(error.to_string()),
        }
    }
}

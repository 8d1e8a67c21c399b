//! Captures that cannot be predicted, and questions about placement that have no answer.

use leadline_placement::{PlacementError, StudyError};

use super::Failure;

impl From<PlacementError> for Failure {
    fn from(error: PlacementError) -> Self {
        match error {
            PlacementError::Trace(error) => error.into(),
            PlacementError::Interrupted => Failure::Operation(error.to_string()),
            _ => Failure::Input(error.to_string()),
        }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Capture(error) => error.into(),
            _ => Failure::Input(error.to_string()),
        }
    }
}

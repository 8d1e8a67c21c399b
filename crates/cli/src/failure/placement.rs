//! Captures that cannot be predicted.

use leadline_placement::PlacementError;

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

//! Failures of LSM trees, predicted and measured.

use leadline_lsm::validate::ValidateError;

use super::Failure;

impl From<ValidateError> for Failure {
    fn from(error: ValidateError) -> Self {
        let remedy = match &error {
            ValidateError::NoDbBench { .. }
            | ValidateError::NotDbBench { .. }
            | ValidateError::OldDbBench { .. } => Some("name the program with --db-bench PATH"),
            ValidateError::Space { .. } => Some("--scale sets how much"),
            ValidateError::InUse { .. } => Some("-o names another"),
            _ => None,
        };
        if error.is_input() {
            Failure::input(&error, remedy.map(str::to_owned))
        } else {
            Failure::Operation(error.to_string())
        }
    }
}

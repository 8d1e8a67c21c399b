//! Failures of LSM trees, predicted and measured.

use leadline_files::TextError;
use leadline_lsm::validate::{ProcessError, ValidateError};
use leadline_lsm::{CalibrationError, LsmError};

use super::Failure;

impl From<ValidateError> for Failure {
    fn from(error: ValidateError) -> Self {
        let remedy = match &error {
            ValidateError::NoDbBench { .. }
            | ValidateError::NotDbBench { .. }
            | ValidateError::OldDbBench { .. } => Some("name the program with --db-bench PATH"),
            ValidateError::Process(ProcessError::Space { .. }) => Some("--data sets how much"),
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

impl From<TextError> for Failure {
    fn from(error: TextError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<CalibrationError> for Failure {
    fn from(error: CalibrationError) -> Self {
        Failure::input(&error, Some("leadline lsm validate -o FILE writes one".to_owned()))
    }
}

/// Why nothing can be predicted from `profile`.
pub(crate) fn no_tree(profile: &str, error: &LsmError) -> Failure {
    Failure::Input(format!("{profile}: {error}"))
}

/// Why there is no tree of such data.
pub(crate) fn no_tree_of(error: &LsmError) -> Failure {
    // The flags' own ranges leave only the number of pairs.
    Failure::Input(format!("{error} (--data)"))
}

/// Why no layout is advised.
pub(crate) fn no_layout(error: &LsmError) -> Failure {
    match error {
        LsmError::NothingFits { .. } => {
            Failure::input(error, Some("give more with --memory, --p99 or --life".to_owned()))
        }
        _ => no_tree_of(error),
    }
}

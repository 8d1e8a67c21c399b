//! Errors of `leadline prove`.

use leadline_process::ProcessError;
use leadline_prove::ProveError;

use super::Failure;

impl From<ProveError> for Failure {
    fn from(error: ProveError) -> Self {
        match &error {
            ProveError::Process(ProcessError::Cancelled) => {
                Failure::Operation("interrupted; nothing runs, and nothing is left on TARGET".to_owned())
            }
            other if other.is_input() => Failure::Input(error.to_string()),
            _ => Failure::Operation(error.to_string()),
        }
    }
}

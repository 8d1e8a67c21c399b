//! Traces that cannot be read, written or generated.

use leadline_trace::TraceError;

use super::Failure;

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Write(error) => error.into(),
            TraceError::UnknownFormat { .. } => Failure::input(
                &error,
                Some("name one with --format, or the columns of a text with --columns".to_owned()),
            ),
            TraceError::AmbiguousFormat { ref formats, .. } => {
                let options: Vec<String> = formats.iter().map(|name| format!("--format {name}")).collect();
                Failure::input(&error, Some(format!("choose with {}", options.join(" or "))))
            }
            _ => Failure::Input(error.to_string()),
        }
    }
}

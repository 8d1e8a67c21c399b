//! Measurements that cannot be made, or that could not go on.

use leadline_device::format_size;
use leadline_measure::{MeasureError, PlanError, Stop};

use super::Failure;

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Guard(error) => error.into(),
            MeasureError::Trace(error) => error.into(),
            MeasureError::Device(error) => error.into(),
            MeasureError::Plan(error) => error.into(),
            MeasureError::ResumeWouldOverwrite { .. } => {
                Failure::input(&error, Some("give --destructive again to overwrite it".to_owned()))
            }
            _ => Failure::Operation(error.to_string()),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let remedy = match &error {
            PlanError::FewBlocks { .. } | PlanError::SmallRegion { .. } => "or give a larger --size",
            PlanError::Buffers { .. } => "give a lower --max-concurrency",
            PlanError::Precondition => "leave --precondition out",
            PlanError::NeedsWrites { .. } => "a block device may be overwritten with --destructive",
            PlanError::NoTimes => "such as --pace closed:8",
            PlanError::MaxWrites { max_bytes, .. } => {
                let max = format_size(*max_bytes);
                let text = format!("--max-writes {max}: {error}; allow more, or make --size smaller");
                return Failure::Input(text);
            }
            PlanError::WritesSpent { max_bytes } => {
                let max = format_size(*max_bytes);
                return Failure::Input(format!("--max-writes {max}: {error}; allow more"));
            }
            _ => return Failure::input(&error, None),
        };
        Failure::input(&error, Some(remedy.to_owned()))
    }
}

/// Why a measurement that ended early has failed; `None` where it ended as it was told to.
pub(crate) fn why_stopped(stop: Option<&Stop>) -> Option<String> {
    match stop? {
        Stop::WritesSpent => None,
        Stop::Cancelled => Some("interrupted".to_owned()),
        Stop::Failed(error) => Some(error.to_string()),
    }
}

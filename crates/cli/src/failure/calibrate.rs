//! Calibrations: what a profile lacks, and how to measure it.

use leadline_calibrate::CalibrateError;

use super::Failure;

/// Why no drive could be fitted to `profile`, or not be checked with it.
pub(crate) fn no_calibration(profile: &str, error: CalibrateError) -> Failure {
    let remedy = match &error {
        CalibrateError::Measure(_) | CalibrateError::Interrupted => {
            return Failure::Operation(error.to_string());
        }
        CalibrateError::NoPoints | CalibrateError::Published => {
            "measure the device with leadline profile TARGET"
        }
        CalibrateError::TooFewReads { .. } => "measure it again with leadline profile TARGET, for longer",
        CalibrateError::Buffered => "measure it again without --buffered",
        CalibrateError::HardDisk { .. } => "only flash drives, and what behaves like them, can be calibrated",
        CalibrateError::NoExperiments => {
            "add them with leadline experiment NAME TARGET --into PROFILE, or leave --check out"
        }
        _ => return Failure::Input(format!("{profile}: {error}")),
    };
    Failure::Input(format!("{profile}: {error}; {remedy}"))
}

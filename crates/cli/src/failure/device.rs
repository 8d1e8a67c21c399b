//! Targets that cannot be opened or written, and devices that break.

use leadline_device::guard::GuardError;
use leadline_device::target::TargetError;
use leadline_device::{DeviceError, format_size};
use leadline_sim::SimError;
use leadline_tiers::OpenError;

use super::Failure;

impl From<GuardError> for Failure {
    fn from(error: GuardError) -> Self {
        let remedy = match &error {
            // Not `format_size`, which rounds: what is named here must fit.
            GuardError::Space { fits_bytes, .. } if fits_bytes >> 20 >= 2 => {
                Some(format!("give --size {}M or less", fits_bytes >> 20))
            }
            GuardError::TooSmall { least_bytes, .. } => {
                Some(format!("give --size {} or more", format_size(*least_bytes)))
            }
            GuardError::DirectRefused { .. } => {
                Some("or measure through the page cache with --buffered".to_owned())
            }
            _ => None,
        };
        Failure::input(&error, remedy)
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::Unsupported(_) => Failure::Input(error.to_string()),
            _ => Failure::Operation(error.to_string()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Failure::Input(error.to_string())
    }
}

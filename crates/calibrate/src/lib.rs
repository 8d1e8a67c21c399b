#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! | to | see |
//! | --- | --- |
//! | fit a drive to a profile | [`Calibration::of`] |
//! | read what the profile shows of a parameter | [`Fitted`], [`Origin`], [`Parameter`] |
//! | read how far the drive is off | [`Residual`] |
//! | predict experiments with it | [`check`] |

mod calibration;
mod check;
mod description;
mod error;
mod fit;
mod measured;
mod misfit;
mod parameter;
mod search;
mod simulate;
mod spread;
mod start;
mod words;

pub use calibration::{Calibration, Fitted, Origin, Residual};
pub use check::{ALLOWED_PERCENT, ALLOWED_REPEATS, Checked, can_be_checked, check};
pub use error::CalibrateError;
pub use measured::CurveKind;
pub use parameter::Parameter;
pub use spread::IDENTIFIED;
pub use words::{calibration_json, calibration_text};

#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! | to | see |
//! | --- | --- |
//! | fit a drive to a profile | [`Calibration::of`] |
//! | read what the profile shows of a parameter | [`Fitted`], [`Origin`], [`Knob`] |
//! | read how far the drive is off | [`Residual`] |
//! | predict experiments with it | [`check`] |

mod calibration;
mod check;
mod description;
mod error;
mod fit;
mod knob;
mod measured;
mod misfit;
mod search;
mod simulate;
mod spread;
mod start;
mod written;

pub use calibration::{Calibration, Fitted, Origin, Residual};
pub use check::{ALLOWED_PERCENT, ALLOWED_REPEATS, Checked, can_be_checked, check};
pub use error::CalibrateError;
pub use knob::Knob;
pub use measured::CurveKind;
pub use spread::IDENTIFIED;

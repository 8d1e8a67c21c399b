//! `tail`: percentiles of random reads, at rest and beside background load. Table 1 of Yang, Li and Lilja
//! (ACM TOMPECS 5(1), 2020), section 4.7.

use leadline_profile::{OpKind, Pattern, Pressure};

use super::background::measure;
use super::frame::Frame;
use crate::MeasureError;
use crate::outcome::Stop;

/// Random reads are what no buffer of a drive can hide.
const FOREGROUND: (OpKind, Pattern) = (OpKind::Read, Pattern::Random);

/// A moderate and a high background load, shares of what the device can do: the paper's 200 to 800 MB/s are
/// more than many a drive has.
const LOADS: [f64; 2] = [0.3, 0.7];

/// Runs the experiment.
///
/// # Errors
/// As [`super::run`].
pub(super) fn run(frame: &mut Frame) -> Result<(Pressure, Option<Stop>), MeasureError> {
    measure(frame, &[FOREGROUND], true, |_, capacity| (LOADS.map(|load| load * capacity).to_vec(), None))
}

//! `pressure`: latency of one request at a time over background load. Figure 5 of Yang, Li and Lilja (ACM
//! TOMPECS 5(1), 2020), section 4.3.

use leadline_profile::{OpKind, Pattern, Pressure};

use super::background::{describe_capacity, measure};
use super::frame::Frame;
use crate::MeasureError;
use crate::outcome::Stop;

/// What runs in the foreground.
const FOREGROUNDS: [(OpKind, Pattern); 4] = [
    (OpKind::Read, Pattern::Sequential),
    (OpKind::Read, Pattern::Random),
    (OpKind::Write, Pattern::Sequential),
    (OpKind::Write, Pattern::Random),
];

/// Background load, megabytes per second.
const RATES: [f64; 7] = [50.0, 100.0, 200.0, 400.0, 800.0, 1200.0, 1500.0];

/// Share of what the device can do beyond which a queue would grow without end, given the foreground beside
/// it.
const MOST_LOAD: f64 = 0.9;

/// Runs the experiment.
///
/// # Errors
/// As [`super::run`].
pub(super) fn run(frame: &mut Frame) -> Result<(Pressure, Option<Stop>), MeasureError> {
    measure(frame, &FOREGROUNDS, false, |op, capacity| {
        let (within, beyond): (Vec<f64>, Vec<f64>) =
            RATES.into_iter().map(|rate| rate * 1e6).partition(|&rate| rate <= MOST_LOAD * capacity);
        let names: Vec<String> = beyond.iter().map(|rate| format!("{:.0}", rate / 1e6)).collect();
        let note = (!names.is_empty()).then(|| {
            let capacity = describe_capacity(op, capacity);
            format!("left out, since {capacity}: backgrounds of {} MB/s", names.join(", "))
        });
        (within, note)
    })
}

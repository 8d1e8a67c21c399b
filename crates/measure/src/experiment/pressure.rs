//! `pressure`: latency of one request at a time over background load. Figure 5 of Yang, Li and Lilja (ACM
//! TOMPECS 5(1), 2020), section 4.3.

mod figures;

use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, OpKind, Pattern, Pressure};

use super::background::{BACKGROUND_BYTES, describe_capacity, measure};
use super::context::ExperimentContext;
use super::kind::Experiment;
use crate::MeasureError;
use crate::load::Region;
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

/// Share of what the device can do beyond which a queue would grow without end, given the foreground of
/// it.
const MOST_LOAD: f64 = 0.9;

/// `pressure`.
pub(super) struct PressureExperiment;

impl Experiment for PressureExperiment {
    fn name(&self) -> &'static str {
        "pressure"
    }

    fn help(&self) -> &'static str {
        "latency of 4K requests under 50 to 1500 MB/s of load"
    }

    fn largest_request(&self, _region: Region) -> u32 {
        BACKGROUND_BYTES
    }

    // Foreground and background together.
    fn virtual_ops_per_slice(&self) -> u64 {
        12_000
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { pressure: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.pressure.as_ref().map(figures::text)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Pressure, Option<Stop>), MeasureError> {
    measure(context, &FOREGROUNDS, false, |op, capacity| {
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

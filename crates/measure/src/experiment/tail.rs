//! `tail`: percentiles of random reads, at rest and under background load. Table 1 of Yang, Li and Lilja
//! (ACM TOMPECS 5(1), 2020), section 4.7.

mod figures;

use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, OpKind, Pattern, Pressure};

use super::background::{BACKGROUND_BYTES, measure};
use super::context::ExperimentContext;
use super::kind::Experiment;
use crate::MeasureError;
use crate::load::Region;
use crate::outcome::Stop;

/// Random reads are what no buffer of a drive can hide.
const FOREGROUND: (OpKind, Pattern) = (OpKind::Read, Pattern::Random);

/// A moderate and a high background load, shares of what the device can do: the paper's 200 to 800 MB/s are
/// more than many a drive has.
const LOADS: [f64; 2] = [0.3, 0.7];

/// `tail`.
pub(super) struct TailExperiment;

impl Experiment for TailExperiment {
    fn name(&self) -> &'static str {
        "tail"
    }

    fn help(&self) -> &'static str {
        "percentiles of random 4K reads, idle and under load"
    }

    fn largest_request(&self, _region: Region) -> u32 {
        BACKGROUND_BYTES
    }

    // A 99.99th percentile needs many.
    fn virtual_ops_per_slice(&self) -> u64 {
        200_000
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { tail: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.tail.as_ref().map(figures::text)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Pressure, Option<Stop>), MeasureError> {
    measure(context, &[FOREGROUND], true, |_, capacity| (LOADS.map(|load| load * capacity).to_vec(), None))
}

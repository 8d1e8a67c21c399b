//! `mixed`: reads and writes in one stream, at several shares and concurrencies.

use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, PAGE_BYTES, Work};

use super::cells;
use super::context::ExperimentContext;
use super::kind::Experiment;
use super::work_figures;
use crate::MeasureError;
use crate::outcome::Stop;

/// Shares of reads.
const READ_SHARES: [f64; 7] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0];

/// Requests in flight.
const CONCURRENCIES: [u32; 5] = [1, 4, 16, 64, 128];

/// `mixed`.
pub(super) struct MixedExperiment;

impl Experiment for MixedExperiment {
    fn name(&self) -> &'static str {
        "mixed"
    }

    fn help(&self) -> &'static str {
        "reads and writes together, in seven mixes"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { mixed: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.mixed.as_ref().map(work_figures::by_share)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Work, Option<Stop>), MeasureError> {
    let wanted: Vec<_> = READ_SHARES
        .into_iter()
        .flat_map(|share| CONCURRENCIES.map(|k| (ExperimentContext::workload(share, PAGE_BYTES), k)))
        .collect();
    cells::measure(context, &wanted, Vec::new())
}

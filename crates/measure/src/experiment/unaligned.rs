//! `unaligned`: sequential writes of 1K to 64K in steps of 1K, one at a time. Figure 6 of Yang, Li and Lilja
//! (ACM TOMPECS 5(1), 2020), section 4.4.

mod figures;

use leadline_device::Clock;
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, OpKind, Pattern, Unaligned, UnalignedPoint};

use super::cells;
use super::context::ExperimentContext;
use super::kind::Experiment;
use super::timed::workload;
use crate::MeasureError;
use crate::load::Region;
use crate::outcome::Stop;

/// Sizes are multiples of this, bytes.
const STEP: u32 = 1 << 10;

/// The largest size, bytes.
const LARGEST: u32 = 64 << 10;

/// `unaligned`.
pub(super) struct UnalignedExperiment;

impl Experiment for UnalignedExperiment {
    fn name(&self) -> &'static str {
        "unaligned"
    }

    fn help(&self) -> &'static str {
        "sequential writes from 1K to 64K in steps of 1K"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn time_writing(&self) -> &'static str {
        "all of"
    }

    fn largest_block(&self) -> u32 {
        STEP
    }

    fn largest_request(&self, _region: Region) -> u32 {
        LARGEST
    }

    fn most_in_flight(&self) -> u32 {
        1
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { unaligned: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.unaligned.as_ref().map(figures::text)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Unaligned, Option<Stop>), MeasureError> {
    // Plain writes through the page cache end in memory.
    let durable = !context.plan.direct && context.device.clock() == Clock::Wall;
    let sizes = (STEP..=LARGEST).step_by(STEP as usize);
    let wanted: Vec<_> =
        sizes.map(|size| (workload(OpKind::Write, Pattern::Sequential, durable, size), 1)).collect();
    let (work, stop) = cells::measure(context, &wanted, Vec::new())?;
    let points = work.points.into_iter().map(|point| {
        let per_request = |seconds: f64| seconds * 1e6 / point.writes as f64;
        UnalignedPoint {
            block_bytes: point.block_bytes,
            ops: point.writes,
            latency_us: point.latency_us,
            // One request in flight: its latency is the time per request.
            mean_us_ci: point.seconds_ci.map(|ends| ends.map(per_request)),
        }
    });
    Ok((Unaligned { durable, points: points.collect(), procedure: work.procedure }, stop))
}

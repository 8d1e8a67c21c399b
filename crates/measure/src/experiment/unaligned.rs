//! `unaligned`: sequential writes of 1K to 64K in steps of 1K, one at a time. Figure 6 of Yang, Li and Lilja
//! (ACM TOMPECS 5(1), 2020), section 4.4.

use leadline_device::Clock;
use leadline_profile::{OpKind, Pattern, Unaligned, UnalignedPoint};

use super::cells;
use super::extremes::{UNALIGNED_LARGEST, UNALIGNED_STEP};
use super::frame::Frame;
use super::timed::workload;
use crate::MeasureError;
use crate::outcome::Stop;

/// Runs the experiment.
///
/// # Errors
/// As [`super::run`].
pub(super) fn run(frame: &mut Frame) -> Result<(Unaligned, Option<Stop>), MeasureError> {
    // Plain writes through the page cache end in memory.
    let durable = !frame.plan.direct && frame.device.clock() == Clock::Wall;
    let sizes = (UNALIGNED_STEP..=UNALIGNED_LARGEST).step_by(UNALIGNED_STEP as usize);
    let wanted: Vec<_> =
        sizes.map(|size| (workload(OpKind::Write, Pattern::Sequential, durable, size), 1)).collect();
    let (work, stop) = cells::measure(frame, &wanted, Vec::new())?;
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

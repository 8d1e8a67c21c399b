//! One load held for longer than any slice or stretch, at the end of a run: what is left of a limit that
//! saves up what was not used.
//!
//! Linux's blk-throttle lets a cgroup catch up for a tenth of a second, volumes in a cloud for longer. Slices
//! and stretches, with pauses between them, see the device behind such a limit and not the limit.

use leadline_profile::{Held, OpKind};

use super::Session;
use crate::outcome::Stop;
use crate::plan::Budget;

/// Most requests in flight that are held.
const DEEPEST: u32 = 64;

/// How long the load runs before it counts, seconds: ten times as long as blk-throttle saves up.
const BEFORE: f64 = 1.0;

/// How long it counts, seconds.
const COUNTED: f64 = 0.5;

impl Session<'_> {
    /// Holds random reads, deep, where a run has the time. Writes are not held: they wear the drive, and the
    /// experiment `burst` is there for them.
    pub(super) fn hold(&mut self) -> Result<(), Stop> {
        let has_time = matches!(self.plan.budget, Budget::Quick | Budget::Default | Budget::Full);
        let reads = self.driven.iter().position(|driven| driven.curve.id.op == OpKind::Read);
        let (Some(curve), true, true) = (reads, has_time, self.is_real) else { return Ok(()) };
        let points = &self.driven[curve].curve.points;
        let measured = || points.iter().filter(|(k, point)| **k <= DEEPEST && point.slices.len() > 1);
        let Some(k) = measured().map(|(&k, _)| k).next_back() else { return Ok(()) };
        // No point up to there does more than the deepest when a load goes on.
        let in_slices = measured().map(|(_, point)| point.iops()).fold(0.0, f64::max);
        self.long_slice(curve, k, BEFORE)?;
        let result = self.long_slice(curve, k, COUNTED)?;
        if result.ops > 0 && result.seconds > 0.0 {
            self.outcome.held = Some(Held {
                op: OpKind::Read,
                block_bytes: self.driven[curve].curve.id.block_bytes,
                concurrency: k,
                iops: result.ops as f64 / result.seconds,
                in_slices_iops: in_slices,
            });
        }
        Ok(())
    }
}

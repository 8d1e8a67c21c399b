//! Replaying a trace on a device: its requests, at their own pace, as fast as the device answers, or in
//! between.
//!
//! Open loop ([`Pace::Recorded`]) is for what users would have felt: requests start when they did, whether
//! the device keeps up or not, and latency runs from the intended start (as in [`crate::load::open_loop`]).
//! Closed loop ([`Pace::Closed`]) is for what the device could do: K requests are under way at any time,
//! whenever they came.

mod fast;
mod place;
mod run;
mod tally;
mod words;

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use leadline_device::{Clock, Device, Nanos, QueueShape};
use leadline_profile::Replay;
use leadline_trace::Trace;

use crate::load::Region;
use crate::outcome::Stop;
use crate::plan::{Budget, Plan};
use crate::prepare::prepare;
use crate::target::OpenTarget;
use crate::{MeasureError, PlanError, Progress};
use fast::FastExtents;
pub use fast::FastPart;
use place::Places;
use run::Run;
pub use words::{replay_page, replay_text};

/// The longest request that the device is sent, bytes, as kernels cut longer ones too. A multiple of every
/// block.
const PIECE_BYTES: u32 = 256 << 10;

/// Most requests in flight at a recorded pace: what drives have room for, and what their buffers may cost.
const RECORDED_DEPTH: u32 = 128;

/// The same with psync, which takes a thread for each request in flight.
const PSYNC_DEPTH: u32 = 64;

/// Fewest slots in a closed loop, so that the pieces of a long request go together.
const LEAST_DEPTH: u32 = 8;

/// When requests start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// When the trace says, sped up that many times (1 for as recorded); the trace must have times.
    Recorded(f64),
    /// That many requests (1 to 4096) are under way at any time.
    Closed(u32),
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::Recorded(1.0) => write!(f, "recorded"),
            Pace::Recorded(speed) => write!(f, "x{speed}"),
            Pace::Closed(k) => write!(f, "closed:{k}"),
        }
    }
}

impl FromStr for Pace {
    type Err = String;

    /// `recorded`, `closed:K` or `xN`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "recorded" {
            return Ok(Pace::Recorded(1.0));
        }
        let closed =
            text.strip_prefix("closed:").and_then(|k| k.parse().ok()).filter(|k| (1..=4096).contains(k));
        let speed = text.strip_prefix('x').and_then(|speed| speed.parse::<f64>().ok());
        let speed = speed.filter(|speed| (1e-6..=1e6).contains(speed));
        closed.map(Pace::Closed).or(speed.map(Pace::Recorded)).ok_or_else(|| {
            "must be recorded, closed:K with K from 1 to 4096, or xN with N from 0.000001 to 1000000, such as x10"
                .to_owned()
        })
    }
}

/// How a trace is replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPlan {
    /// When requests start.
    pub pace: Pace,
    /// Where on the device.
    pub region: Region,
    /// Whether writes are sent; else they are left out and counted.
    pub writes: bool,
    /// Bytes of a page, where the trace counts pages.
    pub page_bytes: u32,
    /// Requests of the trace after which it ends; [`u64::MAX`] for none.
    pub limit: u64,
    /// Requests that the device gets at once at most, 1 to 32,768; others wait outside, and their waiting
    /// counts.
    pub depth: u32,
    /// A device that completes nothing for this long is given up.
    pub watchdog: Nanos,
    /// Seed of what is written.
    pub seed: u64,
    /// Files that go elsewhere.
    pub fast: Option<FastPart>,
}

impl ReplayPlan {
    /// The whole trace, pages of 4 KiB, a watchdog of ten seconds.
    pub fn new(pace: Pace, region: Region, writes: bool) -> Self {
        let depth = match pace {
            Pace::Recorded(_) => RECORDED_DEPTH,
            Pace::Closed(k) => k.max(LEAST_DEPTH),
        };
        let (page_bytes, limit, watchdog) = (4096, u64::MAX, 10_000_000_000);
        ReplayPlan { pace, region, writes, page_bytes, limit, depth, watchdog, seed: 1, fast: None }
    }

    /// The same on an open target, as deep as its engine affords.
    pub fn for_target(pace: Pace, target: &OpenTarget) -> Self {
        let mut plan = ReplayPlan::new(pace, target.region, target.writes);
        if target.is_psync() && matches!(pace, Pace::Recorded(_)) {
            plan.depth = PSYNC_DEPTH;
        }
        plan
    }

    /// Whether the plan can be carried out.
    fn check(&self, timed: bool, block_bytes: u32) -> Result<(), PlanError> {
        let pace = |reason| Err(PlanError::Pace { pace: self.pace.to_string(), reason });
        match self.pace {
            Pace::Recorded(_) if !timed => Err(PlanError::NoTimes),
            Pace::Recorded(speed) if !(speed.is_finite() && speed > 0.0) => {
                pace("the speed must be a positive number")
            }
            Pace::Closed(k) if !(1..=4096).contains(&k) => pace("K must be from 1 to 4096"),
            _ if self.region.len < u64::from(block_bytes) => {
                Err(PlanError::NoRoom { region_bytes: self.region.len, block_bytes })
            }
            _ => Ok(()),
        }
    }
}

/// A replay, and why it ended early where it did.
pub struct Replayed {
    /// What was done until then. Names, engine and bad lines are left for the caller to fill in.
    pub replay: Replay,
    /// `None` where the trace was replayed to its end or limit.
    pub stopped_by: Option<Stop>,
}

/// Writes the region of a target whole where it was never written: a real device would answer reads of it
/// from memory.
///
/// # Errors
/// As [`prepare`](crate::prepare()). A cancel ends it early without error.
pub fn lay_out(
    target: &OpenTarget,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), MeasureError> {
    if !target.layout || target.device.clock() == Clock::Virtual {
        return Ok(());
    }
    let geometry = target.device.geometry();
    let mut plan = Plan::new(Budget::Quick, geometry, target.device.clock());
    plan.region = target.region;
    plan.check(&geometry)?;
    prepare(target.device.as_ref(), &plan, false, cancel, progress).map(|_| ())
}

/// Replays `trace` on `device` and waits for the last answer. Once `cancel` is set no further request is
/// sent.
///
/// # Errors
/// [`MeasureError::Plan`] where the plan fits neither trace nor device, [`MeasureError::Device`] where no
/// queue pair can be had. What goes wrong later is in [`Replayed::stopped_by`], with what was done until
/// then.
pub fn replay(
    device: &dyn Device,
    trace: &mut dyn Trace,
    plan: &ReplayPlan,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Replayed, MeasureError> {
    let block_bytes = device.geometry().block_bytes;
    plan.check(trace.timed(), block_bytes)?;
    let mut places = Places::new(plan.region, block_bytes, PIECE_BYTES, trace.unit(), plan.page_bytes);
    places.fast = plan.fast.clone().map(FastExtents::new);
    let queue = device.queue_pair(QueueShape::new(plan.depth, PIECE_BYTES))?;
    Ok(Run::new(queue, device.clock(), trace, plan, places, cancel).finish(progress))
}

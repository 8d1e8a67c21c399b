//! What an experiment is: its name, what it needs and writes, how long it takes, and how it is made.
//!
//! Each is made by a `plan`, with a `context` at hand. The three name each other: they are one interface.

pub(super) mod context;
pub(super) mod plan;

use std::fmt;

use leadline_device::Clock;
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, PAGE_BYTES};
use serde_json::Value;

use self::context::ExperimentContext;
use self::plan::ExperimentPlan;
use crate::load::Region;
use crate::outcome::Stop;
use crate::{MeasureError, PlanError};

/// Requests in flight at most: where a psync thread for each is still affordable.
pub(super) const MOST_IN_FLIGHT: u32 = 128;

/// Bytes that most experiments write at most, on however small a region: otherwise a fast drive would have no
/// time to show its speed.
pub(super) const LEAST_BUDGET: u64 = 8 << 30;

/// Bytes that one whose own small file is written in small pieces writes at most.
const OWN_FILE_BUDGET: u64 = 1 << 30;

/// Bytes of the smallest region of what only reads.
const LEAST_READ_REGION: u64 = 1 << 20;

/// A choice that only some experiments leave to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The share of reads: [`ExperimentPlan::read_share`].
    ReadShare,
    /// Writes instead of reads: [`ExperimentPlan::operation`].
    Writes,
    /// The most bytes: [`ExperimentPlan::max_bytes`].
    MaxBytes,
    /// Which pages are written: [`ExperimentPlan::pattern`].
    Pattern,
    /// How much of the region is written: [`ExperimentPlan::fill`].
    Fill,
}

/// One experiment: a file of its own here, an entry of [`super::ALL`], and a record in the profile.
pub trait Experiment: Sync {
    /// As on the command line and in the profile.
    fn name(&self) -> &'static str;

    /// What it measures, in one line of the command line's help.
    fn help(&self) -> &'static str;

    /// Makes it on the device of `context`: what was found, and why it ended early if it did.
    ///
    /// # Errors
    /// As [`super::run`].
    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError>;

    /// What a terminal shows of it, where the profile has it: tables and sentences.
    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>>;

    /// What a page says of it.
    fn sentences(&self, _profile: &DeviceProfile) -> Option<Vec<String>> {
        None
    }

    /// What the chart of it on a page draws, beyond what models and papers say of it.
    fn chart(&self, _profile: &DeviceProfile) -> Option<Value> {
        None
    }

    /// Whether it means nothing on a device that is only read.
    fn needs_writes(&self) -> bool {
        false
    }

    /// Whether it never writes, whatever it may.
    fn only_reads(&self) -> bool {
        false
    }

    /// Whether it compares system calls on files, and so means nothing on any other target.
    fn needs_directory(&self) -> bool {
        false
    }

    /// Whether it needs a drive that tells what it does to its medium.
    fn needs_wear(&self) -> bool {
        false
    }

    /// Whether it is about a drive as a whole: of a simulated one all is used where no size is given.
    fn uses_whole_drive(&self) -> bool {
        false
    }

    /// Whether it leaves this choice to the user.
    fn takes(&self, _choice: Choice) -> bool {
        false
    }

    /// Device time of it where none is given, seconds; `quick`: when there is little time.
    fn default_seconds(&self, quick: bool) -> f64 {
        if quick { ExperimentPlan::QUICK_SECONDS } else { ExperimentPlan::SECONDS }
    }

    /// Whether it may end before its time because all its requests or bytes are done.
    fn may_end_early(&self) -> bool {
        self.only_reads()
    }

    /// How much of its time is spent writing, where it may write all it wants, such as `about half of`.
    fn time_writing(&self) -> &'static str {
        "about half of"
    }

    /// The same of several together of which this is one, where it takes most of their time.
    fn time_writing_of_several(&self) -> Option<&'static str> {
        None
    }

    /// Bytes that it writes at most on a real device, laying out its region of `region_bytes` not included,
    /// where nobody set a limit: drives wear. Its loads are shortened to keep within that.
    fn write_budget(&self, region_bytes: u64) -> u64 {
        match self.own_file_bytes() {
            _ if self.only_reads() => 0,
            Some(_) => OWN_FILE_BUDGET,
            None => region_bytes.saturating_mul(4).max(LEAST_BUDGET),
        }
    }

    /// [`ExperimentPlan::max_bytes`] of what may write `budget` bytes.
    fn max_bytes_within(&self, max_bytes: u64, _budget: u64) -> u64 {
        max_bytes
    }

    /// Bytes of the file of its own that it makes in a directory; `None` where it measures in the scratch
    /// file, which is laid out first.
    fn own_file_bytes(&self) -> Option<u64> {
        None
    }

    /// Whether the region is written whole before it begins. Experiments that do not either make a file of
    /// their own or bring the drive into the state that they need; a file needs its blocks all the same.
    fn is_laid_out(&self, _clock: Clock) -> bool {
        self.own_file_bytes().is_none()
    }

    /// The most that a block of the target may have, bytes.
    fn largest_block(&self) -> u32 {
        PAGE_BYTES
    }

    /// Bytes of the largest request on this region, except for requests that are sent one at a time.
    fn largest_request(&self, _region: Region) -> u32 {
        PAGE_BYTES
    }

    /// Most requests in flight.
    fn most_in_flight(&self) -> u32 {
        MOST_IN_FLIGHT
    }

    /// Bytes of the smallest region that it can be made on.
    fn least_region(&self) -> u64 {
        if self.only_reads() { LEAST_READ_REGION } else { 0 }
    }

    /// [`ExperimentPlan::max_bytes`] where none is given.
    fn default_max_bytes(&self, clock: Clock) -> u64 {
        match clock {
            Clock::Wall => ExperimentPlan::BURST_BYTES,
            // A million requests: more would cost real time.
            Clock::Virtual => 4 << 30,
        }
    }

    /// [`ExperimentPlan::max_ops_per_slice`] on a virtual clock, where requests cost real time and nothing
    /// else does.
    fn virtual_ops_per_slice(&self) -> u64 {
        4_000
    }

    /// Checks what only this experiment asks of a plan.
    ///
    /// # Errors
    /// [`PlanError`] with the value that does not fit.
    fn check(&self, plan: &ExperimentPlan) -> Result<(), PlanError> {
        let (experiment, region_bytes, least_bytes) = (self.name(), plan.region.len, self.least_region());
        if region_bytes < least_bytes {
            return Err(PlanError::SmallRegion { experiment, region_bytes, least_bytes });
        }
        if self.needs_writes() && !plan.writes {
            return Err(PlanError::NeedsWrites { experiment });
        }
        if self.needs_directory() && plan.directory.is_none() {
            return Err(PlanError::NeedsDirectory { experiment });
        }
        Ok(())
    }
}

/// Experiments are the same if their names are.
impl PartialEq for dyn Experiment {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for dyn Experiment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

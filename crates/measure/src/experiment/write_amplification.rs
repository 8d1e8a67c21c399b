//! `write-amplification`: what a drive writes to its medium per byte that it is given, from the drive's own
//! counters, window after window until it has settled.

mod figures;

use leadline_device::{Clock, QueueShape, Wear};
use leadline_figures::Part;
use leadline_profile::{
    DeviceProfile, Experiments, PAGE_BYTES, WearWindow, WriteAmplification, WriteAmplificationRun,
    WritePattern,
};
use serde_json::{Value, json};

use super::context::ExperimentContext;
use super::kind::{Choice, Experiment};
use super::settling::{Level, level, settled};
use crate::load::{AddressStream, Lane, Limits, Recorder, Region, Spread, Workload, closed_loop};
use crate::outcome::Stop;
use crate::{MeasureError, PlanError};

/// Requests in flight.
pub(super) const IN_FLIGHT: u32 = 32;

/// Share of the part that one window writes.
const WINDOW: f64 = 0.25;

/// Windows that a level is given of where it has not settled.
const UNSETTLED: usize = 6;

/// It is given up after that many times the part, and after this has been written over the whole device so
/// often besides: a part that is small compared to the device has all of it to fill first.
const MOST_PARTS: u64 = 24;
const MOST_DEVICES: u64 = 3;

/// A pattern by Zipf's law with a higher exponent has no interval: most pages are not written once before
/// the windows agree, and the level for ever was found up to a fifth lower.
const STEEPEST: f64 = 1.3;

/// Share of what is written to the medium that must be erased at the same time: a drive that has free blocks
/// left to write to has not begun to collect. Not all, since erased blocks are counted and their size is
/// estimated.
const ERASED: f64 = 0.5;

/// `write-amplification`.
pub(super) struct WriteAmplificationExperiment;

impl Experiment for WriteAmplificationExperiment {
    fn name(&self) -> &'static str {
        "write-amplification"
    }

    fn help(&self) -> &'static str {
        "bytes written to the medium per byte written"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn needs_wear(&self) -> bool {
        true
    }

    fn uses_whole_drive(&self) -> bool {
        true
    }

    fn takes(&self, choice: Choice) -> bool {
        matches!(choice, Choice::Pattern | Choice::Fill)
    }

    // It ends when it has settled.
    fn default_seconds(&self, quick: bool) -> f64 {
        if quick { 3600.0 } else { 86_400.0 }
    }

    fn may_end_early(&self) -> bool {
        true
    }

    fn time_writing(&self) -> &'static str {
        "all of"
    }

    fn is_laid_out(&self, _clock: Clock) -> bool {
        false
    }

    fn most_in_flight(&self) -> u32 {
        IN_FLIGHT
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { write_amplification: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.write_amplification.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.write_amplification.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile
            .experiments
            .write_amplification
            .as_ref()
            .map(|found| json!(figures::AmplificationChart::new(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(WriteAmplification, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(IN_FLIGHT, PAGE_BYTES))?;
    let wear = queue.wear().ok_or(PlanError::NoWear)?;
    let part = part(context.plan.region, context.plan.fill);
    let seed = context.random.u64(..);
    let mut windows = Windows {
        stream: AddressStream::new(workload(context.plan.pattern), part, seed),
        lane: Lane::new(queue, context.device.clock(), context.plan.seed),
        part,
        block_bytes: erase_block_bytes(&wear, context.device.geometry().capacity_bytes),
        windows: Vec::new(),
        used_from: 0,
        context,
    };
    windows.stream.rewind();
    windows.context.start_clock(windows.lane.queue.now());
    let mut notes = Vec::new();
    let ended = windows.run(&mut notes);
    let stop = windows.context.stop_or_error(ended, !windows.windows.is_empty())?;
    Ok((windows.into_found(notes), stop))
}

/// The first `fill` of the region, whole pages.
fn part(region: Region, fill: f64) -> Region {
    let pages = region.len / u64::from(PAGE_BYTES);
    let part = ((pages as f64 * fill).round() as u64).clamp(1, pages);
    Region { start: region.start, len: part * u64::from(PAGE_BYTES) }
}

fn workload(pattern: WritePattern) -> Workload {
    let (random_fraction, spread) = match pattern {
        WritePattern::Sequential => (0.0, Spread::Uniform),
        WritePattern::Uniform => (1.0, Spread::Uniform),
        WritePattern::Zipf(theta) => (1.0, Spread::Zipf(theta)),
        WritePattern::Zones { pages, writes } => (1.0, Spread::Zones { blocks: pages, jumps: writes }),
    };
    Workload { read_share: 0.0, block_bytes: PAGE_BYTES, random_fraction, spread, durable: false }
}

/// Bytes of an erased block, without its share of the spare area; `None` for a medium that is not erased.
fn erase_block_bytes(wear: &Wear, capacity_bytes: u64) -> Option<f64> {
    (wear.blocks > 0).then(|| capacity_bytes as f64 / wear.blocks as f64)
}

struct Windows<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    lane: Lane,
    stream: AddressStream,
    part: Region,
    block_bytes: Option<f64>,
    windows: Vec<WearWindow>,
    /// The first of those windows in which, without a break, the drive erased as it wrote.
    used_from: usize,
}

impl Windows<'_, '_> {
    fn run(&mut self, notes: &mut Vec<String>) -> Result<(), Stop> {
        self.window()?;
        if self.used_from > 0 {
            // A drive that is not full: pages that were never written would be spare area, ever less of it.
            self.lay_out()?;
            (self.windows, self.used_from) = (Vec::new(), 0);
            self.window()?;
        }
        let most = MOST_PARTS * self.part.len + MOST_DEVICES * self.context.device.geometry().capacity_bytes;
        while self.settled().is_none() {
            if self.lane.traffic().1 >= most
                || self.context.seconds_spent(self.lane.queue.now()) >= self.context.plan.seconds
            {
                notes.push("the limit came before successive windows agreed".to_owned());
                return Ok(());
            }
            self.window()?;
        }
        Ok(())
    }

    /// Writes one window and reads the drive's counters around it.
    fn window(&mut self) -> Result<(), Stop> {
        let pages = ((self.part.len as f64 * WINDOW) as u64 / u64::from(PAGE_BYTES)).max(1);
        let bytes = pages * u64::from(PAGE_BYTES);
        if self.context.bytes_allowed(self.lane.traffic().1, bytes)? < bytes {
            return Err(Stop::WritesSpent);
        }
        let before = self.wear()?;
        write(self.context, &mut self.lane, &mut self.stream, bytes)?;
        let Wear { host_bytes, media_bytes, erases, .. } = self.wear()?.since(&before);
        self.windows.push(WearWindow { host_bytes, media_bytes, erases });
        if self.block_bytes.is_some_and(|block| erases as f64 * block < ERASED * media_bytes as f64) {
            self.used_from = self.windows.len();
        }
        let words = format!("window {}: {:.2}", self.windows.len(), media_bytes as f64 / host_bytes as f64);
        self.context.report(self.lane.queue.now(), words);
        Ok(())
    }

    /// Writes the part once, in sequence.
    fn lay_out(&mut self) -> Result<(), Stop> {
        if self.context.bytes_allowed(self.lane.traffic().1, self.part.len)? < self.part.len {
            return Err(Stop::WritesSpent);
        }
        let mut stream = AddressStream::new(workload(WritePattern::Sequential), self.part, 0);
        stream.rewind();
        write(self.context, &mut self.lane, &mut stream, self.part.len)
    }

    fn wear(&self) -> Result<Wear, Stop> {
        self.lane.queue.wear().ok_or_else(|| Stop::Failed(PlanError::NoWear.into()))
    }

    /// The level, once it has settled.
    fn settled(&self) -> Option<Level> {
        settled(&amplifications(&self.windows[self.used_from..]))
    }

    fn into_found(self, mut notes: Vec<String>) -> WriteAmplification {
        let pattern = self.context.plan.pattern;
        let is_steep = matches!(pattern, WritePattern::Zipf(theta) if theta > STEEPEST);
        if is_steep {
            notes.push(format!(
                "with an exponent above {STEEPEST} most pages are not written once before windows agree: no \
                 interval is given"
            ));
        }
        let found = self.settled();
        let all = amplifications(&self.windows);
        let level = found.unwrap_or_else(|| level(&all[all.len().saturating_sub(UNSETTLED)..]));
        let (read, written) = self.lane.traffic();
        let mut procedure =
            self.context.procedure(self.windows.len() as u32, (read, written), self.lane.queue.now());
        procedure.footprint_bytes = self.part.len;
        procedure.notes = notes;
        let latest = WriteAmplificationRun {
            pattern,
            fill: self.context.plan.fill,
            part_bytes: self.part.len,
            block_bytes: PAGE_BYTES,
            concurrency: IN_FLIGHT,
            write_amplification: level.mean,
            write_amplification_ci: level.ci.filter(|_| !is_steep),
            settled: found.is_some(),
            host_bytes: self.windows.iter().map(|window| window.host_bytes).sum(),
            media_bytes: self.windows.iter().map(|window| window.media_bytes).sum(),
            used_windows: level.windows as u32,
            windows: self.windows,
        };
        WriteAmplification { procedure, latest, others: Vec::new() }
    }
}

fn amplifications(windows: &[WearWindow]) -> Vec<f64> {
    windows.iter().map(WearWindow::write_amplification).collect()
}

/// Writes that many bytes of a stream and waits for all of them.
fn write(
    context: &mut ExperimentContext,
    lane: &mut Lane,
    stream: &mut AddressStream,
    bytes: u64,
) -> Result<(), Stop> {
    let limits = Limits { max_bytes: bytes, ..Limits::of(u64::MAX / 4) };
    closed_loop(lane, stream, IN_FLIGHT, &limits, &mut Recorder::new(), context.cancel)
        .map_err(Stop::Failed)?;
    context.cancelled()
}

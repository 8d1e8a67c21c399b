//! `buffer`: how large the drive's read buffer is. Regions of growing size are read at random, three times
//! each in the same order: as long as a region fits into the buffer, the second and third pass are answered
//! from it. Figure 8 of Yang, Li and Lilja (ACM TOMPECS 5(1), 2020), section 4.6.

mod figures;

use leadline_device::{Nanos, QueueShape, format_size};
use leadline_figures::Part;
use leadline_profile::{Buffer, DeviceProfile, Experiments, PAGE_BYTES};

use super::buffer_size::{Estimate, Visit, estimate};
use super::context::ExperimentContext;
use super::kind::Experiment;
use super::rounds::{Round, Rounds, make_rounds};
use crate::MeasureError;
use crate::load::{Lane, read_all, read_alone};
use crate::outcome::Stop;

/// The smallest region, bytes: smaller buffers are not found.
const SMALLEST_BUFFER: u64 = 256 << 10;

/// The largest region; the smallest is [`SMALLEST_BUFFER`].
const LARGEST: u64 = 256 << 20;

/// How often a region is read.
const PASSES: usize = 3;

/// Of a pass at most that many reads are timed, spread evenly, each with nothing else in flight. The others
/// only pass through the buffer, several at once.
const TIMED: f64 = 256.0;

/// And that many at least, however slow the device.
const LEAST_TIMED: f64 = 32.0;

/// That many are timed one after the other.
const TIMED_TOGETHER: usize = 8;

/// A small region is read at several places, until this many pages were read; at this many places at most.
const LEAST_PAGES: u64 = 512;
const MOST_PLACES: u64 = 8;

/// Requests in flight, of those that are not timed.
const IN_FLIGHT: u32 = 16;

/// Visits of regions that the budget is divided by, roughly.
const VISITS: f64 = 100.0;

/// Share of the budget that the visits of one size may take in a round.
const LONGEST_VISIT: f64 = 0.05;

/// Between the largest region that fits and the smallest that does not, sizes this much apart are read first,
/// for the figure; then the middle, until they are this close.
const NEAR: f64 = 1.25;
const CLOSEST: f64 = 1.03;

/// `buffer`.
pub(super) struct BufferExperiment;

impl Experiment for BufferExperiment {
    fn name(&self) -> &'static str {
        "buffer"
    }

    fn help(&self) -> &'static str {
        "read buffer: latency of 256K to 256M, read three times"
    }

    fn only_reads(&self) -> bool {
        true
    }

    // The largest region, three times.
    fn virtual_ops_per_slice(&self) -> u64 {
        200_000
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { buffer: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.buffer.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.buffer.as_ref().map(figures::sentences)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Buffer, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(IN_FLIGHT, PAGE_BYTES))?;
    let lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let place = context.plan.region.start;
    let mut regions = Regions {
        context,
        lane,
        place,
        fresh: true,
        timed: TIMED,
        sizes: Vec::new(),
        visits: Vec::new(),
        notes: Vec::new(),
        rounds: 0,
    };
    let (_, ended) = make_rounds(&mut regions);
    let has_all = regions.rounds > 0;
    let stop = regions.context.stop_or_error(ended, has_all)?;
    Ok((regions.into_buffer(), stop))
}

struct Regions<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    lane: Lane,
    /// Where the next region begins. They follow each other, so that what is read first was not read for as
    /// long as possible.
    place: u64,
    /// Whether none of the region was read twice.
    fresh: bool,
    /// Reads of a pass to be timed at most.
    timed: f64,
    /// Bytes, in the order in which they were first read.
    sizes: Vec<u64>,
    visits: Vec<Visit>,
    notes: Vec<String>,
    /// Rounds in which every size was read.
    rounds: u32,
}

impl<'a> Rounds<'a> for Regions<'_, 'a> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        self.lane.queue.now()
    }

    /// The first finds the sizes; what few reads did not show more of them may.
    fn round(&mut self, round: Round) -> Result<(), Stop> {
        if round.number == 0 {
            self.double()?;
        } else {
            let mut sizes = self.sizes.clone();
            self.context.random.shuffle(&mut sizes);
            for bytes in sizes {
                self.read(bytes)?;
            }
        }
        self.narrow()?;
        self.rounds += 1;
        Ok(())
    }

    /// Rounds that find sizes say little of those that only read them again.
    fn seconds_of_round(&self, _longest: f64, last: f64) -> f64 {
        last
    }
}

impl Regions<'_, '_> {
    /// Each size twice the one before.
    fn double(&mut self) -> Result<(), Stop> {
        let largest = LARGEST.min(self.context.plan.region.len);
        let mut bytes = SMALLEST_BUFFER;
        while bytes <= largest {
            let began = self.lane.queue.now();
            self.first(bytes)?;
            let seconds = (self.lane.queue.now() - began) as f64 / 1e9;
            // At each place twice as long.
            let next = 2.0 * seconds * places(2 * bytes) as f64 / places(bytes) as f64;
            let too_slow = next > LONGEST_VISIT * self.context.plan.seconds;
            let requests = 2 * PASSES as u64 * bytes / u64::from(PAGE_BYTES);
            bytes *= 2;
            if bytes <= largest && (too_slow || requests > self.context.plan.max_ops_per_slice) {
                self.notes.push(format!(
                    "left out, would take too long: regions of {} and more",
                    format_size(bytes)
                ));
                break;
            }
        }
        Ok(())
    }

    /// Sizes between the largest that fits and the smallest that does not, closer and closer.
    fn narrow(&mut self) -> Result<(), Stop> {
        let Some((fits, not)) = self.estimate().between else { return Ok(()) };
        let (fits, not) = (fits as f64, not as f64);
        let largest = self.sizes.iter().copied().max().unwrap_or(0) as f64;
        for size in [fits / NEAR, fits * NEAR, fits * NEAR * NEAR, not * NEAR] {
            let bytes = whole_pages(size);
            if size >= SMALLEST_BUFFER as f64 && size <= largest && !self.sizes.contains(&bytes) {
                self.first(bytes)?;
            }
        }
        for fall in [1, 0] {
            while let Some((above, below)) = self.estimate().falls[fall] {
                let middle = whole_pages((above as f64 * below as f64).sqrt());
                if below as f64 <= CLOSEST * above as f64 || self.sizes.contains(&middle) {
                    break;
                }
                self.first(middle)?;
            }
        }
        Ok(())
    }

    fn first(&mut self, bytes: u64) -> Result<(), Stop> {
        self.sizes.push(bytes);
        self.read(bytes)
    }

    /// Reads regions of this size, [`PASSES`] times each.
    fn read(&mut self, bytes: u64) -> Result<(), Stop> {
        for _ in 0..places(bytes) {
            let visit = self.visit(bytes)?;
            if self.visits.is_empty() {
                // Now it is known how long a read takes that no buffer answers.
                let affordable = self.context.plan.seconds / VISITS / PASSES as f64 / visit.first_seconds();
                self.timed = affordable.clamp(LEAST_TIMED, TIMED);
            }
            self.visits.push(visit);
        }
        self.context.report(self.lane.queue.now(), format!("regions of {}", format_size(bytes)));
        Ok(())
    }

    /// Reads one region.
    fn visit(&mut self, bytes: u64) -> Result<Visit, Stop> {
        let region = self.context.plan.region;
        if self.place + bytes > region.start + region.len {
            self.place = region.start;
            self.fresh = false;
        }
        let mut pages: Vec<u64> = (self.place..self.place + bytes).step_by(PAGE_BYTES as usize).collect();
        self.place += bytes;
        self.context.random.shuffle(&mut pages);
        let stride = (pages.len() as f64 / self.timed).ceil().max(1.0) as usize;
        let mut visit = Visit { bytes, fresh: self.fresh, passes: Vec::with_capacity(PASSES) };
        for _ in 0..PASSES {
            visit.passes.push(self.pass(&pages, stride)?);
        }
        Ok(visit)
    }

    /// Reads the pages in this order and times one in `stride`, microseconds: the first few of every piece,
    /// so that the others are enough to be read several at once.
    fn pass(&mut self, pages: &[u64], stride: usize) -> Result<Vec<f64>, Stop> {
        let mut timed = Vec::with_capacity(pages.len() / stride + TIMED_TOGETHER);
        for piece in pages.chunks(TIMED_TOGETHER * stride) {
            let (alone, together) = piece.split_at(piece.len().min(TIMED_TOGETHER));
            for &page in alone {
                let nanos = read_alone(&mut self.lane, page, PAGE_BYTES).map_err(Stop::Failed)?;
                timed.push(nanos as f64 / 1e3);
            }
            read_all(&mut self.lane, together.iter().copied(), PAGE_BYTES).map_err(Stop::Failed)?;
            self.context.cancelled()?;
        }
        Ok(timed)
    }

    fn estimate(&self) -> Estimate {
        estimate(&self.visits, self.context.plan.seed)
    }

    fn into_buffer(self) -> Buffer {
        let estimate = self.estimate();
        let ends = estimate.between.map(|(fits, not)| [fits as f64, not as f64]);
        let now = self.lane.queue.now();
        let mut procedure = self.context.procedure(self.rounds, self.lane.traffic(), now);
        procedure.notes = self.notes;
        Buffer {
            procedure,
            block_bytes: PAGE_BYTES,
            passes: PASSES as u32,
            detected: estimate.detected,
            p_value: estimate.p_value,
            distance: estimate.distance,
            buffer_bytes: ends.map(|[fits, not]| (fits * not).sqrt()),
            buffer_ci: ends,
            at_least_bytes: estimate.at_least,
            fast_us: estimate.fast_us,
            slow_us: estimate.slow_us,
            points: estimate.points,
        }
    }
}

/// At how many places regions of this size are read in a round.
fn places(bytes: u64) -> u64 {
    LEAST_PAGES.div_ceil(bytes / u64::from(PAGE_BYTES)).min(MOST_PLACES)
}

fn whole_pages(bytes: f64) -> u64 {
    let page = u64::from(PAGE_BYTES);
    (bytes / page as f64).round() as u64 * page
}

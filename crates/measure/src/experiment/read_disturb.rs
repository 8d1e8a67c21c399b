//! `read-disturb`: one page read again and again, to see whether every that many reads one is slow, as where
//! a drive refreshes what many reads have disturbed. Algorithm 1 of Yang, Li and Lilja (ACM TOMPECS 5(1),
//! 2020), section 4.6, and its variant that reads nothing else; figures 9 and 10.

mod figures;

use leadline_device::{Clock, Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, DisturbSeries, Experiments, PAGE_BYTES, ReadDisturb};

use super::context::ExperimentContext;
use super::disturb_series::series;
use super::evicting_reads::{EVICTED_BLOCK, EvictingReads};
use super::kind::Experiment;
use super::period::{FALSE_ALARMS, analyse, recurs};
use crate::MeasureError;
use crate::load::{Lane, Region, read_all, read_alone};
use crate::outcome::Stop;

/// Requests in flight, of what is read between.
const IN_FLIGHT: u32 = 16;

/// Reads of the page at least, or nothing can be said of them.
const FEWEST: usize = 64;

/// Reads of the page at most: without other reads between, and with them, as in the paper.
const MOST_REPEATING: usize = 1_000_000;
const MOST_EVICTING: usize = 50_000;

/// On a virtual clock: reads of the page with others between, and all of those, for each of the plan's
/// `max_ops_per_slice`.
const VIRTUAL_EVICTING: f64 = 0.1;
const VIRTUAL_OTHERS: u64 = 10;

/// Share of the budget for the reads without others between: where the drive's buffer is not known, where it
/// has one, which answers those reads, and where it has none.
const UNKNOWN: f64 = 0.5;
const BUFFERED: f64 = 0.2;
const UNBUFFERED: f64 = 0.8;

/// After each read of a series that is to show a period again, a pause of that many times the time from one
/// read to the next. No multiple of what takes as long, and comes as often, is the period then.
const PAUSE: f64 = 0.5;

/// Share of a series' time that is for finding a period; the rest is for finding it again.
const FINDING: f64 = 1.0 / (2.0 + PAUSE);

/// Reads between two reports.
const REPORT_EVERY: usize = 1000;
const REPORT_EVERY_EVICTING: usize = 16;

/// `read-disturb`.
pub(super) struct ReadDisturbExperiment;

impl Experiment for ReadDisturbExperiment {
    fn name(&self) -> &'static str {
        "read-disturb"
    }

    fn help(&self) -> &'static str {
        "one page read again and again: is every Nth read slow?"
    }

    fn only_reads(&self) -> bool {
        true
    }

    fn largest_request(&self, _region: Region) -> u32 {
        EVICTED_BLOCK
    }

    // Periods of thousands of reads.
    fn virtual_ops_per_slice(&self) -> u64 {
        100_000
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { read_disturb: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.read_disturb.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.read_disturb.as_ref().map(figures::sentences)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(ReadDisturb, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(IN_FLIGHT, EVICTED_BLOCK))?;
    let lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let others = EvictingReads::new(context.plan.region, context.plan.buffer_bytes, &mut context.random);
    let mut page = Page { context, lane, others, repeating: None, evicting: None, notes: Vec::new() };
    let ended = page.run();
    let has_all = page.repeating.is_some();
    let stop = page.context.stop_or_error(ended, has_all)?;
    Ok((page.into_disturb(), stop))
}

/// Latencies of the page in the order of the reads, microseconds, and the time that all took.
#[derive(Default)]
struct Reads {
    us: Vec<f64>,
    seconds: f64,
}

/// Which reads are made, and how many.
#[derive(Clone, Copy)]
struct Series {
    /// Whether others are read between.
    evicting: bool,
    /// Pause after each read of the page.
    pause: Nanos,
    most: usize,
    /// Time after which it ends, once there are [`FEWEST`].
    seconds: f64,
}

struct Page<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    lane: Lane,
    others: EvictingReads,
    repeating: Option<DisturbSeries>,
    evicting: Option<DisturbSeries>,
    notes: Vec<String>,
}

impl Page<'_, '_> {
    fn run(&mut self) -> Result<(), Stop> {
        let share = match self.context.plan.buffer_bytes {
            None => UNKNOWN,
            Some(0) => UNBUFFERED,
            Some(_) => BUFFERED,
        };
        let (repeating, evicting) = self.most();
        let seconds = FINDING * share * self.context.plan.seconds;
        self.repeating = self.find(Series { evicting: false, pause: 0, most: repeating, seconds })?;
        let seconds =
            FINDING * (self.context.plan.seconds - self.context.seconds_spent(self.lane.queue.now()));
        self.evicting = self.find(Series { evicting: true, pause: 0, most: evicting, seconds })?;
        Ok(())
    }

    /// Most reads of the page without others between, and with them.
    fn most(&self) -> (usize, usize) {
        let requests = self.context.plan.max_ops_per_slice;
        match self.context.device.clock() {
            Clock::Wall => (MOST_REPEATING, MOST_EVICTING),
            Clock::Virtual => {
                let by_others = VIRTUAL_OTHERS * requests / self.others.requests().max(1);
                let evicting = ((VIRTUAL_EVICTING * requests as f64) as u64).min(by_others);
                (requests as usize, evicting as usize)
            }
        }
    }

    /// Reads the page, looks for a period, and looks for that again with pauses: one that is a period of time
    /// and not of reads is another then, and so is chance. `None` where there was time for too few reads.
    fn find(&mut self, wanted: Series) -> Result<Option<DisturbSeries>, Stop> {
        let reads = self.read(wanted)?;
        if reads.us.len() < FEWEST {
            self.notes.push(format!(
                "left out, too slow for the time allowed: one page with others read between ({} times)",
                reads.us.len()
            ));
            return Ok(None);
        }
        let mut found = analyse(&reads.us, self.context.plan.seed);
        if let Some(size) = found.size
            && !self.is_found_again(wanted, &reads, size.period)?
        {
            (found.size, found.detection_probability) = (None, None);
        }
        Ok(Some(series(&reads.us, reads.seconds, found)))
    }

    fn is_found_again(&mut self, wanted: Series, reads: &Reads, period: f64) -> Result<bool, Stop> {
        let each = reads.seconds / reads.us.len() as f64;
        let pause = (PAUSE * each * 1e9) as Nanos;
        let seconds = (1.0 + 2.0 * PAUSE) * reads.seconds;
        let again = self.read(Series { pause, most: reads.us.len(), seconds, ..wanted })?;
        if again.us.len() >= FEWEST && recurs(&again.us, period, self.context.plan.seed) {
            return Ok(true);
        }
        self.notes.push(format!(
            "{}: every {period:.1} reads ({:.3} ms) one was slow, but not with pauses between the reads; that \
             is a period of time, or chance",
            if wanted.evicting { "with others read between" } else { "one page alone" },
            period * each * 1e3
        ));
        Ok(false)
    }

    /// Reads the page, and what is to be read between.
    fn read(&mut self, wanted: Series) -> Result<Reads, Stop> {
        let mut reads = Reads::default();
        let began = self.lane.queue.now();
        // With others between, even the fewest reads may take too long.
        let fewest = if wanted.evicting { 0 } else { FEWEST };
        while reads.us.len() < wanted.most.max(FEWEST) {
            if reads.seconds >= wanted.seconds && reads.us.len() >= fewest {
                break;
            }
            self.read_once(wanted, &mut reads)?;
            reads.seconds = (self.lane.queue.now() - began) as f64 / 1e9;
        }
        Ok(reads)
    }

    fn read_once(&mut self, wanted: Series, reads: &mut Reads) -> Result<(), Stop> {
        let page = self.context.plan.region.start;
        let nanos = read_alone(&mut self.lane, page, PAGE_BYTES).map_err(Stop::Failed)?;
        reads.us.push(nanos as f64 / 1e3);
        if wanted.evicting {
            read_all(&mut self.lane, self.others.next(), EVICTED_BLOCK).map_err(Stop::Failed)?;
        }
        if wanted.pause > 0 {
            self.lane.idle_exactly(wanted.pause).map_err(Stop::Failed)?;
        }
        let count = reads.us.len();
        if count.is_multiple_of(if wanted.evicting { REPORT_EVERY_EVICTING } else { REPORT_EVERY }) {
            let between = if wanted.evicting { ", others between" } else { "" };
            self.context.report(self.lane.queue.now(), format!("{count} reads of one page{between}"));
        }
        self.context.cancelled()
    }

    fn into_disturb(self) -> ReadDisturb {
        let now = self.lane.queue.now();
        let buffer_bytes = self.context.plan.buffer_bytes;
        let mut procedure = self.context.procedure(1, self.lane.traffic(), now);
        procedure.notes = self.notes;
        procedure.notes.extend(self.others.note(buffer_bytes));
        ReadDisturb {
            procedure,
            block_bytes: PAGE_BYTES,
            buffer_bytes,
            evicted_bytes: self.others.bytes(),
            evicted_block_bytes: EVICTED_BLOCK,
            false_alarm_rate: 2.0 * FALSE_ALARMS,
            repeating: self.repeating.unwrap_or_default(),
            evicting: self.evicting,
        }
    }
}

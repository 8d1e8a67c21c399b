//! `sustained`: the write rates of a drive at first and sustained, sequentially and at random, and what reads
//! take during writes that it can sustain: metrics of SSD-iq (Haas, Lee, Bonnet and Leis, PVLDB 18(11),
//! 2025).

mod figures;

use leadline_device::{Clock, Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, OpKind, PAGE_BYTES, Pattern, Sustained, SustainedLoad};
use serde_json::{Value, json};

use super::context::ExperimentContext;
use super::kind::{Choice, Experiment, LEAST_BUDGET, MOST_IN_FLIGHT};
use super::plan::ExperimentPlan;
use super::sampled_load::{Sample, SampleLength, SampledLoad, downsampled, merged_until};
use super::sustained_cliffs::levels;
use super::timed::workload;
use super::under_load::UnderLoads;
use crate::MeasureError;
use crate::load::{AddressStream, Lane, Region};
use crate::outcome::Stop;

/// Bytes per sequential write: large enough for any drive's full bandwidth with a few in flight.
const SEQUENTIAL_BYTES: u32 = 128 << 10;

/// What is written at most, in regions: in sequence, at random a quarter of that, and during reads.
const SEQUENTIAL_REGIONS: u64 = 8;
const ALL_REGIONS: u64 = 12;

/// One load.
struct Kind {
    pattern: Pattern,
    block_bytes: u32,
    in_flight: u32,
    /// Shares of the budget of the rest before it, and of itself.
    rest: f64,
    load: f64,
    /// Share of the bytes that may be moved.
    bytes: f64,
}

/// What is left of the budget is for the reads during writes.
const KINDS: [Kind; 2] = [
    Kind {
        pattern: Pattern::Sequential,
        block_bytes: SEQUENTIAL_BYTES,
        in_flight: 32,
        rest: 0.05,
        load: 0.3,
        bytes: 1.0,
    },
    Kind {
        pattern: Pattern::Random,
        block_bytes: PAGE_BYTES,
        in_flight: MOST_IN_FLIGHT,
        rest: 0.1,
        load: 0.3,
        bytes: 0.25,
    },
];

/// A sample is this share of the time since the load began, and never shorter, nanoseconds.
const SAMPLE: SampleLength = SampleLength::Growing(1.0 / 300.0, 500_000);

/// Requests in a sample at least: where the drive is slow, several are made one.
const FEWEST_OPS: f64 = 4.0;

/// Samples of a load that the profile keeps.
const KEPT_SAMPLES: usize = 400;

/// Rests are slept in pieces of this length, to be interrupted and reported.
const PIECE: Nanos = 250_000_000;

/// A flush of what a long load left behind may take so long, nanoseconds.
const FLUSH: u64 = 60_000_000_000;

/// Samples between two reports.
const REPORT_EVERY: usize = 10;

/// `sustained`.
pub(super) struct SustainedExperiment;

impl Experiment for SustainedExperiment {
    fn name(&self) -> &'static str {
        "sustained"
    }

    fn help(&self) -> &'static str {
        "burst and sustained writes, caches, reads during writes"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn uses_whole_drive(&self) -> bool {
        true
    }

    fn takes(&self, choice: Choice) -> bool {
        choice == Choice::MaxBytes
    }

    fn default_seconds(&self, quick: bool) -> f64 {
        if quick { 60.0 } else { 300.0 }
    }

    fn may_end_early(&self) -> bool {
        true
    }

    fn time_writing(&self) -> &'static str {
        "most of"
    }

    fn write_budget(&self, region_bytes: u64) -> u64 {
        region_bytes.saturating_mul(ALL_REGIONS).max(LEAST_BUDGET / 2)
    }

    fn max_bytes_within(&self, max_bytes: u64, budget: u64) -> u64 {
        max_bytes.min(budget / ALL_REGIONS * SEQUENTIAL_REGIONS)
    }

    fn is_laid_out(&self, clock: Clock) -> bool {
        clock == Clock::Wall
    }

    fn largest_request(&self, _region: Region) -> u32 {
        SEQUENTIAL_BYTES
    }

    // A cache of a simulated drive may be as large; requests are large, too.
    fn default_max_bytes(&self, _clock: Clock) -> u64 {
        ExperimentPlan::BURST_BYTES
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { sustained: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.sustained.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.sustained.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile.experiments.sustained.as_ref().map(|found| json!(figures::SustainedChart::new(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Sustained, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, SEQUENTIAL_BYTES))?;
    let mut lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let (mut loads, mut notes, mut under_loads) = (Vec::new(), Vec::new(), UnderLoads::default());
    let ended = all(context, &mut lane, &mut loads, &mut under_loads);
    let stop = context.stop_or_error(ended, !loads.is_empty())?;
    for load in loads.iter().filter(|load: &&SustainedLoad| !load.settled) {
        let pattern = if load.pattern == Pattern::Random { "random" } else { "sequential" };
        notes.push(format!(
            "{pattern} writes had not settled when they ended: give it more time or --max-bytes"
        ));
    }
    let mut procedure = context.procedure(under_loads.rounds(), lane.traffic(), lane.queue.now());
    procedure.notes = notes;
    let latencies = under_loads.into_points(context);
    Ok((Sustained { procedure, loads, latencies, read_block_bytes: PAGE_BYTES }, stop))
}

fn all(
    context: &mut ExperimentContext,
    lane: &mut Lane,
    loads: &mut Vec<SustainedLoad>,
    under_loads: &mut UnderLoads,
) -> Result<(), Stop> {
    // Reads are of what was surely written.
    let mut written = context.plan.region;
    for kind in &KINDS {
        let rested = rest(context, lane, kind.rest)?;
        let ended = load(context, lane, kind, rested, loads);
        if let (Pattern::Sequential, Some(load)) = (kind.pattern, loads.last()) {
            written = Region { len: written.len.min(load.written_bytes), ..written };
        }
        ended?;
    }
    match loads.iter().find(|load| load.pattern == Pattern::Random) {
        Some(random) => {
            let sustained = random.sustained_bytes_per_second;
            under_loads.measure(context, lane, written, sustained)
        }
        None => Ok(()),
    }
}

/// A flush, and then nothing for this share of the budget; for how many seconds.
fn rest(context: &mut ExperimentContext, lane: &mut Lane, share: f64) -> Result<f64, Stop> {
    lane.flush(FLUSH).map_err(Stop::Failed)?;
    let began = lane.queue.now();
    let until = began + (share * context.plan.seconds * 1e9) as Nanos;
    while lane.queue.now() < until {
        let piece = PIECE.min(until - lane.queue.now());
        lane.idle(piece, context.cancel).map_err(Stop::Failed)?;
        context.cancelled()?;
        context.report(lane.queue.now(), "resting".to_owned());
    }
    Ok((lane.queue.now() - began) as f64 / 1e9)
}

/// Writes until time or bytes are spent.
fn load(
    context: &mut ExperimentContext,
    lane: &mut Lane,
    kind: &Kind,
    rest_seconds: f64,
    loads: &mut Vec<SustainedLoad>,
) -> Result<(), Stop> {
    let block = u64::from(kind.block_bytes);
    let may_move = (context.plan.max_bytes as f64 * kind.bytes) as u64;
    let may_send = context.bytes_allowed(lane.traffic().1, block)?;
    let most = may_move.min(may_send) / block;
    let limit = kind.load * context.plan.seconds;
    let written = workload(OpKind::Write, kind.pattern, false, kind.block_bytes);
    let mut stream = AddressStream::new(written, context.plan.region, context.random.u64(..));
    stream.rewind();
    let began = lane.queue.now();
    let sent = lane.traffic().1;
    let mut load =
        SampledLoad::begin(lane, &mut stream, kind.in_flight, most, SAMPLE).map_err(Stop::Failed)?;
    while load.sample().map_err(Stop::Failed)? && (load.now() - began) as f64 / 1e9 < limit {
        context.cancelled()?;
        let samples = load.samples();
        if samples.len().is_multiple_of(REPORT_EVERY) {
            let Sample { seconds, ops } = samples[samples.len() - 1];
            let (now, rate) = (load.now(), ops / seconds * block as f64 / 1e6);
            context.report(now, format!("{rate:.0} MB/s"));
        }
    }
    let samples = merged_until(&load.end(context.cancel).map_err(Stop::Failed)?, FEWEST_OPS);
    context.cancelled()?;
    let (written_bytes, seconds) = (lane.traffic().1 - sent, (lane.queue.now() - began) as f64 / 1e9);
    if let Some(levels) = levels(&samples, kind.block_bytes, context.plan.seed) {
        loads.push(SustainedLoad {
            pattern: kind.pattern,
            block_bytes: kind.block_bytes,
            concurrency: kind.in_flight,
            rest_seconds,
            written_bytes,
            seconds,
            burst_bytes_per_second: levels.burst.0,
            burst_ci: levels.burst.1,
            sustained_bytes_per_second: levels.sustained.0,
            sustained_ci: levels.sustained.1,
            ratio: levels.ratio.0,
            ratio_ci: levels.ratio.1,
            settled: levels.settled,
            cliffs: levels.cliffs,
            samples: kept(&samples, kind.block_bytes),
        });
    }
    // The limit of writes, and not the one of bytes, ended it.
    if written_bytes / block == most && may_send < may_move { Err(Stop::WritesSpent) } else { Ok(()) }
}

/// Bytes written by the end of each sample, and its bandwidth.
fn kept(samples: &[Sample], block_bytes: u32) -> Vec<(f64, f64)> {
    let mut written = 0.0;
    let point = |sample: Sample| {
        let bytes = sample.ops * f64::from(block_bytes);
        written += bytes;
        (written, bytes / sample.seconds)
    };
    let points = downsampled(samples, KEPT_SAMPLES).into_iter().map(point);
    points.filter(|(written, _)| *written > 0.0).collect()
}

//! `sustained`: what a drive writes at first and for long, sequentially and at random, and what reads take
//! beside writes that it can sustain: metrics of SSD-iq (Haas, Lee, Bonnet and Leis, PVLDB 18(11), 2025).

use leadline_device::{Nanos, QueueShape};
use leadline_profile::{OpKind, PAGE_BYTES, Pattern, Sustained, SustainedLoad};

use super::extremes::SUSTAINED_BYTES;
use super::frame::Frame;
use super::plan::MOST_IN_FLIGHT;
use super::sampled_load::{Sample, SampleLength, SampledLoad, gathered, joined};
use super::sustained_cliffs::levels;
use super::timed::workload;
use super::under_load::UnderLoads;
use crate::MeasureError;
use crate::load::{AddressStream, Lane, Region};
use crate::outcome::Stop;

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

/// What is left of the budget is for the reads beside writes.
const KINDS: [Kind; 2] = [
    Kind {
        pattern: Pattern::Sequential,
        block_bytes: SUSTAINED_BYTES,
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

/// Runs the experiment.
///
/// # Errors
/// As [`super::run`].
pub(super) fn run(frame: &mut Frame) -> Result<(Sustained, Option<Stop>), MeasureError> {
    let queue = frame.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, SUSTAINED_BYTES))?;
    let mut lane = Lane::new(queue, frame.device.clock(), frame.plan.seed);
    frame.begin(lane.queue.now());
    let (mut loads, mut notes, mut under_loads) = (Vec::new(), Vec::new(), UnderLoads::default());
    let ended = all(frame, &mut lane, &mut loads, &mut under_loads);
    let stop = frame.kept(ended, !loads.is_empty())?;
    for load in loads.iter().filter(|load: &&SustainedLoad| !load.settled) {
        let pattern = if load.pattern == Pattern::Random { "random" } else { "sequential" };
        notes.push(format!(
            "{pattern} writes had not settled when they ended: give it more time or --max-bytes"
        ));
    }
    let mut procedure = frame.procedure(under_loads.rounds(), lane.traffic(), lane.queue.now());
    procedure.notes = notes;
    let latencies = under_loads.into_points(frame);
    Ok((Sustained { procedure, loads, latencies, read_block_bytes: PAGE_BYTES }, stop))
}

fn all(
    frame: &mut Frame,
    lane: &mut Lane,
    loads: &mut Vec<SustainedLoad>,
    under_loads: &mut UnderLoads,
) -> Result<(), Stop> {
    // Reads are of what was surely written.
    let mut written = frame.plan.region;
    for kind in &KINDS {
        let rested = rest(frame, lane, kind.rest)?;
        let ended = load(frame, lane, kind, rested, loads);
        if let (Pattern::Sequential, Some(load)) = (kind.pattern, loads.last()) {
            written = Region { len: written.len.min(load.written_bytes), ..written };
        }
        ended?;
    }
    match loads.iter().find(|load| load.pattern == Pattern::Random) {
        Some(random) => {
            let sustained = random.sustained_bytes_per_second;
            under_loads.measure(frame, lane, written, sustained)
        }
        None => Ok(()),
    }
}

/// A flush, and then nothing for this share of the budget; for how many seconds.
fn rest(frame: &mut Frame, lane: &mut Lane, share: f64) -> Result<f64, Stop> {
    lane.flush(FLUSH).map_err(Stop::Failed)?;
    let began = lane.queue.now();
    let until = began + (share * frame.plan.seconds * 1e9) as Nanos;
    while lane.queue.now() < until {
        let piece = PIECE.min(until - lane.queue.now());
        lane.idle(piece, frame.cancel).map_err(Stop::Failed)?;
        frame.cancelled()?;
        frame.report(lane.queue.now(), "resting".to_owned());
    }
    Ok((lane.queue.now() - began) as f64 / 1e9)
}

/// Writes until time or bytes are spent.
fn load(
    frame: &mut Frame,
    lane: &mut Lane,
    kind: &Kind,
    rest_seconds: f64,
    loads: &mut Vec<SustainedLoad>,
) -> Result<(), Stop> {
    let block = u64::from(kind.block_bytes);
    let may_move = (frame.plan.max_bytes as f64 * kind.bytes) as u64;
    let may_send = frame.may_send(lane.traffic().1, block)?;
    let most = may_move.min(may_send) / block;
    let limit = kind.load * frame.plan.seconds;
    let written = workload(OpKind::Write, kind.pattern, false, kind.block_bytes);
    let mut stream = AddressStream::new(written, frame.plan.region, frame.random.u64(..));
    stream.rewind();
    let began = lane.queue.now();
    let sent = lane.traffic().1;
    let mut load =
        SampledLoad::begin(lane, &mut stream, kind.in_flight, most, SAMPLE).map_err(Stop::Failed)?;
    while load.sample().map_err(Stop::Failed)? && (load.now() - began) as f64 / 1e9 < limit {
        frame.cancelled()?;
        let samples = load.samples();
        if samples.len().is_multiple_of(REPORT_EVERY) {
            let Sample { seconds, ops } = samples[samples.len() - 1];
            let (now, rate) = (load.now(), ops / seconds * block as f64 / 1e6);
            frame.report(now, format!("{rate:.0} MB/s"));
        }
    }
    let samples = gathered(&load.end(frame.cancel).map_err(Stop::Failed)?, FEWEST_OPS);
    frame.cancelled()?;
    let (written_bytes, seconds) = (lane.traffic().1 - sent, (lane.queue.now() - began) as f64 / 1e9);
    if let Some(levels) = levels(&samples, kind.block_bytes, frame.plan.seed) {
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
    let points = joined(samples, KEPT_SAMPLES).into_iter().map(point);
    points.filter(|(written, _)| *written > 0.0).collect()
}

//! Before measuring: writing the region whole, preconditioning, and the steady-state test.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Device, Nanos, QueueShape};
use leadline_profile::{Rounds, RunPhase, TimelineSample};

use crate::MeasureError;
use crate::load::{AddressStream, Lane, Limits, Recorder, Spread, Workload, closed_loop};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::steady::{self, steady_state};

/// Layout writes this much at a time.
const LAYOUT_BLOCK: u32 = 1 << 20;

/// Bytes between two samples of the timeline.
const SAMPLE_BYTES: u64 = 64 << 20;

/// Requests in flight while preparing: enough to saturate writes on most drives, few enough to share.
const DEPTH: u32 = 32;

/// What preparing did.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// Device time it took, seconds.
    pub seconds: f64,
    /// Bytes it wrote.
    pub written: u64,
    /// Throughput over time, from the start of preparing.
    pub timeline: Vec<TimelineSample>,
    /// The steady-state test, where it was run.
    pub rounds: Option<Rounds>,
}

/// Lays out, preconditions, and for `steady` runs the steady-state test, as the plan says.
///
/// # Errors
/// As [`closed_loop`]. A cancel ends it early without error.
pub fn prepare(
    device: &dyn Device,
    plan: &Plan,
    steady: bool,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Prepared, MeasureError> {
    let mut prepared = Prepared::default();
    // Laid out even where only reads are measured: what was never written is answered from memory.
    if !plan.layout && plan.precondition == 0 && !(steady && plan.writes) {
        return Ok(prepared);
    }
    let block = plan.block_sizes[0].max(device.geometry().block_bytes);
    let queue = device.queue_pair(QueueShape::new(DEPTH, LAYOUT_BLOCK.max(block)))?;
    let mut lane = Lane::new(queue, device.clock(), plan.seed ^ 0x1a40);
    let began = lane.queue.now();
    let mut passes = Vec::new();
    if plan.layout {
        passes.push(("layout", workload(LAYOUT_BLOCK.min(largest_power(plan.region.len)), 0.0)));
    }
    passes.extend((0..plan.precondition).map(|_| ("precondition", workload(block, 1.0))));
    let total = plan.preparation_bytes();
    for (phase, workload) in passes {
        // Whole blocks: a region need not be a multiple of what preconditioning writes.
        let goal = prepared.written
            + plan.region.len / u64::from(workload.block_bytes) * u64::from(workload.block_bytes);
        let mut stream = AddressStream::new(workload, plan.region, plan.seed ^ prepared.written);
        stream.rewind();
        while prepared.written < goal && !cancel.load(Ordering::Relaxed) {
            let bytes = SAMPLE_BYTES.min(goal - prepared.written);
            write_some(&mut lane, &mut stream, bytes, began, phase.into(), &mut prepared, cancel)?;
            progress(Progress { phase, done: prepared.written as f64 / total as f64, detail: String::new() });
        }
    }
    if cancel.load(Ordering::Relaxed) {
        prepared.seconds = (lane.queue.now() - began) as f64 / 1e9;
        return Ok(prepared); // at once: a flush may take long
    }
    lane.flush(60_000_000_000)?;
    if steady && plan.writes {
        prepared.rounds = Some(run_rounds(&mut lane, plan, block, began, &mut prepared, cancel, progress)?);
    }
    prepared.seconds = (lane.queue.now() - began) as f64 / 1e9;
    Ok(prepared)
}

fn workload(block_bytes: u32, random_fraction: f64) -> Workload {
    Workload { read_share: 0.0, block_bytes, random_fraction, spread: Spread::Uniform, durable: false }
}

/// The largest power of two that divides `len`, so that layout leaves no tail unwritten.
fn largest_power(len: u64) -> u32 {
    1 << len.trailing_zeros().min(20)
}

/// Writes `bytes` (a multiple of the stream's block) and adds a sample to the timeline.
fn write_some(
    lane: &mut Lane,
    stream: &mut AddressStream,
    bytes: u64,
    began: Nanos,
    phase: RunPhase,
    prepared: &mut Prepared,
    cancel: &AtomicBool,
) -> Result<(), MeasureError> {
    let start = lane.queue.now();
    let limits = Limits { max_bytes: bytes, ..Limits::of(Nanos::MAX / 4) };
    closed_loop(lane, stream, DEPTH, &limits, &mut Recorder::new(), cancel)?;
    let now = lane.queue.now();
    // What was sent, ramps included, and less than `bytes` where it was cancelled.
    let bytes = lane.traffic().1 - prepared.written;
    prepared.written += bytes;
    prepared.timeline.push(TimelineSample {
        at_seconds: (start - began) as f64 / 1e9,
        phase,
        bytes_per_second: bytes as f64 / ((now - start).max(1) as f64 / 1e9),
        written_bytes: prepared.written,
    });
    Ok(())
}

/// Rounds of random writes until five in a row are steady, or [`steady::MAX_ROUNDS`].
fn run_rounds(
    lane: &mut Lane,
    plan: &Plan,
    block: u32,
    began: Nanos,
    prepared: &mut Prepared,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Rounds, MeasureError> {
    let mut stream = AddressStream::new(workload(block, 1.0), plan.region, plan.seed ^ 0x57ea);
    let mut rounds = Rounds::default();
    while rounds.iops.len() < steady::MAX_ROUNDS && !rounds.passed && !cancel.load(Ordering::Relaxed) {
        let left = plan.most_written().map_or(u64::MAX, |max| max.saturating_sub(prepared.written));
        let limits = Limits { max_bytes: left, ..Limits::of(steady::ROUND) };
        let window = closed_loop(lane, &mut stream, DEPTH, &limits, &mut Recorder::new(), cancel)?;
        prepared.written = lane.traffic().1;
        if !window.complete || window.length == 0 {
            break;
        }
        let rate = window.ops as f64 / (window.length as f64 / 1e9);
        rounds.iops.push(rate);
        prepared.timeline.push(TimelineSample {
            at_seconds: (window.opened - began) as f64 / 1e9,
            phase: RunPhase::Precondition,
            bytes_per_second: rate * f64::from(block),
            written_bytes: prepared.written,
        });
        (rounds.passed, rounds.range, rounds.slope) = steady_state(&rounds.iops);
        let done = rounds.iops.len() as f64 / steady::MAX_ROUNDS as f64;
        progress(Progress { phase: "steady state", done, detail: format!("round {}", rounds.iops.len()) });
    }
    Ok(rounds)
}

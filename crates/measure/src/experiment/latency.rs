//! `latency`: how long one request at a time takes, and how much of that is software. Figure 3 of Yang, Li
//! and Lilja (ACM TOMPECS 5(1), 2020), section 4.1.

use leadline_device::{Clock, Nanos, QueueShape};
use leadline_profile::{Bin, LatencyDistribution, LatencyDistributions, OpKind, PAGE_BYTES, Pattern};

use super::frame::{Frame, MOST_EPOCHS};
use super::rounds::{InRounds, in_rounds};
use super::timed::{Timed, words, workload};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::facts::BlockCounters;
use crate::load::{AddressStream, Lane, Limits, Recorder, one_at_a_time};
use crate::outcome::Stop;

/// Requests of a workload, over all rounds, as in the paper.
const REQUESTS: u64 = 1_000_000;

/// Seconds of a workload at most, over all rounds.
const LONGEST_SECONDS: f64 = 120.0;

/// How far the block layer's count may be off the requests sent: more means that it counts others' too.
const COUNT_TOLERANCE: f64 = 0.01;

/// The block layer counts whole milliseconds; less than this many of them say too little.
const LEAST_MS: u64 = 100;

/// One operation and pattern, as far as timed.
struct OneWorkload {
    op: OpKind,
    pattern: Pattern,
    durable: bool,
    stream: AddressStream,
    timed: Timed,
    seconds: f64,
    call_sum: u128,
    /// What the block layer counted meanwhile; `None` once it could not be read.
    counted: Option<BlockCounters>,
}

struct Workloads {
    all: Vec<OneWorkload>,
    recorder: Recorder,
}

/// Runs the experiment.
///
/// # Errors
/// As [`super::run`].
pub(super) fn run(frame: &mut Frame) -> Result<(LatencyDistributions, Option<Stop>), MeasureError> {
    let queue = frame.device.queue_pair(QueueShape::new(1, PAGE_BYTES))?;
    let mut lane = Lane::new(queue, frame.device.clock(), frame.plan.seed);
    frame.begin(lane.queue.now());
    let mut all = Vec::new();
    for pattern in [Pattern::Sequential, Pattern::Random] {
        for (op, durable) in [(OpKind::Read, false), (OpKind::Write, false), (OpKind::Write, true)] {
            if op == OpKind::Write && !frame.plan.writes {
                continue;
            }
            let workload = workload(op, pattern, durable, PAGE_BYTES);
            all.push(OneWorkload {
                op,
                pattern,
                durable,
                stream: AddressStream::new(workload, frame.plan.region, frame.random.u64(..)),
                timed: Timed::default(),
                seconds: 0.0,
                call_sum: 0,
                counted: frame.plan.disk.as_ref().map(|_| BlockCounters::default()),
            });
        }
    }
    let mut workloads = Workloads { all, recorder: Recorder::new() };
    let (epochs, ended) = in_rounds(frame, &mut lane, &mut workloads);
    let has_all = workloads.all.iter().all(|one| one.timed.ops() > 0);
    let stop = frame.kept(ended, has_all)?;
    let resamples = frame.resamples(epochs);
    let wall = frame.device.clock() == Clock::Wall;
    let distributions =
        workloads.all.into_iter().map(|one| one.into_distribution(resamples.as_ref(), wall)).collect();
    let procedure = frame.procedure(epochs, lane.traffic(), lane.queue.now());
    Ok((LatencyDistributions { procedure, block_bytes: PAGE_BYTES, workloads: distributions }, stop))
}

impl InRounds for Workloads {
    fn count(&self) -> usize {
        self.all.len()
    }

    fn writes(&self, i: usize) -> bool {
        self.all[i].op == OpKind::Write
    }

    fn slice(&mut self, frame: &mut Frame, lane: &mut Lane, i: usize, seconds: f64) -> Result<(), Stop> {
        let one = &mut self.all[i];
        let rounds = u64::from(MOST_EPOCHS);
        let seconds = seconds.min(LONGEST_SECONDS / rounds as f64);
        let mut limits = Limits {
            max_ops: frame
                .plan
                .max_ops_per_slice
                .min(REQUESTS.div_ceil(rounds))
                .min(REQUESTS - one.timed.ops()),
            ..Limits::of((seconds * 1e9) as Nanos)
        };
        if one.op == OpKind::Write {
            limits.max_bytes = frame.may_send(lane.traffic().1, u64::from(PAGE_BYTES))?;
        }
        let counters = || frame.plan.disk.as_deref().and_then(BlockCounters::read);
        let (before, began) = (counters(), lane.queue.now());
        let done = one_at_a_time(lane, &mut one.stream, &limits, &mut self.recorder, frame.cancel);
        let done = done.map_err(Stop::Failed)?;
        frame.cancelled()?;
        if !done.complete {
            return Err(Stop::WritesSpent);
        }
        one.counted = match (one.counted, before, counters()) {
            (Some(sum), Some(before), Some(after)) => Some(sum.plus(&after.since(&before))),
            _ => None,
        };
        one.timed.add(done.ops, done.latency_sum, &self.recorder);
        one.call_sum += done.call_sum;
        one.seconds += (lane.queue.now() - began) as f64 / 1e9;
        Ok(())
    }

    fn describe(&self, i: usize) -> String {
        let OneWorkload { op, pattern, durable, .. } = self.all[i];
        words(op, pattern, durable)
    }
}

impl OneWorkload {
    fn into_distribution(self, resamples: Option<&Resamples>, wall: bool) -> LatencyDistribution {
        let ops = self.timed.ops();
        let bins = self.timed.latencies().bins();
        LatencyDistribution {
            op: self.op,
            pattern: self.pattern,
            durable: self.durable,
            ops,
            seconds: self.seconds,
            latency_us: self.timed.latency(),
            mean_us_ci: self.timed.mean_us_ci(resamples),
            system_call_us: wall.then(|| self.call_sum as f64 / ops as f64 / 1e3),
            block_layer_us: self.counted.and_then(|counted| block_layer_us(self.op, ops, &counted)),
            histogram: bins
                .into_iter()
                .map(|(upper, count)| Bin { upper_us: upper as f64 / 1e3, count })
                .collect(),
        }
    }
}

/// Mean time in the block layer and below, where what was counted is what was sent: a durable write that also
/// flushes, a file system that splits or journals, another program on the same disk make it something else.
fn block_layer_us(op: OpKind, ops: u64, counted: &BlockCounters) -> Option<f64> {
    let (requests, others, ms) = match op {
        OpKind::Read => (counted.reads, 0, counted.read_ms),
        OpKind::Write => (counted.writes, counted.flushes, counted.write_ms),
    };
    let off = requests.abs_diff(ops) + others;
    let same = off as f64 <= COUNT_TOLERANCE * ops as f64;
    (same && ms >= LEAST_MS).then(|| ms as f64 * 1e3 / requests as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_layer_is_believed_only_where_it_counted_these_requests() {
        let counted =
            BlockCounters { reads: 10_050, read_ms: 900, writes: 10_000, write_ms: 1100, flushes: 0 };
        let us = block_layer_us(OpKind::Read, 10_000, &counted).unwrap();
        assert!((us - 89.55).abs() < 0.01, "{us}");
        assert_eq!(block_layer_us(OpKind::Write, 10_000, &counted), Some(110.0));
        let refused = [
            (OpKind::Read, BlockCounters { reads: 10_200, ..counted }),
            (OpKind::Read, BlockCounters { reads: 9_800, ..counted }),
            (OpKind::Read, BlockCounters { read_ms: 99, ..counted }),
            (OpKind::Write, BlockCounters { flushes: 10_000, ..counted }),
            (OpKind::Write, BlockCounters { writes: 30_000, ..counted }),
        ];
        for (op, counted) in refused {
            assert_eq!(block_layer_us(op, 10_000, &counted), None, "{counted:?}");
        }
    }
}

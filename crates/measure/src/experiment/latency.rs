//! `latency`: how long one request at a time takes, and how much of that is software. Figure 3 of Yang, Li
//! and Lilja (ACM TOMPECS 5(1), 2020), section 4.1.

mod figures;

use leadline_device::{Clock, Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{
    Bin, BlockLayerTime, DeviceProfile, Experiments, LatencyDistribution, LatencyDistributions, OpKind,
    PAGE_BYTES, Pattern,
};

use super::context::{ExperimentContext, MOST_EPOCHS};
use super::kind::Experiment;
use super::plan::ExperimentPlan;
use super::rounds::{InRounds, in_rounds};
use super::timed::{Timed, words, workload};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::facts::BlockCounters;
use crate::load::{AddressStream, Lane, Limits, OneAtATime, Recorder, one_at_a_time};
use crate::outcome::Stop;

/// Requests of a workload, over all rounds, as in the paper.
const REQUESTS: u64 = 1_000_000;

/// Seconds of a workload at most, over all rounds.
const LONGEST_SECONDS: f64 = 120.0;

/// Where the block layer is asked, it is asked this often: what else is on the disk then spoils a piece of a
/// slice and not all of it.
const PIECE_SECONDS: f64 = 0.1;

/// Share of the requests that must be in pieces that nothing else spoiled.
const LEAST_UNSPOILT: f64 = 0.25;

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
    block_layer: BlockLayer,
}

/// What the block layer counted in those pieces in which it counted these requests and nothing else.
#[derive(Default)]
struct BlockLayer {
    requests: u64,
    ms: u64,
    /// Sum of their latencies as the program sees them, nanoseconds.
    latency_sum: u128,
}

struct Workloads {
    all: Vec<OneWorkload>,
    recorder: Recorder,
}

/// `latency`.
pub(super) struct LatencyExperiment;

impl Experiment for LatencyExperiment {
    fn name(&self) -> &'static str {
        "latency"
    }

    fn help(&self) -> &'static str {
        "latency of single 4K requests, and the part of software"
    }

    // Four workloads that write and two that read are to make a million requests each: two minutes for each.
    fn default_seconds(&self, quick: bool) -> f64 {
        if quick { ExperimentPlan::QUICK_SECONDS } else { 720.0 }
    }

    fn may_end_early(&self) -> bool {
        true
    }

    fn time_writing(&self) -> &'static str {
        "about two thirds of"
    }

    fn time_writing_of_several(&self) -> Option<&'static str> {
        Some("more than half of")
    }

    fn most_in_flight(&self) -> u32 {
        1
    }

    fn virtual_ops_per_slice(&self) -> u64 {
        12_000
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { latency: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.latency.as_ref().map(figures::text)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(LatencyDistributions, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(1, PAGE_BYTES))?;
    let mut lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let mut all = Vec::new();
    for pattern in [Pattern::Sequential, Pattern::Random] {
        for (op, durable) in [(OpKind::Read, false), (OpKind::Write, false), (OpKind::Write, true)] {
            if op == OpKind::Write && !context.plan.writes {
                continue;
            }
            let workload = workload(op, pattern, durable, PAGE_BYTES);
            all.push(OneWorkload {
                op,
                pattern,
                durable,
                stream: AddressStream::new(workload, context.plan.region, context.random.u64(..)),
                timed: Timed::default(),
                seconds: 0.0,
                call_sum: 0,
                block_layer: BlockLayer::default(),
            });
        }
    }
    let mut workloads = Workloads { all, recorder: Recorder::new() };
    let (epochs, ended) = in_rounds(context, &mut lane, &mut workloads);
    let has_all = workloads.all.iter().all(|one| one.timed.ops() > 0);
    let stop = context.stop_or_error(ended, has_all)?;
    let resamples = context.resamples(epochs);
    let wall = context.device.clock() == Clock::Wall;
    let distributions =
        workloads.all.into_iter().map(|one| one.into_distribution(resamples.as_ref(), wall)).collect();
    let procedure = context.procedure(epochs, lane.traffic(), lane.queue.now());
    Ok((LatencyDistributions { procedure, block_bytes: PAGE_BYTES, workloads: distributions }, stop))
}

impl InRounds for Workloads {
    fn count(&self) -> usize {
        self.all.len()
    }

    fn writes(&self, i: usize) -> bool {
        self.all[i].op == OpKind::Write
    }

    fn slice(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        i: usize,
        seconds: f64,
    ) -> Result<(), Stop> {
        let rounds = u64::from(MOST_EPOCHS);
        let seconds = seconds.min(LONGEST_SECONDS / rounds as f64);
        let piece = if context.plan.disk.is_some() { PIECE_SECONDS } else { seconds };
        let one = &mut self.all[i];
        let left = REQUESTS.div_ceil(rounds).min(REQUESTS - one.timed.ops());
        let mut left = left.min(context.plan.max_ops_per_slice);
        let (began, mut sum, mut recorder) = (lane.queue.now(), 0, Recorder::new());
        let end = began + (seconds * 1e9) as Nanos;
        while left > 0 && lane.queue.now() < end {
            let length = ((piece * 1e9) as Nanos).min(end - lane.queue.now());
            let mut limits = Limits { max_ops: left, ..Limits::of(length) };
            if one.op == OpKind::Write {
                limits.max_bytes = context.bytes_allowed(lane.traffic().1, u64::from(PAGE_BYTES))?;
            }
            let counters = || context.plan.disk.as_deref().and_then(BlockCounters::read);
            let before = counters();
            let done = one_at_a_time(lane, &mut one.stream, &limits, &mut self.recorder, context.cancel);
            let done = done.map_err(Stop::Failed)?;
            context.cancelled()?;
            if !done.complete {
                return Err(Stop::WritesSpent);
            }
            if let (Some(before), Some(after)) = (before, counters()) {
                one.block_layer.add(one.op, &done, &after.since(&before));
            }
            recorder.merge(&self.recorder);
            sum += done.latency_sum;
            one.call_sum += done.call_sum;
            left -= done.ops;
        }
        one.timed.add(recorder.count(), sum, &recorder);
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
            block_layer: self.block_layer.time(ops),
            histogram: bins
                .into_iter()
                .map(|(upper, count)| Bin { upper_us: upper as f64 / 1e3, count })
                .collect(),
        }
    }
}

impl BlockLayer {
    /// Adds a piece with this many requests, if no others were counted: a durable write that also flushes, a
    /// file system that splits or journals, or another program on the same disk would make its time something
    /// else.
    fn add(&mut self, op: OpKind, sent: &OneAtATime, counted: &BlockCounters) {
        let BlockCounters { reads, read_ms, writes, write_ms, flushes, .. } = *counted;
        let (these, others, ms) = match op {
            OpKind::Read => (reads, writes + flushes, read_ms),
            OpKind::Write => (writes, reads + flushes, write_ms),
        };
        if these == sent.ops && others == 0 {
            self.requests += these;
            self.ms += ms;
            self.latency_sum += sent.latency_sum;
        }
    }

    /// Mean time in the block layer and below, where enough of `ops` requests say.
    fn time(&self, ops: u64) -> Option<BlockLayerTime> {
        let enough = self.requests as f64 >= LEAST_UNSPOILT * ops as f64 && self.ms >= LEAST_MS;
        enough.then(|| BlockLayerTime {
            ops: self.requests,
            program_mean_us: self.latency_sum as f64 / 1e3 / self.requests as f64,
            mean_us: self.ms as f64 * 1e3 / self.requests as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_layer_is_believed_only_where_it_counted_these_requests() {
        let counted = BlockCounters { reads: 1000, read_ms: 90, ..BlockCounters::default() };
        let sent = OneAtATime { ops: 1000, latency_sum: 100_000_000, ..OneAtATime::default() };
        let mut layer = BlockLayer::default();
        layer.add(OpKind::Read, &sent, &counted);
        assert_eq!(layer.time(1000), None, "90 whole milliseconds say too little");
        layer.add(OpKind::Read, &sent, &counted);
        let expected = BlockLayerTime { ops: 2000, program_mean_us: 100.0, mean_us: 90.0 };
        assert_eq!(layer.time(2000), Some(expected));
        let spoilt = [
            (OpKind::Read, BlockCounters { reads: 1001, ..counted }),
            (OpKind::Read, BlockCounters { reads: 999, ..counted }),
            (OpKind::Read, BlockCounters { writes: 1, ..counted }),
            (OpKind::Read, BlockCounters { flushes: 1, ..counted }),
            (OpKind::Write, BlockCounters { writes: 1000, flushes: 1000, ..counted }),
            (OpKind::Write, BlockCounters { writes: 1000, reads: 1, ..counted }),
        ];
        for (op, counted) in spoilt {
            layer.add(op, &sent, &BlockCounters { read_ms: 900, write_ms: 900, ..counted });
        }
        assert_eq!(layer.time(8000), Some(expected), "what was spoilt does not count");
        assert_eq!(layer.time(8001), None, "less than a quarter of the requests");
        let writes = BlockCounters { writes: 1000, write_ms: 60, ..BlockCounters::default() };
        layer.add(OpKind::Write, &sent, &writes);
        assert_eq!(layer.time(3000).map(|time| time.mean_us), Some(80.0));
    }
}

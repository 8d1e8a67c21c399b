//! `durable-writes`: how many pages of a database may be written back before its reads suffer. Random durable
//! writes of 16K at shares of what the device can do of them, and random reads of 16K one at a time during
//! them.

mod figures;

use leadline_device::{Clock, Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{
    DeviceProfile, DurableWrites, DurableWritesPoint, Experiments, OpKind, Pattern, Procedure,
};
use serde_json::{Value, json};

use super::context::{ExperimentContext, rate};
use super::kind::{Experiment, LEAST_BUDGET, MOST_IN_FLIGHT};
use super::rounds::{InRounds, in_rounds};
use super::saturation::{closed, saturate};
use super::sustained_rounds::fall;
use super::timed::{Timed, workload};
use crate::MeasureError;
use crate::bootstrap::Resamples;
use crate::load::{
    AddressStream, Arrivals, Lane, Limits, Recorder, Region, SendTimes, beside, one_at_a_time,
};
use crate::outcome::Stop;
use crate::summary::latency;

/// Bytes per request: a page of InnoDB.
const DATABASE_PAGE: u32 = 16 << 10;

/// Writes offered, as shares of the capacity.
const SHARES: [f64; 10] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Share of the budget of the closed loop whose throughput the first rates are shares of: the search for the
/// concurrency is made of slices too short for that.
const FIRST_CAPACITY: f64 = 0.03;

/// On a virtual clock a slice has about that many reads and writes at most, and that many writes at least.
const VIRTUAL_OPS: f64 = 12_000.0;
const VIRTUAL_WRITES: f64 = 100.0;

/// A device that completes less than this share of the writes does not keep up, if that is not chance.
const KEEPS_UP: f64 = 0.9;

/// One share, as far as measured: one entry a round.
struct Scene {
    share: f64,
    rounds: Vec<Round>,
}

/// One slice.
struct Round {
    /// Reads, and the sum of their latencies in nanoseconds.
    reads: (u64, u128),
    latencies: Recorder,
    seconds: f64,
    /// Writes that should have started, on average, and those that were completed.
    offered: f64,
    served: u64,
    /// Whether writes waited outside when it ended.
    fell_behind: bool,
}

/// What is measured in rounds: the capacity, then every share.
struct Scenes {
    reads: AddressStream,
    writes: AddressStream,
    /// Writes in flight that saturate the device.
    k: u32,
    /// What they reached before the rounds, per second.
    first_rate: f64,
    /// Requests and seconds of the closed loop, one entry a round.
    capacity: Vec<(u64, f64)>,
    capacity_latencies: Vec<Recorder>,
    scenes: Vec<Scene>,
    recorder: Recorder,
}

/// `durable-writes`.
pub(super) struct DurableWritesExperiment;

impl Experiment for DurableWritesExperiment {
    fn name(&self) -> &'static str {
        "durable-writes"
    }

    fn help(&self) -> &'static str {
        "16K reads during durable writes, for InnoDB"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn write_budget(&self, region_bytes: u64) -> u64 {
        region_bytes.saturating_mul(2).max(LEAST_BUDGET / 4)
    }

    fn largest_request(&self, _region: Region) -> u32 {
        DATABASE_PAGE
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { durable_writes: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.durable_writes.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.durable_writes.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile.experiments.durable_writes.as_ref().map(|found| json!(figures::DurableChart::new(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(DurableWrites, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, DATABASE_PAGE))?;
    let mut lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    context.start_clock(lane.queue.now());
    let mut stream = |op, durable| {
        let random = workload(op, Pattern::Random, durable, DATABASE_PAGE);
        AddressStream::new(random, context.plan.region, context.random.u64(..))
    };
    let mut scenes = Scenes {
        reads: stream(OpKind::Read, false),
        writes: stream(OpKind::Write, true),
        k: 0,
        first_rate: 0.0,
        capacity: Vec::new(),
        capacity_latencies: Vec::new(),
        scenes: SHARES.map(|share| Scene { share, rounds: Vec::new() }).into(),
        recorder: Recorder::new(),
    };
    let (epochs, ended) = in_rounds(context, &mut lane, &mut scenes);
    let measured = scenes.scenes.iter().all(|scene| !scene.rounds.is_empty());
    let stop = context.stop_or_error(ended, measured && !scenes.capacity.is_empty())?;
    let procedure = context.procedure(epochs, lane.traffic(), lane.queue.now());
    Ok((scenes.into_found(context, procedure), stop))
}

impl Scenes {
    /// What the last closed loop reached, so that rates follow a device that gets slower.
    fn last_capacity(&self) -> f64 {
        self.capacity.last().map_or(self.first_rate, |&(ops, seconds)| ops as f64 / seconds)
    }

    /// Reads with nothing next to them.
    fn alone(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        limits: Limits,
    ) -> Result<Round, Stop> {
        let mut latencies = Recorder::new();
        let began = lane.queue.now();
        let done = one_at_a_time(lane, &mut self.reads, &limits, &mut latencies, context.cancel);
        let done = done.map_err(Stop::Failed)?;
        context.cancelled()?;
        let (reads, seconds) = ((done.ops, done.latency_sum), (lane.queue.now() - began) as f64 / 1e9);
        Ok(Round { reads, latencies, seconds, offered: 0.0, served: 0, fell_behind: false })
    }

    /// Reads next to that many writes per second.
    fn beside(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        rate: f64,
        limits: Limits,
    ) -> Result<Round, Stop> {
        let max_bytes = context.bytes_allowed(lane.traffic().1, u64::from(DATABASE_PAGE))?;
        let limits = Limits { max_bytes, ..limits };
        let (seed, send_times) = (context.random.u64(..), SendTimes::Arrivals(Arrivals::Poisson(rate)));
        let Scenes { reads, writes, .. } = self;
        let mut latencies = Recorder::new();
        let done = beside(lane, reads, writes, send_times, &limits, &mut latencies, seed, context.cancel);
        let done = done.map_err(Stop::Failed)?;
        context.cancelled()?;
        if !done.complete {
            return Err(Stop::WritesSpent);
        }
        let seconds = done.length as f64 / 1e9;
        Ok(Round {
            reads: (done.ops, done.latency_sum),
            latencies,
            seconds,
            offered: rate * seconds,
            served: done.background_ops,
            fell_behind: done.fell_behind,
        })
    }

    /// The first round of those that count. Where durable writes got slower for good, as on a volume that has
    /// spent its credit, the rounds before that are not sustained; and in the round in which
    /// they did, some shares were measured before it.
    fn counts_from(&self, epochs: usize) -> usize {
        let rates: Vec<f64> = self.capacity.iter().map(|&(ops, seconds)| ops as f64 / seconds).collect();
        let from = fall(&rates).map_or(0, |slow| if slow + 2 < rates.len() { slow + 1 } else { slow });
        let left = self.scenes.iter().all(|scene| scene.rounds.len() > from);
        if left && from < epochs { from } else { 0 }
    }

    fn into_found(self, context: &ExperimentContext, mut procedure: Procedure) -> DurableWrites {
        let epochs = procedure.epochs as usize;
        let from = self.counts_from(epochs);
        let resamples = context.resamples((epochs - from) as u32);
        let (before, counted) = self.capacity.split_at(from);
        let (capacity, capacity_ci) = rate(counted, resamples.as_ref());
        if from > 0 {
            procedure.notes.push(format!(
                "durable writes fell from {:.0} to {capacity:.0} per second: the first {from} of {epochs} rounds \
                 do not count",
                rate(before, None).0
            ));
        }
        let mut latencies = Recorder::new();
        self.capacity_latencies.iter().skip(from).for_each(|of_round| latencies.merge(of_round));
        DurableWrites {
            procedure,
            block_bytes: DATABASE_PAGE,
            capacity_concurrency: self.k,
            capacity_writes_per_second: capacity,
            capacity_ci,
            capacity_latency_us: latency(&latencies, latencies.mean() / 1e3),
            points: self.scenes.iter().map(|scene| scene.point(from, resamples.as_ref())).collect(),
        }
    }
}

impl InRounds for Scenes {
    fn count(&self) -> usize {
        1 + self.scenes.len()
    }

    fn writes(&self, i: usize) -> bool {
        i == 0 || self.scenes[i - 1].share > 0.0
    }

    /// The requests in flight that saturate the device, and roughly what they reach.
    fn pilot(&mut self, context: &mut ExperimentContext, lane: &mut Lane) -> Result<(), Stop> {
        (self.k, _) = saturate(context, lane, &mut self.writes, &mut self.recorder)?;
        let seconds = FIRST_CAPACITY * context.plan.seconds;
        let (ops, seconds) = closed(context, lane, &mut self.writes, self.k, seconds, &mut self.recorder)?;
        self.first_rate = ops as f64 / seconds;
        context.settle(lane)
    }

    fn slice(
        &mut self,
        context: &mut ExperimentContext,
        lane: &mut Lane,
        i: usize,
        seconds: f64,
    ) -> Result<(), Stop> {
        let Some(scene) = i.checked_sub(1) else {
            let mut latencies = Recorder::new();
            let done = closed(context, lane, &mut self.writes, self.k, seconds, &mut latencies)?;
            self.capacity.push(done);
            self.capacity_latencies.push(latencies);
            return Ok(());
        };
        let rate = self.scenes[scene].share * self.last_capacity();
        // Reads one at a time are at most some ten thousand a second: that is enough to estimate by.
        let seconds = match context.device.clock() {
            Clock::Wall => seconds,
            Clock::Virtual => seconds.min((VIRTUAL_OPS / (rate + 1e4)).max(VIRTUAL_WRITES / rate.max(1.0))),
        };
        let limits = Limits::of((seconds * 1e9) as Nanos);
        let round = if rate > 0.0 {
            self.beside(context, lane, rate, limits)?
        } else {
            self.alone(context, lane, limits)?
        };
        self.scenes[scene].rounds.push(round);
        Ok(())
    }

    fn describe(&self, i: usize) -> String {
        match i.checked_sub(1) {
            None => format!("durable writes, k = {}", self.k),
            Some(scene) => {
                format!("reads during {:.0} % of the durable writes", 100.0 * self.scenes[scene].share)
            }
        }
    }
}

impl Scene {
    /// The rounds from this one on.
    fn point(&self, from: usize, resamples: Option<&Resamples>) -> DurableWritesPoint {
        let rounds = &self.rounds[from..];
        let mut timed = Timed::default();
        rounds.iter().for_each(|round| timed.add(round.reads.0, round.reads.1, &round.latencies));
        let seconds: f64 = rounds.iter().map(|round| round.seconds).sum();
        let offered: f64 = rounds.iter().map(|round| round.offered).sum();
        let served = rounds.iter().map(|round| round.served).sum::<u64>() as f64;
        let waited = rounds.iter().filter(|round| round.fell_behind).count();
        // Arrivals scatter by their square root.
        let fewer = served + 2.0 * offered.sqrt() < KEEPS_UP * offered;
        DurableWritesPoint {
            write_share: self.share,
            offered_writes_per_second: offered / seconds,
            writes_per_second: served / seconds,
            fell_behind: fewer || 2 * waited > rounds.len(),
            ops: timed.ops(),
            latency_us: timed.latency(),
            mean_us_ci: timed.mean_us_ci(resamples),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slices of (writes offered, writes completed, whether some waited at the end).
    fn fell_behind(slices: &[(f64, u64, bool)]) -> bool {
        let round = |&(offered, served, fell_behind)| Round {
            reads: (100, 100_000),
            latencies: Recorder::new(),
            seconds: 1.0,
            offered,
            served,
            fell_behind,
        };
        Scene { share: 0.5, rounds: slices.iter().map(round).collect() }.point(0, None).fell_behind
    }

    #[test]
    fn a_device_falls_behind_where_fewer_are_done_than_offered_and_not_by_chance() {
        assert!(!fell_behind(&[(1000.0, 1000, false), (1000.0, 980, false)]));
        assert!(!fell_behind(&[(0.0, 0, false), (0.0, 0, false)]));
        assert!(fell_behind(&[(1000.0, 800, false), (1000.0, 820, false)]));
        assert!(!fell_behind(&[(10.0, 7, false), (10.0, 8, false)]), "of twenty that may be chance");
        assert!(fell_behind(&[(1000.0, 950, true), (1000.0, 950, true), (1000.0, 1000, false)]));
        assert!(!fell_behind(&[(1000.0, 1000, true), (1000.0, 1000, false)]));
    }

    #[test]
    fn rounds_before_the_first_that_counts_leave_no_trace() {
        let round = |offered, latency| {
            let mut latencies = Recorder::new();
            latencies.record(latency);
            let reads = (1, u128::from(latency));
            Round { reads, latencies, seconds: 1.0, offered, served: offered as u64, fell_behind: false }
        };
        let scene = Scene { share: 0.5, rounds: vec![round(3000.0, 9_000_000), round(300.0, 100_000)] };
        let point = scene.point(1, None);
        assert_eq!((point.ops, point.writes_per_second, point.offered_writes_per_second), (1, 300.0, 300.0));
        assert!((point.latency_us.max / 100.0 - 1.0).abs() < 0.01, "{point:?}");
    }
}

//! `io-cost`: the six rates of the cost model by which Linux shares a device among cgroups, by the definition
//! of the kernel's tools/cgroup/iocost_coef_gen.py: sequential requests of 128M one at a time, sequential and
//! random ones of 4K at a depth of 64.
//!
//! Unlike there, each load is measured once a round and not for two minutes on end, and the first half of
//! each slice does not count: a volume saves up credit while the other loads run, which is used up in it.

mod figures;

use leadline_device::{Clock, Nanos, QueueShape, format_size};
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, IoCost, OpKind, PAGE_BYTES, Pattern};
use serde_json::{Value, json};

use super::context::{ExperimentContext, SHORTEST_SLICE};
use super::kind::{Experiment, LEAST_BUDGET};
use super::rounds::{PLANNED, Round, Rounds, make_rounds};
use super::sustained_rounds::{falls_at_the_end, sustained};
use super::timed::{words, workload};
use crate::MeasureError;
use crate::load::{AddressStream, Lane, Limits, Recorder, Region, Window, closed_loop, filled_ahead};
use crate::outcome::Stop;

/// Bytes of a large request, and how many of them the region is to hold: smaller ones where it does not.
const LARGE_BYTES: u64 = 128 << 20;
const LARGE_IN_REGION: u64 = 4;

/// Small requests in flight.
pub(super) const SMALL_IN_FLIGHT: u32 = 64;

/// A large request may take so long, nanoseconds.
const WATCHDOG: Nanos = 120_000_000_000;

/// Large requests of half a slice at least, and at most on a virtual clock.
const LARGE_AT_LEAST: u64 = 2;
const VIRTUAL_LARGE: u64 = 4;

/// What the rates are of, in the kernel's order: operation, pattern, whether of large requests.
const LOADS: [(OpKind, Pattern, bool); 6] = [
    (OpKind::Read, Pattern::Sequential, true),
    (OpKind::Read, Pattern::Sequential, false),
    (OpKind::Read, Pattern::Random, false),
    (OpKind::Write, Pattern::Sequential, true),
    (OpKind::Write, Pattern::Sequential, false),
    (OpKind::Write, Pattern::Random, false),
];

/// One load, as far as measured.
struct Load {
    op: OpKind,
    pattern: Pattern,
    large: bool,
    stream: AddressStream,
    /// Requests, or bytes of large ones, and seconds: one entry a round.
    rounds: Vec<(u64, f64)>,
}

struct Loads<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    loads: Vec<Load>,
    large_bytes: u32,
    /// Bytes read and written.
    traffic: (u64, u64),
    now: Nanos,
    recorder: Recorder,
}

/// `io-cost`.
pub(super) struct IoCostExperiment;

impl Experiment for IoCostExperiment {
    fn name(&self) -> &'static str {
        "io-cost"
    }

    fn help(&self) -> &'static str {
        "the six rates of Linux's io.cost.model"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    // Six loads, of which only half counts: half of what the kernel's script takes.
    fn default_seconds(&self, quick: bool) -> f64 {
        if quick { 60.0 } else { 360.0 }
    }

    fn write_budget(&self, region_bytes: u64) -> u64 {
        region_bytes.saturating_mul(8).max(LEAST_BUDGET)
    }

    fn most_in_flight(&self) -> u32 {
        SMALL_IN_FLIGHT
    }

    // Half of a slice, in which what a volume saved up while others ran is to be used up.
    fn virtual_ops_per_slice(&self) -> u64 {
        20_000
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { io_cost: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.io_cost.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.io_cost.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile.experiments.io_cost.as_ref().map(|found| json!(figures::CostChart::new(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(IoCost, Option<Stop>), MeasureError> {
    let now = context.device.queue_pair(QueueShape::new(1, PAGE_BYTES))?.now();
    context.start_clock(now);
    let large_bytes = large_bytes(context.plan.region);
    let mut load = |(op, pattern, large)| {
        let bytes = if large { large_bytes } else { PAGE_BYTES };
        let requests = workload(op, pattern, false, bytes);
        let stream = AddressStream::new(requests, context.plan.region, context.random.u64(..));
        Load { op, pattern, large, stream, rounds: Vec::new() }
    };
    let loads = LOADS.map(&mut load).into();
    let mut loads = Loads { context, loads, large_bytes, traffic: (0, 0), now, recorder: Recorder::new() };
    let (epochs, ended) = make_rounds(&mut loads);
    let has_all = loads.loads.iter().all(|load| !load.rounds.is_empty());
    let stop = loads.context.stop_or_error(ended, has_all)?;
    Ok((loads.into_found(epochs), stop))
}

/// Bytes of a large request: those of the definition, or a power of two that a small region holds often
/// enough.
fn large_bytes(region: Region) -> u32 {
    let most = (region.len / LARGE_IN_REGION).clamp(PAGE_BYTES.into(), LARGE_BYTES);
    1 << most.ilog2()
}

impl<'a> Rounds<'a> for Loads<'_, 'a> {
    fn context(&self) -> &ExperimentContext<'a> {
        self.context
    }

    fn now(&self) -> Nanos {
        self.now
    }

    /// Reads and writes apart, each in random order.
    fn round(&mut self, round: Round) -> Result<(), Stop> {
        let seconds = (PLANNED * round.seconds_of_slice(LOADS.len())).max(SHORTEST_SLICE);
        let writes_first = self.context.random.bool();
        for writes in [writes_first, !writes_first] {
            let is_kind = |&i: &usize| self.loads[i].stream.writes() == writes;
            for i in self.context.in_random_order((0..self.loads.len()).filter(is_kind)) {
                self.slice(i, seconds)?;
                let Load { op, pattern, .. } = self.loads[i];
                let bytes = format_size(self.loads[i].stream.block_bytes().into());
                self.context.report(self.now, format!("{} of {bytes}", words(op, pattern, false)));
            }
        }
        Ok(())
    }
}

impl Loads<'_, '_> {
    /// One load with a queue pair of its own: large and small requests would need buffers of 8 GiB together,
    /// and a simulated device has one queue pair at a time.
    fn slice(&mut self, i: usize, seconds: f64) -> Result<(), Stop> {
        let shape = if self.loads[i].large {
            QueueShape::new(1, self.large_bytes).slots(2)
        } else {
            QueueShape::new(SMALL_IN_FLIGHT, PAGE_BYTES)
        };
        let queue = self.context.device.queue_pair(shape).map_err(|error| Stop::Failed(error.into()))?;
        let mut lane = Lane::new(queue, self.context.device.clock(), self.context.random.u64(..));
        let ended = self.halves(&mut lane, i, seconds);
        let (read, written) = lane.traffic();
        self.traffic = (self.traffic.0 + read, self.traffic.1 + written);
        self.now = lane.queue.now();
        ended
    }

    /// Half a slice that does not count, half a slice that does, and a flush after writes.
    fn halves(&mut self, lane: &mut Lane, i: usize, seconds: f64) -> Result<(), Stop> {
        self.half(lane, i, seconds / 2.0)?;
        let window = self.half(lane, i, seconds / 2.0)?;
        let load = &mut self.loads[i];
        let amount = if load.large { window.bytes } else { window.ops };
        load.rounds.push((amount, window.length as f64 / 1e9));
        if load.stream.writes() { self.context.settle(lane) } else { Ok(()) }
    }

    fn half(&mut self, lane: &mut Lane, i: usize, seconds: f64) -> Result<Window, Stop> {
        let Load { stream, large, .. } = &mut self.loads[i];
        let mut limits = Limits { watchdog: WATCHDOG, ..Limits::of((seconds * 1e9) as Nanos) };
        (limits.min_ops, limits.max_ops) = match (*large, self.context.device.clock()) {
            (true, Clock::Wall) => (LARGE_AT_LEAST, u64::MAX),
            (true, Clock::Virtual) => (LARGE_AT_LEAST, VIRTUAL_LARGE),
            (false, _) => (u64::from(SMALL_IN_FLIGHT), self.context.plan.max_ops_per_slice),
        };
        if stream.writes() {
            let least = 2 * limits.min_ops * u64::from(stream.block_bytes());
            limits.max_bytes = self.context.bytes_allowed(self.traffic.1 + lane.traffic().1, least)?;
        }
        let cancel = self.context.cancel;
        let window = if *large {
            filled_ahead(lane, stream, &limits, cancel)
        } else {
            closed_loop(lane, stream, SMALL_IN_FLIGHT, &limits, &mut self.recorder, cancel)
        };
        let window = window.map_err(Stop::Failed)?;
        self.context.cancelled()?;
        if window.complete && window.length > 0 { Ok(window) } else { Err(Stop::WritesSpent) }
    }

    fn into_found(self, epochs: u32) -> IoCost {
        let mut procedure = self.context.procedure(epochs, self.traffic, self.now);
        let seed = self.context.plan.seed;
        let [rbps, rseqiops, rrandiops, wbps, wseqiops, wrandiops] =
            [0, 1, 2, 3, 4, 5].map(|i| sustained(&self.loads[i].rounds, seed));
        let (large_bytes, small_bytes) = (self.large_bytes, PAGE_BYTES);
        if u64::from(large_bytes) < LARGE_BYTES {
            procedure.notes.push(format!(
                "large requests are {} instead of {}: the region is too small",
                format_size(large_bytes.into()),
                format_size(LARGE_BYTES)
            ));
        }
        let small_concurrency = SMALL_IN_FLIGHT;
        let mut found = IoCost {
            procedure,
            large_bytes,
            small_bytes,
            small_concurrency,
            rbps,
            rseqiops,
            rrandiops,
            wbps,
            wseqiops,
            wrandiops,
        };
        let falling: Vec<&str> = found
            .rates()
            .iter()
            .filter(|(_, rate)| falls_at_the_end(&rate.rounds))
            .map(|(name, _)| *name)
            .collect();
        if !falling.is_empty() {
            let note = format!("fell in the last round: {}; give it more time", falling.join(", "));
            found.procedure.notes.push(note);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_requests_are_those_of_the_definition_where_they_fit() {
        let large = |len| large_bytes(Region { start: 0, len });
        assert_eq!(large(16 << 30), 128 << 20);
        assert_eq!(large(512 << 20), 128 << 20);
        assert_eq!(large((512 << 20) - 4096), 64 << 20);
        assert_eq!(large(64 << 10), 16 << 10);
        assert_eq!(large(8 << 10), 4 << 10);
    }
}

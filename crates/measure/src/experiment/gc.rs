//! `gc`: a region filled in a random order and overwritten in the same order and in another one: what garbage
//! collection takes from bandwidth, and what a rest gives back. Figure 7 of Yang, Li and Lilja (ACM TOMPECS
//! 5(1), 2020), section 4.5.

mod figures;

use leadline_device::{Clock, Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, Gc, GcPass, GcPassKind, GcRecovery, OpKind, Pattern};
use serde_json::{Value, json};

use super::context::ExperimentContext;
use super::fall::{rate, settled_fall, total};
use super::kind::Experiment;
use super::sampled_load::{Sample, SampleLength, SampledLoad, downsampled};
use super::stretches::{percentile, resampled};
use super::timed::workload;
use crate::MeasureError;
use crate::load::{AddressStream, Lane, Order, Region};
use crate::outcome::Stop;

/// Bytes per request, and how many of them are in flight: those of the paper.
const BLOCK_BYTES: u32 = 16 << 10;
const IN_FLIGHT: u32 = 256;

/// Share of the budget that each pass may take; what is left is for the rest, and for ends of passes.
const SHARES: [(GcPassKind, f64); 4] = [
    (GcPassKind::Fill, 0.15),
    (GcPassKind::SameOrder, 0.25),
    (GcPassKind::OtherOrder, 0.35),
    (GcPassKind::AfterRest, 0.15),
];

/// Share of the budget that the rest takes, and its bounds in seconds.
const REST: f64 = 0.05;
const REST_SECONDS: std::ops::RangeInclusive<f64> = 0.01..=30.0;

/// After the rest this share of the blocks is overwritten.
const AFTER_REST: f64 = 0.25;

/// Windows of a pass at most, and the fewest requests of one: a wave, or windows differ by chance.
const WINDOWS: usize = 100;
const FEWEST: f64 = IN_FLIGHT as f64;

/// A window is never shorter, nanoseconds.
const SHORTEST: SampleLength = SampleLength::Equal(1_000_000);

/// Robustly, the fastest and the slowest window are these percentiles.
const FAST: f64 = 0.95;
const SLOW: f64 = 0.05;

/// Windows from which the robust drop has an interval, and resamples for it.
const INTERVAL_FROM: usize = 20;
const RESAMPLES: usize = 1000;

/// Share of the windows of a pass that its end is, before the rest.
const END: usize = 10;

/// Samples between two reports.
const REPORT_EVERY: usize = 10;

/// Waves that a pass has at least: of a small region fewer requests are in flight.
const FEWEST_WAVES: u64 = 8;

/// `gc`.
pub(super) struct GcExperiment;

impl Experiment for GcExperiment {
    fn name(&self) -> &'static str {
        "gc"
    }

    fn help(&self) -> &'static str {
        "bandwidth while a full drive is overwritten, and after"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn uses_whole_drive(&self) -> bool {
        true
    }

    fn default_seconds(&self, quick: bool) -> f64 {
        if quick { 60.0 } else { 300.0 }
    }

    fn may_end_early(&self) -> bool {
        true
    }

    fn time_writing(&self) -> &'static str {
        "all of"
    }

    fn is_laid_out(&self, clock: Clock) -> bool {
        clock == Clock::Wall
    }

    fn largest_request(&self, _region: Region) -> u32 {
        BLOCK_BYTES
    }

    fn most_in_flight(&self) -> u32 {
        IN_FLIGHT
    }

    // A pass: 64 GiB.
    fn virtual_ops_per_slice(&self) -> u64 {
        4 << 20
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { gc: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.gc.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.gc.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        let chart = figures::GcChart::new(profile.experiments.gc.as_ref()?)?;
        Some(json!(chart))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Gc, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(IN_FLIGHT, BLOCK_BYTES))?;
    let lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    let began = lane.queue.now();
    context.start_clock(began);
    let mut passes = Passes { context, lane, began, part: 0, passes: Vec::new(), recovery: None };
    let ended = passes.run();
    let has_all = passes.passes.iter().any(|pass| pass.kind == GcPassKind::SameOrder);
    let stop = passes.context.stop_or_error(ended, has_all)?;
    Ok((passes.into_found(), stop))
}

struct Passes<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    lane: Lane,
    began: Nanos,
    /// Blocks that were filled.
    part: u64,
    passes: Vec<GcPass>,
    recovery: Option<GcRecovery>,
}

impl Passes<'_, '_> {
    fn run(&mut self) -> Result<(), Stop> {
        let blocks = self.context.plan.region.len / u64::from(BLOCK_BYTES);
        let all = Order::new(blocks, self.context.random.u64(..)).first(self.context.plan.max_ops_per_slice);
        self.pass(GcPassKind::Fill, all.clone())?;
        // Where time ended the fill, only the filled part is overwritten.
        let filled = all.first(self.part);
        self.pass(GcPassKind::SameOrder, filled.clone())?;
        let other = filled.shuffled(self.context.random.u64(..));
        let before = self.pass(GcPassKind::OtherOrder, other)?;
        let rest_seconds = self.rest()?;
        let third = filled.shuffled(self.context.random.u64(..));
        let some = third.first((AFTER_REST * self.part as f64) as u64);
        let after = self.pass(GcPassKind::AfterRest, some)?;
        self.recovery = recovery(rest_seconds, &before, &after);
        Ok(())
    }

    /// Writes the blocks of `order`, or as many as there is time for.
    fn pass(&mut self, kind: GcPassKind, order: Order) -> Result<Vec<Sample>, Stop> {
        let Passes { context, lane, .. } = self;
        let may_send =
            context.bytes_allowed(lane.traffic().1, u64::from(BLOCK_BYTES))? / u64::from(BLOCK_BYTES);
        let most = order.count().min(may_send);
        let share = SHARES.iter().find(|(one, _)| *one == kind).map_or(0.0, |(_, share)| *share);
        let limit = share * context.plan.seconds;
        let written = workload(OpKind::Write, Pattern::Random, false, BLOCK_BYTES);
        let mut stream = AddressStream::in_order(written, context.plan.region, order.clone());
        let in_flight = in_flight(most);
        let (began, sent) = (lane.queue.now(), lane.traffic().1);
        let wear = lane.queue.wear();
        let mut load =
            SampledLoad::begin(lane, &mut stream, in_flight, most, SHORTEST).map_err(Stop::Failed)?;
        while load.sample().map_err(Stop::Failed)? && (load.now() - began) as f64 / 1e9 < limit {
            context.cancelled()?;
            let samples = load.samples();
            if samples.len().is_multiple_of(REPORT_EVERY) {
                let recent = &samples[samples.len() - REPORT_EVERY..];
                let words =
                    format!("{}: {:.0} MB/s", words(kind), rate(recent) * f64::from(BLOCK_BYTES) / 1e6);
                let now = load.now();
                context.report(now, words);
            }
        }
        let samples = load.end(context.cancel).map_err(Stop::Failed)?;
        context.cancelled()?;
        let blocks = (lane.traffic().1 - sent) / u64::from(BLOCK_BYTES);
        if kind == GcPassKind::Fill {
            self.part = blocks;
        }
        let worn = wear.and_then(|before| Some(self.lane.queue.wear()?.since(&before)));
        if total(&samples).0 > 0.0 {
            let mut pass = record(&samples, (began - self.began) as f64 / 1e9, self.context.plan.seed);
            (pass.kind, pass.bytes) = (kind, blocks * u64::from(BLOCK_BYTES));
            pass.whole = blocks == order.count();
            pass.write_amplification = worn.and_then(|worn| worn.write_amplification());
            self.passes.push(pass);
        }
        if may_send < order.count() && blocks == may_send { Err(Stop::WritesSpent) } else { Ok(samples) }
    }

    /// Leaves the drive alone; for how many seconds.
    fn rest(&mut self) -> Result<f64, Stop> {
        let seconds = (REST * self.context.plan.seconds).clamp(*REST_SECONDS.start(), *REST_SECONDS.end());
        self.context.report(self.lane.queue.now(), "resting".to_owned());
        self.lane.idle((seconds * 1e9) as Nanos, self.context.cancel).map_err(Stop::Failed)?;
        self.context.cancelled()?;
        Ok(seconds)
    }

    fn into_found(self) -> Gc {
        let (read, written) = self.lane.traffic();
        let mut procedure =
            self.context.procedure(self.passes.len() as u32, (read, written), self.lane.queue.now());
        let part_bytes = self.part * u64::from(BLOCK_BYTES);
        procedure.footprint_bytes = part_bytes;
        if part_bytes < self.context.plan.region.len / u64::from(BLOCK_BYTES) * u64::from(BLOCK_BYTES) {
            let note =
                "not all of the region was filled in the time allowed; only the filled part is overwritten";
            procedure.notes.push(note.to_owned());
        }
        Gc {
            procedure,
            block_bytes: BLOCK_BYTES,
            concurrency: in_flight(self.part),
            part_bytes,
            passes: self.passes,
            recovery: self.recovery,
        }
    }
}

/// Requests in flight in a pass of that many.
fn in_flight(requests: u64) -> u32 {
    u64::from(IN_FLIGHT).min(requests / FEWEST_WAVES).max(1) as u32
}

/// What the samples of a pass come to, except for what they do not know.
fn record(samples: &[Sample], from_seconds: f64, seed: u64) -> GcPass {
    let windows = windows(samples);
    let mut rates: Vec<f64> = windows.iter().map(bandwidth).collect();
    let (ops, seconds) = total(samples);
    let fastest = rates.iter().copied().fold(0.0, f64::max);
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let mut random = fastrand::Rng::with_seed(seed);
    let drop_robust_ci = (rates.len() >= INTERVAL_FROM).then(|| {
        let mut drops: Vec<f64> =
            (0..RESAMPLES).map(|_| robust_drop(&mut resampled(&rates, &mut random))).collect();
        [0.025, 0.975].map(|level| percentile(&mut drops, level))
    });
    let mut at = from_seconds;
    let started = windows.iter().map(|window| {
        let start = at;
        at += window.seconds;
        (start, bandwidth(window))
    });
    GcPass {
        kind: GcPassKind::Fill,
        bytes: 0,
        seconds,
        whole: false,
        mean_bytes_per_second: ops / seconds * f64::from(BLOCK_BYTES),
        max_bytes_per_second: fastest,
        min_bytes_per_second: slowest,
        drop: if fastest > 0.0 { 1.0 - slowest / fastest } else { 0.0 },
        windows: started.collect(),
        drop_robust: robust_drop(&mut rates),
        drop_robust_ci,
        write_amplification: None,
    }
}

/// Equally long, except for the last one, which ends with the last request. It is left out unless no window
/// before it has a request: it is alone, or the device answered nothing until then.
fn windows(samples: &[Sample]) -> Vec<Sample> {
    let most = ((total(samples).0 / FEWEST) as usize).clamp(1, WINDOWS);
    let mut windows = downsampled(samples, most);
    if windows.split_last().is_some_and(|(_, before)| total(before).0 > 0.0) {
        windows.pop();
    }
    windows
}

fn bandwidth(window: &Sample) -> f64 {
    window.ops / window.seconds * f64::from(BLOCK_BYTES)
}

fn robust_drop(rates: &mut [f64]) -> f64 {
    let (fast, slow) = (percentile(rates, FAST), percentile(rates, SLOW));
    if fast > 0.0 { 1.0 - slow / fast } else { 0.0 }
}

/// The end of the pass before the rest against the beginning of the one after it.
fn recovery(rest_seconds: f64, before: &[Sample], after: &[Sample]) -> Option<GcRecovery> {
    let (before, first) = (windows(before), windows(after));
    let last = before.get(before.len().saturating_sub(before.len().div_ceil(END))..)?;
    let fall = settled_fall(after);
    Some(GcRecovery {
        rest_seconds,
        before_bytes_per_second: rate(last) * f64::from(BLOCK_BYTES),
        after_bytes_per_second: bandwidth(first.first()?),
        lasted_bytes: fall.map(|fall| total(&after[..fall.index]).0 * f64::from(BLOCK_BYTES)),
    })
    .filter(|found| found.before_bytes_per_second > 0.0 && found.after_bytes_per_second > 0.0)
}

fn words(kind: GcPassKind) -> &'static str {
    match kind {
        GcPassKind::Fill => "filling",
        GcPassKind::SameOrder => "overwriting in the same order",
        GcPassKind::OtherOrder => "overwriting in another order",
        GcPassKind::AfterRest => "overwriting after a rest",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(ops: &[f64]) -> GcPass {
        let samples: Vec<Sample> = ops.iter().map(|&ops| Sample { seconds: 0.5, ops }).collect();
        record(&samples, 0.0, 1)
    }

    #[test]
    fn the_last_window_counts_only_where_none_before_it_has_a_request() {
        let at = |rate: f64| rate / 0.5 * f64::from(BLOCK_BYTES);
        assert_eq!(pass(&[600.0, 300.0, 900.0]).max_bytes_per_second, at(600.0));
        // A device that answers nothing at first, and then everything at once.
        let stalled = pass(&[0.0, 600.0]);
        assert_eq!((stalled.max_bytes_per_second, stalled.min_bytes_per_second), (at(600.0), 0.0));
        assert_eq!((stalled.drop, stalled.windows.len()), (1.0, 2));
        assert_eq!(pass(&[7.0]).max_bytes_per_second, at(7.0));
    }
}

//! `burst`: how much credit a volume has, what it does while the credit lasts and afterwards, and how fast
//! credit comes back.

mod figures;

use leadline_device::{Nanos, QueueShape};
use leadline_figures::Part;
use leadline_profile::{Burst, BurstLoad, DeviceProfile, Experiments, OpKind, PAGE_BYTES};
use serde_json::{Value, json};

use super::burst_estimates::{Estimates, Load};
use super::context::{ExperimentContext, MOST_EPOCHS};
use super::fall::{rate, settled_fall, total};
use super::kind::{Choice, Experiment, MOST_IN_FLIGHT};
use super::plan::ExperimentPlan;
use super::sampled_load::{Sample, SampleLength, SampledLoad, downsampled};
use crate::load::{AddressStream, Lane};
use crate::outcome::Stop;
use crate::{MeasureError, PlanError};

/// Length of a sample at first.
const SAMPLE: SampleLength = SampleLength::Equal(10_000_000);

/// Samples of a load that the profile keeps.
const KEPT_SAMPLES: usize = 400;

/// The search for a fall is repeated when there are that many times more samples.
const SEARCH_AGAIN: f64 = 1.05;

/// A rest of that many times what refills all credit finds it full; one of the other finds it about half
/// full.
const FULL_REST: f64 = 1.3;
const HALF_REST: f64 = 0.5;

/// A load is given that many times the time in which it should fall and settle, and that many seconds more.
const LOAD_FACTOR: f64 = 1.6;
const LOAD_SECONDS: f64 = 1.5;

/// A rest must refill what lasts this long at least, seconds, or its load says nothing.
const SHORTEST_BURST: f64 = 0.05;

/// Rests are slept in pieces of this length, to be interrupted and reported.
const PIECE: Nanos = 250_000_000;

/// Samples between two reports.
const REPORT_EVERY: usize = 10;

/// `burst`.
pub(super) struct BurstExperiment;

impl Experiment for BurstExperiment {
    fn name(&self) -> &'static str {
        "burst"
    }

    fn help(&self) -> &'static str {
        "burst credit of a volume: peak, baseline, credit, refill"
    }

    fn takes(&self, choice: Choice) -> bool {
        matches!(choice, Choice::Writes | Choice::MaxBytes)
    }

    // Credit of a volume lasts for minutes, and comes back as slowly.
    fn default_seconds(&self, quick: bool) -> f64 {
        if quick { 60.0 } else { 300.0 }
    }

    fn may_end_early(&self) -> bool {
        true
    }

    fn time_writing(&self) -> &'static str {
        "most of"
    }

    fn max_bytes_within(&self, max_bytes: u64, budget: u64) -> u64 {
        max_bytes.min(budget)
    }

    fn check(&self, plan: &ExperimentPlan) -> Result<(), PlanError> {
        if plan.operation == OpKind::Write && !plan.writes {
            return Err(PlanError::NeedsWrites { experiment: self.name() });
        }
        Ok(())
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { burst: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.burst.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.burst.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile.experiments.burst.as_ref().map(|found| json!(figures::BurstChart::new(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Burst, Option<Stop>), MeasureError> {
    let queue = context.device.queue_pair(QueueShape::new(MOST_IN_FLIGHT, PAGE_BYTES))?;
    let lane = Lane::new(queue, context.device.clock(), context.plan.seed);
    let stream = context.pages(if context.plan.operation == OpKind::Read { 1.0 } else { 0.0 });
    context.start_clock(lane.queue.now());
    let mut loads = Loads { context, lane, stream, loads: Vec::new(), notes: Vec::new() };
    let ended = loads.run();
    let has_all = !loads.loads.is_empty();
    let stop = loads.context.stop_or_error(ended, has_all)?;
    Ok((loads.into_burst(), stop))
}

struct Loads<'f, 'a> {
    context: &'f mut ExperimentContext<'a>,
    lane: Lane,
    stream: AddressStream,
    loads: Vec<Load>,
    notes: Vec<String>,
}

impl Loads<'_, '_> {
    /// The first load finds what there is; rests of two lengths and a load after each repeat it and find how
    /// credit comes back.
    fn run(&mut self) -> Result<(), Stop> {
        self.load(0.0, self.context.plan.seconds)?;
        for i in 1..MOST_EPOCHS {
            let Some((rest, limit)) = self.next(i.is_multiple_of(2)) else { break };
            self.rest(rest)?;
            self.load(rest, limit)?;
        }
        if self.loads.len() == 1 && self.loads[0].fall.is_some() {
            let note = "not enough time or bytes for a rest: how fast credit comes back was not measured";
            self.notes.push(note.to_owned());
        }
        Ok(())
    }

    /// Seconds of the next rest, and of the load after it at most; `None` where nothing more fits or nothing
    /// fell. Credit is taken to come back at the baseline, as in a token bucket; if it does not, the loads
    /// show it.
    fn next(&self, full: bool) -> Option<(f64, f64)> {
        let estimates = Estimates::new(&self.loads, self.context.plan.seed);
        let ((peak, _), (baseline, _)) = (estimates.peak?, estimates.baseline?);
        let (credit, _) = estimates.credit?;
        let left = self.context.plan.seconds - self.context.seconds_spent(self.lane.queue.now());
        let bytes_left = self.bytes_left() as f64;
        let load_of = |rest: f64| {
            let burst = (baseline * rest).min(credit) / (peak - baseline);
            (LOAD_FACTOR * burst + LOAD_SECONDS, burst)
        };
        let fits = |rest: f64| {
            let (load, burst) = load_of(rest);
            let bytes = (burst * peak + (load - burst) * baseline) * f64::from(PAGE_BYTES);
            rest + load <= left && bytes <= bytes_left
        };
        // The half rest is tried where a full one does not fit, and then shorter ones.
        let lengths = [FULL_REST, HALF_REST, 0.25, 0.1, 0.03, 0.01].map(|share| share * credit / baseline);
        let rest = lengths.into_iter().skip(usize::from(!full)).find(|&rest| fits(rest))?;
        let (load, burst) = load_of(rest);
        (burst >= SHORTEST_BURST).then_some((rest, load))
    }

    fn rest(&mut self, seconds: f64) -> Result<(), Stop> {
        let until = self.lane.queue.now() + (seconds * 1e9) as Nanos;
        while self.lane.queue.now() < until {
            let piece = PIECE.min(until - self.lane.queue.now());
            self.lane.idle(piece, self.context.cancel).map_err(Stop::Failed)?;
            self.context.cancelled()?;
            self.report("resting".to_owned());
        }
        Ok(())
    }

    /// Loads the device until its throughput has fallen and settled, or the limits are reached.
    fn load(&mut self, rest_seconds: f64, limit: f64) -> Result<(), Stop> {
        let may_send = match self.context.plan.operation {
            OpKind::Read => u64::MAX,
            OpKind::Write => self.context.bytes_allowed(self.lane.traffic().1, u64::from(PAGE_BYTES))?,
        };
        let may_move = self.bytes_left();
        let most = may_move.min(may_send) / u64::from(PAGE_BYTES);
        let began = self.lane.queue.now();
        let Loads { context, lane, stream, .. } = self;
        let mut load =
            SampledLoad::begin(lane, stream, MOST_IN_FLIGHT, most, SAMPLE).map_err(Stop::Failed)?;
        let (mut fall, mut searched, mut goes_on) = (None, 0, true);
        while goes_on && fall.is_none() && (load.now() - began) as f64 / 1e9 < limit {
            goes_on = load.sample().map_err(Stop::Failed)?;
            context.cancelled()?;
            let samples = load.samples();
            if samples.len() as f64 >= SEARCH_AGAIN * searched as f64 || samples.len() < searched {
                searched = samples.len();
                fall = settled_fall(samples);
            }
            if samples.len().is_multiple_of(REPORT_EVERY) {
                let recent = &samples[samples.len() - REPORT_EVERY.min(samples.len())..];
                let words = format!("{:.0} IOPS", rate(recent));
                let (now, share) = (load.now(), total(samples).0 / most as f64);
                context.report_at_least(now, share, words);
            }
        }
        let samples = load.end(context.cancel).map_err(Stop::Failed)?;
        let fall = fall.or_else(|| settled_fall(&samples));
        if samples.is_empty() {
            return Ok(());
        }
        self.loads.push(Load { rest_seconds, samples, fall });
        // The limit of writes, and not the one of bytes, ended it.
        if !goes_on && may_send < may_move { Err(Stop::WritesSpent) } else { Ok(()) }
    }

    /// Bytes that may still be moved.
    fn bytes_left(&self) -> u64 {
        let (read, written) = self.lane.traffic();
        self.context.plan.max_bytes.saturating_sub(read + written)
    }

    fn report(&mut self, words: String) {
        self.context.report(self.lane.queue.now(), words);
    }

    fn into_burst(self) -> Burst {
        let estimates = Estimates::new(&self.loads, self.context.plan.seed);
        let (read, written) = self.lane.traffic();
        let rounds = self.loads.len() as u32;
        let mut procedure = self.context.procedure(rounds, (read, written), self.lane.queue.now());
        procedure.notes = self.notes;
        let (peak_iops, peak_ci) = estimates.peak.unwrap_or((0.0, None));
        let value = |estimate: Option<(f64, _)>| estimate.map(|(value, _)| value);
        Burst {
            procedure,
            operation: self.context.plan.operation,
            block_bytes: PAGE_BYTES,
            concurrency: MOST_IN_FLIGHT,
            moved_bytes: read + written,
            peak_iops,
            peak_ci,
            baseline_iops: value(estimates.baseline),
            baseline_ci: estimates.baseline.and_then(|(_, ci)| ci),
            credit_ops: value(estimates.credit),
            credit_ci: estimates.credit.and_then(|(_, ci)| ci),
            refill_per_second: value(estimates.refill),
            refill_ci: estimates.refill.and_then(|(_, ci)| ci),
            loads: self.loads.iter().zip(&estimates.credits).map(|(l, &credit)| record(l, credit)).collect(),
        }
    }
}

fn record(load: &Load, credit_ops: Option<f64>) -> BurstLoad {
    let mut at = 0.0;
    let point = |sample: Sample| {
        let start = at;
        at += sample.seconds;
        (start, sample.ops / sample.seconds)
    };
    BurstLoad {
        rest_seconds: load.rest_seconds,
        fell_at_seconds: load.fall.map(|fall| fall.seconds),
        credit_ops,
        samples: downsampled(&load.samples, KEPT_SAMPLES).into_iter().map(point).collect(),
    }
}

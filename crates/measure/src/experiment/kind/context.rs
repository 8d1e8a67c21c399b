//! What every experiment has at hand: the device, the plan, the time spent, what may still be written.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Device, Nanos};
use leadline_profile::{PAGE_BYTES, Procedure};

use super::plan::ExperimentPlan;
use crate::bootstrap::Resamples;
use crate::load::{AddressStream, Lane, Spread, Workload};
use crate::outcome::Stop;
use crate::progress::Progress;
use crate::{MeasureError, PlanError};

/// Fewest rounds: fewer are not worth an interval.
pub(in crate::experiment) const FEWEST_EPOCHS: u32 = 3;

/// Most rounds: more would only make slices shorter.
pub(in crate::experiment) const MOST_EPOCHS: u32 = 6;

/// A slice is never shorter, so that the ramp stays a small part of it.
pub(in crate::experiment) const SHORTEST_SLICE: f64 = 0.005;

/// The surroundings of one experiment.
pub struct ExperimentContext<'a> {
    pub(in crate::experiment) device: &'a dyn Device,
    pub(in crate::experiment) plan: &'a ExperimentPlan,
    pub(in crate::experiment) cancel: &'a Arc<AtomicBool>,
    pub(in crate::experiment) random: fastrand::Rng,
    progress: &'a mut dyn FnMut(Progress),
    /// Bytes written while preparing.
    written_before: u64,
    /// Bytes written since, as far as was told.
    written: Cell<u64>,
    /// The same when the last round began, and the most that a round wrote.
    written_by_round: Cell<u64>,
    most_of_round: Cell<u64>,
    /// Rounds done, and the bytes and seconds spent before the first.
    rounds: Cell<u32>,
    paced_from: Cell<(u64, f64)>,
    began: Nanos,
}

impl<'a> ExperimentContext<'a> {
    pub(in crate::experiment) fn new(
        device: &'a dyn Device,
        plan: &'a ExperimentPlan,
        written_before: u64,
        cancel: &'a Arc<AtomicBool>,
        progress: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let random = fastrand::Rng::with_seed(plan.seed);
        ExperimentContext {
            device,
            plan,
            cancel,
            random,
            progress,
            written_before,
            written: Cell::new(0),
            written_by_round: Cell::new(0),
            most_of_round: Cell::new(0),
            rounds: Cell::new(0),
            paced_from: Cell::new((0, 0.0)),
            began: 0,
        }
    }

    /// Time counts from now on.
    pub(in crate::experiment) fn start_clock(&mut self, now: Nanos) {
        self.began = now;
    }

    /// Seconds spent, device time.
    pub(in crate::experiment) fn seconds_spent(&self, now: Nanos) -> f64 {
        now.saturating_sub(self.began) as f64 / 1e9
    }

    /// Whether another round is worth beginning, after `done` of them of which the longest took `longest`
    /// seconds.
    pub(in crate::experiment) fn has_time_for_round(&self, done: u32, longest: f64, now: Nanos) -> bool {
        let written = self.written.get();
        if done == 0 {
            // What finds out how fast the device is, one request at a time, is no pace to go by.
            self.paced_from.set((written, self.seconds_spent(now)));
        }
        self.rounds.set(done);
        let of_round = written.saturating_sub(self.written_by_round.replace(written));
        self.most_of_round.set(self.most_of_round.get().max(of_round));
        // A pace may change from round to round: what the dearest one wrote must be left.
        let has_bytes = self.bytes_left().is_none_or(|left| self.most_of_round.get() <= left);
        done < FEWEST_EPOCHS || (done < MOST_EPOCHS && longest <= self.seconds_left(now) && has_bytes)
    }

    /// Seconds left: of the time allowed, or until the bytes that may be written are spent at the pace so
    /// far.
    pub(in crate::experiment) fn seconds_left(&self, now: Nanos) -> f64 {
        let of_time = self.plan.seconds - self.seconds_spent(now);
        let Some(left) = self.bytes_left() else { return of_time };
        let (written, spent) = self.paced_from.get();
        let (written, spent) = (self.written.get().saturating_sub(written), self.seconds_spent(now) - spent);
        let known = self.rounds.get() > 0;
        of_time.min(self.plan.seconds_of_bytes(left, if known { written } else { 0 }, spent))
    }

    /// Bytes that may still be written, where there is a bound and it writes at all.
    fn bytes_left(&self) -> Option<u64> {
        let budget = self.plan.write_budget.filter(|_| !self.plan.experiment.only_reads())?;
        Some(budget.saturating_sub(self.written.get()))
    }

    pub(in crate::experiment) fn report(&mut self, now: Nanos, detail: String) {
        self.report_at_least(now, 0.0, detail);
    }

    /// As [`ExperimentContext::report`], where another limit than time may end it first: `share` of that is
    /// used up.
    pub(in crate::experiment) fn report_at_least(&mut self, now: Nanos, share: f64, detail: String) {
        let done = (self.seconds_spent(now) / self.plan.seconds).max(share).min(1.0);
        (self.progress)(Progress { phase: self.plan.experiment.name(), done, detail });
    }

    pub(in crate::experiment) fn cancelled(&self) -> Result<(), Stop> {
        if self.cancel.load(Ordering::Relaxed) { Err(Stop::Cancelled) } else { Ok(()) }
    }

    /// Bytes that may be sent now, where this experiment has `written` that many and will send `least` at
    /// once.
    pub(in crate::experiment) fn bytes_allowed(&self, written: u64, least: u64) -> Result<u64, Stop> {
        self.written.set(written);
        let Some(max) = self.plan.max_writes else { return Ok(u64::MAX) };
        let left = max.saturating_sub(self.written_before + written);
        if left < least { Err(Stop::WritesSpent) } else { Ok(left) }
    }

    /// These in random order.
    pub(in crate::experiment) fn in_random_order(
        &mut self,
        those: impl Iterator<Item = usize>,
    ) -> Vec<usize> {
        let mut order: Vec<usize> = those.collect();
        self.random.shuffle(&mut order);
        order
    }

    /// How long the device is left alone after writes.
    pub(in crate::experiment) fn pause(&self) -> Nanos {
        ((self.plan.seconds / 1000.0).clamp(0.02, 0.5) * 1e9) as Nanos
    }

    /// After writes: a flush and a pause, so that what comes next begins with a quiet device.
    pub(in crate::experiment) fn settle(&self, lane: &mut Lane) -> Result<(), Stop> {
        lane.flush(30_000_000_000).map_err(Stop::Failed)?;
        lane.idle(self.pause(), self.cancel).map_err(Stop::Failed)
    }

    /// Uniformly random pages, or extents of `block_bytes`, read with this probability.
    pub(in crate::experiment) fn workload(read_share: f64, block_bytes: u32) -> Workload {
        Workload { read_share, block_bytes, random_fraction: 1.0, spread: Spread::Uniform, durable: false }
    }

    /// A stream of random pages over the region.
    pub(in crate::experiment) fn pages(&mut self, read_share: f64) -> AddressStream {
        let seed = self.random.u64(..);
        AddressStream::new(Self::workload(read_share, PAGE_BYTES), self.plan.region, seed)
    }

    pub(in crate::experiment) fn resamples(&self, epochs: u32) -> Option<Resamples> {
        Resamples::new(epochs, self.plan.seed)
    }

    /// Whether what was measured is kept: an experiment that ended early must have every point at least once.
    pub(in crate::experiment) fn stop_or_error(
        &self,
        ended: Result<(), Stop>,
        has_all: bool,
    ) -> Result<Option<Stop>, MeasureError> {
        match ended {
            Ok(()) => Ok(None),
            Err(stop) if has_all => Ok(Some(stop)),
            Err(Stop::Cancelled) => Err(MeasureError::Interrupted),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::WritesSpent) => {
                Err(PlanError::WritesSpent { max_bytes: self.plan.max_writes.unwrap_or(0) }.into())
            }
        }
    }

    /// How it was made; the caller's circumstances are added by [`crate::experiment::profile()`].
    pub(in crate::experiment) fn procedure(&self, epochs: u32, traffic: (u64, u64), now: Nanos) -> Procedure {
        Procedure {
            measured_seconds: self.seconds_spent(now),
            footprint_bytes: self.plan.region.len,
            bytes_read: traffic.0,
            bytes_written: traffic.1,
            epochs,
            seed: self.plan.seed,
            ..Procedure::default()
        }
    }
}

/// Requests per second over all slices of (requests, seconds), one per epoch, with its 95 % interval.
pub(in crate::experiment) fn rate(
    slices: &[(u64, f64)],
    resamples: Option<&Resamples>,
) -> (f64, Option<[f64; 2]>) {
    let weighted = |times: &dyn Fn(usize) -> f64| {
        let all = slices.iter().enumerate();
        let (ops, seconds) = all.fold((0.0, 0.0), |(ops, seconds), (i, slice)| {
            (ops + times(i) * slice.0 as f64, seconds + times(i) * slice.1)
        });
        ops / seconds
    };
    let rate = weighted(&|_| 1.0);
    (rate, interval(resamples, rate, |counts| weighted(&|i| f64::from(counts[i]))))
}

/// The 95 % interval of `value`, found by `statistic` from how often each epoch is in a resample.
pub(in crate::experiment) fn interval(
    resamples: Option<&Resamples>,
    value: f64,
    statistic: impl Fn(&[u16]) -> f64,
) -> Option<[f64; 2]> {
    let resamples = resamples?;
    let values: Vec<f64> = resamples.iter().map(statistic).collect();
    resamples.interval_of_positive(value, &values)
}

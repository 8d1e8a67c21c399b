//! The measurement: find each curve's interesting concurrencies, then measure them all, epoch after epoch.
//!
//! Read [`Session::run`] first. docs/method.md says in words what happens here and why.

mod epoch;
mod held;
mod longer;
mod sharing;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Clock, Device, Nanos};
use leadline_profile::{OpKind, RunPhase, Slice, TimelineSample};

use crate::MeasureError;
use crate::curve::Curve;
use crate::driven::{DECISIVE_SLICES, Driven, describe, workload};
use crate::fit::CurvePoint;
use crate::load::{Limits, Recorder};
use crate::outcome::{Earlier, Outcome, Stop};
use crate::plan::{Budget, Plan};
use crate::prepare::{Prepared, prepare};
use crate::progress::Progress;
use crate::rig::{Rig, SliceResult};
use crate::search::{grid, next_concurrency};
use crate::stalls::Stalls;
use crate::write_allowance::{WriteAllowance, WriteBudget};

use longer::Longer;

/// Share of the budget that the search may take.
const SEARCH_SHARE: f64 = 0.3;

/// Epochs that are measured even where the last of them will overrun the budget a little.
const MIN_EPOCHS: u32 = 5;

/// Epochs that are measured whatever the budget: fewer are not worth an interval.
const FEWEST_EPOCHS: u32 = 3;

/// Most epochs of `--full`.
const MAX_EPOCHS: u32 = 400;

/// A slice is never shorter, so that the ramp stays a small part of it, nor longer, so that all points
/// see the same conditions.
const SLICE: (f64, f64) = (0.005, 0.5);

/// Prepares the device and measures it, as the plan says; `resume` is the profile of an interrupted run to go
/// on from.
///
/// # Errors
/// Only where nothing could be begun: the plan does not fit, a queue pair cannot be had, preparing failed.
/// Whatever happens later ends the run early, and is told in the outcome.
pub fn measure(
    device: &dyn Device,
    plan: &Plan,
    resume: Option<Earlier>,
    cancel: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Prepared, Outcome), MeasureError> {
    plan.check(&device.geometry())?;
    let steady = plan.budget == Budget::Full && resume.is_none();
    let prepared = prepare(device, plan, steady, cancel, progress)?;
    let mut session = Session::new(device, plan, prepared.written, Arc::clone(cancel))?;
    if let Some(earlier) = resume {
        session.resume(earlier);
    }
    Ok((prepared, session.run(progress)))
}

/// One measurement on one device.
pub struct Session<'a> {
    plan: &'a Plan,
    rig: Rig,
    cancel: Arc<AtomicBool>,
    random: fastrand::Rng,
    driven: Vec<Driven>,
    began: Nanos,
    outcome: Outcome,
    /// Epochs already measured by the run that this one resumes, and the time they took.
    first_epoch: u32,
    spent_before: f64,
    /// Slices run so far.
    order: u32,
    /// Whether time is everybody's, and not the device's own.
    is_real: bool,
    /// Disturbed slices that were measured again.
    repeats: f64,
    /// Bytes written before measuring began: they count against `max_writes`.
    written_before: u64,
    /// Epoch time / sum of its slices, as seen so far: ramps, drains and washouts.
    overhead: f64,
    /// Throughput of the probe curve at depth 1, operations per second, by the search or the run resumed:
    /// what reads come back to after writes.
    baseline: Option<f64>,
    stalls: Stalls,
    write_budget: Option<WriteBudget>,
    /// What the write slices of this epoch may write; `None` without a write budget.
    allowance: Option<WriteAllowance>,
}

impl<'a> Session<'a> {
    /// Opens the lanes for a plan that [`Plan::check`] has passed. `written_before` is what preparing wrote,
    /// bytes.
    ///
    /// # Errors
    /// [`MeasureError`] where a queue pair cannot be had.
    ///
    /// # Panics
    /// If the plan has no block size, or one that the region does not hold.
    pub fn new(
        device: &dyn Device,
        plan: &'a Plan,
        written_before: u64,
        cancel: Arc<AtomicBool>,
    ) -> Result<Self, MeasureError> {
        let buffer = *plan.block_sizes.iter().max().expect("checked: not empty");
        let rig = Rig::new(device, plan, buffer, Arc::clone(&cancel))?;
        let mut random = fastrand::Rng::with_seed(plan.seed);
        let driven = plan
            .curves()
            .into_iter()
            .map(|id| Driven {
                curve: Curve::new(id),
                streams: rig.streams(workload(id), plan.region, random.u64(..)),
                searched: Vec::new(),
                grid: Vec::new(),
                decisive_from: 1,
                decisive_slices: DECISIVE_SLICES,
                sparing: false,
                found: Vec::new(),
            })
            .collect();
        let began = rig.now();
        Ok(Session {
            plan,
            rig,
            cancel,
            random,
            driven,
            began,
            outcome: Outcome::empty(),
            first_epoch: 0,
            spent_before: 0.0,
            order: 0,
            is_real: device.clock() == Clock::Wall,
            repeats: 0.0,
            written_before,
            overhead: 1.4,
            baseline: None,
            stalls: Stalls::default(),
            write_budget: plan.write_budget.map(|total| WriteBudget::new(total, written_before)),
            allowance: None,
        })
    }

    /// Takes over the epochs of an interrupted run with the same plan: no search, and epochs go on from
    /// there. One that did not come to the end of its first epoch has not told its grid, and begins again.
    pub fn resume(&mut self, earlier: Earlier) {
        if earlier.epochs < 2 {
            return;
        }
        for curve in earlier.curves {
            if let Some(driven) = self.driven.iter_mut().find(|d| d.curve.id == curve.id) {
                driven.grid = curve.points.keys().copied().collect();
                driven.curve = curve;
                driven.decide(&driven.curve.fit_points());
            }
        }
        // The search, which does not run again, would have told what reads come back to after writes.
        self.baseline = self.driven[0].curve.points.get(&1).map(|one| one.iops()).filter(|&iops| iops > 0.0);
        self.first_epoch = earlier.epochs;
        self.outcome.epochs = earlier.epochs;
        self.spent_before = earlier.measured_seconds;
        self.order = earlier.slices;
    }

    /// Searches, then measures epoch after epoch until the budget is spent or, for `--full`, the numbers have
    /// settled. Whatever happens, what was measured is in the outcome.
    pub fn run(mut self, progress: &mut dyn FnMut(Progress)) -> Outcome {
        self.began = self.rig.now();
        let result = self.search(progress).and_then(|()| self.epochs(progress)).and_then(|()| self.hold());
        if let Err(stop) = result {
            self.outcome.stopped_by = Some(stop);
        }
        self.finish()
    }

    /// Device time spent measuring, by this run and those it resumes, seconds.
    fn spent(&self) -> f64 {
        self.spent_before + (self.rig.now() - self.began) as f64 / 1e9
    }

    /// Reads first: they do not disturb what comes after.
    fn search(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Stop> {
        if self.first_epoch > 0 {
            return Ok(());
        }
        let budget = self.plan.budget_seconds().unwrap_or(300.0) * SEARCH_SHARE;
        // About thirty slices a curve, ramps and drains included.
        let slice = (budget / (45.0 * self.driven.len() as f64)).clamp(SLICE.0, SLICE.1);
        for op in [OpKind::Read, OpKind::Write] {
            let until = if op == OpKind::Read && self.plan.writes { budget / 2.0 } else { budget };
            self.search_op(op, slice, until, budget, progress)?;
            if op == OpKind::Write && self.plan.writes {
                self.washout(slice)?;
            }
        }
        for driven in &mut self.driven {
            driven.grid = grid(&driven.searched, driven.curve.id.durable);
            let highest = driven.searched.last().map_or(0, |point| point.k);
            driven.grid.extend(self.plan.also.iter().copied().filter(|&k| k <= highest));
            driven.grid.sort_unstable();
            driven.grid.dedup();
            driven.decide(&driven.searched.clone());
        }
        Ok(())
    }

    /// Rounds in which every curve of `op` that is not yet known tries its next concurrency, in random order.
    fn search_op(
        &mut self,
        op: OpKind,
        slice: f64,
        until: f64,
        budget: f64,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Stop> {
        loop {
            // Doubling goes on whatever it costs: without it there is no curve. Bisecting is for the time
            // left.
            let written = self.written();
            let bytes_left = self.write_budget.is_none_or(|budget| budget.search_may_bisect(written));
            let bisect = self.spent() < until && (op == OpKind::Read || bytes_left);
            let mut asked: Vec<(usize, u32)> = (0..self.driven.len())
                .filter(|&i| self.driven[i].curve.id.op == op)
                .filter_map(|i| {
                    let Driven { curve, searched, .. } = &self.driven[i];
                    let bisect = bisect && !curve.id.durable;
                    next_concurrency(searched, self.plan.max_concurrency, bisect).map(|k| (i, k))
                })
                .collect();
            let wanted = asked.len();
            asked.retain(|&(i, k)| op == OpKind::Read || self.search_affords(i, k));
            self.outcome.writes_shortened |= asked.len() < wanted;
            if asked.is_empty() {
                return Ok(());
            }
            self.random.shuffle(&mut asked);
            for (i, k) in asked {
                match self.search_slice(i, k, slice) {
                    // Writing is over, reading goes on.
                    Err(Stop::WritesSpent) => {
                        self.outcome.stopped_by = Some(Stop::WritesSpent);
                        return Ok(());
                    }
                    other => other?,
                }
                let detail = describe(self.driven[i].curve.id, k);
                progress(Progress { phase: "search", done: (self.spent() / budget).min(1.0), detail });
            }
        }
    }

    fn search_slice(&mut self, i: usize, k: u32, slice: f64) -> Result<(), Stop> {
        let mut latencies = Recorder::new();
        let result = self.slice(i, k, self.search_slice_length(i, k, slice), &mut latencies)?;
        let record = self.record(i, 0, &result);
        let driven = &mut self.driven[i];
        let iops = if result.seconds > 0.0 { result.ops as f64 / result.seconds } else { 0.0 };
        let at = driven.searched.partition_point(|p| p.k < k);
        driven.searched.insert(at, CurvePoint { k, iops, error: 0.0, weight: result.seconds.max(1e-9) });
        driven.found.push((k, record, latencies));
        if i == 0 && k == 1 {
            self.baseline = Some(iops);
        }
        Ok(())
    }

    fn epochs(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Stop> {
        let target = self.plan.budget.epochs();
        let last = if self.plan.budget == Budget::Full { MAX_EPOCHS } else { target };
        let turn = self.random.u32(..4);
        let mut longest = 0f64;
        let mut longer = Longer::new(self.plan);
        for epoch in self.first_epoch.. {
            let before = self.spent();
            let over = |budget| {
                (epoch >= MIN_EPOCHS && before + longest > budget)
                    || (epoch >= FEWEST_EPOCHS && before > budget)
            };
            let ends = epoch >= last || self.plan.budget_seconds().is_some_and(over);
            if ends && !self.goes_on(&mut longer, epoch, longest) {
                break;
            }
            self.share_slices(epoch, target);
            self.outcome.slice_seconds = self.slice_length(epoch, target);
            self.share_writes(epoch, target);
            self.outcome.epochs = epoch + 1;
            self.epoch(epoch, epoch + turn, target, progress)?;
            longest = longest.max(self.spent() - before);
            self.refine(epoch, target);
            if self.plan.budget == Budget::Full && epoch + 1 >= target && self.settled(epoch + 1) {
                break;
            }
        }
        self.outcome.limited_by = longer.limit;
        Ok(())
    }

    /// Runs one slice, within what may still be written.
    fn slice(
        &mut self,
        i: usize,
        k: u32,
        seconds: f64,
        latencies: &mut Recorder,
    ) -> Result<SliceResult, Stop> {
        self.slice_of(i, k, seconds, self.plan.max_ops_per_slice, latencies)
    }

    /// A slice of many times as many operations, on a virtual clock too.
    fn long_slice(&mut self, i: usize, k: u32, seconds: f64) -> Result<SliceResult, Stop> {
        let most = self.plan.max_ops_per_slice.saturating_mul(10);
        self.slice_of(i, k, seconds, most, &mut Recorder::new())
    }

    fn slice_of(
        &mut self,
        i: usize,
        k: u32,
        seconds: f64,
        max_ops: u64,
        latencies: &mut Recorder,
    ) -> Result<SliceResult, Stop> {
        let id = self.driven[i].curve.id;
        let mut limits = Limits::of(((seconds * 1e9) as Nanos).max(self.stalls.slice()));
        limits.max_ops = max_ops;
        if id.op == OpKind::Write {
            let left = |most: u64| most.saturating_sub(self.written());
            let least = 4 * u64::from(k) * u64::from(id.block_bytes);
            if self.plan.max_writes.is_some_and(|max| left(max) < least) {
                return Err(Stop::WritesSpent);
            }
            limits.max_bytes = self.plan.most_written().map_or(u64::MAX, left);
        }
        let result =
            self.rig.slice(&mut self.driven[i].streams, k, &limits, latencies).map_err(Stop::Failed)?;
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        self.stalls.record(result.longest_stall);
        Ok(result)
    }

    /// Turns a result into the profile's form and adds it to the timeline.
    fn record(&mut self, i: usize, epoch: u32, result: &SliceResult) -> Slice {
        self.order += 1;
        let at_seconds = self.spent_before + result.opened.saturating_sub(self.began) as f64 / 1e9;
        if result.seconds > 0.0 {
            let write = self.driven[i].curve.id.op == OpKind::Write;
            self.outcome.timeline.push(TimelineSample {
                at_seconds,
                phase: if write { RunPhase::Write } else { RunPhase::Read },
                bytes_per_second: result.bytes as f64 / result.seconds,
                written_bytes: self.written(),
            });
        }
        Slice {
            epoch,
            order: self.order - 1,
            at_seconds,
            seconds: result.seconds,
            ops: result.ops,
            bytes: result.bytes,
            mean_latency_us: result.mean_latency_us,
            cpu_share: result.cpu_share,
            cpu_wait: result.cpu_wait,
            merged: result.merged,
        }
    }

    /// After writes: flush, leave the device alone, then read at depth 1 until reads are as fast as the
    /// search found them, so that a write buffer or garbage collection is not charged to the reads that
    /// follow.
    fn washout(&mut self, slice: f64) -> Result<(), Stop> {
        let budget = self.plan.budget_seconds().unwrap_or(300.0);
        let idle = (budget / 1000.0).clamp(0.02, 0.5);
        let limit = (budget / 100.0).clamp(0.2, 5.0);
        let began = self.spent();
        self.rig.settle((idle * 1e9) as Nanos).map_err(Stop::Failed)?;
        let Some(baseline) = self.baseline else { return Ok(()) };
        let mut recovered = false;
        while !recovered && self.spent() - began < limit {
            let result = self.slice(0, 1, slice.min(0.05), &mut Recorder::new())?;
            recovered = result.seconds > 0.0 && result.ops as f64 / result.seconds >= 0.9 * baseline;
        }
        let (longest, always) = self.outcome.washout;
        self.outcome.washout = (longest.max(self.spent() - began), always && recovered);
        Ok(())
    }

    /// With an epoch's better numbers, a curve may want one more concurrency: a higher one, or one nearer the
    /// knee.
    fn refine(&mut self, epoch: u32, target: u32) {
        if 2 * epoch >= target {
            return; // too late to be measured as often as the others
        }
        for driven in &mut self.driven {
            let points = driven.curve.fit_points();
            driven.decide(&points);
            let ask = next_concurrency(&points, self.plan.max_concurrency, !driven.curve.id.durable);
            if let Some(k) = ask.filter(|k| !driven.grid.contains(k) && !points.is_empty()) {
                driven.grid.push(k);
            }
        }
    }

    /// `--full`: alpha and both plateaus known to 5 % at every pattern and block size, or time is up.
    fn settled(&self, epochs: u32) -> bool {
        let curves: Vec<&Curve> = self.driven.iter().map(|d| &d.curve).collect();
        self.spent() > Budget::FULL_LIMIT || crate::summary::settled(&curves, epochs, self.plan.seed)
    }

    fn finish(mut self) -> Outcome {
        self.outcome.measured_seconds = self.spent();
        self.outcome.traffic = self.rig.traffic();
        self.outcome.curves = self.driven.into_iter().map(Driven::into_curve).collect();
        self.outcome
    }
}

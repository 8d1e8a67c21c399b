//! Experiments that nothing was fitted to, done on the fitted drive and compared with the measured ones;
//! with the answer of the best analytic model, and how far the device was from itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::Nanos;
use leadline_measure::load::{AddressStream, Arrivals, Limits, Spread, Workload, open_loop};
use leadline_measure::{MeasureError, Progress};
use leadline_model::{InFlight, ModelComparison, Observations, Predict};
use leadline_profile::{DeviceProfile, Experiments, Ladder, Work, WorkPoint};
use leadline_sim::DeviceSpec;

use crate::CalibrateError;
use crate::calibration::{median, percent};
use crate::simulate::{Bench, region};

/// An experiment's error is no reason for doubt up to here, percent.
pub const ALLOWED_PERCENT: f64 = 15.0;

/// Or up to this many times what the same experiment differs by when it is made again.
pub const ALLOWED_REPEATS: f64 = 1.5;

/// Share of the capacity up to which a ladder is compared: beyond, latency depends on how long it ran.
const MOST_LOAD: f64 = 0.705;

/// Requests of a rung.
const RUNG_OPS: f64 = 3000.0;

/// Requests of a point at least, and pages at most.
const POINT_OPS: u64 = 1000;
const POINT_PAGES: u64 = 20_000;

/// How far predictions of an experiment are off.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The experiment.
    pub experiment: &'static str,
    /// What is compared.
    pub quantity: &'static str,
    /// Points that are compared.
    pub points: usize,
    /// Median absolute error of the simulated drive, percent.
    pub drive_percent: f64,
    /// Of the analytic model, percent, and its name; `None` where none can be fitted or predicts this.
    pub model: Option<(&'static str, f64)>,
    /// Median absolute difference to the same experiment made again, percent; `None` without that.
    pub repeat_percent: Option<f64>,
}

impl Checked {
    /// What the drive's error may be, percent: the device's own repeat error counts.
    pub fn allowed_percent(&self) -> f64 {
        ALLOWED_PERCENT.max(ALLOWED_REPEATS * self.repeat_percent.unwrap_or(0.0))
    }

    /// Whether the drive's error is within that.
    pub fn holds(&self) -> bool {
        self.drive_percent <= self.allowed_percent()
    }
}

/// Whether a profile has an experiment that [`check`] compares with.
pub fn can_be_checked(profile: &DeviceProfile) -> bool {
    let Experiments { mixed, r_by_k, ladder, .. } = &profile.experiments;
    mixed.is_some() || r_by_k.is_some() || ladder.is_some()
}

/// Compares the drive with the profile's `mixed`, `r-by-k` and `ladder`, as far as it has them. `again`
/// is another profile of the same device with the same experiments.
///
/// # Errors
/// [`CalibrateError::NoExperiments`]; [`CalibrateError::Interrupted`] where `cancel` was set.
pub fn check(
    drive: &DeviceSpec,
    profile: &DeviceProfile,
    again: Option<&DeviceProfile>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Checked>, CalibrateError> {
    let alone = DeviceProfile { experiments: Experiments::default(), ..profile.clone() };
    let comparison = ModelComparison::with_resamples(Observations::from_profile(&alone), 0);
    let mut checks = Checks { drive, model: comparison.best(), cancel, progress };
    let (mine, other) = (&profile.experiments, again.map(|again| &again.experiments));
    let mut all = Vec::new();
    for (name, work, repeat) in [
        ("mixed", &mine.mixed, other.and_then(|other| other.mixed.as_ref())),
        ("r-by-k", &mine.r_by_k, other.and_then(|other| other.r_by_k.as_ref())),
    ] {
        if let Some(work) = work {
            all.extend(checks.work(name, work, repeat)?);
        }
    }
    if let Some(ladder) = &mine.ladder {
        all.extend(checks.ladder(ladder, other.and_then(|other| other.ladder.as_ref()))?);
    }
    if all.is_empty() { Err(CalibrateError::NoExperiments) } else { Ok(all) }
}

struct Checks<'a, 'p> {
    drive: &'a DeviceSpec,
    model: Option<&'a dyn Predict>,
    cancel: &'a AtomicBool,
    progress: &'p mut dyn FnMut(Progress),
}

/// What tells one workload of an experiment from another: bytes, reads and jumps in thousandths.
type WorkKey = (u32, u64, u64);

fn key(point: &WorkPoint) -> WorkKey {
    let thousandths = |share: f64| (1000.0 * share).round() as u64;
    // The share is that of what was sent: a share that was asked for is a multiple of 5 %.
    let reads = point.reads as f64 / (point.reads + point.writes).max(1) as f64;
    (point.block_bytes, (20.0 * reads).round() as u64, thousandths(point.random_fraction))
}

/// Seconds per request.
fn cost(point: &WorkPoint) -> f64 {
    point.seconds / (point.reads + point.writes).max(1) as f64
}

impl Checks<'_, '_> {
    fn tell(&mut self, experiment: &'static str, done: f64) -> Result<(), CalibrateError> {
        (self.progress)(Progress { phase: experiment, done, detail: String::new() });
        if self.cancel.load(Ordering::Relaxed) { Err(CalibrateError::Interrupted) } else { Ok(()) }
    }

    /// Time per request of closed loops.
    fn work(
        &mut self,
        experiment: &'static str,
        work: &Work,
        again: Option<&Work>,
    ) -> Result<Option<Checked>, CalibrateError> {
        let mut groups: BTreeMap<WorkKey, Vec<&WorkPoint>> = BTreeMap::new();
        for point in work.points.iter().filter(|point| cost(point) > 0.0) {
            groups.entry(key(point)).or_default().push(point);
        }
        let mut errors: [Vec<f64>; 3] = Default::default();
        let count = groups.len() as f64;
        for (done, mut points) in groups.into_values().enumerate() {
            self.tell(experiment, done as f64 / count)?;
            points.sort_by_key(|point| point.concurrency);
            let costs = self.closed(&points, work.procedure.footprint_bytes)?;
            for (point, simulated) in points.iter().zip(costs) {
                errors[0].push(percent(simulated, cost(point)));
                errors[1].extend(self.modelled(point).map(|modelled| percent(modelled, cost(point))));
                errors[2].extend(again.and_then(|again| same(point, again)).map(|c| percent(c, cost(point))));
            }
        }
        Ok(self.checked(experiment, "time per request", errors))
    }

    /// Seconds per request of one workload at its concurrencies, on a drive as it is at the start.
    fn closed(&self, points: &[&WorkPoint], footprint: u64) -> Result<Vec<f64>, MeasureError> {
        let Some(first) = points.first() else { return Ok(Vec::new()) };
        let most = points.iter().map(|point| point.concurrency).max().unwrap_or(1);
        let mut bench = Bench::new(self.drive, most, first.block_bytes)?;
        let workload = Workload {
            read_share: first.reads as f64 / (first.reads + first.writes).max(1) as f64,
            block_bytes: first.block_bytes,
            random_fraction: first.random_fraction,
            spread: Spread::Uniform,
            durable: false,
        };
        let region = region(self.drive, footprint.max(u64::from(first.block_bytes)));
        let mut stream = AddressStream::new(workload, region, 1);
        let pages = u64::from(first.block_bytes.div_ceil(4096));
        let mut costs = Vec::new();
        for point in points {
            let k = point.concurrency;
            let ops = POINT_OPS.min(POINT_PAGES / pages).max(2 * u64::from(k)).max(20);
            costs.push(1.0 / bench.closed(&mut stream, k, ops)?.iops);
        }
        Ok(costs)
    }

    /// Seconds per request by the analytic model.
    fn modelled(&self, point: &WorkPoint) -> Option<f64> {
        let workload = leadline_model::Workload {
            reads: point.reads as f64,
            writes: point.writes as f64,
            block_bytes: point.block_bytes,
            random_fraction: point.random_fraction,
            in_flight: InFlight::Together(point.concurrency),
        };
        Some(self.model?.seconds(&workload)? / workload.requests())
    }

    /// Median latency of open loops, at the rates that the device was offered.
    fn ladder(&mut self, ladder: &Ladder, again: Option<&Ladder>) -> Result<Option<Checked>, CalibrateError> {
        let mut errors: [Vec<f64>; 3] = Default::default();
        for (done, mix) in ladder.mixes.iter().enumerate() {
            self.tell("ladder", done as f64 / ladder.mixes.len() as f64)?;
            for (at, rung) in mix.rungs.iter().enumerate() {
                let measured = rung.latency_us.p50;
                let load = rung.offered_iops / mix.capacity_iops;
                if load > MOST_LOAD || measured <= 0.0 {
                    continue;
                }
                let simulated =
                    self.open(mix.read_share, rung.offered_iops, ladder.block_bytes, &ladder.procedure)?;
                errors[0].push(percent(simulated, measured));
                let modelled = self.waiting(mix.read_share, rung.offered_iops, ladder.block_bytes);
                errors[1].extend(modelled.map(|modelled| percent(modelled, measured)));
                // The same rung of the other run: at the same share of its capacity.
                let same = again.and_then(|again| {
                    let mix = again.mixes.iter().find(|other| other.read_share == mix.read_share)?;
                    Some(mix.rungs.get(at)?.latency_us.p50)
                });
                errors[2].extend(same.map(|same| percent(same, measured)));
            }
        }
        Ok(self.checked("ladder", "median latency to 70 % load", errors))
    }

    fn open(
        &self,
        read_share: f64,
        rate: f64,
        block_bytes: u32,
        procedure: &leadline_profile::Procedure,
    ) -> Result<f64, MeasureError> {
        let mut bench = Bench::new(self.drive, 128, block_bytes)?;
        let workload = Workload {
            read_share,
            block_bytes,
            random_fraction: 1.0,
            spread: Spread::Uniform,
            durable: false,
        };
        let region = region(self.drive, procedure.footprint_bytes.max(u64::from(block_bytes)));
        let mut stream = AddressStream::new(workload, region, 1);
        let limits = Limits::of((RUNG_OPS / rate * 1e9) as Nanos);
        let (lane, recorder) = (&mut bench.lane, &mut bench.recorder);
        open_loop(lane, &mut stream, Arrivals::Poisson(rate), &limits, recorder, 1, self.cancel)?;
        Ok(bench.recorder.quantile(0.5) as f64 / 1e3)
    }

    /// Latency at a rate by the analytic model, which knows closed loops only: by Little's law, k / X where X
    /// of k in flight is the rate, microseconds.
    fn waiting(&self, read_share: f64, rate: f64, block_bytes: u32) -> Option<f64> {
        let model = self.model?;
        let throughput = |k: u32| {
            let workload = leadline_model::Workload {
                reads: read_share,
                writes: 1.0 - read_share,
                block_bytes,
                random_fraction: 1.0,
                in_flight: InFlight::Together(k),
            };
            model.seconds(&workload).map(|seconds| 1.0 / seconds)
        };
        let mut lower = throughput(1)?;
        if rate <= lower {
            return Some(1e6 / lower);
        }
        for k in 2..=128 {
            let upper = throughput(k)?;
            if upper >= rate {
                let part = (rate - lower) / (upper - lower);
                return Some(1e6 * (f64::from(k - 1) + part) / rate);
            }
            lower = upper.max(lower);
        }
        Some(1e6 * 128.0 / lower)
    }

    fn checked(
        &self,
        experiment: &'static str,
        quantity: &'static str,
        [mut drive, mut model, mut repeat]: [Vec<f64>; 3],
    ) -> Option<Checked> {
        Some(Checked {
            experiment,
            quantity,
            points: drive.len(),
            drive_percent: median(&mut drive)?,
            model: self.model.map(Predict::name).zip(median(&mut model)),
            repeat_percent: median(&mut repeat),
        })
    }
}

/// The cost of the same point in another run.
fn same(point: &WorkPoint, again: &Work) -> Option<f64> {
    let is_same = |other: &&WorkPoint| key(other) == key(point) && other.concurrency == point.concurrency;
    again.points.iter().find(is_same).map(cost)
}

//! What the models are fitted to: workloads whose time was measured.

use crate::{InFlight, Stragglers, Workload};
use leadline_profile::{DeviceProfile, OpKind, Parameters, Pattern, Point, WorkPoint};

/// Half-width of a 95 % interval in standard errors.
pub(crate) const NORMAL_95: f64 = 1.96;

/// A workload and the time it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// What was done.
    pub workload: Workload,
    /// The time it took.
    pub seconds: f64,
    /// Standard error of the logarithm of `seconds`; 0 where it is not known.
    pub relative_error: f64,
    /// Weight in a fit; 1 except for resamples.
    pub weight: f64,
}

/// All that a model may be fitted to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observations {
    /// The measured workloads, durable writes left out.
    pub all: Vec<Observation>,
    /// The profile's parameters: PIO's k_r and k_w of a published device that has no curves.
    pub parameters: Vec<Parameters>,
    /// What it costs to wait for the slowest of a batch, of reads and of writes; `None` where it is not
    /// known.
    pub stragglers: [Option<Stragglers>; 2],
}

impl Observations {
    /// Everything in a profile: its points, `r-by-k` and `mixed`.
    ///
    /// A sequential point counts as requests that follow one another: no random access except for the first.
    pub fn from_profile(profile: &DeviceProfile) -> Self {
        let points = profile.points.iter().filter(|p| !p.durable).map(Observation::of_point);
        let work = [&profile.experiments.r_by_k, &profile.experiments.mixed];
        let work = work.into_iter().flatten().flat_map(|w| &w.points).map(Observation::of_work);
        Observations {
            all: points.chain(work).collect(),
            parameters: profile.parameters.clone(),
            stragglers: [OpKind::Read, OpKind::Write].map(|op| Stragglers::of(profile, op)),
        }
    }

    /// The observations that `keep` holds for.
    pub fn filtered(&self, keep: impl Fn(&Observation) -> bool) -> Self {
        let all = self.all.iter().copied().filter(|o| keep(o)).collect();
        Observations { all, parameters: self.parameters.clone(), stragglers: self.stragglers.clone() }
    }

    /// Random requests of this size alone.
    pub fn of_random_requests(&self, block_bytes: u32) -> Self {
        self.filtered(|o| o.workload.block_bytes == block_bytes && o.workload.random_fraction >= 1.0)
    }

    /// The observations of one kind of request alone.
    pub fn pure(&self, op: OpKind) -> impl Iterator<Item = &Observation> {
        self.all.iter().filter(move |o| o.workload.only() == Some(op))
    }
}

impl Observation {
    fn of_point(point: &Point) -> Self {
        let random_fraction = if point.pattern == Pattern::Random { 1.0 } else { 0.0 };
        Observation {
            // One second's worth.
            workload: Workload::pure(
                point.op,
                point.iops,
                point.block_bytes,
                random_fraction,
                point.concurrency,
            ),
            seconds: 1.0,
            relative_error: log_error(point.iops_ci),
            weight: 1.0,
        }
    }

    fn of_work(point: &WorkPoint) -> Self {
        Observation {
            workload: Workload {
                reads: point.reads as f64,
                writes: point.writes as f64,
                block_bytes: point.block_bytes,
                random_fraction: point.random_fraction,
                in_flight: InFlight::Together(point.concurrency),
            },
            seconds: point.seconds,
            relative_error: log_error(point.seconds_ci),
            weight: 1.0,
        }
    }

    /// Requests in flight.
    pub fn concurrency(&self) -> u32 {
        self.workload.in_flight.of(OpKind::Read)
    }

    /// Seconds per request.
    pub fn cost(&self) -> f64 {
        self.seconds / self.workload.requests()
    }
}

/// Standard error of the logarithm, from a 95 % interval.
pub(crate) fn log_error(interval: Option<[f64; 2]>) -> f64 {
    match interval {
        Some([low, high]) if low > 0.0 && high > low => (high / low).ln() / (2.0 * NORMAL_95),
        _ => 0.0,
    }
}

//! How far a simulated drive is from the measured one, and the cache that keeps a curve from being simulated
//! twice.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use leadline_profile::OpKind;

use crate::CalibrateError;
use crate::description::{Geometry, Shape, drive};
use crate::measured::{Curve, Measured};
use crate::parameter::{Parameter, Values};
use crate::simulate::{self, Simulated, at};
use crate::start;

/// A median counts half as much as a throughput: it has no interval of its own.
const MEDIAN_WEIGHT: f64 = 0.5;

/// How much a parameter's default counts: being a factor of four or more away from it is worth a fifth of an
/// observation, so that only parameters of which nothing is known stay there.
const PRIOR_WEIGHT: f64 = 0.05;
const FARTHEST_OCTAVES: f64 = 2.0;

/// A drive that cannot be is this far from all that can.
pub(crate) const IMPOSSIBLE: f64 = 1e9;

/// What a curve was simulated with: the parameters that matter to it.
type Key = (usize, Shape, Vec<u64>);

/// A measured device, and drives simulated in its place.
pub(crate) struct Misfit<'a> {
    pub(crate) measured: &'a Measured,
    cache: Mutex<HashMap<Key, Option<Vec<Simulated>>>>,
    /// Curves simulated.
    simulated: AtomicUsize,
    threads: usize,
}

impl<'a> Misfit<'a> {
    pub(crate) fn new(measured: &'a Measured) -> Self {
        Misfit {
            measured,
            cache: Mutex::default(),
            simulated: AtomicUsize::new(0),
            threads: std::thread::available_parallelism().map_or(1, |threads| threads.get().min(8)),
        }
    }

    /// Curves simulated so far.
    pub(crate) fn simulated(&self) -> usize {
        self.simulated.load(Ordering::Relaxed)
    }

    /// The sum over the points of these curves of how far the drive is off, in units of an observation: twice
    /// the squared deviation in standard errors where it is small, linear where it is large.
    pub(crate) fn of(&self, shape: Shape, values: &Values, curves: &[usize]) -> f64 {
        self.below(shape, values, curves, f64::INFINITY)
    }

    /// The same where it is less than `bound`; else some number from there on, for which fewer curves are
    /// simulated.
    pub(crate) fn below(&self, shape: Shape, values: &Values, curves: &[usize], bound: f64) -> f64 {
        let mut sum = self.prior(shape, values);
        for some in curves.chunks(self.threads) {
            if sum >= bound {
                break;
            }
            for (&index, found) in some.iter().zip(self.curves(shape, values, some)) {
                let Some(found) = found else { return IMPOSSIBLE };
                sum += of_curve(&self.measured.curves[index], &found);
            }
        }
        sum
    }

    /// What distance from the defaults costs.
    fn prior(&self, shape: Shape, values: &Values) -> f64 {
        let away = |parameter: Parameter| {
            let default = start::default(self.measured, values, parameter).value;
            (values.get(parameter) / default).log2().abs().min(FARTHEST_OCTAVES).powi(2)
        };
        let parameters = Parameter::ALL.into_iter().filter(|parameter| shape.has(*parameter));
        PRIOR_WEIGHT * parameters.map(away).sum::<f64>()
    }

    /// These curves of a drive; `None` for those of a drive that cannot be.
    pub(crate) fn curves(
        &self,
        shape: Shape,
        values: &Values,
        curves: &[usize],
    ) -> Vec<Option<Vec<Simulated>>> {
        let missing: Vec<usize> = {
            let cache = self.cache.lock().expect("no thread panics");
            curves.iter().copied().filter(|&at| !cache.contains_key(&self.key(shape, values, at))).collect()
        };
        self.simulated.fetch_add(missing.len(), Ordering::Relaxed);
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                let found = self.simulate(shape, values, index).ok();
                let key = self.key(shape, values, index);
                self.cache.lock().expect("no thread panics").insert(key, found);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(missing.len()) {
                scope.spawn(work);
            }
            work();
        });
        let cache = self.cache.lock().expect("no thread panics");
        curves.iter().map(|&at| cache.get(&self.key(shape, values, at)).cloned().flatten()).collect()
    }

    /// One curve, or why there is no such drive.
    pub(crate) fn simulate(
        &self,
        shape: Shape,
        values: &Values,
        index: usize,
    ) -> Result<Vec<Simulated>, CalibrateError> {
        let Measured { capacity, footprint, .. } = *self.measured;
        let spec = drive(shape, values, capacity)
            .map_err(|error| CalibrateError::NoDrive { reason: error.to_string() })?;
        let curve = &self.measured.curves[index];
        let buffer_bytes = Geometry::of(values, capacity).buffer_bytes;
        Ok(simulate::curve(&spec, curve.kind, &simulate::grid(curve), footprint, buffer_bytes)?)
    }

    /// A write smaller than the unit of the mapping reads the rest, so everything matters to it.
    fn key(&self, shape: Shape, values: &Values, index: usize) -> Key {
        let kind = self.measured.curves[index].kind;
        let all = kind.op == OpKind::Write && kind.block_bytes < 4096;
        let parameters = Parameter::ALL
            .into_iter()
            .filter(|parameter| shape.has(*parameter) && (all || parameter.touches(kind.op)));
        (index, shape, parameters.map(|parameter| values.get(parameter).to_bits()).collect())
    }
}

fn of_curve(curve: &Curve, found: &[Simulated]) -> f64 {
    curve
        .targets
        .iter()
        .map(|target| {
            let (iops, median_us) = at(found, target.concurrency);
            let off = |simulated: f64, measured: f64| robust((simulated / measured).ln() / target.error);
            let median = target.median_us.map_or(0.0, |median| off(median_us, median));
            target.weight * (off(iops, target.iops) + MEDIAN_WEIGHT * median)
        })
        .sum()
}

/// Square of a small deviation, twice a large one: outliers of a busy machine do not decide (pseudo-Huber).
fn robust(deviation: f64) -> f64 {
    2.0 * ((1.0 + deviation * deviation).sqrt() - 1.0)
}

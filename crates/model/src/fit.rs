//! The trait that every model implements, and a fitted model with its resamples and intervals.

use crate::interval::{RESAMPLES, Resampler};
use crate::misfit::Misfit;
use crate::{Observations, Stragglers, Workload};
use leadline_profile::{DeviceProfile, OpKind};

/// An I/O model: what one request costs and, from that, what any workload costs.
pub trait Model: Clone + Send + Sync + 'static {
    /// The name on the command line and in JSON.
    const NAME: &'static str;

    /// Fits the model by its own rule.
    ///
    /// # Errors
    /// [`FitError`] says what is missing from the observations.
    fn fit(observations: &Observations) -> Result<Self, FitError>;

    /// Fits it again to observations that are much like those it was fitted to: a resample, or all but a few.
    /// May start from its own parameters.
    ///
    /// # Errors
    /// As [`Model::fit`].
    fn refit(&self, observations: &Observations) -> Result<Self, FitError> {
        Self::fit(observations)
    }

    /// Seconds for one request among many of `op`, `k` of them in flight. `None` where the model knows no
    /// such requests (no writes were measured); otherwise positive and finite.
    fn cost(&self, op: OpKind, block_bytes: u32, random_fraction: f64, k: u32) -> Option<f64>;

    /// Seconds for a workload; `None` as for [`Model::cost`]. Unless a model says otherwise, reads and writes
    /// that share the device take turns: their times add up.
    fn seconds(&self, workload: &Workload) -> Option<f64> {
        let time = |op| {
            let count = workload.requests_of(op);
            if count <= 0.0 {
                return Some(0.0);
            }
            let k = workload.in_flight.of(op);
            Some(count * self.cost(op, workload.block_bytes, workload.random_fraction, k)?)
        };
        Some(time(OpKind::Read)? + time(OpKind::Write)?)
    }

    /// Whether a limit set in software holds the workload back.
    fn at_cap(&self, _: &Workload) -> bool {
        false
    }

    /// How many numbers were fitted to the reads alone, to the writes alone, or (`None`) to workloads of
    /// both. A number that both reads and writes have a say in is half of each.
    fn numbers(&self, op: Option<OpKind>) -> f64;

    /// Its parameters, in an order that a fit and its refits share.
    fn parameters(&self) -> Vec<Parameter>;

    /// Remarks on the fit: collinearity, what was given instead of fitted.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// One fitted number.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Such as `setup_read`, or `setup_read(8)` at k = 8.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// `us`, `requests`, `us/page`, or empty for a ratio.
    pub unit: &'static str,
    /// Whether it is an estimate without an interval: it lies beyond what was measured, or was not fitted.
    pub about: bool,
}

impl Parameter {
    /// A parameter.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Parameter { name: name.into(), value, unit, about: false }
    }

    /// The same as an estimate that has no interval.
    #[must_use]
    pub fn about(self) -> Self {
        Parameter { about: true, ..self }
    }
}

/// A model cannot be fitted to what was measured: `pdam needs 2 different concurrencies of reads; there is
/// 1`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{model} needs {needs}")]
#[non_exhaustive]
pub struct FitError {
    /// The model's name.
    pub model: &'static str,
    /// What it needs and what there is, in words.
    pub needs: String,
}

/// A fitted model with the resamples that its intervals come from.
#[derive(Debug, Clone)]
pub struct FittedModel<M> {
    /// Fitted to all observations.
    pub model: M,
    /// Fitted to each resample.
    pub resamples: Vec<M>,
    /// Observations that it was fitted to.
    pub points: usize,
    /// How far the model is from what it was fitted to; [`crate::ModelComparison`] puts held-out errors here.
    pub misfit: Misfit,
    /// Smallest and largest concurrency measured.
    pub concurrencies: [u32; 2],
    /// Smallest and largest request measured, bytes.
    pub blocks: [u32; 2],
    /// What waiting for the slowest of a batch costs, of reads and of writes, where it is known.
    pub stragglers: [Option<Stragglers>; 2],
}

impl FitError {
    pub(crate) fn new(model: &'static str, needs: impl Into<String>) -> Self {
        FitError { model, needs: needs.into() }
    }
}

impl<M: Model> FittedModel<M> {
    /// Fits a model to a profile.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use leadline_model::{FittedModel, InFlight, Mqssd, Workload};
    /// use leadline_profile::DeviceProfile;
    ///
    /// let workload = Workload {
    ///     reads: 1e6,
    ///     writes: 1e6,
    ///     block_bytes: 4096,
    ///     random_fraction: 1.0,
    ///     in_flight: InFlight::Together(8),
    /// };
    /// let profile = DeviceProfile::load("profile.json")?;
    /// let prediction = FittedModel::<Mqssd>::from_profile(&profile)?.predict(&workload)?;
    /// println!("{:.1} s ({:.1?} s)", prediction.seconds, prediction.seconds_ci);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`FitError`] says what is missing from the profile.
    pub fn from_profile(profile: &DeviceProfile) -> Result<Self, FitError> {
        Self::new(&Observations::from_profile(profile))
    }

    /// Fits a model and its resamples.
    ///
    /// # Errors
    /// [`FitError`] as [`Model::fit`].
    pub fn new(observations: &Observations) -> Result<Self, FitError> {
        Self::with_resamples(observations, RESAMPLES)
    }

    /// [`FittedModel::new`] with this many resamples; without any, parameters have no intervals.
    pub(crate) fn with_resamples(observations: &Observations, resamples: usize) -> Result<Self, FitError> {
        let model = M::fit(observations)?;
        let mut resampler = Resampler::new(&model, observations);
        let draw = |resampler: &mut Resampler| model.refit(resampler.next()).ok();
        let resamples = (0..resamples).filter_map(|_| draw(resampler.as_mut()?)).collect();
        Ok(Self::from_parts(model, resamples, observations))
    }

    /// A model fitted in some other way, with its resamples.
    pub fn from_parts(model: M, resamples: Vec<M>, observations: &Observations) -> Self {
        let all = &observations.all;
        let misfit = Misfit::new(all.iter().map(|o| (o, model.seconds(&o.workload))));
        let ends = |values: &mut dyn Iterator<Item = u32>| {
            values.fold([u32::MAX, 0], |[low, high], v| [low.min(v), high.max(v)])
        };
        FittedModel {
            model,
            resamples,
            points: all.len(),
            misfit,
            concurrencies: ends(&mut all.iter().map(|o| o.concurrency())),
            blocks: ends(&mut all.iter().map(|o| o.workload.block_bytes)),
            stragglers: observations.stragglers.clone(),
        }
    }

    /// Each parameter with its 95 % interval over the resamples; `None` for an estimate that has none, or
    /// where nothing is known of the noise.
    pub fn parameters(&self) -> Vec<(Parameter, Option<[f64; 2]>)> {
        let over: Vec<Vec<Parameter>> = self.resamples.iter().map(Model::parameters).collect();
        let interval = |of: &Parameter| {
            let mut values: Vec<f64> = over
                .iter()
                .filter_map(|set| set.iter().find(|p| p.name == of.name).map(|p| p.value))
                .filter(|v| v.is_finite())
                .collect();
            if of.about { None } else { crate::interval::percentiles(&mut values) }
        };
        self.model.parameters().into_iter().map(|p| (p.clone(), interval(&p))).collect()
    }
}

//! A fitted model with its resamples and intervals.

use crate::interval::{RESAMPLES, Resampler};
use crate::misfit::Misfit;
use crate::{FitError, Model, Observations, Parameter, Stragglers};
use leadline_profile::DeviceProfile;

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

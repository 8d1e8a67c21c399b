//! What a fitted model predicts for a workload.

use crate::interval::interval_of_logs;
use crate::{FittedModel, InFlight, Model, Workload, WorkloadError};
use leadline_profile::OpKind;

/// Why a model cannot predict a workload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PredictError {
    /// No device can be asked to do the workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The model was fitted without this kind of request.
    #[error("{model}: the profile has no {} to predict from; measure them first", plural(.op))]
    NotMeasured {
        /// The model's name.
        model: &'static str,
        /// The kind.
        op: OpKind,
    },
}

fn plural(op: &OpKind) -> &'static str {
    match op {
        OpKind::Read => "reads",
        OpKind::Write => "writes",
    }
}

/// Twice as many in flight are worth it where the workload then takes less than this share of the time.
pub(crate) const WORTH_MORE: f64 = 0.95;

/// How long a workload will take.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Name of the model; [`crate::MEASURED`] where the workload itself was measured, [`crate::INTERPOLATED`]
    /// between two measured concurrencies, [`crate::EXTRAPOLATED`] beyond the largest.
    pub model: &'static str,
    /// Time for all of it.
    pub seconds: f64,
    /// 95 % interval: the parameters' uncertainty, and how far the model is from what it was fitted to.
    pub seconds_ci: [f64; 2],
    /// What limits it.
    pub bottleneck: Bottleneck,
    /// What to keep in mind, such as that it goes beyond what was measured.
    pub warnings: Vec<String>,
}

/// What limits a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bottleneck {
    /// Too few requests in flight: twice as many would be faster by more than 5 %.
    Concurrency,
    /// The device is saturated, mostly by reads.
    Reads,
    /// The device is saturated, mostly by writes.
    Writes,
    /// A limit set in software.
    Cap,
}

impl Bottleneck {
    /// One word for JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Concurrency => "concurrency",
            Bottleneck::Reads => "reads",
            Bottleneck::Writes => "writes",
            Bottleneck::Cap => "cap",
        }
    }

    /// A phrase for people.
    pub fn words(self) -> &'static str {
        match self {
            Bottleneck::Concurrency => "concurrency: more requests in flight would be faster",
            Bottleneck::Reads => "the device, saturated mostly by reads",
            Bottleneck::Writes => "the device, saturated mostly by writes",
            Bottleneck::Cap => "a limit set in software",
        }
    }
}

/// A fitted model of any kind.
pub trait Predict: Send + Sync {
    /// The model's name.
    fn name(&self) -> &'static str;

    /// Seconds alone, without interval: for curves. `None` where the model knows no such requests.
    fn seconds(&self, workload: &Workload) -> Option<f64>;

    /// What a workload will cost.
    ///
    /// # Errors
    /// [`PredictError`].
    fn predict(&self, workload: &Workload) -> Result<Prediction, PredictError>;

    /// Standard deviation of the logarithm of what it gets wrong around a workload, noise left out.
    fn lack_of_fit(&self, workload: &Workload) -> f64;
}

impl<M: Model> Predict for FittedModel<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn seconds(&self, workload: &Workload) -> Option<f64> {
        self.seconds_by(&self.model, workload)
    }

    fn predict(&self, workload: &Workload) -> Result<Prediction, PredictError> {
        FittedModel::predict(self, workload)
    }

    fn lack_of_fit(&self, workload: &Workload) -> f64 {
        self.misfit.near(workload).lack_of_fit()
    }
}

impl<M: Model> FittedModel<M> {
    /// What a workload will cost.
    ///
    /// # Errors
    /// [`PredictError`]: no device can do the workload, or it holds requests that were not measured.
    pub fn predict(&self, workload: &Workload) -> Result<Prediction, PredictError> {
        workload.check()?;
        let Some(seconds) = self.seconds_by(&self.model, workload).filter(|s| s.is_finite() && *s > 0.0)
        else {
            let knows = |op| self.model.cost(op, workload.block_bytes, workload.random_fraction, 1).is_some();
            let op = if workload.reads > 0.0 && !knows(OpKind::Read) { OpKind::Read } else { OpKind::Write };
            return Err(PredictError::NotMeasured { model: M::NAME, op });
        };
        let mut logs: Vec<f64> = self
            .resamples
            .iter()
            .filter_map(|m| self.seconds_by(m, workload))
            .map(|s| (s / seconds).ln())
            .collect();
        let seconds_ci = interval_of_logs(seconds, &mut logs, self.misfit.near(workload).lack_of_fit());
        Ok(Prediction {
            model: M::NAME,
            seconds,
            seconds_ci,
            bottleneck: self.bottleneck(workload, seconds),
            warnings: self.extrapolation(workload),
        })
    }

    /// Seconds for a workload by `model`, this one or a resample: for batches ([`InFlight::Batches`]), the
    /// wait for the slowest request of each is added to what a closed loop takes.
    fn seconds_by(&self, model: &M, workload: &Workload) -> Option<f64> {
        let mut seconds = model.seconds(workload)?;
        if let InFlight::Together(_) = workload.in_flight {
            return Some(seconds);
        }
        for (op, stragglers) in [OpKind::Read, OpKind::Write].into_iter().zip(&self.stragglers) {
            let (count, k) = (workload.requests_of(op), workload.in_flight.of(op));
            if let Some(stragglers) = stragglers.as_ref().filter(|_| count > 0.0) {
                let cost = |k| model.cost(op, workload.block_bytes, workload.random_fraction, k);
                let (alone, among) = (cost(1)?, cost(k)?);
                let busy = (alone / among).clamp(1.0, f64::from(k));
                seconds += count / f64::from(k) * alone * (stragglers.largest_of(busy) - 1.0);
            }
        }
        Some(seconds)
    }

    fn bottleneck(&self, workload: &Workload, seconds: f64) -> Bottleneck {
        if self.model.at_cap(workload) {
            return Bottleneck::Cap;
        }
        let more = match workload.in_flight {
            InFlight::Together(k) => InFlight::Together(k.saturating_mul(2)),
            InFlight::Batches { reads, writes } => {
                InFlight::Batches { reads: reads.saturating_mul(2), writes: writes.saturating_mul(2) }
            }
        };
        let faster = self.seconds_by(&self.model, &Workload { in_flight: more, ..*workload });
        if faster.is_some_and(|faster| faster < WORTH_MORE * seconds) {
            return Bottleneck::Concurrency;
        }
        let time = |op| {
            let k = workload.in_flight.of(op);
            let cost = self.model.cost(op, workload.block_bytes, workload.random_fraction, k);
            workload.requests_of(op) * cost.unwrap_or(0.0)
        };
        if time(OpKind::Read) >= time(OpKind::Write) { Bottleneck::Reads } else { Bottleneck::Writes }
    }

    fn extrapolation(&self, workload: &Workload) -> Vec<String> {
        let mut warnings = Vec::new();
        let [low, high] = self.concurrencies;
        for op in [OpKind::Read, OpKind::Write] {
            let k = workload.in_flight.of(op);
            if workload.requests_of(op) > 0.0 && !(low..=high).contains(&k) && warnings.is_empty() {
                warnings.push(format!("k = {k} was not measured (k from {low} to {high} was)"));
            }
        }
        let [small, large] = self.blocks;
        if !(small..=large).contains(&workload.block_bytes) {
            let block = workload.block_bytes;
            warnings
                .push(format!("requests of {block} bytes were not measured (from {small} to {large} were)"));
        }
        warnings
    }
}

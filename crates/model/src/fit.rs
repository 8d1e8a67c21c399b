//! Fitting a model and predicting with it: one trait, and what surrounds every model alike (resamples, intervals).

use crate::bootstrap::{RESAMPLES, Resampler, interval_of_logs};
use crate::misfit::Misfit;
use crate::{DeviceProfile, InFlight, Observations, OpKind, Stragglers, Workload};

/// An I/O model: what it costs to have one request done, and from that, any workload.
pub trait Model: Clone + Send + Sync + 'static {
    /// As on the command line and in JSON.
    const NAME: &'static str;

    /// Fits the model by its own rule.
    ///
    /// # Errors
    /// [`Lacking`] says what the observations lack.
    fn fit(observations: &Observations) -> Result<Self, Lacking>;

    /// Fits it again to observations that are much like those it was fitted to: a resample, or all but a few. May start
    /// from its own parameters.
    ///
    /// # Errors
    /// As [`Model::fit`].
    fn refit(&self, observations: &Observations) -> Result<Self, Lacking> {
        Self::fit(observations)
    }

    /// Seconds for one request among many of `op`, `k` of them in flight. `None` where the model knows no such requests
    /// (no writes were measured). Otherwise positive and finite.
    fn cost(&self, op: OpKind, block_bytes: u32, random_fraction: f64, k: u32) -> Option<f64>;

    /// Seconds for a workload; `None` as [`Model::cost`]. Unless a model knows better, reads and writes that share the
    /// device take turns: their times add up.
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

    /// Its parameters; always the same ones in the same order for one fit and its refits.
    fn parameters(&self) -> Vec<Parameter>;

    /// Remarks for people: collinearity, what was given instead of found.
    fn notes(&self) -> Vec<String> {
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
}

impl Parameter {
    /// A parameter.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Parameter { name: name.into(), value, unit }
    }
}

/// What a model lacks to be fitted, in words: `4 different concurrencies; there are 2`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{model} needs {what}")]
pub struct Lacking {
    /// The model's name.
    pub model: &'static str,
    /// What it needs and what there is.
    pub what: String,
}

/// Why there is no prediction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PredictError {
    /// The workload makes no sense.
    #[error("{0}")]
    Workload(String),
    /// The model was fitted without this kind of request.
    #[error("{model}: the profile has no {op}s to predict from; measure them first")]
    NotMeasured {
        /// The model's name.
        model: &'static str,
        /// `read` or `write`.
        op: &'static str,
    },
}

/// What a workload will cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Name of the model.
    pub model: &'static str,
    /// Time for all of it.
    pub seconds: f64,
    /// 95 % interval: the parameters' uncertainty, and how far the model is from what it was fitted to.
    pub seconds_ci: [f64; 2],
    /// What holds it back.
    pub bound: Bound,
    /// What to keep in mind, such as that it goes beyond what was measured.
    pub notes: Vec<String>,
}

/// What holds a workload back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Too few requests in flight: twice as many would be faster by more than 5 %.
    Concurrency,
    /// The device is saturated, most of the time by reads.
    Reads,
    /// The device is saturated, most of the time by writes.
    Writes,
    /// A limit set in software.
    Cap,
}

impl Bound {
    /// In one word, for JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Concurrency => "concurrency",
            Bound::Reads => "reads",
            Bound::Writes => "writes",
            Bound::Cap => "cap",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Bound::Concurrency => "concurrency: more requests in flight would be faster",
            Bound::Reads => "the device, saturated, most of the time by reads",
            Bound::Writes => "the device, saturated, most of the time by writes",
            Bound::Cap => "a limit set in software",
        }
    }
}

/// A fitted model with the resamples that its intervals come from.
#[derive(Debug, Clone)]
pub struct Fitted<M> {
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

impl<M: Model> Fitted<M> {
    /// Fits a model and its resamples.
    ///
    /// # Errors
    /// [`Lacking`] as [`Model::fit`].
    pub fn new(observations: &Observations) -> Result<Self, Lacking> {
        Self::with_resamples(observations, RESAMPLES)
    }

    /// The same with so many resamples; without any, parameters have no intervals.
    pub(crate) fn with_resamples(observations: &Observations, resamples: usize) -> Result<Self, Lacking> {
        let model = M::fit(observations)?;
        let mut resampler = Resampler::new(observations);
        let resamples = (0..resamples).filter_map(|_| model.refit(resampler.next()).ok()).collect();
        Ok(Self::around(model, resamples, observations))
    }

    /// A model fitted in some other way, with its resamples.
    pub fn around(model: M, resamples: Vec<M>, observations: &Observations) -> Self {
        let all = &observations.all;
        let misfit = Misfit::new(all.iter().map(|o| (o, model.seconds(&o.workload))));
        let ends = |values: &mut dyn Iterator<Item = u32>| {
            values.fold([u32::MAX, 0], |[low, high], v| [low.min(v), high.max(v)])
        };
        Fitted {
            model,
            resamples,
            points: all.len(),
            misfit,
            concurrencies: ends(&mut all.iter().map(|o| o.concurrency())),
            blocks: ends(&mut all.iter().map(|o| o.workload.block_bytes)),
            stragglers: observations.stragglers.clone(),
        }
    }

    /// Seconds for a workload by `model`, this one or a resample: for batches ([`InFlight::Apart`]), the wait for the
    /// slowest request of each is added to what a closed loop takes.
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

    /// Each parameter with its 95 % interval over the resamples.
    pub fn parameters(&self) -> Vec<(Parameter, Option<[f64; 2]>)> {
        let over: Vec<Vec<Parameter>> = self.resamples.iter().map(Model::parameters).collect();
        let interval = |name: &str| {
            let mut values: Vec<f64> = over
                .iter()
                .filter_map(|set| set.iter().find(|p| p.name == name).map(|p| p.value))
                .filter(|v| v.is_finite())
                .collect();
            crate::bootstrap::percentiles(&mut values)
        };
        self.model.parameters().into_iter().map(|p| (p.clone(), interval(&p.name))).collect()
    }
}

/// A fitted model of whatever kind.
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
}

impl<M: Model> Predict for Fitted<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn seconds(&self, workload: &Workload) -> Option<f64> {
        self.seconds_by(&self.model, workload)
    }

    fn predict(&self, workload: &Workload) -> Result<Prediction, PredictError> {
        Fitted::predict(self, workload)
    }
}

impl<M: Model> Fitted<M> {
    /// What a workload will cost.
    ///
    /// # Errors
    /// [`PredictError`]: the workload makes no sense, or holds requests that were not measured.
    pub fn predict(&self, workload: &Workload) -> Result<Prediction, PredictError> {
        workload.check().map_err(PredictError::Workload)?;
        let Some(seconds) = self.seconds_by(&self.model, workload).filter(|s| s.is_finite() && *s > 0.0)
        else {
            let knows = |op| self.model.cost(op, workload.block_bytes, workload.random_fraction, 1).is_some();
            let op = if workload.reads > 0.0 && !knows(OpKind::Read) { "read" } else { "write" };
            return Err(PredictError::NotMeasured { model: M::NAME, op });
        };
        let logs: Vec<f64> = self
            .resamples
            .iter()
            .filter_map(|m| self.seconds_by(m, workload))
            .map(|s| (s / seconds).ln())
            .collect();
        let seconds_ci = interval_of_logs(seconds, &logs, self.misfit.near(workload));
        Ok(Prediction {
            model: M::NAME,
            seconds,
            seconds_ci,
            bound: self.bound(workload, seconds),
            notes: self.extrapolation(workload),
        })
    }

    fn bound(&self, workload: &Workload, seconds: f64) -> Bound {
        let more = match workload.in_flight {
            InFlight::Together(k) => InFlight::Together(k.saturating_mul(2)),
            InFlight::Apart { reads, writes } => {
                InFlight::Apart { reads: reads.saturating_mul(2), writes: writes.saturating_mul(2) }
            }
        };
        let faster = self.seconds_by(&self.model, &Workload { in_flight: more, ..*workload });
        if faster.is_some_and(|faster| faster < 0.95 * seconds) {
            return Bound::Concurrency;
        }
        // A cap holds requests back whatever their size: half the bytes a request, as many requests, no faster.
        let smaller = Workload { block_bytes: (workload.block_bytes / 2).max(1), ..*workload };
        let capped = self.model.notes().iter().any(|note| note.starts_with("cap"));
        if capped && self.model.seconds(&smaller).is_some_and(|s| s >= 0.999 * seconds) {
            return Bound::Cap;
        }
        let time = |op| {
            let k = workload.in_flight.of(op);
            let cost = self.model.cost(op, workload.block_bytes, workload.random_fraction, k);
            workload.requests_of(op) * cost.unwrap_or(0.0)
        };
        if time(OpKind::Read) >= time(OpKind::Write) { Bound::Reads } else { Bound::Writes }
    }

    fn extrapolation(&self, workload: &Workload) -> Vec<String> {
        let mut notes = Vec::new();
        let [low, high] = self.concurrencies;
        for op in [OpKind::Read, OpKind::Write] {
            let k = workload.in_flight.of(op);
            if workload.requests_of(op) > 0.0 && !(low..=high).contains(&k) && notes.is_empty() {
                notes.push(format!("k = {k} was not measured (k from {low} to {high} was)"));
            }
        }
        let [small, large] = self.blocks;
        if !(small..=large).contains(&workload.block_bytes) {
            let block = workload.block_bytes;
            notes.push(format!("requests of {block} bytes were not measured (from {small} to {large} were)"));
        }
        notes
    }
}

impl DeviceProfile {
    /// Fits a model to this profile.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use leadline_model::{InFlight, Mqssd, Profile, Workload};
    ///
    /// let workload = Workload {
    ///     reads: 1e6,
    ///     writes: 1e6,
    ///     block_bytes: 4096,
    ///     random_fraction: 1.0,
    ///     in_flight: InFlight::Together(8),
    /// };
    /// let prediction = Profile::load("profile.json")?.fit::<Mqssd>()?.predict(&workload)?;
    /// println!("{:.1} s ({:.1?} s)", prediction.seconds, prediction.seconds_ci);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Lacking`] says what the profile lacks.
    pub fn fit<M: Model>(&self) -> Result<Fitted<M>, Lacking> {
        Fitted::new(&Observations::of(self))
    }
}

//! Which model describes the device: every model fitted, held out, and compared.

use std::collections::BTreeMap;
use std::fmt;

use crate::holdout::{Folds, HeldOutPredictions};
use crate::interval::{RESAMPLES, percentiles};
use crate::{
    Affine, CostTable, Dam, FitError, FittedModel, FunctionFit, Model, Mqssd, Observation, Observations,
    Parameter, Pdam, Pio, Predict, SharedBudget, Workload, WorkloadClass,
};
use leadline_profile::{DeviceProfile, OpKind, PAGE_BYTES};

/// Held-out errors that differ by no more than this count as equal, percentage points: rounding alone makes
/// those of perfect fits differ.
const SAME: f64 = 0.05;

/// Concurrency counts where the logarithms of the costs of few and of many in flight differ by this.
const COUNTS: f64 = 0.2;

/// The error over held-out observations: cross-validation by group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossValidation {
    /// Mean absolute percentage error.
    pub percent: f64,
    /// Its 95 % interval, by resampling the folds; `None` for a cost table.
    pub percent_ci: Option<[f64; 2]>,
    /// Its standard error; 0 for a cost table.
    pub standard_error: f64,
    /// Whole concurrencies, random fractions and mixes held out in turn; for a cost table, its cells.
    pub folds: usize,
}

/// One model on one device.
pub struct Assessment {
    /// The model's name.
    pub name: &'static str,
    /// What is missing to fit it; the fields below are then empty. `None` where it was fitted.
    pub needs: Option<String>,
    /// The fitted model.
    pub fitted: Option<Box<dyn Predict>>,
    /// Observations that it was fitted to; for a cost table, cells.
    pub points: usize,
    /// Mean absolute percentage error over the observations it was fitted to.
    pub mape_percent: Option<f64>,
    /// The same over held-out ones; `None` with too few concurrencies and random fractions to hold out any.
    pub held_out: Option<CrossValidation>,
    /// Held-out error (fitted error where none could be held out) of each class and the observations in it;
    /// `None` where there are none, or the model knows no such requests.
    pub classes: Vec<(WorkloadClass, Option<f64>, usize)>,
    /// Parameters with their 95 % intervals.
    pub parameters: Vec<(Parameter, Option<[f64; 2]>)>,
    /// Whether it may not be chosen although it is fitted; the last remark says why.
    pub excluded: bool,
    /// Remarks: collinearity, why something was left out.
    pub remarks: Vec<String>,
}

/// All models on one device.
pub struct ModelComparison {
    /// Simplest first.
    pub models: Vec<Assessment>,
    /// The simplest within one standard error of the smallest held-out error.
    pub best: Option<&'static str>,
    /// What they were fitted to.
    pub observations: Observations,
}

impl fmt::Debug for ModelComparison {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("ModelComparison")
            .field("models", &self.models)
            .field("best", &self.best)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Assessment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Assessment")
            .field("name", &self.name)
            .field("needs", &self.needs)
            .field("error_percent", &self.error_percent())
            .finish_non_exhaustive()
    }
}

/// A profile to which no models can be fitted that could be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TooFewPoints {
    /// There is none.
    #[error("holds no measured point; measure first, with leadline profile")]
    None,
    /// There is one.
    #[error("holds one point, which fits every model; measure several concurrencies")]
    One,
}

/// A model that was not fitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} needs {needs}")]
pub struct NotFitted {
    /// The model.
    pub name: String,
    /// What was not measured.
    pub needs: String,
}

impl ModelComparison {
    /// Fits every model to a profile, and compares them.
    ///
    /// # Errors
    /// [`TooFewPoints`] where it has too few points to tell models apart.
    pub fn of(profile: &DeviceProfile) -> Result<Self, TooFewPoints> {
        let observations = Observations::from_profile(profile);
        match observations.all.len() {
            0 => Err(TooFewPoints::None),
            1 => Err(TooFewPoints::One),
            _ => Ok(ModelComparison::new(observations)),
        }
    }

    /// The model of this name, or the best one.
    ///
    /// # Errors
    /// [`NotFitted`] says what the model needs that was not measured.
    pub fn choose(&self, wanted: Option<&str>) -> Result<&dyn Predict, NotFitted> {
        let found = match wanted {
            None => self.answers(),
            Some(name) => self.get(name).and_then(|model| model.fitted.as_deref()),
        };
        found.ok_or_else(|| {
            let is_wanted = |model: &&Assessment| wanted.is_none_or(|name| name == model.name);
            let needs = self.models.iter().find(is_wanted).and_then(|model| model.needs.as_deref());
            NotFitted {
                name: wanted.unwrap_or("every model").to_owned(),
                needs: needs.unwrap_or("measured points").to_owned(),
            }
        })
    }

    /// Fits and compares every model.
    pub fn new(observations: Observations) -> Self {
        Self::with_resamples(observations, RESAMPLES)
    }

    /// [`ModelComparison::new`] with this many resamples. Without any, parameters have no intervals, and it
    /// takes a tenth of the time.
    pub fn with_resamples(observations: Observations, resamples: usize) -> Self {
        let folds = Folds::of(&observations);
        let mut models = vec![
            assess::<Dam>(&observations, &folds, resamples),
            assess::<Pdam>(&observations, &folds, resamples),
            assess::<Affine>(&observations, &folds, resamples),
            assess::<Pio>(&observations, &folds, resamples),
            assess::<Mqssd>(&observations, &folds, resamples),
            assess::<SharedBudget>(&observations, &folds, resamples),
        ];
        exclude_shared(&mut models);
        let best = if published(&observations) {
            models.iter().find(|m| m.name == Pio::NAME && m.fitted.is_some()).map(|m| m.name)
        } else {
            choose(&able(&models, &observations))
        };
        ModelComparison { models, best, observations }
    }

    /// The models that describe the device about as well as the best one, each with its weight: 1 for the one
    /// with the smallest error, next to nothing three standard errors above it. What all of them say, weighed
    /// like this, does not jump where noise makes another one the best.
    pub fn weighed(&self) -> Vec<(f64, &dyn Predict)> {
        if published(&self.observations) {
            return self.best().map(|best| vec![(1.0, best)]).unwrap_or_default();
        }
        let able = able(&self.models, &self.observations);
        let Some((least, scale)) = least_error(&able) else { return Vec::new() };
        let weight = |m: &Assessment| {
            let above = (m.error_percent().unwrap_or(f64::INFINITY) - least) / (scale + SAME);
            (-0.5 * above * above).exp()
        };
        able.into_iter().filter_map(|m| Some((weight(m), m.fitted.as_deref()?))).collect()
    }

    /// The one model that can be fitted to a table of costs: MQSSD's smooth functions, compared with the
    /// table's cells.
    ///
    /// # Errors
    /// [`FitError`] where the table has too few concurrencies.
    pub fn from_costs(table: &CostTable) -> Result<Self, FitError> {
        let fit = Mqssd::from_costs(table)?;
        let observations = Observations { all: four_k_requests(&fit.model), ..Observations::default() };
        let remark = |f: &FunctionFit| {
            format!(
                "{}: {}, R2 {:.4} on the log scale, largest error {:.1} %, left out in turn {:.1} %",
                f.name,
                f.function.shape(),
                f.errors.r2_log,
                100.0 * f.errors.largest_relative,
                100.0 * f.leave_one_out
            )
        };
        let suspect = table.setups_look_summed().then(|| {
            "a setup costs as much as thousands of page transfers: are these costs of one access?".to_owned()
        });
        let fitted = FittedModel::from_parts(fit.model, Vec::new(), &observations);
        let mqssd = Assessment {
            points: fit.cells,
            mape_percent: Some(100.0 * fit.mape),
            held_out: Some(CrossValidation {
                percent: 100.0 * fit.leave_one_out,
                percent_ci: None,
                standard_error: 0.0,
                folds: fit.cells,
            }),
            parameters: fitted.parameters(),
            remarks: fit.functions.iter().map(remark).chain(suspect).collect(),
            fitted: Some(Box::new(fitted)),
            needs: None,
            ..Assessment::unfitted(Mqssd::NAME, String::new())
        };
        let none = |name| Assessment::unfitted(name, "measured points; a table of costs has none".to_owned());
        let mut models: Vec<Assessment> =
            [Dam::NAME, Pdam::NAME, Affine::NAME, Pio::NAME].map(none).into_iter().collect();
        models.extend([mqssd, none(SharedBudget::NAME)]);
        Ok(ModelComparison { models, best: Some(Mqssd::NAME), observations })
    }

    /// The assessment of one model.
    pub fn get(&self, name: &str) -> Option<&Assessment> {
        self.models.iter().find(|m| m.name == name)
    }

    /// The best model, fitted. It says what it says, also where the measurement says otherwise: to be shown
    /// next to the measurement.
    pub fn best(&self) -> Option<&dyn Predict> {
        self.get(self.best?)?.fitted.as_deref()
    }

    /// What answers a user's question: the measurement where the workload was measured, the best model
    /// elsewhere. `None` without a best model.
    pub fn answers(&self) -> Option<&dyn Predict> {
        self.best().map(|_| self as &dyn Predict)
    }
}

impl Assessment {
    /// A model that cannot be fitted, and why.
    pub fn unfitted(name: &'static str, needs: String) -> Self {
        Assessment {
            name,
            needs: Some(needs),
            fitted: None,
            points: 0,
            mape_percent: None,
            held_out: None,
            classes: Vec::new(),
            parameters: Vec::new(),
            excluded: false,
            remarks: Vec::new(),
        }
    }

    /// The error by which models are compared: held out where that could be done.
    pub fn error_percent(&self) -> Option<f64> {
        self.held_out.map(|h| h.percent).or(self.mape_percent)
    }

    /// The error over one class; `None` as in [`Assessment::classes`].
    pub fn class_percent(&self, class: WorkloadClass) -> Option<f64> {
        self.classes.iter().find(|(c, ..)| *c == class).and_then(|(_, percent, _)| *percent)
    }
}

/// What one random 4K request costs at each concurrency of a table, as if it had been measured.
fn four_k_requests(model: &Mqssd) -> Vec<Observation> {
    let mut all = Vec::new();
    for op in [OpKind::Read, OpKind::Write] {
        for cell in model.costs(op).map_or(&[][..], |costs| &costs.per_k) {
            all.push(Observation {
                workload: Workload::pure(op, 1.0, PAGE_BYTES, 1.0, cell.k),
                seconds: cell.setup + cell.transfer,
                relative_error: 0.0,
                weight: 1.0,
            });
        }
    }
    all
}

/// Absolute error in percent; a workload that the model cannot predict counts as 100 % wrong.
fn error_percent(o: &Observation, predicted: Option<f64>) -> f64 {
    predicted.map_or(100.0, |seconds| 100.0 * (seconds / o.seconds - 1.0).abs())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0usize), |(sum, n), v| (sum + v, n + 1));
    (n > 0).then(|| sum / n as f64)
}

fn assess<M: Model>(observations: &Observations, folds: &Folds, resamples: usize) -> Assessment {
    let fitted = match FittedModel::<M>::with_resamples(observations, resamples) {
        Ok(fitted) => fitted,
        Err(error) => return Assessment::unfitted(M::NAME, error.needs),
    };
    let all = &observations.all;
    let fitted_errors: Vec<f64> =
        all.iter().map(|o| error_percent(o, fitted.model.seconds(&o.workload))).collect();
    let held = folds.errors(&fitted.model, observations);
    let class_error = |class: WorkloadClass| {
        let members: Vec<usize> = (0..all.len()).filter(|&i| class.holds(&all[i])).collect();
        let known = members.iter().any(|&i| fitted.model.seconds(&all[i].workload).is_some());
        let held_errors = held
            .predictions
            .iter()
            .filter(|(i, _)| class.holds(&all[*i]))
            .map(|&(i, s)| error_percent(&all[i], s));
        let percent = mean(held_errors).or_else(|| mean(members.iter().map(|&i| fitted_errors[i])));
        (class, percent.filter(|_| known), members.len())
    };
    Assessment {
        name: M::NAME,
        needs: None,
        points: all.len(),
        mape_percent: mean(fitted_errors.iter().copied()),
        held_out: summary(&held, all),
        classes: WorkloadClass::ALL.into_iter().map(class_error).collect(),
        parameters: fitted.parameters(),
        excluded: false,
        remarks: fitted.model.remarks(),
        fitted: Some(Box::new(fitted)),
    }
}

/// Mean over folds, each fold with the same weight; the spread over folds gives the standard error.
fn summary(held: &HeldOutPredictions, all: &[Observation]) -> Option<CrossValidation> {
    let of_fold = |fold: &std::ops::Range<usize>| {
        mean(held.predictions[fold.clone()].iter().map(|&(i, s)| error_percent(&all[i], s)))
    };
    let folds: Vec<f64> = held.folds.iter().filter_map(of_fold).collect();
    if folds.len() < 2 {
        return None;
    }
    let n = folds.len() as f64;
    let percent = folds.iter().sum::<f64>() / n;
    let variance = folds.iter().map(|e| (e - percent).powi(2)).sum::<f64>() / (n - 1.0);
    let mut random = fastrand::Rng::with_seed(0xf01d);
    let mut means: Vec<f64> = (0..1000)
        .map(|_| (0..folds.len()).map(|_| folds[random.usize(..folds.len())]).sum::<f64>() / n)
        .collect();
    let percent_ci = percentiles(&mut means);
    Some(CrossValidation { percent, percent_ci, standard_error: (variance / n).sqrt(), folds: folds.len() })
}

/// Whether there are only latencies at depth one and a published k_r or k_w: PIO is the model of such
/// numbers, and there is nothing to compare models by.
fn published(observations: &Observations) -> bool {
    let known = observations.parameters.iter().any(|p| p.k_r.is_some() || p.k_w.is_some());
    known && observations.all.iter().all(|o| o.concurrency() == 1)
}

/// Whether requests cost something else with many in flight than with few: then a model that knows no
/// concurrency is not a simpler description of the device, but none of that.
fn concurrency_counts(observations: &Observations) -> bool {
    let mut curves = BTreeMap::<(bool, u32, u64), Vec<(u32, f64)>>::new();
    for op in [OpKind::Read, OpKind::Write] {
        for o in observations.pure(op) {
            let w = &o.workload;
            let curve = (op == OpKind::Read, w.block_bytes, w.random_fraction.to_bits());
            curves.entry(curve).or_default().push((o.concurrency(), o.cost().ln()));
        }
    }
    curves.into_values().any(|mut curve| {
        curve.sort_by_key(|point| point.0);
        let (few, many) = curve.split_at(curve.len() / 2);
        let log = |half: &[(u32, f64)]| mean(half.iter().map(|point| point.1));
        log(few).zip(log(many)).is_some_and(|(few, many)| (few - many).abs() > COUNTS)
    })
}

/// Excludes the shared budget unless it beats MQSSD, which it extends, on mixed workloads, where it claims to
/// be better.
fn exclude_shared(models: &mut [Assessment]) {
    let mixed = |name: &str| {
        models.iter().find(|m| m.name == name).and_then(|m| m.class_percent(WorkloadClass::Mixed))
    };
    let (Some(ours), Some(theirs)) = (mixed(SharedBudget::NAME), mixed(Mqssd::NAME)) else { return };
    if let Some(shared) = models.iter_mut().find(|m| m.name == SharedBudget::NAME && ours >= theirs) {
        shared.excluded = true;
        shared.remarks.push(format!(
            "not eligible: on held-out mixed points it is no better than mqssd ({ours:.1} % against \
             {theirs:.1} %)"
        ));
    }
}

/// Fitted models that may be chosen: where concurrency counts, one that knows it, if there is any.
fn able<'a>(models: &'a [Assessment], observations: &Observations) -> Vec<&'a Assessment> {
    let counts = concurrency_counts(observations);
    let fitted = || models.iter().filter(|m| !m.excluded && m.fitted.is_some());
    let able: Vec<&Assessment> =
        fitted().filter(|m| !counts || ![Dam::NAME, Affine::NAME].contains(&m.name)).collect();
    if able.is_empty() { fitted().collect() } else { able }
}

/// The smallest error of models, and its standard error, percentage points.
fn least_error(models: &[&Assessment]) -> Option<(f64, f64)> {
    let error = |m: &Assessment| m.error_percent().unwrap_or(f64::INFINITY);
    let best = models.iter().min_by(|a, b| error(a).total_cmp(&error(b)))?;
    Some((best.error_percent()?, best.held_out.map_or(0.0, |h| h.standard_error)))
}

/// The simplest within one standard error of the best; `models` has the simplest first.
fn choose(models: &[&Assessment]) -> Option<&'static str> {
    let (least, standard_error) = least_error(models)?;
    let limit = least + standard_error + SAME;
    models.iter().find(|m| m.error_percent().is_some_and(|error| error <= limit)).map(|m| m.name)
}

//! The trait that every model implements.

use leadline_profile::OpKind;

use crate::{Observations, Workload};

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

impl FitError {
    pub(crate) fn new(model: &'static str, needs: impl Into<String>) -> Self {
        FitError { model, needs: needs.into() }
    }
}

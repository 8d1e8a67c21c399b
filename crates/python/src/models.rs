//! The I/O models: fitted to a profile, and asked about many workloads at once.

use std::collections::HashSet;
use std::ffi::OsString;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray};
use leadline_cli::{Failure, Fitted, LARGEST_BLOCK, fit_file, fit_table};
use leadline_model::{InFlight, ModelComparison, Prediction, Workload, WorkloadError};
use leadline_profile as schema;
use leadline_report::models_json;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::profile::DeviceProfile;
use crate::table::Columns;
use crate::{background, errors};

/// Notes of a prediction that are told one by one; the others are counted.
const MOST_NOTES: usize = 20;

/// Every model, fitted.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct Models {
    comparison: ModelComparison,
    /// What was fitted to, except for a table of costs.
    profile: Option<Box<schema::DeviceProfile>>,
    /// What was fitted, for messages.
    name: String,
}

#[pymethods]
impl Models {
    /// Fitted to a profile.
    #[new]
    fn new(py: Python<'_>, profile: PyRef<'_, DeviceProfile>) -> PyResult<Models> {
        let (name, profile) = (profile.name.clone(), Box::new(profile.profile.clone()));
        Models::fitted(py, name.clone(), || match ModelComparison::of(&profile) {
            Ok(comparison) => Ok(Fitted { comparison, profile: Some(profile) }),
            Err(error) => Err(Failure::Input(format!("{name}: {error}"))),
        })
    }

    /// Fitted to what `leadline models NAME` takes, a file or `device:NAME`.
    #[staticmethod]
    fn of_file(py: Python<'_>, name: OsString, setup_per: f64) -> PyResult<Models> {
        Models::fitted(py, name.display().to_string(), || fit_file(&name, setup_per))
    }

    /// Fitted to a table, CSV, which messages call `name`.
    #[staticmethod]
    fn of_table(py: Python<'_>, text: &str, name: &str, setup_per: f64) -> PyResult<Models> {
        Models::fitted(py, name.to_owned(), || fit_table(text, name, setup_per))
    }

    /// What was fitted to; None for a table of costs.
    fn profile(&self) -> Option<DeviceProfile> {
        let profile = self.profile.as_ref()?;
        Some(DeviceProfile { profile: (**profile).clone(), name: self.name.clone() })
    }

    /// The models side by side, the document of `leadline models --json`.
    fn document(&self) -> String {
        models_json(&self.comparison).to_string()
    }

    /// Predicts workloads, given as arrays of the same length: reads and writes (requests), bytes per
    /// request, share of random requests (0 to 1), and requests in flight (`reads_in_flight` and
    /// `writes_in_flight`; where `together`, the first of all requests). With `model`, or the best one.
    #[pyo3(signature = (reads, writes, block_bytes, random, reads_in_flight, writes_in_flight, *, together, model = None))]
    #[allow(clippy::too_many_arguments)]
    fn predict(
        &self,
        py: Python<'_>,
        reads: PyReadonlyArray1<'_, f64>,
        writes: PyReadonlyArray1<'_, f64>,
        block_bytes: PyReadonlyArray1<'_, u32>,
        random: PyReadonlyArray1<'_, f64>,
        reads_in_flight: PyReadonlyArray1<'_, u32>,
        writes_in_flight: PyReadonlyArray1<'_, u32>,
        together: bool,
        model: Option<&str>,
    ) -> PyResult<(Columns, Vec<String>)> {
        let (reads, writes, random) = (reads.as_array(), writes.as_array(), random.as_array());
        let (block_bytes, of_reads) = (block_bytes.as_array(), reads_in_flight.as_array());
        let of_writes = writes_in_flight.as_array();
        let workload = |i: usize| Workload {
            reads: reads[i],
            writes: writes[i],
            block_bytes: block_bytes[i],
            random_fraction: random[i],
            in_flight: match together {
                true => InFlight::Together(of_reads[i]),
                false => InFlight::Batches { reads: of_reads[i], writes: of_writes[i] },
            },
        };
        let workloads: Vec<Workload> = (0..reads.len()).map(workload).collect();
        let predicted = background::run(py, None, |_| self.predict_all(&workloads, model))?;
        let predictions = predicted.map_err(|failure| errors::exception(py, &failure))?;
        Ok((columns(&workloads, &predictions), notes(&predictions)))
    }
}

impl Models {
    fn fitted(
        py: Python<'_>,
        name: String,
        fit: impl FnOnce() -> Result<Fitted, Failure> + Send,
    ) -> PyResult<Models> {
        match background::run(py, None, |_| fit())? {
            Ok(Fitted { comparison, profile }) => Ok(Models { comparison, profile, name }),
            Err(failure) => Err(errors::exception(py, &failure)),
        }
    }

    fn predict_all(&self, workloads: &[Workload], model: Option<&str>) -> Result<Vec<Prediction>, Failure> {
        let named = |error: String| Failure::Input(format!("{}: {error}", self.name));
        let model = self.comparison.choose(model).map_err(|error| named(error.to_string()))?;
        let one = |(i, workload): (usize, &Workload)| {
            check(workload).map_err(|reason| Failure::Input(format!("workload {i}: {reason}")))?;
            model.predict(workload).map_err(|error| named(error.to_string()))
        };
        workloads.iter().enumerate().map(one).collect()
    }
}

/// What is wrong with a workload, by the names of the arguments.
fn check(workload: &Workload) -> Result<(), String> {
    if !(1..=LARGEST_BLOCK).contains(&workload.block_bytes) {
        return Err(format!("block_size={}: must be from 1 to 1G", workload.block_bytes));
    }
    workload.check().map_err(|error| match error {
        WorkloadError::RandomFraction => {
            format!("random={}: must be a share from 0 to 1", workload.random_fraction)
        }
        WorkloadError::NoRequests => format!("{error}; give reads or writes (or slo, speedup)"),
        _ => error.to_string(),
    })
}

/// What to keep in mind, each sentence once.
fn notes(predictions: &[Prediction]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for note in predictions.iter().flat_map(|found| &found.warnings) {
        if seen.insert(note) && notes.len() < MOST_NOTES {
            notes.push(note.clone());
        }
    }
    if seen.len() > MOST_NOTES {
        notes.push(format!("{} further combinations were not measured", seen.len() - MOST_NOTES));
    }
    notes
}

/// A row for each workload.
fn columns(workloads: &[Workload], predictions: &[Prediction]) -> Columns {
    let floats = |value: fn(&Workload, &Prediction) -> f64| -> ArrayRef {
        let values = workloads.iter().zip(predictions).map(|(workload, found)| value(workload, found));
        Arc::new(Float64Array::from_iter_values(values))
    };
    let bounds = predictions.iter().map(|found| found.bottleneck.name());
    let models = predictions.iter().map(|found| found.model);
    let beyond: Vec<bool> = predictions.iter().map(|found| !found.warnings.is_empty()).collect();
    Columns::of(vec![
        ("seconds", floats(|_, found| found.seconds)),
        ("seconds_low", floats(|_, found| found.seconds_ci[0])),
        ("seconds_high", floats(|_, found| found.seconds_ci[1])),
        ("requests_per_second", floats(|workload, found| workload.requests() / found.seconds)),
        ("bytes_per_second", floats(|workload, found| workload.bytes() / found.seconds)),
        ("bound", Arc::new(StringArray::from_iter_values(bounds))),
        ("model", Arc::new(StringArray::from_iter_values(models))),
        ("extrapolated", Arc::new(BooleanArray::from(beyond))),
    ])
    .expect("the columns are equally long")
}

//! The I/O models: fitted to a profile, and asked about many workloads at once.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, StringArray};
use leadline_cli::Failure;
use leadline_model::{InFlight, ModelComparison, Prediction, Workload};
use leadline_report::models_json;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::profile::DeviceProfile;
use crate::table::Columns;
use crate::{background, errors};

/// Every model, fitted to a profile.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct Models {
    comparison: ModelComparison,
    /// What was fitted, for messages.
    name: String,
}

#[pymethods]
impl Models {
    #[new]
    fn new(py: Python<'_>, profile: PyRef<'_, DeviceProfile>) -> PyResult<Models> {
        let (name, profile) = (profile.name.clone(), profile.profile.clone());
        match background::run(py, None, |_| ModelComparison::of(&profile))? {
            Ok(comparison) => Ok(Models { comparison, name }),
            Err(error) => Err(errors::exception(py, &Failure::Input(format!("{name}: {error}")))),
        }
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
    ) -> PyResult<Columns> {
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
        Ok(columns(&workloads, &predictions))
    }
}

impl Models {
    fn predict_all(&self, workloads: &[Workload], model: Option<&str>) -> Result<Vec<Prediction>, Failure> {
        let named = |error: String| Failure::Input(format!("{}: {error}", self.name));
        let model = self.comparison.choose(model).map_err(|error| named(error.to_string()))?;
        let one = |(i, workload): (usize, &Workload)| {
            workload.check().map_err(|error| Failure::Input(format!("workload {i}: {error}")))?;
            model.predict(workload).map_err(|error| named(error.to_string()))
        };
        workloads.iter().enumerate().map(one).collect()
    }
}

/// A row for each workload.
fn columns(workloads: &[Workload], predictions: &[Prediction]) -> Columns {
    let floats = |value: fn(&Workload, &Prediction) -> f64| -> ArrayRef {
        let values = workloads.iter().zip(predictions).map(|(workload, found)| value(workload, found));
        Arc::new(Float64Array::from_iter_values(values))
    };
    let bounds = predictions.iter().map(|found| found.bottleneck.name());
    let models = predictions.iter().map(|found| found.model);
    Columns::of(vec![
        ("seconds", floats(|_, found| found.seconds)),
        ("seconds_low", floats(|_, found| found.seconds_ci[0])),
        ("seconds_high", floats(|_, found| found.seconds_ci[1])),
        ("requests_per_second", floats(|workload, found| workload.requests() / found.seconds)),
        ("bytes_per_second", floats(|workload, found| workload.bytes() / found.seconds)),
        ("bound", Arc::new(StringArray::from_iter_values(bounds))),
        ("model", Arc::new(StringArray::from_iter_values(models))),
    ])
    .expect("the columns are equally long")
}

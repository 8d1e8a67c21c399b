//! What algorithms are asked for with where Spark runs them: the same options, checks and defaults.

use leadline_graph::algorithm::{Argument, Arguments};
use leadline_graph::algorithms::{CdlpRun, PageRankOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::run::definition;
use super::{arguments, failure};
use crate::errors;

/// Damping, most iterations, and the tolerance (0: none) of PageRank with the options of a dictionary.
///
/// # Errors
/// `leadline.BadInput` as where PageRank runs here.
#[pyfunction]
pub(crate) fn pagerank_options(py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<(f64, u64, f64)> {
    let arguments = checked(py, "pagerank", given)?;
    let number = |name| match arguments.get(name) {
        Some(Argument::Double(number)) => Some(*number),
        _ => None,
    };
    let usual = PageRankOptions::usual(number("tolerance"));
    let damping = number("damping").unwrap_or(usual.damping);
    Ok((damping, iterations(&arguments).unwrap_or(usual.iterations.into()), usual.tolerance))
}

/// Most iterations of label propagation with the options of a dictionary.
///
/// # Errors
/// `leadline.BadInput` as where it runs here.
#[pyfunction]
pub(crate) fn cdlp_iterations(py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<u64> {
    let arguments = checked(py, "cdlp", given)?;
    Ok(iterations(&arguments).unwrap_or(CdlpRun::default().iterations.into()))
}

fn iterations(arguments: &Arguments) -> Option<u64> {
    match arguments.get("iterations") {
        Some(Argument::Number(number)) => Some(*number),
        _ => None,
    }
}

fn checked(py: Python<'_>, name: &str, given: &Bound<'_, PyDict>) -> PyResult<Arguments> {
    let definition = definition(py, name)?;
    let arguments = arguments::of(definition, given)?;
    definition.check(&arguments, &[]).map_err(|error| errors::exception(py, &failure(error)))?;
    Ok(arguments)
}

//! Sizes as text.

use pyo3::prelude::*;

use crate::errors;

/// The bytes of a size such as `64M`; `name` is the argument, for the message.
#[pyfunction]
pub(crate) fn parse_size(py: Python<'_>, name: &str, text: &str) -> PyResult<u64> {
    leadline_device::parse_size(text).map_err(|reason| refused(py, name, text, &reason))
}

/// The bytes of a size of memory: a bare number that is too small for one is refused.
#[pyfunction]
pub(crate) fn parse_large_size(py: Python<'_>, name: &str, text: &str) -> PyResult<u64> {
    leadline_device::parse_large_size(text).map_err(|reason| refused(py, name, text, &reason))
}

fn refused(py: Python<'_>, name: &str, text: &str, reason: &str) -> PyErr {
    errors::bad_input(py, &format!("{name}='{text}': {reason}"))
}

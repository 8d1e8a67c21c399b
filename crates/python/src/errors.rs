//! Failures as Python's exceptions, with the lines of the command line.

use leadline_cli::Failure;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::spoken;

/// What has the package's classes of exceptions.
const MODULE: &str = "leadline._errors";

/// The exception that a failure is: `leadline.BadInput` or `leadline.Failed`.
pub(crate) fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    exception_of(py, failure, &[])
}

/// That of a command that has these options without a value.
pub(crate) fn exception_of(py: Python<'_>, failure: &Failure, flags: &[String]) -> PyErr {
    let class = match failure {
        // Where nothing could be judged, something else was given than a command takes.
        Failure::Input(_) | Failure::Nothing(_) => "BadInput",
        Failure::Operation(_) | Failure::Misfit(_) => "Failed",
    };
    raise(py, class, &spoken::in_python(&failure.line(), flags))
}

/// `leadline.BadInput` with this line.
pub(crate) fn bad_input(py: Python<'_>, line: &str) -> PyErr {
    raise(py, "BadInput", line)
}

/// `leadline.Failed` with this line.
pub(crate) fn failed(py: Python<'_>, line: &str) -> PyErr {
    raise(py, "Failed", line)
}

/// `leadline.Failed` for a defect of Leadline's own, which would be a panic in Rust.
pub(crate) fn defect(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    raise(py, "Failed", &format!("a defect in Leadline, please report it: {said}"))
}

fn raise(py: Python<'_>, class: &str, line: &str) -> PyErr {
    let class = py.import(MODULE).and_then(|module| module.getattr(class));
    match class.and_then(|class| class.call1((PyString::new(py, line),))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

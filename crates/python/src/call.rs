//! The commands of the command line, called from Python.

use std::ffi::OsString;
use std::sync::Arc;

use leadline_cli::{Caller, Failure};
use leadline_trace::{MemoryTrace, TraceError};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::{background, errors, spoken};

/// Runs a command, given its arguments without the program's name. Returns what it printed on stdout, its
/// messages, and of a command that judges the line that says what does not fit. `trace` has the pages of the
/// trace `memory:`, and which of the accesses write; none of them where `writes` is empty.
///
/// # Errors
/// `leadline.BadInput` and `leadline.Failed` with the line of the command; what [`background::run`] raises.
#[pyfunction]
#[pyo3(signature = (arguments, progress = None, trace = None))]
pub(crate) fn call(
    py: Python<'_>,
    arguments: Vec<OsString>,
    progress: Option<&Bound<'_, PyAny>>,
    trace: Option<(PyReadonlyArray1<'_, u64>, PyReadonlyArray1<'_, bool>)>,
) -> PyResult<(String, Vec<String>, Option<String>)> {
    let trace = trace.map(|(pages, writes)| in_memory(&pages, &writes)).transpose();
    let trace = trace.map_err(|error| errors::exception(py, &Failure::from(error)))?;
    let answer = background::run(py, progress, |watch| {
        let caller = Caller { cancel: Arc::clone(&watch.cancel), progress: Box::new(watch.shows()), trace };
        leadline_cli::call(&arguments, caller)
    })?;
    let flags = leadline_cli::flags_of(&arguments);
    let answer = answer.map_err(|failure| errors::exception_of(py, &failure, &flags))?;
    let said = |line: String| spoken::in_python(&line, &flags);
    Ok((answer.text, answer.notes.into_iter().map(said).collect(), answer.verdict.map(said)))
}

/// All commands and their options, JSON; with `ranges`, also which numbers each option takes, which takes
/// longer.
#[pyfunction]
#[pyo3(signature = (ranges = false))]
pub(crate) fn commands(py: Python<'_>, ranges: bool) -> String {
    py.detach(|| leadline_cli::described(ranges))
}

fn in_memory(
    pages: &PyReadonlyArray1<'_, u64>,
    writes: &PyReadonlyArray1<'_, bool>,
) -> Result<MemoryTrace, TraceError> {
    MemoryTrace::new(pages.as_array().iter().copied().collect(), writes.as_array().iter().copied().collect())
}

/// The command line itself, for a terminal; `arguments` begin with the program's name. Returns the exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    // Signals are the command's own from here on: Python would only see them once it is over.
    py.detach(|| leadline_cli::main(arguments))
}

/// The same in a process that was started to serve a mount: `mounted` is called when programs may use it.
#[pyfunction]
pub(crate) fn serve(py: Python<'_>, arguments: Vec<OsString>, mounted: Py<PyAny>) -> u8 {
    let told = move || {
        // Who has nobody to tell goes on until it is told to end.
        let _ = Python::attach(|py| mounted.call0(py));
    };
    py.detach(|| leadline_cli::serve(arguments, told))
}

/// A line of the command that `arguments` call, with the arguments of functions where it names flags.
#[pyfunction]
pub(crate) fn in_python(line: &str, arguments: Vec<OsString>) -> String {
    spoken::in_python(line, &leadline_cli::flags_of(&arguments))
}

//! Failures as Python's exceptions, with the lines of the command line.

use leadline_cli::Failure;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// What has the package's classes of exceptions.
const MODULE: &str = "leadline._errors";

/// The exception that a failure is: `leadline.BadInput` or `leadline.Failed`.
pub(crate) fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    let class = match failure {
        Failure::Input(_) => "BadInput",
        Failure::Operation(_) | Failure::Nothing(_) => "Failed",
    };
    raise(py, class, &in_python(&failure.line()))
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

/// The line with the arguments of functions where it names flags: `n=` for `--n`, `memory=1K:` for
/// `--memory 1K:`; and without the help that a terminal has.
pub(crate) fn in_python(line: &str) -> String {
    let line = match line.rfind("; see leadline ") {
        Some(at) if line.ends_with("--help") => &line[..at],
        _ => line,
    };
    // Tips of the command line's parser are about flags.
    let line = line.find("; tip: ").map_or(line, |at| &line[..at]);
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("--") {
        let flag = &rest[at + 2..];
        let name: String = flag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        let stands_alone = rest[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '-');
        text.push_str(&rest[..at]);
        if !stands_alone || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            text.push_str("--");
            rest = flag;
            continue;
        }
        text.push_str(&name.replace('-', "_"));
        text.push('=');
        rest = &flag[name.len()..];
        // A value that is being complained about follows its flag and ends with a colon.
        if let Some(value) = rest.strip_prefix(' ')
            && value.split(' ').next().is_some_and(|word| word.ends_with(':'))
        {
            rest = value;
        }
    }
    text.push_str(rest);
    text
}

//! Values of Python as Rust has them; one of a wrong type is refused in a sentence that names the argument.

use std::path::PathBuf;

use leadline_graph::algorithm::must_be;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors;

/// Most characters of a value in a sentence.
const SHOWN: usize = 40;

/// A whole number: of Python, of NumPy, or one with a point and nothing behind it.
///
/// # Errors
/// `leadline.BadInput` for what is none, or not from `least` to `most`.
pub(crate) fn whole(name: &str, value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<u64> {
    let number =
        if is_truth(value) { None } else { value.extract::<u64>().ok().or_else(|| of_double(value)) };
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| refused(name, value, &must_be(least, most)))
}

/// A whole number that has a point; above 2^53 nobody can say which one it is.
fn of_double(value: &Bound<'_, PyAny>) -> Option<u64> {
    let number = double(value).filter(|number| (0.0..=9_007_199_254_740_992.0).contains(number))?;
    (number.fract() == 0.0).then_some(number as u64)
}

/// A number; `must` says what it must be.
///
/// # Errors
/// `leadline.BadInput` for what is none.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>, must: &str) -> PyResult<f64> {
    double(value).ok_or_else(|| refused(name, value, must))
}

fn double(value: &Bound<'_, PyAny>) -> Option<f64> {
    // An array of one number would be taken for that number.
    let is_one = !is_truth(value) && !matches!(value.getattr("ndim").map(|ndim| ndim.extract()), Ok(Ok(1..)));
    if is_one { value.extract().ok() } else { None }
}

/// True or False.
///
/// # Errors
/// `leadline.BadInput` for what is neither.
pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| refused(name, value, "must be True or False"))
}

/// Text.
///
/// # Errors
/// `leadline.BadInput` for what is none.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().map_err(|_| refused(name, value, "must be text"))
}

/// Ids as text.
///
/// # Errors
/// `leadline.BadInput` for what is no list of text that can be written as UTF-8.
pub(crate) fn ids(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    value.extract().map_err(|_| refused(name, value, "must be ids as text, without lone surrogates"))
}

/// A file or directory, as text or a path.
///
/// # Errors
/// `leadline.BadInput` for what is none.
pub(crate) fn path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let path = value.extract::<PathBuf>().ok().filter(|path| !path.as_os_str().is_empty());
    path.ok_or_else(|| refused(name, value, "must be the path of a file or directory"))
}

/// Python's and NumPy's truth values, which would pass as 0 and 1.
fn is_truth(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyBool>()
        || value.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_")
}

fn refused(name: &str, value: &Bound<'_, PyAny>, must: &str) -> PyErr {
    let shown = value.repr().map_or_else(|_| value.get_type().to_string(), |repr| repr.to_string());
    let mut shown = shown.replace('\n', " ");
    if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
        shown.truncate(end);
        shown.push_str("...");
    }
    errors::bad_input(value.py(), &format!("{name}={shown}: {must}"))
}

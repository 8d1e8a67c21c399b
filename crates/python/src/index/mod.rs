//! Indexes: sorted maps of byte strings on a device.

mod keys;
mod store;
mod view;

use leadline_cli::Failure;
use leadline_device::format_size;
use leadline_index::IndexError;
use pyo3::prelude::*;

use crate::errors;

pub(crate) use store::IndexStore;
pub(crate) use view::{IndexRange, IndexView};

/// What is said of an index that is closed.
const CLOSED: &str = "the index is closed; open it again";

/// An error in the words of Python, where the remedy is an argument of another function.
fn failure(error: IndexError) -> Failure {
    match &error {
        IndexError::NotThere { path } => Failure::Input(format!(
            "{}: there is no index; make one with Index.open(.., create=True)",
            path.display()
        )),
        IndexError::NotEmpty { entries } => Failure::Input(format!(
            "the index has {entries} entries already; load into an empty one, or use multi_insert"
        )),
        IndexError::ReadOnly { path } => Failure::Input(format!(
            "{}: the index is open for reading only; open it without read_only=True to change it",
            path.display()
        )),
        IndexError::LogDoesNotFit { path, bytes } => Failure::Input(format!(
            "{}: it was not closed, and the changes in its log do not fit in {} of memory; open it with a \
             larger memory=, or once without read_only=True",
            path.display(),
            format_size(*bytes)
        )),
        IndexError::Memory { path, bytes, source } => {
            Failure::Input(format!("{}: memory={}: {source}; give less", path.display(), format_size(*bytes)))
        }
        IndexError::Unsorted { .. } => Failure::Input(error.to_string()),
        _ => error.into(),
    }
}

fn raised(py: Python<'_>, error: IndexError) -> PyErr {
    errors::exception(py, &failure(error))
}

//! NumPy's arrays, read where they lie from any thread.

use leadline_graph_store::input::{Array, ArrayEdges, ArrayIds, ArrayWeights, StringArray};
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyStringMethods};
use std::ops::Range;
use std::sync::Arc;

use super::arrow::{ArrowColumn, Unfit};
use crate::errors;

/// The numbers of an array, which lives as long as this does.
struct Numbers<T> {
    first: *const T,
    count: usize,
    /// Keeps the numbers where they are.
    _array: Py<PyArray1<T>>,
}

// SAFETY: it only reads numbers, which any thread may do. A program that changes an array while its edges are
// imported gets an import of whatever the numbers are when they are read: each is checked as it is used, and
// no reference to them outlives a copy of a batch.
#[allow(unsafe_code)]
unsafe impl<T: Send> Send for Numbers<T> {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Sync for Numbers<T> {}

impl<T> AsRef<[T]> for Numbers<T> {
    fn as_ref(&self) -> &[T] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: the array was contiguous, of so many numbers; NumPy does not move the data of an array that
        // others refer to.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.first, self.count)
        }
    }
}

/// The array's numbers, if it is one of this type.
fn numbers<T: Element + Send + Sync + 'static>(values: &Bound<'_, PyAny>) -> PyResult<Option<Array<T>>> {
    let Ok(array) = values.cast::<PyArray1<T>>() else { return Ok(None) };
    if !array.is_contiguous() {
        return Err(errors::bad_input(
            values.py(),
            "arrays must be contiguous; numpy.ascontiguousarray makes them so",
        ));
    }
    let numbers =
        Numbers { first: array.data().cast_const(), count: array.len(), _array: array.clone().unbind() };
    Ok(Some(Arc::new(numbers)))
}

/// A batch of edges as Python gives it: sources, targets, weights, what errors say before the names of these
/// columns, and the number of the first edge under that name.
pub(super) type GivenEdges<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, String, usize);

/// The edges of a batch.
pub(super) fn edges((sources, targets, weights, place, first): GivenEdges<'_>) -> PyResult<ArrayEdges> {
    let py = sources.py();
    let named = |name: &str| format!("{place}{name}");
    let sources = ids(&sources, &named("sources"), first)?;
    let targets = ids(&targets, &named("targets"), first)?;
    let weights = weights.map(|weights| weights_of(&weights, &named("weights"), first)).transpose()?;
    let edges = ArrayEdges::new(sources, targets).and_then(|edges| match weights {
        Some(weights) => edges.with_weights(weights),
        None => Ok(edges),
    });
    match edges {
        Ok(edges) => Ok(edges.placed(place, first)),
        Err(error) => Err(errors::bad_input(py, &format!("{place}{error}"))),
    }
}

/// Ids: an array of uint32, uint64, int32 or int64, a list of strings, or a column of Arrow's. `name` is
/// theirs, for errors, and `first` the number of the first under that name.
pub(super) fn ids(values: &Bound<'_, PyAny>, name: &str, first: usize) -> PyResult<ArrayIds> {
    if let Ok(column) = values.cast::<ArrowColumn>() {
        return column.get().ids().map_err(|unfit| of_arrow(values.py(), name, first, unfit));
    }
    if let Some(ids) = numbers::<u32>(values)? {
        return Ok(ArrayIds::U32(ids));
    }
    if let Some(ids) = numbers::<u64>(values)? {
        return Ok(ArrayIds::U64(ids));
    }
    if let Some(ids) = numbers::<i32>(values)? {
        return Ok(ArrayIds::I32(ids));
    }
    if let Some(ids) = numbers::<i64>(values)? {
        return Ok(ArrayIds::I64(ids));
    }
    let list = values.cast::<PyList>().ok();
    match list.filter(|list| list.iter().all(|text| text.is_instance_of::<PyString>())) {
        Some(list) => Ok(ArrayIds::Strings(Arc::new(Texts::new(list)))),
        None => {
            let what = "ids are arrays of whole numbers of 32 or 64 bits, or lists of strings";
            Err(errors::bad_input(values.py(), &format!("{name}: {what}")))
        }
    }
}

/// The strings of a list, read where they lie, some at a time: they may take more memory than there is for a
/// second copy.
struct Texts {
    list: Py<PyList>,
    count: usize,
}

impl Texts {
    fn new(list: &Bound<'_, PyList>) -> Texts {
        Texts { list: list.clone().unbind(), count: list.len() }
    }
}

impl StringArray for Texts {
    fn count(&self) -> usize {
        self.count
    }

    fn read(&self, places: Range<usize>, each: &mut dyn FnMut(Result<&str, &str>)) {
        Python::attach(|py| {
            for place in places {
                // A program may change a list while it is read.
                let found = self.list.bind(py).get_item(place);
                let text = found.ok().and_then(|found| found.cast_into::<PyString>().ok());
                match text.as_ref().map(PyStringMethods::encode_utf8) {
                    Some(Ok(text)) => each(std::str::from_utf8(text.as_bytes()).map_err(|_| NO_TEXT)),
                    Some(Err(_)) => each(Err(NO_TEXT)),
                    None => each(Err("there is no id any more; the list has changed")),
                }
            }
        });
    }
}

/// Why a string of Python is none of UTF-8.
const NO_TEXT: &str = "expected text, found a surrogate, which stands for no character";

/// Weights: an array of float32 or float64, or a column of Arrow's; as [`ids`].
fn weights_of(values: &Bound<'_, PyAny>, name: &str, first: usize) -> PyResult<ArrayWeights> {
    if let Ok(column) = values.cast::<ArrowColumn>() {
        return column.get().weights().map_err(|unfit| of_arrow(values.py(), name, first, unfit));
    }
    if let Some(weights) = numbers::<f32>(values)? {
        return Ok(ArrayWeights::F32(weights));
    }
    match numbers::<f64>(values)? {
        Some(weights) => Ok(ArrayWeights::F64(weights)),
        None => {
            let what = "weights are an array of float32 or float64";
            Err(errors::bad_input(values.py(), &format!("{name}: {what}")))
        }
    }
}

fn of_arrow(py: Python<'_>, name: &str, first: usize, unfit: Unfit) -> PyErr {
    let place = unfit.at.map(|at| format!("[{}]", first + at)).unwrap_or_default();
    errors::bad_input(py, &format!("{name}{place}: {}", unfit.what))
}

//! NumPy's arrays, read where they lie from any thread.

use leadline_graph_store::input::{Array, ArrayIds, ArrayWeights};
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

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

/// Ids: an array of uint32, uint64, int32 or int64, or a list of strings.
pub(super) fn ids(values: &Bound<'_, PyAny>) -> PyResult<ArrayIds> {
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
    let strings: Vec<String> = values.extract().map_err(|_| {
        errors::bad_input(
            values.py(),
            "ids are arrays of whole numbers of 32 or 64 bits, or lists of strings",
        )
    })?;
    Ok(strings.into())
}

/// Weights: an array of float32 or float64.
pub(super) fn weights(values: &Bound<'_, PyAny>) -> PyResult<ArrayWeights> {
    if let Some(weights) = numbers::<f32>(values)? {
        return Ok(ArrayWeights::F32(weights));
    }
    match numbers::<f64>(values)? {
        Some(weights) => Ok(ArrayWeights::F64(weights)),
        None => Err(errors::bad_input(values.py(), "weights are an array of float32 or float64")),
    }
}

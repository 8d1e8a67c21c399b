//! Columns of what Python has: NumPy arrays and lists of strings.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, LargeStringArray, PrimitiveArray, StringArray};
use arrow_buffer::NullBuffer;
use numpy::{Element, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A column of an array of float64, int64, uint32, uint64 or bool, of such an array and an array that says
/// which of its cells are missing, or of a list of strings, of which some may be None.
pub(crate) fn array_of(values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let Ok(pair) = values.cast::<PyTuple>() else {
        return array(values, None);
    };
    let (values, missing): (Bound<'_, PyAny>, PyReadonlyArray1<'_, bool>) = pair.extract()?;
    let present = missing.as_array().iter().map(|&missing| !missing).collect();
    array(&values, Some(NullBuffer::new(present)))
}

fn array(values: &Bound<'_, PyAny>, present: Option<NullBuffer>) -> PyResult<ArrayRef> {
    if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(copied::<Float64Type>(&numbers, present));
    }
    if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(copied::<Int64Type>(&numbers, present));
    }
    if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, u64>>() {
        return Ok(copied::<UInt64Type>(&numbers, present));
    }
    if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, u32>>() {
        return Ok(copied::<UInt32Type>(&numbers, present));
    }
    if let Ok(bits) = values.extract::<PyReadonlyArray1<'_, bool>>() {
        let bits = bits.as_array().iter().copied().collect();
        return Ok(Arc::new(BooleanArray::new(bits, present)));
    }
    let texts: Vec<Option<String>> = values.extract().map_err(|_| {
        let what = values.get_type().name().unwrap_or_else(|_| PyString::new(values.py(), "object"));
        PyTypeError::new_err(format!("{what} is neither an array of numbers nor a list of strings"))
    })?;
    Ok(strings(texts))
}

/// Offsets of 32 bits reach 2 GiB.
fn strings(texts: Vec<Option<String>>) -> ArrayRef {
    let bytes: usize = texts.iter().flatten().map(String::len).sum();
    match i32::try_from(bytes) {
        Ok(_) => Arc::new(StringArray::from(texts)),
        Err(_) => Arc::new(LargeStringArray::from(texts)),
    }
}

fn copied<T>(numbers: &PyReadonlyArray1<'_, T::Native>, present: Option<NullBuffer>) -> ArrayRef
where
    T: arrow_array::ArrowPrimitiveType,
    T::Native: Element,
{
    let values = numbers.as_array().iter().copied().collect();
    Arc::new(PrimitiveArray::<T>::new(values, present))
}

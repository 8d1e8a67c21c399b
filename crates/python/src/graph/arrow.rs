//! Edges from Arrow's C stream interface, which pyarrow, polars and DuckDB speak, read where they lie.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, PrimitiveArray, RecordBatch, RecordBatchReader};
use arrow_schema::DataType;
use leadline_graph_store::input::{Array, ArrayIds, ArrayWeights, StringArray};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors;

/// Most rows of a batch: what has to be converted is converted that much at a time.
const MOST_ROWS: usize = 1 << 20;

/// Batches of an object that has `__arrow_c_stream__`.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct ArrowBatches {
    stream: Mutex<Stream>,
    names: Vec<String>,
    /// What the batches are in may need it.
    _owner: Py<PyAny>,
}

struct Stream {
    reader: ArrowArrayStreamReader,
    /// What is left of the batch that was read last.
    left: Option<RecordBatch>,
}

impl Stream {
    fn next(&mut self) -> Result<Option<RecordBatch>, String> {
        let batch = match self.left.take() {
            Some(batch) => batch,
            None => match self.reader.next() {
                Some(batch) => batch.map_err(|error| error.to_string())?,
                None => return Ok(None),
            },
        };
        if batch.num_rows() <= MOST_ROWS {
            return Ok(Some(batch));
        }
        self.left = Some(batch.slice(MOST_ROWS, batch.num_rows() - MOST_ROWS));
        Ok(Some(batch.slice(0, MOST_ROWS)))
    }
}

#[pymethods]
impl ArrowBatches {
    #[new]
    fn new(object: &Bound<'_, PyAny>) -> PyResult<ArrowBatches> {
        let py = object.py();
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: a capsule of this name holds such a stream, says Arrow's PyCapsule interface, and whoever
        // reads it moves it out, which `from_raw` does.
        #[allow(unsafe_code)]
        let reader =
            unsafe { ArrowArrayStreamReader::from_raw(pointer.as_ptr().cast::<FFI_ArrowArrayStream>()) };
        let reader = reader.map_err(|error| errors::bad_input(py, &format!("edges: {error}")))?;
        let names = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        let stream = Mutex::new(Stream { reader, left: None });
        Ok(ArrowBatches { stream, names, _owner: object.clone().unbind() })
    }

    /// Names of the columns, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// The next batch's columns, in order.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Vec<ArrowColumn>>> {
        // A query may be run for it, and may need Python's lock.
        let batch = py.detach(|| self.stream.lock().unwrap_or_else(PoisonError::into_inner).next());
        let batch = batch.map_err(|what| errors::failed(py, &format!("edges: could not be read: {what}")))?;
        Ok(batch.map(|batch| batch.columns().iter().map(|column| ArrowColumn(Arc::clone(column))).collect()))
    }
}

/// A column of a batch.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct ArrowColumn(ArrayRef);

#[pymethods]
impl ArrowColumn {
    fn __len__(&self) -> usize {
        self.0.len()
    }
}

impl ArrowColumn {
    /// # Errors
    /// Says why they are no ids, and where if it is one of them.
    pub(super) fn ids(&self) -> Result<ArrayIds, Unfit> {
        self.none_missing()?;
        let array = &self.0;
        Ok(match array.data_type() {
            DataType::UInt32 => ArrayIds::U32(numbers::<UInt32Type>(array)),
            DataType::UInt64 => ArrayIds::U64(numbers::<UInt64Type>(array)),
            DataType::Int32 => ArrayIds::I32(numbers::<Int32Type>(array)),
            DataType::Int64 => ArrayIds::I64(numbers::<Int64Type>(array)),
            DataType::UInt8 => widened::<UInt8Type, u32>(array).into(),
            DataType::UInt16 => widened::<UInt16Type, u32>(array).into(),
            DataType::Int8 => widened::<Int8Type, i32>(array).into(),
            DataType::Int16 => widened::<Int16Type, i32>(array).into(),
            DataType::Float32 => whole::<Float32Type>(array, 1 << 24)?.into(),
            DataType::Float64 => whole::<Float64Type>(array, 1 << 53)?.into(),
            // Of a column without a value nothing says what it would hold.
            DataType::Null if array.is_empty() => Vec::<u64>::new().into(),
            kind if is_text(kind) => ArrayIds::Strings(Arc::new(Texts(Arc::clone(array)))),
            other => return Err(Unfit::all(format!("ids are whole numbers or strings, not {other}"))),
        })
    }

    /// # Errors
    /// As [`ArrowColumn::ids`].
    pub(super) fn weights(&self) -> Result<ArrayWeights, Unfit> {
        let array = &self.0;
        let weights = match array.data_type() {
            DataType::Float32 => ArrayWeights::F32(numbers::<Float32Type>(array)),
            DataType::Float64 => ArrayWeights::F64(numbers::<Float64Type>(array)),
            DataType::Int8 => widened::<Int8Type, f64>(array).into(),
            DataType::Int16 => widened::<Int16Type, f64>(array).into(),
            DataType::Int32 => widened::<Int32Type, f64>(array).into(),
            DataType::UInt8 => widened::<UInt8Type, f64>(array).into(),
            DataType::UInt16 => widened::<UInt16Type, f64>(array).into(),
            DataType::UInt32 => widened::<UInt32Type, f64>(array).into(),
            DataType::Int64 => converted::<Int64Type>(array, |value| value as f64).into(),
            DataType::UInt64 => converted::<UInt64Type>(array, |value| value as f64).into(),
            DataType::Null if array.is_empty() => Vec::<f64>::new().into(),
            other => return Err(Unfit::all(format!("must be numbers, not {other}"))),
        };
        self.none_missing()?;
        Ok(weights)
    }

    fn none_missing(&self) -> Result<(), Unfit> {
        let missing = self.0.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        match missing.and_then(|nulls| (0..nulls.len()).find(|at| nulls.is_null(*at))) {
            Some(at) => Err(Unfit { at: Some(at), what: "is null; drop this row".to_owned() }),
            None => Ok(()),
        }
    }
}

/// Why a column cannot be used.
pub(super) struct Unfit {
    /// The place, where one value is what is wrong.
    pub(super) at: Option<usize>,
    pub(super) what: String,
}

impl Unfit {
    fn all(what: String) -> Unfit {
        Unfit { at: None, what }
    }
}

/// Numbers of an Arrow array.
struct Numbers<T: ArrowPrimitiveType>(PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> AsRef<[T::Native]> for Numbers<T> {
    fn as_ref(&self) -> &[T::Native] {
        self.0.values()
    }
}

fn numbers<T: ArrowPrimitiveType>(array: &ArrayRef) -> Array<T::Native> {
    Arc::new(Numbers(array.as_primitive::<T>().clone()))
}

fn widened<T: ArrowPrimitiveType, W: From<T::Native>>(array: &ArrayRef) -> Vec<W> {
    array.as_primitive::<T>().values().iter().map(|value| W::from(*value)).collect()
}

fn converted<T: ArrowPrimitiveType>(array: &ArrayRef, convert: impl Fn(T::Native) -> f64) -> Vec<f64> {
    array.as_primitive::<T>().values().iter().map(|value| convert(*value)).collect()
}

/// Ids in floating point, which tells whole numbers apart up to `exact`.
fn whole<T: ArrowPrimitiveType<Native: Into<f64>>>(array: &ArrayRef, exact: u64) -> Result<Vec<u64>, Unfit> {
    let values = array.as_primitive::<T>().values().iter();
    let id = |(at, value): (usize, &T::Native)| {
        let value: f64 = (*value).into();
        if value.fract() == 0.0 && (0.0..=exact as f64).contains(&value) {
            return Ok(value as u64);
        }
        let what = format!("ids are whole numbers or strings, not {value}");
        Err(Unfit { at: Some(at), what })
    };
    values.enumerate().map(id).collect()
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// Strings of an Arrow array, none of which is missing.
struct Texts(ArrayRef);

impl StringArray for Texts {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn read(&self, places: Range<usize>, each: &mut dyn FnMut(Result<&str, &str>)) {
        for place in places {
            each(text(&self.0, place).ok_or("there is no id; give it one, or leave it out"));
        }
    }
}

fn text(array: &ArrayRef, place: usize) -> Option<&str> {
    if array.is_null(place) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(place)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(place)),
        DataType::Utf8View => Some(array.as_string_view().value(place)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = dictionary.keys();
            let key = match key.data_type() {
                DataType::Int8 => key.as_primitive::<Int8Type>().value(place) as usize,
                DataType::Int16 => key.as_primitive::<Int16Type>().value(place) as usize,
                DataType::Int32 => key.as_primitive::<Int32Type>().value(place) as usize,
                DataType::Int64 => key.as_primitive::<Int64Type>().value(place) as usize,
                DataType::UInt8 => key.as_primitive::<UInt8Type>().value(place).into(),
                DataType::UInt16 => key.as_primitive::<UInt16Type>().value(place).into(),
                DataType::UInt32 => key.as_primitive::<UInt32Type>().value(place) as usize,
                _ => key.as_primitive::<UInt64Type>().value(place) as usize,
            };
            text(dictionary.values(), key)
        }
        _ => None,
    }
}

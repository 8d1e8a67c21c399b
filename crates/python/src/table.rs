//! Results with rows: columns in Arrow's layout, which NumPy, Arrow, pandas and polars read where they lie.

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, LargeStringArray, PrimitiveArray, RecordBatch, RecordBatchIterator,
    RecordBatchOptions, StringArray, UInt64Array,
};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::take::take_record_batch;
use numpy::ndarray::aview1;
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::cells::array_of;

/// Rows and named columns, which never change.
///
/// It speaks Arrow's PyCapsule protocol: `pyarrow.table(t)`, `polars.DataFrame(t)` and DuckDB read the
/// columns without a copy. `t["rank"]` is a column as a NumPy array, also without a copy where it holds
/// numbers.
#[pyclass(frozen, module = "leadline", name = "Columns", subclass)]
pub(crate) struct Columns {
    batch: RecordBatch,
}

impl Columns {
    /// Of columns of the same length; `optional` says whether cells may be missing.
    pub(crate) fn of(columns: Vec<(&str, ArrayRef)>) -> Result<Columns, ArrowError> {
        let field = |(name, array): &(&str, ArrayRef)| {
            Field::new(*name, array.data_type().clone(), array.null_count() > 0)
        };
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let arrays: Vec<ArrayRef> = columns.into_iter().map(|(_, array)| array).collect();
        let (schema, rows) = (Arc::new(schema), arrays.first().map_or(0, |array| array.len()));
        // Said apart, since there may be no column.
        let rows = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(Columns { batch: RecordBatch::try_new_with_options(schema, arrays, &rows)? })
    }

    fn column(&self, name: &str) -> PyResult<&ArrayRef> {
        self.batch.column_by_name(name).ok_or_else(|| {
            let names: Vec<String> = self.column_names();
            PyKeyError::new_err(format!("{name}: the columns are {}", names.join(", ")))
        })
    }
}

#[pymethods]
impl Columns {
    /// From a dictionary of columns, each as [`array_of`] takes it. From other columns: the same ones.
    #[new]
    fn new(columns: &Bound<'_, PyAny>) -> PyResult<Columns> {
        if let Ok(others) = columns.cast::<Columns>() {
            return Ok(Columns { batch: others.get().batch.clone() });
        }
        let columns = columns.cast::<PyDict>()?;
        let mut named = Vec::with_capacity(columns.len());
        for (name, values) in columns {
            let name: String = name.extract()?;
            let array =
                array_of(&values).map_err(|error| PyTypeError::new_err(format!("column {name}: {error}")))?;
            named.push((name, array));
        }
        let borrowed = named.iter().map(|(name, array)| (name.as_str(), Arc::clone(array))).collect();
        Columns::of(borrowed).map_err(|error| refused(&error))
    }

    /// Names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// A column as a NumPy array that cannot be written to. Numbers are not copied; strings are Python's; a
    /// column of numbers with missing cells is a masked array.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let column = slf.get().column(name)?;
        let owner = || slf.clone().into_any();
        let values = match column.data_type() {
            DataType::UInt64 => view::<UInt64Type>(column, owner()),
            DataType::UInt32 => view::<UInt32Type>(column, owner()),
            DataType::Int64 => view::<Int64Type>(column, owner()),
            DataType::Float64 => view::<Float64Type>(column, owner()),
            DataType::Boolean => booleans(py, column),
            _ => return strings(py, column),
        };
        if column.null_count() == 0 {
            return Ok(values);
        }
        let missing: Vec<bool> = (0..column.len()).map(|row| column.is_null(row)).collect();
        let masked = py.import("numpy.ma")?.getattr("array")?;
        let arguments = PyDict::new(py);
        arguments.set_item("mask", PyArray1::from_vec(py, missing))?;
        arguments.set_item("copy", false)?;
        masked.call((values,), Some(&arguments))
    }

    /// Arrow's C data interface: the columns as a stream of one batch.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer answer in the types it has.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }

    /// Arrow's C data interface: names and types of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        let schema = schema.map_err(|error| refused(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows from `first` on, `count` of them, where they lie.
    #[pyo3(name = "_slice")]
    fn slice(&self, first: usize, count: usize) -> PyResult<Columns> {
        let rows = self.batch.num_rows();
        if first.checked_add(count).is_none_or(|end| end > rows) {
            return Err(PyValueError::new_err(format!("{count} rows from {first} on are not in {rows}")));
        }
        Ok(Columns { batch: self.batch.slice(first, count) })
    }

    /// The rows with these numbers, copied, in this order.
    #[pyo3(name = "_take")]
    fn take(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, u64>) -> PyResult<Columns> {
        let rows: UInt64Array = rows.as_array().iter().copied().collect::<Vec<u64>>().into();
        let taken = py.detach(|| take_record_batch(&self.batch, &rows));
        taken.map(|batch| Columns { batch }).map_err(|error| refused(&error))
    }

    /// The columns with these names, in this order, where they lie.
    #[pyo3(name = "_select")]
    fn select(&self, names: Vec<String>) -> PyResult<Columns> {
        let columns = names.iter().map(|name| Ok((name.as_str(), Arc::clone(self.column(name)?))));
        Columns::of(columns.collect::<PyResult<_>>()?).map_err(|error| refused(&error))
    }

    /// As Arrow's stream format, bytes.
    #[pyo3(name = "_to_ipc")]
    fn to_ipc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let bytes = py.detach(|| {
            let mut writer = StreamWriter::try_new(Vec::new(), &self.batch.schema())?;
            writer.write(&self.batch)?;
            writer.into_inner()
        });
        bytes.map(|bytes| PyArray1::from_vec(py, bytes)).map_err(|error| refused(&error))
    }

    /// Of what `to_ipc` made.
    #[staticmethod]
    #[pyo3(name = "_from_ipc")]
    fn from_ipc(bytes: PyReadonlyArray1<'_, u8>) -> PyResult<Columns> {
        let mut batches = StreamReader::try_new(bytes.as_slice()?, None).map_err(|error| refused(&error))?;
        match batches.next() {
            Some(batch) => batch.map(|batch| Columns { batch }).map_err(|error| refused(&error)),
            None => Err(PyValueError::new_err("the bytes end before the rows")),
        }
    }
}

fn refused(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The numbers where they lie, kept alive by `owner`.
fn view<'py, T>(column: &ArrayRef, owner: Bound<'py, PyAny>) -> Bound<'py, PyAny>
where
    T: arrow_array::ArrowPrimitiveType,
    T::Native: Element,
{
    let numbers = column.as_any().downcast_ref::<PrimitiveArray<T>>().expect("the type was looked at");
    // SAFETY: the buffer belongs to `owner`, lives as long as that, and is never written to.
    #[allow(unsafe_code)]
    let array = unsafe { PyArray1::borrow_from_array(&aview1(numbers.values()), owner) };
    array.readwrite().make_nonwriteable();
    array.into_any()
}

fn booleans<'py>(py: Python<'py>, column: &ArrayRef) -> Bound<'py, PyAny> {
    let bits = column.as_any().downcast_ref::<BooleanArray>().expect("the type was looked at");
    PyArray1::from_vec(py, bits.values().iter().collect()).into_any()
}

fn strings<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let column = column.as_any();
    let list = if let Some(texts) = column.downcast_ref::<StringArray>() {
        PyList::new(py, texts.iter())?
    } else if let Some(texts) = column.downcast_ref::<LargeStringArray>() {
        PyList::new(py, texts.iter())?
    } else {
        return Err(PyTypeError::new_err("a column of this type is read through Arrow"));
    };
    let arguments = PyDict::new(py);
    arguments.set_item("dtype", "object")?;
    py.import("numpy")?.getattr("array")?.call((list,), Some(&arguments))
}

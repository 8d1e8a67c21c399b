//! Traces, some thousands of requests at a time.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::{ArrayRef, BooleanArray, UInt32Array, UInt64Array};
use leadline_cli::Failure;
use leadline_trace::{Format, Trace, TraceError, Unit, open, open_as};
use pyo3::prelude::*;

use crate::errors;
use crate::table::Columns;

/// An open trace: an iterator over its requests in batches, which takes the same memory however long it is.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct TraceReader {
    trace: Mutex<Box<dyn Trace>>,
    batch: usize,
}

#[pymethods]
impl TraceReader {
    /// Opens a file or `gen:NAME`, in the format named or the one that its ending or content tells; gives
    /// `batch` requests at a time.
    #[new]
    #[pyo3(signature = (name, format = None, batch = 65536))]
    fn new(py: Python<'_>, name: OsString, format: Option<&str>, batch: usize) -> PyResult<TraceReader> {
        if batch == 0 {
            return Err(errors::bad_input(py, "batch=0: must be at least 1 request"));
        }
        let trace = match format {
            None => open(&name),
            Some(text) => match Format::parse(text) {
                Some(format) => open_as(&name, format),
                None => {
                    let line = format!("format={text}: must be one of {}", Format::names());
                    return Err(errors::bad_input(py, &line));
                }
            },
        };
        let trace = trace.map_err(|error| errors::exception(py, &Failure::from(error)))?;
        Ok(TraceReader { trace: Mutex::new(trace), batch })
    }

    /// What `address` and `length` count: `page` or `byte`.
    #[getter]
    fn unit(&self) -> &'static str {
        match self.lock().unit() {
            Unit::Page => "page",
            Unit::Byte => "byte",
        }
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Columns>> {
        let batch = py.detach(|| self.read());
        let batch = batch.map_err(|error| errors::exception(py, &Failure::from(error)))?;
        Ok((!batch.at_ns.is_empty()).then(|| batch.columns()))
    }
}

impl TraceReader {
    fn lock(&self) -> std::sync::MutexGuard<'_, Box<dyn Trace>> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<Batch, TraceError> {
        let mut trace = self.lock();
        let mut batch = Batch::new(self.batch, trace.object_bytes().is_some());
        while batch.at_ns.len() < self.batch
            && let Some(request) = trace.next()?
        {
            batch.at_ns.push(request.at_ns);
            batch.volume.push(request.volume);
            batch.write.append(request.write);
            batch.address.push(request.address);
            batch.length.push(request.length);
            if let (Some(all), Some(bytes)) = (&mut batch.object_bytes, trace.object_bytes()) {
                all.push(bytes);
            }
        }
        Ok(batch)
    }
}

/// Requests, a vector for each of their fields.
struct Batch {
    at_ns: Vec<u64>,
    volume: Vec<u32>,
    write: BooleanBufferBuilder,
    address: Vec<u64>,
    length: Vec<u32>,
    /// Where objects have sizes.
    object_bytes: Option<Vec<u32>>,
}

impl Batch {
    fn new(most: usize, sized: bool) -> Batch {
        // A caller may ask for all of a trace at once, however long it is.
        let most = most.min(1 << 20);
        Batch {
            at_ns: Vec::with_capacity(most),
            volume: Vec::with_capacity(most),
            write: BooleanBufferBuilder::new(most),
            address: Vec::with_capacity(most),
            length: Vec::with_capacity(most),
            object_bytes: sized.then(|| Vec::with_capacity(most)),
        }
    }

    fn columns(mut self) -> Columns {
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("at_ns", Arc::new(UInt64Array::from(self.at_ns))),
            ("volume", Arc::new(UInt32Array::from(self.volume))),
            ("write", Arc::new(BooleanArray::new(self.write.finish(), None))),
            ("address", Arc::new(UInt64Array::from(self.address))),
            ("length", Arc::new(UInt32Array::from(self.length))),
        ];
        if let Some(bytes) = self.object_bytes {
            columns.push(("object_bytes", Arc::new(UInt32Array::from(bytes))));
        }
        Columns::of(columns).expect("every request has every field")
    }
}

//! Traces, some thousands of requests at a time.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::{ArrayRef, BooleanArray, UInt32Array, UInt64Array};
use leadline_cli::Failure;
use leadline_trace::{Format, ReadAs, TextOptions, TimeUnit, Trace, TraceColumns, TraceError, Unit, open_as};
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
    /// Opens a file or `gen:NAME`, in the format named or the one that its ending or content tells, or with
    /// the columns named, whose `text` is delimiter, header, lines to skip and comments; gives `batch`
    /// requests at a time.
    #[new]
    #[pyo3(signature = (name, format = None, batch = 65536, columns = None, timestamp_unit = None, text = None))]
    fn new(
        py: Python<'_>,
        name: OsString,
        format: Option<&str>,
        batch: usize,
        columns: Option<&str>,
        timestamp_unit: Option<&str>,
        text: Option<Text>,
    ) -> PyResult<TraceReader> {
        if batch == 0 {
            return Err(errors::bad_input(py, "batch=0: must be at least 1 request"));
        }
        let said = (format, columns, timestamp_unit, text.unwrap_or_default());
        let read_as = read_as(said).map_err(|line| errors::bad_input(py, &line))?;
        let trace = open_as(&name, read_as).map_err(|error| errors::exception(py, &Failure::from(error)))?;
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

/// Delimiter, header, lines to skip and comments, as the command line writes them.
type Text = (Option<String>, Option<String>, u64, Option<String>);

/// How a trace is read, of what was said of it.
fn read_as(
    (format, columns, timestamp_unit, text): (Option<&str>, Option<&str>, Option<&str>, Text),
) -> Result<ReadAs, String> {
    let text = text_options(text)?;
    let unit = timestamp_unit.map(TimeUnit::parse).transpose().map_err(named("timestamp_unit"))?;
    match (format, columns) {
        (Some(_), Some(_)) => {
            Err("columns: says what lines hold, and so does format; give one of them".to_owned())
        }
        (None, Some(columns)) => {
            TraceColumns::parse(columns, unit, text).map(ReadAs::from).map_err(named("columns"))
        }
        (_, None) if unit.is_some() || text != TextOptions::default() => {
            Err("timestamp_unit, delimiter, header, skip and comment are for columns; name them with columns"
                .to_owned())
        }
        (Some(name), None) => Format::parse(name)
            .map(ReadAs::from)
            .ok_or_else(|| format!("format={name}: must be one of {}", Format::names())),
        (None, None) => Ok(ReadAs::Told),
    }
}

fn text_options((delimiter, header, skip, comment): Text) -> Result<TextOptions, String> {
    let header = match header.as_deref() {
        None => None,
        Some("yes") => Some(true),
        Some("no") => Some(false),
        Some(other) => return Err(format!("header={other}: must be yes or no")),
    };
    Ok(TextOptions {
        delimiter: delimiter.as_deref().map(str::parse).transpose().map_err(named("delimiter"))?,
        header,
        skip,
        comment: comment.as_deref().map(str::parse).transpose().map_err(named("comment"))?,
    })
}

/// An error with the name of the argument.
fn named(argument: &'static str) -> impl Fn(String) -> String {
    move |reason| format!("{argument}: {reason}")
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

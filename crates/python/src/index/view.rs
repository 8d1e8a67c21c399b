//! What reads an index: as it is, or as it was.

use std::ops::Bound as Edge;
use std::sync::{Mutex, PoisonError};

use leadline_index::{Index, IndexError, Range, Snapshot};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::keys::Keys;
use super::{CLOSED, raised};
use crate::errors;

#[derive(Clone)]
pub(super) enum Reader {
    Now(Index),
    Then(Snapshot),
}

/// An index as it is, or as it was when a snapshot was made. Threads use it at the same time.
#[pyclass(frozen, weakref, module = "leadline._leadline")]
pub(crate) struct IndexView {
    /// None once it is closed.
    reader: Mutex<Option<Reader>>,
}

/// A key and its value.
pub(super) type PairOfBytes<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl IndexView {
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.reader.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn get<'py>(&self, py: Python<'py>, key: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = self.read(py, |reader| match reader {
            Reader::Now(index) => index.get(key),
            Reader::Then(snapshot) => snapshot.get(key),
        })?;
        Ok(found.map(|value| PyBytes::new(py, &value)))
    }

    /// The values of all keys, in their order.
    fn multi_get<'py>(&self, py: Python<'py>, keys: Keys) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
        let found = self.read(py, |reader| match reader {
            Reader::Now(index) => index.multi_get(&keys.slices()),
            Reader::Then(snapshot) => snapshot.multi_get(&keys.slices()),
        })?;
        Ok(found.into_iter().map(|value| value.map(|value| PyBytes::new(py, &value))).collect())
    }

    /// The entries from `low` to before `high`.
    fn range(
        &self,
        py: Python<'_>,
        low: Option<Vec<u8>>,
        high: Option<Vec<u8>>,
        reverse: bool,
    ) -> PyResult<IndexRange> {
        let bounds =
            (low.map_or(Edge::Unbounded, Edge::Included), high.map_or(Edge::Unbounded, Edge::Excluded));
        let range = self.read(py, |reader| {
            Ok(match reader {
                Reader::Now(index) => index.range(bounds),
                Reader::Then(snapshot) => snapshot.range(bounds),
            })
        })?;
        Ok(IndexRange { range: Mutex::new(Some(range)), reverse })
    }

    /// Keys.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let count = self.read(py, |reader| {
            Ok(match reader {
                Reader::Now(index) => index.len(),
                Reader::Then(snapshot) => snapshot.len(),
            })
        })?;
        Ok(count as usize)
    }
}

impl IndexView {
    pub(super) fn new(reader: Reader) -> IndexView {
        IndexView { reader: Mutex::new(Some(reader)) }
    }

    /// Reads without Python's lock.
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(Reader) -> Result<T, IndexError> + Send,
    ) -> PyResult<T> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let reader = reader.ok_or_else(|| errors::bad_input(py, CLOSED))?;
        py.detach(|| read(reader)).map_err(|error| raised(py, error))
    }
}

/// Entries of a range that are still to come.
#[pyclass(frozen, weakref, module = "leadline._leadline")]
pub(crate) struct IndexRange {
    /// None once it is closed.
    range: Mutex<Option<Range>>,
    reverse: bool,
}

#[pymethods]
impl IndexRange {
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.range.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// The next entries, `count` at most; none at the end.
    fn take<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Vec<PairOfBytes<'py>>> {
        let entries = py.detach(|| {
            let mut range = self.range.lock().unwrap_or_else(PoisonError::into_inner);
            let range = range.as_mut()?;
            let next = || if self.reverse { range.next_back() } else { range.next() };
            Some(std::iter::from_fn(next).take(count).collect::<Result<Vec<_>, IndexError>>())
        });
        let entries = entries.ok_or_else(|| errors::bad_input(py, CLOSED))?;
        let entries = entries.map_err(|error| raised(py, error))?;
        let pair = |(key, value): (Vec<u8>, Vec<u8>)| (PyBytes::new(py, &key), PyBytes::new(py, &value));
        Ok(entries.into_iter().map(pair).collect())
    }
}

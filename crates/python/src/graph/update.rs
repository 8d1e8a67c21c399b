//! A store that is being changed.

use std::sync::{Arc, Mutex, PoisonError};

use leadline_cli::Failure;
use leadline_graph::{GraphUpdate, compact};
use leadline_graph_store::input::ArrayEdges;
use leadline_graph_store::updates::UpdateOptions;
use leadline_graph_store::{GraphError, Options};
use pyo3::prelude::*;

use super::arrays::{self, GivenEdges};
use super::run_options::RunOptions;
use super::steps;
use crate::background::Watch;
use crate::{background, errors};

const CLOSED: &str = "the update is closed; begin another one";

/// A store that is being changed. One thread works on it at a time; another one waits.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct StoreUpdate {
    /// None once it is closed.
    update: Mutex<Option<GraphUpdate>>,
}

#[pymethods]
impl StoreUpdate {
    #[new]
    fn new(
        py: Python<'_>,
        path: &str,
        one: bool,
        multi: bool,
        strict: bool,
        run: RunOptions,
    ) -> PyResult<StoreUpdate> {
        let run = run.over(&Options::default());
        // Making a folder of a large store, or reading its log, may take a while.
        let opened = background::run(py, None, |_| {
            let options = UpdateOptions { one, multi, strict, ..UpdateOptions::new(run) };
            GraphUpdate::open(path, options)
        })?;
        let update = opened.map_err(|error| errors::exception(py, &Failure::from(error)))?;
        Ok(StoreUpdate { update: Mutex::new(Some(update)) })
    }

    /// Lets go of the store; what is not committed is dropped. What works still ends first.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.update.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Changes since the import that are committed, and those that are not.
    fn counts(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let counts = py.detach(|| {
            let update = self.update.lock().unwrap_or_else(PoisonError::into_inner);
            update.as_ref().map(|update| (update.version(), update.pending()))
        });
        counts.ok_or_else(|| errors::bad_input(py, CLOSED))
    }

    fn insert_edges(&self, py: Python<'_>, batches: Vec<GivenEdges<'_>>) -> PyResult<()> {
        let batches = all(batches)?;
        self.work(py, None, move |update, _| update.insert_edges(&batches))
    }

    fn delete_edges(&self, py: Python<'_>, batches: Vec<GivenEdges<'_>>) -> PyResult<()> {
        let batches = all(batches)?;
        self.work(py, None, move |update, _| update.delete_edges(&batches))
    }

    fn set_weights(&self, py: Python<'_>, batches: Vec<GivenEdges<'_>>) -> PyResult<()> {
        let batches = all(batches)?;
        self.work(py, None, move |update, _| update.set_weights(&batches))
    }

    /// Drops all that is pending.
    fn discard(&self, py: Python<'_>) -> PyResult<()> {
        self.work(py, None, |update, _| update.discard())
    }

    fn insert_vertices(&self, py: Python<'_>, vertices: &Bound<'_, PyAny>) -> PyResult<()> {
        let vertices = arrays::ids(vertices, "vertices", 0)?;
        self.work(py, None, |update, _| update.insert_vertices(&vertices))
    }

    fn delete_vertices(&self, py: Python<'_>, vertices: &Bound<'_, PyAny>) -> PyResult<()> {
        let vertices = arrays::ids(vertices, "vertices", 0)?;
        self.work(py, None, |update, _| update.delete_vertices(&vertices))
    }

    /// Returns what was done, as JSON.
    fn commit(&self, py: Python<'_>) -> PyResult<String> {
        let report = self.work(py, None, |update, _| update.commit())?;
        Ok(serde_json::to_string(&report).expect("it has only string keys"))
    }

    fn maintain(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.work(py, progress, |update, watch| update.maintain(&mut steps(watch)))
    }
}

impl StoreUpdate {
    /// Works on the store. What is pending is dropped where a signal's handler or `progress` raises an
    /// exception: nobody could say which changes are among it.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&mut GraphUpdate, &Watch) -> Result<T, GraphError> + Send,
    ) -> PyResult<T> {
        let done = background::run(py, progress, |watch| {
            let mut update = self.update.lock().unwrap_or_else(PoisonError::into_inner);
            let update = update.as_mut().ok_or_else(|| Failure::Input(CLOSED.into()))?;
            update.set_stop(Some(Arc::clone(&watch.cancel)));
            Ok(work(update, watch)?)
        });
        let done = done.inspect_err(|_| {
            py.detach(|| {
                let mut update = self.update.lock().unwrap_or_else(PoisonError::into_inner);
                // Where what is committed cannot be read again, the next change says so.
                let _ = update.as_mut().map(GraphUpdate::discard);
            });
        })?;
        done.map_err(|failure: Failure| errors::exception(py, &failure))
    }
}

fn all(batches: Vec<GivenEdges<'_>>) -> PyResult<Vec<ArrayEdges>> {
    batches.into_iter().map(arrays::edges).collect()
}

/// Puts the lists of a store and its changes together. Returns what was done, as JSON.
///
/// # Errors
/// `leadline.BadInput` and `leadline.Failed`; what [`background::run`] raises. The store is as it was then.
#[pyfunction]
#[pyo3(signature = (store, run, progress = None))]
pub(crate) fn compact_store(
    py: Python<'_>,
    store: &str,
    run: RunOptions,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let run = run.over(&Options::default());
    let report = background::run(py, progress, |watch| {
        compact(store, &run.with_stop(Arc::clone(&watch.cancel)), &mut steps(watch))
    })?;
    let report = report.map_err(|error| errors::exception(py, &Failure::from(error)))?;
    Ok(serde_json::to_string(&report).expect("it has only string keys"))
}

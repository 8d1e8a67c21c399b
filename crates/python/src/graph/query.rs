//! Small questions to an open store.

use std::sync::{Mutex, PoisonError};

use leadline_graph::{EdgeCursor, Graph, GraphError, RunStats, Side, Subgraph};
use pyo3::prelude::*;
use serde_json::{Value, json};

use super::rows::columns;
use super::store::{RunOptions, Store};
use crate::errors;
use crate::table::Columns;

/// Most edges of a batch.
const MOST_BATCH: usize = 1 << 32;

/// The neighbors of vertices, and what it took as JSON.
#[pyfunction]
pub(crate) fn neighbors(
    py: Python<'_>,
    store: &Store,
    ids: Vec<String>,
    direction: &str,
    options: RunOptions,
) -> PyResult<(Columns, String)> {
    let side = side(py, direction)?;
    store.work(py, options, |graph| {
        let found = graph.neighbors(&graph.vertices_of(&ids)?, side)?;
        Ok((columns(found.rows(graph)?), info(graph, &found.stats)))
    })
}

/// The degrees of vertices, and what it took as JSON.
#[pyfunction]
pub(crate) fn degrees(
    py: Python<'_>,
    store: &Store,
    ids: Vec<String>,
    direction: &str,
    options: RunOptions,
) -> PyResult<(Columns, String)> {
    let side = side(py, direction)?;
    store.work(py, options, |graph| {
        let found = graph.degree(&graph.vertices_of(&ids)?, side)?;
        Ok((columns(found.rows(graph)?), info(graph, &found.stats)))
    })
}

/// The vertices and the edges around a vertex, and what it took as JSON.
#[pyfunction]
pub(crate) fn ego(
    py: Python<'_>,
    store: &Store,
    id: &str,
    hops: u32,
    direction: &str,
    options: RunOptions,
) -> PyResult<(Columns, Columns, String)> {
    let side = side(py, direction)?;
    store.work(py, options, |graph| parts(graph, &graph.ego(graph.vertex(id)?, hops, side)?))
}

/// Some vertices and the edges among them, and what it took as JSON.
#[pyfunction]
pub(crate) fn subgraph(
    py: Python<'_>,
    store: &Store,
    ids: Vec<String>,
    options: RunOptions,
) -> PyResult<(Columns, Columns, String)> {
    store.work(py, options, |graph| parts(graph, &graph.subgraph(&graph.vertices_of(&ids)?)?))
}

/// All edges of a store, batch by batch.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct EdgeReader {
    store: Py<Store>,
    cursor: Mutex<EdgeCursor>,
    options: RunOptions,
}

#[pymethods]
impl EdgeReader {
    #[new]
    fn new(py: Python<'_>, store: Py<Store>, batch: usize, options: RunOptions) -> PyResult<EdgeReader> {
        if !(1..=MOST_BATCH).contains(&batch) {
            return Err(errors::bad_input(py, &format!("batch={batch}: must be from 1 to {MOST_BATCH}")));
        }
        Ok(EdgeReader { store, cursor: Mutex::new(EdgeCursor::new(batch)), options })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Columns>> {
        self.store.get().work(py, self.options, |graph| {
            let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(cursor.next_rows(graph)?.map(columns))
        })
    }
}

fn side(py: Python<'_>, direction: &str) -> PyResult<Side> {
    let side = direction.parse::<Side>();
    side.map_err(|what| errors::bad_input(py, &format!("direction={direction}: {what}")))
}

fn parts(graph: &Graph, found: &Subgraph) -> Result<(Columns, Columns, String), GraphError> {
    let (vertices, edges) = (found.vertex_rows(graph)?, found.edge_rows(graph)?);
    Ok((columns(vertices), columns(edges), info(graph, &found.stats)))
}

/// Named as in the documents of the command line.
fn info(graph: &Graph, stats: &RunStats) -> String {
    let mut info = json!({ "store": graph.name(), "version": graph.version(), "notes": graph.notes() });
    let stats = serde_json::to_value(stats).expect("it has only string keys");
    if let (Some(info), Value::Object(stats)) = (info.as_object_mut(), stats) {
        info.extend(stats);
    }
    info.to_string()
}

//! Small questions to an open store.

use std::sync::{Mutex, PoisonError};

use leadline_graph::{EdgeCursor, Graph, GraphError, RunStats, Side, Subgraph};
use pyo3::prelude::*;
use serde_json::{Value, json};

use super::rows::columns;
use super::run_options::RunOptions;
use super::store::Store;
use crate::table::Columns;
use crate::values::whole;
use crate::{errors, values};

/// Most edges of a batch.
const MOST_BATCH: u64 = 1 << 32;

/// The neighbors of vertices, and what it took as JSON.
#[pyfunction]
pub(crate) fn neighbors(
    py: Python<'_>,
    store: &Store,
    ids: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    options: RunOptions,
) -> PyResult<(Columns, String)> {
    let (ids, side) = (ids_of(ids)?, side(direction)?);
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
    ids: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    options: RunOptions,
) -> PyResult<(Columns, String)> {
    let (ids, side) = (ids_of(ids)?, side(direction)?);
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
    ids: &Bound<'_, PyAny>,
    hops: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    options: RunOptions,
) -> PyResult<(Columns, Columns, String)> {
    let (ids, side) = (ids_of(ids)?, side(direction)?);
    let hops = whole("hops", hops, 0, u32::MAX.into())? as u32;
    let [id] = &ids[..] else { return Err(errors::bad_input(py, "vertex: must be one id")) };
    store.work(py, options, |graph| parts(graph, &graph.ego(graph.vertex(id)?, hops, side)?))
}

/// Some vertices and the edges among them, and what it took as JSON.
#[pyfunction]
pub(crate) fn subgraph(
    py: Python<'_>,
    store: &Store,
    ids: &Bound<'_, PyAny>,
    options: RunOptions,
) -> PyResult<(Columns, Columns, String)> {
    let ids = values::ids("vertices", ids)?;
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
    fn new(store: Py<Store>, batch: &Bound<'_, PyAny>, options: RunOptions) -> PyResult<EdgeReader> {
        let batch = whole("batch", batch, 1, MOST_BATCH)? as usize;
        Ok(EdgeReader { store, cursor: Mutex::new(EdgeCursor::new(batch)), options })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Columns>> {
        self.store.get().work(py, self.options.clone(), |graph| {
            let mut cursor = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(cursor.next_rows(graph)?.map(columns))
        })
    }
}

fn side(direction: &Bound<'_, PyAny>) -> PyResult<Side> {
    let name = values::text("direction", direction)?;
    let side = name.parse::<Side>();
    side.map_err(|what| errors::bad_input(direction.py(), &format!("direction={name}: {what}")))
}

fn ids_of(vertex: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    values::ids("vertex", vertex)
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

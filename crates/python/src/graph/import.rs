//! From arrays to a store.

use std::path::PathBuf;
use std::sync::Arc;

use leadline_cli::Failure;
use leadline_graph_store::GraphError;
use leadline_graph_store::import::{ImportOptions, Merge, default_memory, import_edges as import};
use leadline_graph_store::input::{ArrayEdges, ArrayIds};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::arrays::{self, GivenEdges};
use super::steps;
use crate::background::Feed;
use crate::{background, errors};

/// Imports edges into a store, which appears, in place of one of that name, when it is whole. `batches` is
/// iterated over while edges are sorted, and one batch at a time is held. Returns what was done, as `leadline
/// graph import --json` prints it.
///
/// # Errors
/// `leadline.BadInput` and `leadline.Failed`, KeyboardInterrupt, what the iterator raises; nothing is left
/// behind then.
#[pyfunction]
#[pyo3(signature = (store, batches, vertices, vertices_below, *, undirected, dedupe, drop_self_loops,
    reverse, renumber, plain, block_bytes, force, memory = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn import_edges(
    py: Python<'_>,
    store: PathBuf,
    batches: &Bound<'_, PyAny>,
    vertices: Option<&Bound<'_, PyAny>>,
    vertices_below: Option<u64>,
    undirected: bool,
    dedupe: Option<&str>,
    drop_self_loops: bool,
    reverse: bool,
    renumber: bool,
    plain: bool,
    block_bytes: u64,
    force: bool,
    memory: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mut batches = batches.try_iter()?;
    let vertices = vertices.map(|vertices| arrays::ids(vertices, "vertices", 0)).transpose()?;
    let block_bytes = leadline_cli::block_bytes(block_bytes)
        .map_err(|reason| errors::bad_input(py, &format!("block_size={block_bytes}: {reason}")))?;
    let dedupe = dedupe.map(str::parse::<Merge>).transpose();
    let dedupe =
        dedupe.map_err(|reason| errors::bad_input(py, &format!("dedupe: {reason}, True or False")))?;
    let imported = background::run_fed(
        py,
        progress,
        |_| next(&mut batches),
        |watch, feed| {
            leadline_cli::check_store(&store, force)?;
            let options = ImportOptions {
                memory: memory.unwrap_or_else(default_memory),
                block_bytes,
                compressed: !plain,
                undirected,
                dedupe,
                drop_self_loops,
                reverse,
                renumber,
                stop: Arc::clone(&watch.cancel),
                ..ImportOptions::default()
            };
            let edges = all(feed, vertices, vertices_below)?;
            Ok(import(Box::new(edges), &store, &options, &mut steps(watch))?)
        },
    )?;
    let report = imported.map_err(|failure: Failure| errors::exception(py, &failure))?;
    Ok(serde_json::to_string(&report).expect("it has only string keys"))
}

fn next(batches: &mut Bound<'_, PyIterator>) -> PyResult<Option<ArrayEdges>> {
    let Some(batch) = batches.next() else { return Ok(None) };
    arrays::edges(batch?.extract::<GivenEdges<'_>>()?).map(Some)
}

/// Edges of all batches, and further vertices.
fn all(
    feed: Feed<ArrayEdges>,
    vertices: Option<ArrayIds>,
    vertices_below: Option<u64>,
) -> Result<ArrayEdges, GraphError> {
    let next = move || feed.next().map_err(|_| GraphError::Interrupted);
    let mut edges = match next()? {
        Some(first) => first,
        None => ArrayEdges::new(Vec::<u64>::new(), Vec::<u64>::new())?,
    };
    if let Some(vertices) = vertices {
        edges = edges.with_vertices(vertices)?;
    }
    if let Some(count) = vertices_below {
        edges = edges.with_vertices_below(count)?;
    }
    Ok(edges.followed_by(next))
}

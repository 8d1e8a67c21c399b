//! From arrays to a store.

use std::path::PathBuf;
use std::sync::Arc;

use leadline_cli::Failure;
use leadline_graph_store::GraphError;
use leadline_graph_store::import::{ImportOptions, Merge, default_memory, import_edges};
use leadline_graph_store::input::ArrayEdges;
use pyo3::prelude::*;

use super::arrays::{ids, weights as weights_of};
use super::steps;
use crate::{background, errors};

/// Imports edges from arrays into a store, which appears, in place of one of that name, when it is whole.
/// Returns what was done, as `leadline graph import --json` prints it.
///
/// # Errors
/// `leadline.BadInput` and `leadline.Failed`, KeyboardInterrupt; nothing is left behind then.
#[pyfunction]
#[pyo3(signature = (store, sources, targets, weights, vertices, vertices_below, *, undirected, dedupe,
    drop_self_loops, reverse, renumber, plain, block_bytes, memory = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn import_arrays(
    py: Python<'_>,
    store: PathBuf,
    sources: &Bound<'_, PyAny>,
    targets: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    vertices: Option<&Bound<'_, PyAny>>,
    vertices_below: Option<u64>,
    undirected: bool,
    dedupe: Option<&str>,
    drop_self_loops: bool,
    reverse: bool,
    renumber: bool,
    plain: bool,
    block_bytes: u64,
    memory: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (sources, targets) = (ids(sources)?, ids(targets)?);
    let weights = weights.map(weights_of).transpose()?;
    let vertices = vertices.map(ids).transpose()?;
    let edges = || -> Result<ArrayEdges, GraphError> {
        let mut edges = ArrayEdges::new(sources, targets)?;
        if let Some(weights) = weights {
            edges = edges.with_weights(weights)?;
        }
        if let Some(vertices) = vertices {
            edges = edges.with_vertices(vertices)?;
        }
        match vertices_below {
            Some(count) => edges.with_vertices_below(count),
            None => Ok(edges),
        }
    };
    let edges = edges().map_err(|error| errors::exception(py, &Failure::from(error)))?;
    let block_bytes = leadline_cli::block_bytes(block_bytes)
        .map_err(|reason| errors::bad_input(py, &format!("block={block_bytes}: {reason}")))?;
    let dedupe = dedupe.map(str::parse::<Merge>).transpose();
    let dedupe =
        dedupe.map_err(|reason| errors::bad_input(py, &format!("dedupe: {reason}, True or False")))?;
    let imported = background::run(py, progress, |watch| {
        leadline_cli::check_store(&store, false)?;
        let options = ImportOptions {
            memory: memory.unwrap_or_else(default_memory),
            temp: None,
            block_bytes,
            compressed: !plain,
            undirected,
            dedupe,
            drop_self_loops,
            reverse,
            renumber,
            stop: Arc::clone(&watch.cancel),
        };
        Ok(import_edges(Box::new(edges), &store, &options, &mut steps(watch))?)
    })?;
    let report = imported.map_err(|failure: Failure| errors::exception(py, &failure))?;
    Ok(serde_json::to_string(&report).expect("it has only string keys"))
}

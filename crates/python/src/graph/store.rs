//! An open store and the algorithms on it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use leadline_cli::Failure;
use leadline_graph::algorithms::Stamp;
use leadline_graph::output::Rows;
use leadline_graph::sharded::{ShardedGraph, is_sharded, not_on_shards};
use leadline_graph::{DeviceLimit, Graph, GraphError, Options};
use pyo3::prelude::*;
use serde_json::Value;

use super::failure;
use super::rows::columns;
use super::run_options::RunOptions;
use crate::background::Watch;
use crate::table::Columns;
use crate::{background, errors};

/// What is open.
pub(super) enum Opened {
    One(Box<Graph>),
    Sharded(Box<ShardedGraph>),
}

/// An open store. One algorithm runs on it at a time; another thread that asks meanwhile waits.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct Store {
    /// None once it is closed.
    graph: Mutex<Option<Opened>>,
    /// As it was opened.
    usual: Options,
    #[pyo3(get)]
    vertices: u64,
    /// Undirected ones once.
    #[pyo3(get)]
    edges: u64,
    #[pyo3(get)]
    directed: bool,
    #[pyo3(get)]
    weighted: bool,
    #[pyo3(get)]
    self_loops: u64,
    /// Changes since the import.
    #[pyo3(get)]
    version: u64,
    /// The same for all versions of a store, and for no other.
    #[pyo3(get)]
    identity: u64,
    /// As it was opened: the directory of temporary files, most bytes of everything, threads, reads in
    /// flight.
    #[pyo3(get)]
    temp: Option<PathBuf>,
    #[pyo3(get)]
    memory: u64,
    #[pyo3(get)]
    threads: usize,
    #[pyo3(get)]
    depth: u32,
}

#[pymethods]
impl Store {
    /// As given to the constructor.
    #[getter]
    fn limit(&self) -> Option<(f64, f64)> {
        self.usual.limit.map(|limit| (limit.operations_per_second, limit.bytes_per_second))
    }

    /// `limit`: operations and bytes per second, where the device limits operations.
    #[new]
    #[pyo3(signature = (path, options, limit = None))]
    fn new(py: Python<'_>, path: PathBuf, options: RunOptions, limit: Option<(f64, f64)>) -> PyResult<Store> {
        let limit = limit.map(|(operations_per_second, bytes_per_second)| DeviceLimit {
            operations_per_second,
            bytes_per_second,
        });
        let usual = options.over(&Options::default().with_limit(limit));
        let opened = py.detach(|| Opened::open(&path, &usual));
        let opened = opened.map_err(|error| errors::exception(py, &failure(error)))?;
        let facts = opened.facts();
        Ok(Store {
            vertices: facts.vertices,
            edges: facts.edges,
            directed: facts.directed,
            weighted: facts.weighted,
            self_loops: facts.self_loops,
            version: facts.version,
            identity: facts.identity,
            temp: usual.temp.clone(),
            memory: usual.memory,
            threads: usual.threads,
            depth: usual.depth,
            usual,
            graph: Mutex::new(Some(opened)),
        })
    }

    /// Closes it. What runs still ends first.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.graph.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// The ids of all vertices, ascending.
    fn ids(&self, py: Python<'_>, options: RunOptions) -> PyResult<Columns> {
        self.work(py, options, |graph| {
            Rows::check_memory(graph, &[])?;
            Ok(columns(Rows::collect(graph, Vec::new())?))
        })
    }
}

impl Store {
    /// Works on the open graph with these options.
    pub(super) fn work<T: Send>(
        &self,
        py: Python<'_>,
        run: RunOptions,
        work: impl FnOnce(&Graph) -> Result<T, GraphError> + Send,
    ) -> PyResult<T> {
        self.watched(py, run, None, |graph, _| work(graph).map_err(failure))
    }

    /// The same; `progress` is shown how far it is.
    pub(super) fn watched<T: Send>(
        &self,
        py: Python<'_>,
        run: RunOptions,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&Graph, &Watch) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        self.with_any(py, run, progress, |opened, watch| match opened {
            Opened::One(graph) => work(graph, watch),
            Opened::Sharded(graph) => Err(failure(not_on_shards(graph.name().as_ref()))),
        })
    }

    /// The same, of a sharded store too.
    pub(super) fn with_any<T: Send>(
        &self,
        py: Python<'_>,
        run: RunOptions,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&mut Opened, &Watch) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let done = background::run(py, progress, |watch| {
            let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
            let graph =
                graph.as_mut().ok_or_else(|| Failure::Input("the graph is closed; open it again".into()))?;
            // Not those of the graph, from whose memory it has taken what its changes need.
            let options = Options { stop: Some(Arc::clone(&watch.cancel)), ..run.over(&self.usual) };
            graph.set_options(options);
            let done = work(graph, watch);
            graph.set_options(self.usual.clone());
            done
        })?;
        done.map_err(|failure: Failure| errors::exception(py, &failure))
    }
}

/// What a store says of itself.
struct Facts {
    vertices: u64,
    edges: u64,
    directed: bool,
    weighted: bool,
    self_loops: u64,
    version: u64,
    identity: u64,
}

impl Opened {
    fn open(path: &Path, options: &Options) -> Result<Opened, GraphError> {
        Ok(match is_sharded(path) {
            true => Opened::Sharded(Box::new(ShardedGraph::open(path, options.clone())?)),
            false => Opened::One(Box::new(Graph::open(path, options.clone())?)),
        })
    }

    fn facts(&self) -> Facts {
        match self {
            Opened::One(graph) => {
                let header = graph.header();
                Facts {
                    vertices: header.vertices,
                    edges: header.graph_edges(),
                    directed: header.directed,
                    weighted: header.weights.bytes() > 0,
                    self_loops: header.self_loops,
                    version: graph.version(),
                    identity: Stamp::new(graph, "", Value::Null).store,
                }
            }
            Opened::Sharded(graph) => {
                let shards = graph.shards();
                Facts {
                    vertices: shards.vertices,
                    edges: shards.edges(),
                    directed: shards.directed,
                    weighted: shards.weights != "none",
                    self_loops: shards.self_loops,
                    version: 0,
                    identity: shards.identity(),
                }
            }
        }
    }

    fn set_options(&mut self, options: Options) {
        match self {
            Opened::One(graph) => graph.set_options(options),
            Opened::Sharded(graph) => graph.set_options(options),
        }
    }
}

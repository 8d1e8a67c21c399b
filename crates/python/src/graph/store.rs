//! An open store and the algorithms on it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use leadline_cli::Failure;
use leadline_graph::algorithm::{Definition, Destination, Job, Ran};
use leadline_graph::algorithms::ALGORITHMS;
use leadline_graph::output::Rows;
use leadline_graph::{Graph, GraphError, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use super::arguments;
use super::rows::columns;
use crate::table::Columns;
use crate::{background, errors};

/// An open store. One algorithm runs on it at a time; another thread that asks meanwhile waits.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct Store {
    /// None once it is closed.
    graph: Mutex<Option<Graph>>,
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
    /// As it was opened: most bytes of everything, threads, reads in flight.
    #[pyo3(get)]
    memory: u64,
    #[pyo3(get)]
    threads: usize,
    #[pyo3(get)]
    depth: u32,
}

/// How one run differs from how the store was opened: memory (bytes), threads, reads in flight.
pub(super) type RunOptions = (Option<u64>, Option<usize>, Option<u32>);

#[pymethods]
impl Store {
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        memory: Option<u64>,
        threads: Option<usize>,
        depth: Option<u32>,
    ) -> PyResult<Store> {
        let options = options(&Options::default(), (memory, threads, depth));
        let usual = options.map_err(|line| errors::bad_input(py, &line))?;
        let graph = py.detach(|| Graph::open(path, usual.clone()));
        let graph = graph.map_err(|error| errors::exception(py, &Failure::from(error)))?;
        let header = graph.header();
        Ok(Store {
            vertices: header.vertices,
            edges: header.graph_edges(),
            directed: header.directed,
            weighted: header.weights.bytes() > 0,
            self_loops: header.self_loops,
            version: graph.version(),
            memory: usual.memory,
            threads: usual.threads,
            depth: usual.depth,
            usual,
            graph: Mutex::new(Some(graph)),
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

    /// Runs an algorithm with the arguments of a dictionary: its rows, and what it did as JSON.
    fn run(
        &self,
        py: Python<'_>,
        algorithm: &str,
        arguments: &Bound<'_, PyDict>,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        let definition = definition(py, algorithm)?;
        let arguments = arguments::of(definition, arguments)?;
        self.work(py, options, |graph| {
            let to = Destination::Rows;
            let (algorithm, _) = definition.algorithm(graph, &arguments, &to, false)?;
            let Ran { facts, runs, rows, .. } = algorithm.run(graph, &Job { runs: 1, to })?;
            // Named as in the document of `leadline graph --json`.
            let mut info = json!({
                "store": graph.name(),
                "vertices": self.vertices,
                "graph_edges": self.edges,
                "result": facts,
                "notes": graph.notes(),
            });
            let stats = serde_json::to_value(runs.last()).expect("it has only string keys");
            if let (Some(info), Value::Object(stats)) = (info.as_object_mut(), stats) {
                info.extend(stats);
            }
            Ok((columns(rows.expect("rows were asked for")), info.to_string()))
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
        let done = background::run(py, None, |watch| {
            let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
            let graph =
                graph.as_mut().ok_or_else(|| Failure::Input("the graph is closed; open it again".into()))?;
            // Not those of the graph, from whose memory it has taken what its changes need.
            let mut options = options(&self.usual, run).map_err(Failure::Input)?;
            options.stop = Some(Arc::clone(&watch.cancel));
            graph.set_options(options);
            let done = work(graph);
            graph.set_options(self.usual.clone());
            Ok(done?)
        })?;
        done.map_err(|failure: Failure| errors::exception(py, &failure))
    }
}

/// The usual options, but for those given.
///
/// # Errors
/// A line that names the argument: fewer than one thread, or no read in flight.
pub(super) fn options(usual: &Options, (memory, threads, depth): RunOptions) -> Result<Options, String> {
    let within = |name: &str, value: u64, most: u64| match (1..=most).contains(&value) {
        true => Ok(()),
        false => Err(format!("{name}={value}: must be from 1 to {most}")),
    };
    within("threads", threads.map_or(1, |threads| threads as u64), 1024)?;
    within("depth", depth.map_or(1, u64::from), 4096)?;
    Ok(Options {
        memory: memory.unwrap_or(usual.memory),
        threads: threads.unwrap_or(usual.threads),
        depth: depth.unwrap_or(usual.depth),
        temp: usual.temp.clone(),
        stop: None,
    })
}

/// What each algorithm is called, and what it computes, in the order in which they are listed.
#[pyfunction]
pub(crate) fn algorithms() -> Vec<(&'static str, &'static str)> {
    ALGORITHMS.iter().map(|definition| (definition.name, definition.about)).collect()
}

fn definition(py: Python<'_>, name: &str) -> PyResult<&'static Definition> {
    let found = ALGORITHMS.into_iter().find(|definition| definition.name == name);
    found.ok_or_else(|| errors::bad_input(py, &format!("{name}: is no algorithm")))
}

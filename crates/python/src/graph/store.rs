//! An open store and the algorithms on it.

use std::sync::{Arc, Mutex, PoisonError};

use leadline_cli::Failure;
use leadline_graph::algorithms::{
    Bfs, Cdlp, Dfs, KCore, Lcc, PageRank, PageRankOptions, Parents, Sssp, Starts, WalkOptions, Wcc,
};
use leadline_graph::format::Vertex;
use leadline_graph::output::{Rows, VertexTable, WalkRows};
use leadline_graph::{Graph, GraphError, Options, RunStats};
use pyo3::prelude::*;
use serde_json::{Value, json};

use super::rows::columns;
use crate::table::Columns;
use crate::{background, errors};

/// An open store. One algorithm runs on it at a time; another thread that asks meanwhile waits.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct Store {
    /// None once it is closed.
    graph: Mutex<Option<Graph>>,
    #[pyo3(get)]
    vertices: u64,
    /// Undirected ones once.
    #[pyo3(get)]
    edges: u64,
    #[pyo3(get)]
    directed: bool,
    #[pyo3(get)]
    weighted: bool,
}

/// How one run differs from how the store was opened: memory (bytes), threads, reads in flight.
type RunOptions = (Option<u64>, Option<usize>, Option<u32>);

/// What an algorithm found: its rows, what it did, and its results in short.
type Found = (Rows, RunStats, Value);

#[pymethods]
impl Store {
    #[new]
    fn new(
        py: Python<'_>,
        path: &str,
        memory: Option<u64>,
        threads: Option<usize>,
        depth: Option<u32>,
    ) -> PyResult<Store> {
        let options = options(&Options::default(), (memory, threads, depth));
        let options = options.map_err(|line| errors::bad_input(py, &line))?;
        let graph = py.detach(|| Graph::open(path, options));
        let graph = graph.map_err(|error| errors::exception(py, &Failure::from(error)))?;
        let header = graph.header();
        Ok(Store {
            vertices: header.vertices,
            edges: header.graph_edges(),
            directed: header.directed,
            weighted: header.weights.bytes() > 0,
            graph: Mutex::new(Some(graph)),
        })
    }

    /// Closes it. What runs still ends first.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.graph.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn bfs(
        &self,
        py: Python<'_>,
        sources: Vec<String>,
        parents: bool,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            let columns = if parents { <(Bfs, Parents)>::COLUMNS } else { Bfs::COLUMNS };
            Rows::check_memory(graph, columns)?;
            let found = graph.bfs(&vertices(graph, &sources)?)?;
            let (stats, facts) = (found.stats, json!({ "reached": found.reached, "depth": found.depth }));
            let rows = match parents {
                false => found.into_rows(graph)?,
                true => {
                    let parents = graph.parents(&found.levels)?;
                    (found, parents).into_rows(graph)?
                }
            };
            Ok((rows, stats, facts))
        })
    }

    fn wcc(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            Rows::check_memory(graph, Wcc::COLUMNS)?;
            let found = graph.wcc()?;
            let (stats, facts) = (found.stats, json!({ "components": found.count }));
            Ok((found.into_rows(graph)?, stats, facts))
        })
    }

    fn pagerank(
        &self,
        py: Python<'_>,
        damping: f64,
        iterations: u32,
        tolerance: f64,
        personal: Vec<String>,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            Rows::check_memory(graph, PageRank::COLUMNS)?;
            let personal = vertices(graph, &personal)?;
            let found = graph.pagerank(&PageRankOptions { damping, iterations, tolerance, personal })?;
            let facts = json!({ "iterations": found.iterations, "change": found.change });
            let stats = found.stats;
            Ok((found.into_rows(graph)?, stats, facts))
        })
    }

    fn sssp(&self, py: Python<'_>, sources: Vec<String>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            Rows::check_memory(graph, Sssp::COLUMNS)?;
            let found = graph.sssp(&vertices(graph, &sources)?)?;
            let facts = json!({ "reached": found.reached, "farthest": found.farthest });
            let stats = found.stats;
            Ok((found.into_rows(graph)?, stats, facts))
        })
    }

    fn cdlp(&self, py: Python<'_>, iterations: u32, options: RunOptions) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            Rows::check_memory(graph, Cdlp::COLUMNS)?;
            let found = graph.cdlp(iterations)?;
            let (stats, facts) = (found.stats, json!({ "labels": found.count }));
            Ok((found.into_rows(graph)?, stats, facts))
        })
    }

    fn lcc(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            Rows::check_memory(graph, Lcc::COLUMNS)?;
            let found = graph.lcc()?;
            let (stats, facts) = (found.stats, json!({ "triangles": found.triangles }));
            Ok((found.into_rows(graph)?, stats, facts))
        })
    }

    fn kcore(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            Rows::check_memory(graph, KCore::COLUMNS)?;
            let found = graph.kcore()?;
            let (stats, facts) = (found.stats, json!({ "max_core": found.max }));
            Ok((found.into_rows(graph)?, stats, facts))
        })
    }

    fn dfs(&self, py: Python<'_>, sources: Vec<String>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            Rows::check_memory(graph, Dfs::COLUMNS)?;
            let found = graph.dfs(&vertices(graph, &sources)?)?;
            let (stats, facts) = (found.stats, json!({ "reached": found.reached }));
            Ok((found.into_rows(graph)?, stats, facts))
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn walk(
        &self,
        py: Python<'_>,
        sources: Vec<String>,
        walkers: Option<u64>,
        per_vertex: Option<u64>,
        length: u32,
        p: f64,
        q: f64,
        weighted: bool,
        seed: u64,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        self.run(py, options, |graph| {
            let starts = match (sources.is_empty(), walkers) {
                (true, Some(walkers)) => Starts::Random(walkers),
                (true, None) => Starts::EveryVertex(per_vertex.unwrap_or(1)),
                (false, walkers) => {
                    let each = |source| std::iter::repeat_n(source, walkers.unwrap_or(1) as usize);
                    Starts::From(vertices(graph, &sources)?.into_iter().flat_map(each).collect())
                }
            };
            let mut asked = WalkOptions { starts, length, p, q, weighted, seed, sink_bytes: 0 };
            asked.sink_bytes = WalkRows::bytes(graph, &asked);
            let mut rows = WalkRows::new(graph, &asked)?;
            let found = graph.walks(&asked, |walk, vertices| {
                rows.put(walk, vertices);
                Ok(())
            })?;
            Ok((rows.finish()?, found.stats, json!({ "walks": found.walks, "steps": found.steps })))
        })
    }
}

impl Store {
    /// Runs an algorithm with these options: its rows as columns, and what it did as JSON. `work` finds out
    /// first whether the cap has room for the rows: a long run is not to end at that.
    fn run(
        &self,
        py: Python<'_>,
        run: RunOptions,
        work: impl FnOnce(&Graph) -> Result<Found, GraphError> + Send,
    ) -> PyResult<(Columns, String)> {
        let answer = background::run(py, None, |watch| {
            let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
            let graph =
                graph.as_mut().ok_or_else(|| Failure::Input("the graph is closed; open it again".into()))?;
            let usual = graph.options().clone();
            let mut options = options(&usual, run).map_err(Failure::Input)?;
            options.stop = Some(Arc::clone(&watch.cancel));
            graph.set_options(options);
            let found = work(graph);
            graph.set_options(usual);
            let (rows, stats, result) = found?;
            // Named as in the document of `leadline graph --json`.
            let mut info = json!({
                "store": graph.name(),
                "vertices": self.vertices,
                "graph_edges": self.edges,
                "result": result,
                "notes": graph.notes(),
            });
            let stats = serde_json::to_value(stats).expect("it has only string keys");
            if let (Some(info), Value::Object(stats)) = (info.as_object_mut(), stats) {
                info.extend(stats);
            }
            Ok((columns(rows), info.to_string()))
        })?;
        answer.map_err(|failure: Failure| errors::exception(py, &failure))
    }
}

/// The usual options, but for those given.
///
/// # Errors
/// A line that names the argument: fewer than one thread, or no read in flight.
fn options(usual: &Options, (memory, threads, depth): RunOptions) -> Result<Options, String> {
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
        stop: None,
    })
}

/// The vertices of these ids.
fn vertices(graph: &Graph, ids: &[String]) -> Result<Vec<Vertex>, GraphError> {
    ids.iter().map(|id| graph.vertex(id)).collect()
}

//! An open store and the algorithms on it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use leadline_cli::Failure;
use leadline_graph::algorithms::{
    Bfs, CommunityOptions, Measure, PageRankOptions, Parents, Starts, TopOptions, WalkOptions,
};
use leadline_graph::format::Vertex;
use leadline_graph::output::{Outcome, PairRows, Rows, VertexTable, WalkRows};
use leadline_graph::{Graph, GraphError, Options, RunStats};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

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

/// What an algorithm found: its rows, what it did, and its results in short.
type Found = (Rows, RunStats, Map<String, Value>);

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

    fn bfs(
        &self,
        py: Python<'_>,
        sources: Vec<String>,
        parents: bool,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        if !parents {
            return self.table(py, options, |graph| graph.bfs(&vertices(graph, &sources)?));
        }
        self.run(py, options, |graph| {
            Rows::check_memory(graph, <(Bfs, Parents)>::COLUMNS)?;
            let found = graph.bfs(&vertices(graph, &sources)?)?;
            let (stats, facts) = (found.stats(), found.facts());
            let parents = graph.parents(&found.levels)?;
            Ok(((found, parents).into_rows(graph)?, stats, facts))
        })
    }

    fn wcc(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, Graph::wcc)
    }

    fn scc(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, Graph::scc)
    }

    #[allow(clippy::too_many_arguments)]
    fn pagerank(
        &self,
        py: Python<'_>,
        damping: f64,
        iterations: u32,
        tolerance: f64,
        personal: Vec<String>,
        weighted: bool,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        self.table(py, options, |graph| {
            let personal = vertices(graph, &personal)?;
            graph.pagerank(&PageRankOptions { damping, iterations, tolerance, personal, weighted })
        })
    }

    fn sssp(&self, py: Python<'_>, sources: Vec<String>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, |graph| graph.sssp(&vertices(graph, &sources)?))
    }

    fn cdlp(&self, py: Python<'_>, iterations: u32, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, |graph| graph.cdlp(iterations))
    }

    fn lcc(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, Graph::lcc)
    }

    fn triangles(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, |graph| graph.triangles(true))
    }

    fn louvain(
        &self,
        py: Python<'_>,
        resolution: f64,
        seed: u64,
        max_levels: Option<u32>,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        let asked = communities(py, resolution, seed, max_levels)?;
        self.table(py, options, |graph| graph.louvain(&asked, |_, _| Ok(())))
    }

    fn leiden(
        &self,
        py: Python<'_>,
        resolution: f64,
        seed: u64,
        max_levels: Option<u32>,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        let asked = communities(py, resolution, seed, max_levels)?;
        self.table(py, options, |graph| graph.leiden(&asked, |_, _| Ok(())))
    }

    fn kcore(&self, py: Python<'_>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, Graph::kcore)
    }

    fn similarity(
        &self,
        py: Python<'_>,
        vertices: Vec<String>,
        others: Vec<String>,
        measure: &str,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        let measure = measure_of(py, measure)?;
        if vertices.len() != others.len() {
            let line = format!("vertex, other: have {} and {} ids", vertices.len(), others.len());
            return Err(errors::bad_input(py, &line));
        }
        self.run(py, options, |graph| {
            let pairs = pairs(graph, &vertices, &others)?;
            let mut rows = PairRows::new(graph, "similarity", pairs.len() as u64)?;
            let sink_bytes = PairRows::bytes(graph, pairs.len() as u64);
            let found = graph.similarities(&pairs, measure, sink_bytes)?;
            pairs.iter().zip(&found.values).for_each(|((a, b), value)| rows.put(*a, *b, *value));
            Ok((rows.finish()?, found.stats(), found.facts()))
        })
    }

    fn most_similar(
        &self,
        py: Python<'_>,
        top: u32,
        skip_above: Option<u32>,
        measure: &str,
        options: RunOptions,
    ) -> PyResult<(Columns, String)> {
        let measure = measure_of(py, measure)?;
        at_least_one(py, "top", Some(top))?;
        self.run(py, options, |graph| {
            let mut asked = TopOptions { measure, most: top, skip_above, sink_bytes: 0 };
            let most = asked.most_pairs(graph);
            asked.sink_bytes = PairRows::bytes(graph, most);
            let mut rows = PairRows::new(graph, "similarity", most)?;
            let found = graph.most_similar(&asked, |vertex, similar| {
                similar.iter().for_each(|(other, value)| rows.put(vertex, *other, *value));
                Ok(())
            })?;
            Ok((rows.finish()?, found.stats(), found.facts()))
        })
    }

    fn dfs(&self, py: Python<'_>, sources: Vec<String>, options: RunOptions) -> PyResult<(Columns, String)> {
        self.table(py, options, |graph| graph.dfs(&vertices(graph, &sources)?))
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
            let starts = Starts::of(&vertices(graph, &sources)?, walkers, per_vertex);
            let mut asked = WalkOptions { starts, length, p, q, weighted, seed, sink_bytes: 0 };
            asked.sink_bytes = WalkRows::bytes(graph, &asked);
            let mut rows = WalkRows::new(graph, &asked)?;
            let found = graph.walks(&asked, |walk, vertices| {
                rows.put(walk, vertices);
                Ok(())
            })?;
            Ok((rows.finish()?, found.stats(), found.facts()))
        })
    }
}

impl Store {
    /// Works on the open graph with these options.
    fn work<T: Send>(
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

    /// Runs an algorithm: its rows as columns, and what it did as JSON. `work` finds out first whether the
    /// cap has room for the rows: a long run is not to end at that.
    fn run(
        &self,
        py: Python<'_>,
        run: RunOptions,
        work: impl FnOnce(&Graph) -> Result<Found, GraphError> + Send,
    ) -> PyResult<(Columns, String)> {
        self.work(py, run, |graph| {
            let (rows, stats, result) = work(graph)?;
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
        })
    }

    /// Runs an algorithm whose result has a row per vertex.
    fn table<T: VertexTable + Outcome>(
        &self,
        py: Python<'_>,
        run: RunOptions,
        algorithm: impl FnOnce(&Graph) -> Result<T, GraphError> + Send,
    ) -> PyResult<(Columns, String)> {
        self.run(py, run, |graph| {
            Rows::check_memory(graph, T::COLUMNS)?;
            let found = algorithm(graph)?;
            let (stats, facts) = (found.stats(), found.facts());
            Ok((found.into_rows(graph)?, stats, facts))
        })
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

/// How communities are looked for.
fn communities(
    py: Python<'_>,
    resolution: f64,
    seed: u64,
    max_levels: Option<u32>,
) -> PyResult<CommunityOptions> {
    at_least_one(py, "max_levels", max_levels)?;
    Ok(CommunityOptions { resolution, seed, max_levels: max_levels.unwrap_or(u32::MAX) })
}

fn at_least_one(py: Python<'_>, name: &str, value: Option<u32>) -> PyResult<()> {
    match value {
        Some(0) => Err(errors::bad_input(py, &format!("{name}=0: must be at least 1"))),
        _ => Ok(()),
    }
}

/// A measure by its name.
fn measure_of(py: Python<'_>, name: &str) -> PyResult<Measure> {
    name.parse().map_err(|what: String| errors::bad_input(py, &format!("measure={name:?}: {what}")))
}

/// Pairs of vertices by their ids, each of which is looked up once.
fn pairs(graph: &Graph, vertices: &[String], others: &[String]) -> Result<Vec<(Vertex, Vertex)>, GraphError> {
    let mut known: HashMap<&str, Vertex> = HashMap::new();
    for id in vertices.iter().chain(others) {
        if !known.contains_key(id.as_str()) {
            known.insert(id, graph.vertex(id)?);
        }
    }
    Ok(vertices.iter().zip(others).map(|(a, b)| (known[a.as_str()], known[b.as_str()])).collect())
}

/// The vertices of these ids.
fn vertices(graph: &Graph, ids: &[String]) -> Result<Vec<Vertex>, GraphError> {
    ids.iter().map(|id| graph.vertex(id)).collect()
}

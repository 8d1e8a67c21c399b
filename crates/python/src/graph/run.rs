//! One run of an algorithm on an open store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leadline_cli::{Failure, UsedPath, check_used};
use leadline_graph::Meter;
use leadline_graph::algorithm::{Argument, Arguments, Definition, Destination, Job, OptionKind, Ran};
use leadline_graph::algorithms::{ALGORITHMS, run_sharded, sharded_name};
use leadline_graph::sharded::ShardedGraph;
use leadline_measure::Progress;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use super::arguments;
use super::failure;
use super::rows::{columns, no_columns};
use super::run_options::RunOptions;
use super::store::{Opened, Store};
use crate::background::Watch;
use crate::errors;
use crate::table::Columns;
use crate::values::{path, whole};

/// Most runs of a call.
const MOST_RUNS: u64 = 1000;

/// What came of a run: its rows (none where they are in a file), what it did as JSON, what is to be noted,
/// and where it ended before its result was as good as was asked for, what it lacks.
type Answer = (Columns, String, Vec<String>, Option<String>);

/// Runs an algorithm with the arguments of a dictionary.
///
/// # Errors
/// `leadline.BadInput` and `leadline.Failed`; what [`crate::background::run`] raises.
#[pyfunction]
#[pyo3(signature = (store, algorithm, given, options, runs = None, output = None, progress = None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn run_algorithm(
    py: Python<'_>,
    store: &Store,
    algorithm: &str,
    given: &Bound<'_, PyDict>,
    options: RunOptions,
    runs: Option<&Bound<'_, PyAny>>,
    output: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let definition = definition(py, algorithm)?;
    let arguments = arguments::of(definition, given)?;
    let runs = runs.map_or(Ok(1), |runs| whole("runs", runs, 1, MOST_RUNS))? as u32;
    let output = output.map(|output| path("output", output)).transpose()?;
    store.with_any(py, options, progress, |opened, watch| {
        let graph = match opened {
            Opened::One(graph) => graph,
            Opened::Sharded(graph) => {
                let asked = Asked { definition, arguments: &arguments, output: output.as_deref(), runs };
                return on_shards(graph, &asked, watch);
            }
        };
        check_used(&used(definition, &arguments, output.as_deref(), Path::new(graph.name())))?;
        let to = output.clone().map_or(Destination::Rows, Destination::File);
        let (algorithm, mut notes) = definition.algorithm(graph, &arguments, &to, false).map_err(failure)?;
        show(graph.meter(), algorithm.name(), watch);
        let mut ran = algorithm.run(graph, &Job { runs, to }).map_err(failure)?;
        let (rows, unfinished) = (ran.rows.take(), ran.unfinished.take());
        notes.extend(graph.notes().into_iter().chain(unfinished.clone()));
        let header = graph.header();
        let of = Of {
            store: graph.name().to_owned(),
            version: graph.version(),
            vertices: header.vertices,
            edges: header.graph_edges(),
        };
        let info = info(&of, algorithm.name(), &ran, &notes, output.as_deref());
        Ok((rows.map_or_else(no_columns, columns), info.to_string(), notes, unfinished))
    })
}

/// What was asked for.
struct Asked<'a> {
    definition: &'static Definition,
    arguments: &'a Arguments,
    output: Option<&'a Path>,
    runs: u32,
}

/// The same on a sharded store.
fn on_shards(graph: &mut ShardedGraph, asked: &Asked<'_>, watch: &Watch) -> Result<Answer, Failure> {
    let Asked { definition, arguments, output, runs } = *asked;
    check_used(&used(definition, arguments, output, Path::new(&graph.name())))?;
    let to = output.map_or(Destination::Rows, |path| Destination::File(path.to_owned()));
    let name = sharded_name(definition);
    show(graph.meter(), name, watch);
    let mut ran = run_sharded(graph, definition, arguments, &Job { runs, to }).map_err(failure)?;
    let (rows, notes, shards) = (ran.rows.take(), graph.notes(), graph.shards());
    let of = Of { store: graph.name(), version: 0, vertices: shards.vertices, edges: shards.edges() };
    let info = info(&of, name, &ran, &notes, output);
    Ok((rows.map_or_else(no_columns, columns), info.to_string(), notes, None))
}

/// The files that are read and written, by the arguments that name them.
fn used(
    definition: &Definition,
    arguments: &Arguments,
    output: Option<&Path>,
    store: &Path,
) -> Vec<UsedPath> {
    let mut used = vec![UsedPath::read("path", store)];
    used.extend(output.map(|output| UsedPath::written("output", output)));
    for option in definition.options {
        let Some(Argument::Path(path)) = arguments.get(option.name) else { continue };
        let path: PathBuf = path.clone();
        used.push(match option.kind {
            OptionKind::Previous => UsedPath::continued("from_", path),
            OptionKind::Folder => UsedPath::written(option.name, path),
            _ => UsedPath::read(option.name, path),
        });
    }
    used
}

/// Lets the caller's progress show how far the run is.
fn show(meter: &Arc<Meter>, what: &'static str, watch: &Watch) {
    let meter = Arc::clone(meter);
    watch.ask(move || {
        let now = meter.read();
        Progress { phase: what, done: now.share, detail: format!("pass {}", now.passes) }
    });
}

/// What it ran on.
struct Of {
    store: String,
    version: u64,
    vertices: u64,
    edges: u64,
}

/// Named as in the document of `leadline graph --json`.
fn info(of: &Of, algorithm: &str, ran: &Ran, notes: &[String], output: Option<&Path>) -> Value {
    let mut info = json!({
        "algorithm": algorithm,
        "store": of.store,
        "version": of.version,
        "vertices": of.vertices,
        "graph_edges": of.edges,
        "result": ran.facts,
        "iterations": ran.iterations,
        "notes": notes,
        "runs": ran.runs,
    });
    let Some(fields) = info.as_object_mut() else { return info };
    if let Some(output) = output {
        fields.insert("output".to_owned(), json!(output.display().to_string()));
        fields.insert("output_bytes".to_owned(), json!(ran.written.map(|written| written.bytes)));
        fields.insert("output_seconds".to_owned(), json!(ran.written.map(|written| written.seconds)));
    }
    let last = serde_json::to_value(ran.runs.last()).expect("it has only string keys");
    if let Value::Object(last) = last {
        fields.extend(last);
    }
    info
}

/// What each algorithm is called, and what it computes, in the order in which they are listed.
#[pyfunction]
pub(crate) fn algorithms() -> Vec<(&'static str, &'static str)> {
    ALGORITHMS.iter().map(|definition| (definition.name, definition.about)).collect()
}

pub(super) fn definition(py: Python<'_>, name: &str) -> PyResult<&'static Definition> {
    let found = ALGORITHMS.into_iter().find(|definition| definition.name == name);
    found.ok_or_else(|| errors::bad_input(py, &format!("{name}: is no algorithm")))
}

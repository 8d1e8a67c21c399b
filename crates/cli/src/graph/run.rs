//! What all algorithms have in common: opening, running, writing, saying what came of it.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use leadline_device::parse_large_size;
use leadline_graph::algorithms::Stamp;
use leadline_graph::format::Vertex;
use leadline_graph::output::{Format, Outcome, Output, VertexTable};
use leadline_graph::{Algorithm, Graph, GraphError, Options, RunStats};

use super::estimate::EstimateReport;
use super::limits::Device;
use super::report::{OutputFile, Report, ResultSummary};
use crate::failure::Failure;
use crate::paths::{InputPath, ResultPath, WorkFolder};
use crate::{console, output, signals};

/// Shorter runs are over before anything is read.
const QUIET: Duration = Duration::from_secs(2);

/// The flags of every algorithm.
#[derive(clap::Args)]
pub(super) struct Common {
    /// The graph's store, made by leadline graph import
    #[arg(value_name = "STORE")]
    store: InputPath,
    /// Most memory for everything: vertices, index, cache, buffers, output [default: 1G, or a quarter of the
    /// machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    memory: Option<u64>,
    /// Threads that read and compute [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Reads in flight, of all threads together [default: 64]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with = "profile")]
    depth: Option<u32>,
    /// Take the reads in flight from the device's profile (leadline profile), and compare with its bandwidth
    #[arg(long, value_name = "PROFILE.json")]
    profile: Option<InputPath>,
    /// Folder of temporary files, for what of the vertices --memory has no room for [default: the store's]
    #[arg(long, value_name = "FOLDER")]
    temp: Option<WorkFolder>,
    /// Write the result to this file (replaced if it exists), in the format of its ending
    #[arg(short, long, value_name = "FILE")]
    output: Option<ResultPath>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Print what the run would need of memory, what it would read and about how long it would take, and do
    /// nothing else; with --profile the time of reading too
    #[arg(long)]
    estimate: bool,
    /// Number of runs; blocks that one run has cached are there for the next
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
}

/// An algorithm with its arguments.
pub(super) trait Task {
    /// What it computes.
    type Outcome: Outcome;

    /// Its name, in the report.
    const NAME: &'static str;

    /// What it costs, and with which arguments.
    fn algorithm(&self) -> Algorithm;

    /// What a result is of that later runs can go on from.
    fn stamp(&self, _graph: &Graph) -> Option<Stamp> {
        None
    }

    /// Before any work: whether the result can be written to `path`. The file, where it is written after the
    /// work.
    fn create_output(&mut self, graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError>;

    fn run(&mut self, graph: &Graph) -> Result<Self::Outcome, GraphError>;

    /// Iterations, where sweeps are not.
    fn iterations(&self, found: &Self::Outcome) -> u64 {
        found.stats().sweeps
    }

    /// What came of it, in a line.
    fn words(&self, found: &Self::Outcome) -> String;

    /// Writes the result to what [`Task::create_output`] gave; the bytes of the file.
    fn write(&self, graph: &Graph, found: &mut Self::Outcome, output: Output) -> Result<u64, GraphError>;
}

/// A file for a result with a row per vertex.
pub(super) fn table<T: VertexTable>(graph: &Graph, path: &Path) -> Result<Option<Output>, GraphError> {
    Output::check_memory(graph, T::COLUMNS, T::SPILLS)?;
    let output = Output::create(path, graph)?;
    output.check_columns(T::COLUMNS)?;
    Ok(Some(output))
}

/// The vertices of these ids.
pub(super) fn vertices(graph: &Graph, ids: &[String]) -> Result<Vec<Vertex>, GraphError> {
    ids.iter().map(|id| graph.vertex(id)).collect()
}

/// The whole command; `task` makes the algorithm from the open graph.
pub(super) fn run<T: Task>(
    common: &Common,
    task: impl FnOnce(&Graph) -> Result<T, GraphError>,
) -> Result<(), Failure> {
    let device = common.profile.as_deref().map(Device::load).transpose()?;
    let graph = Graph::open(&common.store, common.options(device.as_ref())?)?;
    let mut task = task(&graph)?;
    if common.estimate {
        let speed = device.as_ref().and_then(Device::read_speed);
        let estimate = graph.estimate(&task.algorithm(), speed)?;
        return EstimateReport::new(T::NAME, &graph, estimate).print(common.json);
    }
    let file = match &common.output {
        Some(path) => {
            if Format::of_ending(path) == Some(Format::Binary) {
                Stamp::check_place(path)?;
            }
            task.create_output(&graph, path)?
        }
        None => None,
    };
    let spinner = Spinner::start(T::NAME);
    let done = work(&mut task, &graph, common, file);
    spinner.finish();
    let (found, runs, written) = done?;
    for note in graph.notes() {
        output::say(&note);
    }
    let summary = ResultSummary { facts: found.facts(), words: task.words(&found) };
    let report = Report::new(T::NAME, &graph, summary, task.iterations(&found), runs);
    let report = report.on(device.as_ref()).in_file(common.output(), written);
    if common.json { report.print_json() } else { output::print(&report.words()) }
}

/// The last run's result, what each run did, and what was written.
type Done<F> = (F, Vec<RunStats>, Option<OutputFile>);

fn work<T: Task>(
    task: &mut T,
    graph: &Graph,
    common: &Common,
    file: Option<Output>,
) -> Result<Done<T::Outcome>, GraphError> {
    let mut found = task.run(graph)?;
    let mut runs = vec![found.stats()];
    for _ in 1..common.runs {
        // The result before is let go first: the cap covers one.
        drop(found);
        found = task.run(graph)?;
        runs.push(found.stats());
    }
    let started = Instant::now();
    let result = common.output().filter(|path| Format::of_ending(path) == Some(Format::Binary));
    if let Some(result) = result {
        // What it says is not true of the result that takes the place of the one before.
        let _ = std::fs::remove_file(Stamp::path(result));
    }
    let bytes = file.map(|file| task.write(graph, &mut found, file)).transpose()?;
    if let Some((result, stamp)) = result.zip(task.stamp(graph)) {
        stamp.write(result)?;
    }
    let written = bytes.map(|bytes| OutputFile { bytes, seconds: started.elapsed().as_secs_f64() });
    Ok((found, runs, written))
}

impl Common {
    /// The file for the result, if one is wanted.
    pub(super) fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    fn options(&self, device: Option<&Device>) -> Result<Options, Failure> {
        let usual = Options::default();
        Ok(Options {
            memory: self.memory.unwrap_or(usual.memory),
            threads: self.threads.map_or(usual.threads, |threads| threads as usize),
            temp: self.temp.as_deref().map(Path::to_owned),
            depth: self.depth.or(device.map(|device| device.depth)).unwrap_or(usual.depth),
            stop: Some(signals::cancel_flag()?),
        })
    }
}

/// A sign of life on a terminal, once a run takes long.
struct Spinner(Option<(Sender<()>, JoinHandle<()>)>);

impl Spinner {
    fn start(what: &'static str) -> Spinner {
        if !std::io::stderr().is_terminal() || console::call().is_some() {
            return Spinner(None);
        }
        let (sender, ended) = channel();
        let thread = std::thread::spawn(move || {
            if ended.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(what).with_elapsed(QUIET);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(250));
            let _ = ended.recv();
            bar.finish_and_clear();
        });
        Spinner(Some((sender, thread)))
    }

    fn finish(self) {
        if let Some((sender, thread)) = self.0 {
            drop(sender);
            let _ = thread.join();
        }
    }
}

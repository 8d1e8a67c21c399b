//! What all algorithms have in common: opening, running, writing, saying what came of it.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use leadline_device::parse_large_size;
use leadline_graph::algorithm::{Destination, Job};
use leadline_graph::{Graph, Options};
use leadline_profile::ReadLimits;

use super::algorithm::AlgorithmCommand;
use super::estimate::EstimateReport;
use super::limits;
use super::report::Report;
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

/// The whole command.
pub(super) fn run(command: &AlgorithmCommand) -> Result<(), Failure> {
    let AlgorithmCommand { definition, common, arguments } = command;
    let device = common.profile.as_deref().map(limits::reads).transpose()?;
    let graph = Graph::open(&common.store, common.options(device.as_ref())?)?;
    let to = common.output().map_or(Destination::Nowhere, |path| Destination::File(path.to_owned()));
    let (algorithm, notes) = definition.algorithm(&graph, arguments, &to)?;
    notes.iter().for_each(|note| output::say(note));
    if common.estimate {
        let speed = device.as_ref().and_then(limits::read_speed);
        let estimate = graph.estimate(&*algorithm, speed)?;
        return EstimateReport::new(algorithm.name(), &graph, estimate).print(common.json);
    }
    let spinner = Spinner::start(algorithm.name());
    let ran = algorithm.run(&graph, &Job { runs: common.runs, to });
    spinner.finish();
    let ran = ran?;
    for note in graph.notes() {
        output::say(&note);
    }
    let report = Report::new(algorithm.name(), &graph, ran).on(device.as_ref()).in_file(common.output());
    if common.json { report.print_json() } else { output::print(&report.words()) }
}

impl Common {
    /// The file for the result, if one is wanted.
    fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    fn options(&self, device: Option<&ReadLimits>) -> Result<Options, Failure> {
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

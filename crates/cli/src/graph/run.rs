//! What all algorithms have in common: opening, running, writing, saying what came of it.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::ProgressStyle;
use leadline_graph::algorithm::{Destination, Job};
use leadline_graph::algorithms::{run_sharded, sharded_name};
use leadline_graph::sharded::{ShardedGraph, is_sharded};
use leadline_graph::{Graph, Meter};
use leadline_profile::ReadLimits;

use super::algorithm::AlgorithmCommand;
use super::estimate::EstimateReport;
use super::limits;
use super::report::{Of, Report};
use crate::failure::Failure;
use crate::progress::spinner;
use crate::{messages, output};

/// Shorter runs are over before anything is read.
const QUIET: Duration = Duration::from_secs(2);

/// How often what is shown is renewed.
const TICK: Duration = Duration::from_millis(250);

/// The whole command.
pub(super) fn run(command: &AlgorithmCommand) -> Result<(), Failure> {
    let AlgorithmCommand { definition, common, arguments } = command;
    let device = common.profile().map(limits::reads).transpose()?;
    if is_sharded(&common.store) {
        return on_shards(command, device.as_ref());
    }
    let graph = Graph::open(&common.store, common.options(device.as_ref())?)?;
    let to = common.output().map_or(Destination::Nowhere, |path| Destination::File(path.to_owned()));
    let (algorithm, notes) = definition.algorithm(&graph, arguments, &to, common.estimate)?;
    notes.iter().for_each(|note| messages::note(note));
    if common.estimate {
        let speed = device.as_ref().and_then(limits::read_speed);
        let estimate = graph.estimate(&*algorithm, speed)?;
        return EstimateReport::new(algorithm.name(), &graph, estimate).print(common.json);
    }
    let spinner = Spinner::start(algorithm.name(), graph.meter());
    let ran = algorithm.run(&graph, &Job { runs: common.runs, to });
    spinner.finish();
    let ran = ran?;
    for warning in graph.notes().into_iter().chain(ran.unfinished.clone()) {
        messages::warning(&warning);
    }
    let report = Report::new(algorithm.name(), Of::graph(&graph), ran);
    let report = report.on(device.as_ref()).in_file(common.output());
    if common.json { report.print_json() } else { output::print_text(&report.words()) }
}

/// The same on a sharded store.
fn on_shards(command: &AlgorithmCommand, device: Option<&ReadLimits>) -> Result<(), Failure> {
    let AlgorithmCommand { definition, common, arguments } = command;
    let store = common.store.display();
    if common.estimate {
        let what = "is a sharded graph store, of which no run is estimated; leave out --estimate";
        return Err(Failure::Input(format!("{store}: {what}")));
    }
    let mut graph = ShardedGraph::open(&common.store, common.options(device)?)?;
    let to = common.output().map_or(Destination::Nowhere, |path| Destination::File(path.to_owned()));
    let name = sharded_name(definition);
    let spinner = Spinner::start(name, graph.meter());
    let ran = run_sharded(&mut graph, definition, arguments, &Job { runs: common.runs, to });
    spinner.finish();
    let ran = ran?;
    graph.notes().iter().for_each(|note| messages::warning(note));
    let report = Report::new(name, Of::shards(&graph), ran).on(device).in_file(common.output());
    if common.json { report.print_json() } else { output::print_text(&report.words()) }
}

/// How far a run is, on a terminal, once it takes long.
struct Spinner(Option<(Sender<()>, JoinHandle<()>)>);

impl Spinner {
    fn start(what: &'static str, meter: &Arc<Meter>) -> Spinner {
        if !messages::has_bar() {
            return Spinner(None);
        }
        let (sender, ended) = channel();
        let meter = Arc::clone(meter);
        let thread = std::thread::spawn(move || {
            if ended.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = spinner().with_elapsed(QUIET);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(format!("{what}, {}", meter.read()));
            }
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

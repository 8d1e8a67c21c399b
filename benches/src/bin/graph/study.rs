//! Where more reads in flight pay and where they do not: devices, graphs, algorithms and sizes of the cache.

mod caps;
mod drives;
mod figure;
mod runs;
mod scale;
mod speedups;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;

use crate::engine::{Engine, Task, import, order, store};
use crate::graph::{Graph, load_meta, state_bytes};
use crate::measure::{Outcome, measure};
use drives::{Device, Drives};
use figure::Figure;
use runs::{Cell, Journal, Run};
use speedups::{Line, table};

/// Threads that compute. Each has at least one read in flight, so only with one thread is a depth of 1 one
/// read.
const THREADS: usize = 1;

/// Random walks: with little memory they take longer than all else together.
const WALKERS: u32 = 1000;

/// The algorithms' own seconds on emulated drives, for each device, graph, algorithm, size of the cache and
/// number of reads in flight: a table, and a figure of all speed-ups over the first number.
///
/// Each run is a process of its own that reads the store past the page cache. In a round every cell is run
/// once, in the next round in the opposite order. The cache holds that share of the graph's blocks; what else
/// a run needs (state of the vertices, index, buffers) is on top. The drives' answers are timed on processor
/// 0, which nothing else runs on; so it takes two processors. Ctrl-C ends the study after the run that is
/// under way; the same command goes on there. The drives are unmounted and removed at the end in any case.
#[derive(Parser)]
pub struct Args {
    /// Folder that `generate` wrote; Leadline's stores are made in it
    dir: PathBuf,
    /// The program `leadline`
    #[arg(long)]
    leadline: PathBuf,
    /// All runs, as CSV: those that are there already are not made again
    #[arg(long)]
    runs: PathBuf,
    /// The figure, as SVG
    #[arg(long)]
    figure: Option<PathBuf>,
    /// A device, LABEL=DEVICE with a DEVICE of `leadline emulate`; several times for several
    #[arg(long = "device", value_parser = Device::parse, default_values = [
        "hard disk=sim:hdd-disk", "cloud volume (gp3)=sim:gp3", "SATA flash drive=sim:sata",
    ])]
    devices: Vec<Device>,
    /// Which graphs
    #[arg(long, value_delimiter = ',', default_value = "rmat18,grid500")]
    graphs: Vec<String>,
    /// Which algorithms
    #[arg(long, value_delimiter = ',', default_value = "bfs,wcc,pagerank,walk")]
    algorithms: Vec<String>,
    /// Blocks that the cache holds, percent of all
    #[arg(long, value_delimiter = ',', default_value = "1,5,25,100", value_parser = percent)]
    caches: Vec<u32>,
    /// Reads in flight; speed-ups are over the first
    #[arg(long, value_delimiter = ',', default_value = "1,4,16,64")]
    depths: Vec<u32>,
    /// How often everything is run
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds after which a run is ended, and the study with it
    #[arg(long, default_value_t = 300.0)]
    timeout: f64,
}

fn percent(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(percent @ 1..=100) => Ok(percent),
        _ => Err(format!("{text:?} is not a whole number from 1 to 100")),
    }
}

/// Makes the runs that are missing and shows what all say.
pub fn study(args: &Args) -> Result<()> {
    let graphs: Vec<Graph> =
        args.graphs.iter().map(|name| load_meta(&args.dir, name)).collect::<Result<_>>()?;
    args.algorithms.iter().try_for_each(|algorithm| state_bytes(algorithm).map(drop))?;
    let mut journal = Journal::open(&args.runs)?;
    let todo = todo(args, &journal);
    if !todo.is_empty() {
        graphs.iter().try_for_each(|graph| import(&args.leadline, &args.dir, &graph.name, true))?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&stop))?;
        }
        let drives = Drives::mount(&args.dir, &args.devices, &graphs)?;
        let engine = Engine::Leadline(args.leadline.clone());
        Bench { args, graphs: &graphs, engine, drives, caps: HashMap::new(), stop }
            .all(todo, &mut journal)?;
    }
    show(args, &journal)
}

/// All cells, those that are compared side by side.
fn cells(args: &Args) -> Vec<Cell> {
    let mut all = Vec::new();
    for first in firsts(args) {
        all.extend(args.depths.iter().map(|&depth| Cell { depth, ..first.clone() }));
    }
    all
}

/// The cells of the first depth: device by device, graph by graph, algorithm by algorithm, cache by cache.
fn firsts(args: &Args) -> Vec<Cell> {
    let mut all = Vec::new();
    for device in &args.devices {
        for graph in &args.graphs {
            for algorithm in &args.algorithms {
                all.extend(args.caches.iter().map(|&cache| Cell {
                    device: device.name.clone(),
                    graph: graph.clone(),
                    algorithm: algorithm.clone(),
                    cache,
                    depth: args.depths[0],
                }));
            }
        }
    }
    all
}

/// The runs that are missing, in order: the rounds there and back.
fn todo(args: &Args, journal: &Journal) -> Vec<(usize, Cell)> {
    let cells = cells(args);
    let rounds = (1..=args.rounds).flat_map(|round| {
        order(cells.len(), round - 1).into_iter().map(|i| (round, cells[i].clone())).collect::<Vec<_>>()
    });
    rounds.filter(|(round, cell)| !journal.has(cell, *round)).collect()
}

/// What runs are made with.
struct Bench<'a> {
    args: &'a Args,
    graphs: &'a [Graph],
    engine: Engine,
    drives: Drives,
    /// Memory caps by graph, algorithm, cache and depth; the device does not matter.
    caps: HashMap<Cell, u64>,
    stop: Arc<AtomicBool>,
}

impl Bench<'_> {
    fn all(mut self, todo: Vec<(usize, Cell)>, journal: &mut Journal) -> Result<()> {
        let (all, started) = (todo.len(), Instant::now());
        for (i, (round, cell)) in todo.iter().enumerate() {
            if self.stop.load(Ordering::Relaxed) {
                bail!("interrupted after {i} of {all} runs; the same command goes on there");
            }
            let run = self.run(cell, *round)?;
            let Cell { device, graph, algorithm, cache, depth } = cell;
            eprintln!(
                "{} of {all} runs, {:.0} s: {device} {graph} {algorithm} {cache} % depth {depth}: {:.3} s",
                i + 1,
                started.elapsed().as_secs_f64(),
                run.seconds
            );
            journal.add(run)?;
        }
        Ok(())
    }

    fn run(&mut self, cell: &Cell, round: usize) -> Result<Run> {
        let device = self.args.devices.iter().position(|device| device.name == cell.device);
        let device = device.context("a device that was not mounted")?;
        let graph = self.graphs.iter().find(|graph| graph.name == cell.graph);
        let graph = graph.context("a graph that was not loaded")?;
        let memory_bytes = self.cap(cell, graph)?;
        let task = Task { dir: self.drives.dir(device), ..self.task(cell, graph, memory_bytes) };
        let before = self.drives.report(device);
        let measured = measure(&self.engine.command(&task), None, self.args.timeout)?;
        let what = || format!("{cell:?}");
        ensure!(measured.outcome == Outcome::Done, "{}: {:?}", what(), measured.outcome);
        let [seconds, mean_depth, bytes_read, requests] =
            ["seconds", "mean_depth", "bytes_read", "requests"].map(|key| measured.number(key));
        let bytes_read = bytes_read? as u64;
        let (answers, late) =
            Drives::answers(&before, &self.drives.report(device), bytes_read).with_context(what)?;
        Ok(Run {
            cell: cell.clone(),
            round,
            seconds: seconds?,
            mean_depth: mean_depth?,
            bytes_read,
            requests: requests? as u64,
            memory_bytes,
            answers,
            late,
        })
    }

    fn task<'b>(&'b self, cell: &'b Cell, graph: &'b Graph, cap_bytes: u64) -> Task<'b> {
        let (dir, algorithm, depth) = (self.args.dir.as_path(), &*cell.algorithm, Some(cell.depth));
        Task { dir, graph, algorithm, cap_bytes, threads: THREADS, depth, walkers: WALKERS }
    }

    fn cap(&mut self, cell: &Cell, graph: &Graph) -> Result<u64> {
        let key = Cell { device: String::new(), ..cell.clone() };
        if let Some(cap) = self.caps.get(&key) {
            return Ok(*cap);
        }
        let cap = caps::cap_bytes(&self.engine, &self.task(cell, graph, 0), cell.cache)
            .with_context(|| store(&self.args.dir, &graph.name).display().to_string())?;
        self.caps.insert(key, cap);
        Ok(cap)
    }
}

/// The table, what was late, and the figure.
fn show(args: &Args, journal: &Journal) -> Result<()> {
    let lines: Vec<Option<Line>> =
        firsts(args).iter().map(|first| Line::of(journal.runs(), first, &args.depths[1..])).collect();
    let labels: Vec<String> = args.devices.iter().map(|device| device.label.clone()).collect();
    let mut rows = Vec::new();
    let mut chunks = lines.chunks(args.caches.len());
    for device in &labels {
        for graph in &args.graphs {
            for algorithm in &args.algorithms {
                rows.push((format!("{device}, {graph}, {algorithm}"), chunks.next().unwrap_or(&[]).to_vec()));
            }
        }
    }
    print!("{}", table(&args.caches, &rows));
    println!();
    for device in &args.devices {
        let of = |number: fn(&Run) -> u64| {
            journal.runs().iter().filter(|run| run.cell.device == device.name).map(number).sum::<u64>()
        };
        let (answers, late) = (of(|run| run.answers), of(|run| run.late));
        let share = 100.0 * late as f64 / answers.max(1) as f64;
        println!("{} ({}): {late} of {answers} answers were late ({share:.2} %)", device.label, device.name);
    }
    if let Some(path) = &args.figure {
        let figure = Figure {
            devices: &labels,
            graphs: &args.graphs,
            algorithms: &args.algorithms,
            caches: &args.caches,
            depths: &args.depths,
            lines: &lines,
        };
        std::fs::write(path, figure.svg()).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

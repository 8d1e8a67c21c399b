//! Cells of graph, algorithm and memory cap: every engine cold and in its cgroup, whole process.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Parser;

use crate::cgroup::{Cgroup, Controller};
use crate::engine::{Engine, Task, WALKERS, import, order};
use crate::graph::{ALLOWANCE_BYTES, Cap, Graph, load_meta, state_bytes};
use crate::measure::{Measured, Outcome, drop_caches, measure};
use crate::table::{HEAD, Row, rows};

/// Leadline and peers under a memory cap: caches dropped before each run, the whole process in a memory
/// cgroup (page cache included), engines in turn, there and back. Needs root.
///
/// The cap of a cell is what the state of the vertices takes (bfs, dfs, wcc, walk 4 bytes per vertex; cdlp,
/// kcore, lcc 8; pagerank 20) and so many percent of the edges at 4 bytes each. An engine is told this cap;
/// its cgroup has 16M more, for program text and stacks. Searches start at the vertex of largest degree, or
/// at 0 in a grid; pagerank and cdlp do 10 iterations.
///
/// A peer is any program that can be called as `PROGRAM GRAPH DIR ALGORITHM CAP_BYTES THREADS`. It finds
/// `VERTICES EDGES SOURCE` in DIR/GRAPH.meta and the edges in DIR/GRAPH.u32, or keeps the graph in its own
/// form wherever it likes; an exit code of 0 means that it has the answer. An engine that is killed, runs out
/// of time or fails in a cell is not run there again.
#[derive(Parser)]
pub struct Args {
    /// Folder that `generate` wrote; Leadline's stores are made in it
    dir: PathBuf,
    /// The program `leadline`
    #[arg(long)]
    leadline: PathBuf,
    /// Another engine, NAME=PROGRAM
    #[arg(long = "peer", value_parser = Engine::parse_peer)]
    peers: Vec<Engine>,
    /// Which graphs
    #[arg(long, value_delimiter = ',', default_value = "rmat20,grid1k")]
    graphs: Vec<String>,
    /// Which algorithms: bfs, dfs, wcc, pagerank, cdlp, lcc, kcore, walk
    #[arg(long, value_delimiter = ',', default_value = "bfs,wcc,pagerank")]
    algorithms: Vec<String>,
    /// Shares of the edges, percent
    #[arg(long, value_delimiter = ',', default_value = "5,25,200")]
    caps: Vec<f64>,
    /// Caps for all algorithms alike, such as 100M
    #[arg(long, value_delimiter = ',', value_parser = leadline_device::parse_size)]
    also_caps: Vec<u64>,
    /// Runs of each engine in a cell
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seconds after which a run is ended
    #[arg(long, default_value_t = 60.0)]
    timeout: f64,
    /// Threads that compute; all processors where it is not given
    #[arg(long)]
    threads: Option<usize>,
    /// Every single run, as CSV
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Runs all cells and prints their table.
pub fn run(args: &Args) -> Result<()> {
    // What is misspelt shows before an hour of runs, not after.
    let graphs: Vec<Graph> =
        args.graphs.iter().map(|name| load_meta(&args.dir, name)).collect::<Result<_>>()?;
    args.algorithms.iter().try_for_each(|algorithm| state_bytes(algorithm).map(drop))?;
    let controller = match Controller::find().and_then(|found| Cgroup::new(&found, 1 << 30).map(|_| found)) {
        Ok(controller) => controller,
        Err(error) => {
            eprintln!("SKIPPED all cells: no memory cgroup to run them in ({error:#}); run as root");
            return Ok(());
        }
    };
    let mut engines = vec![Engine::Leadline(args.leadline.clone())];
    engines.extend(args.peers.iter().cloned());
    let caps: Vec<Cap> = args
        .caps
        .iter()
        .map(|&p| Cap::Percent(p))
        .chain(args.also_caps.iter().map(|&b| Cap::Bytes(b)))
        .collect();
    let mut csv =
        String::from("graph,algorithm,cap,cap_bytes,engine,seconds,read_bytes,peak_rss_bytes,outcome\n");
    println!("{HEAD}");
    for graph in &graphs {
        import(&args.leadline, &args.dir, &graph.name, true)?;
        for algorithm in &args.algorithms {
            for cap in &caps {
                let cap_bytes = cap.bytes(graph, algorithm)?;
                let threads = threads(args.threads);
                let task = Task {
                    dir: &args.dir,
                    graph,
                    algorithm,
                    cap_bytes,
                    threads,
                    depth: None,
                    walkers: WALKERS,
                };
                let measured = cell(args, &controller, &engines, &task)?;
                let of = |(engine, runs): (&Engine, &Vec<Measured>)| Row::of(engine.name(), runs);
                let cell: Vec<Row> = engines.iter().zip(&measured).map(of).collect();
                let name =
                    format!("{} {algorithm}, {cap}: {:.1} MiB", graph.name, cap_bytes as f64 / 1048576.0);
                print!("{}", rows(&name, &cell));
                for (engine, runs) in engines.iter().zip(&measured) {
                    let start = format!("{},{algorithm},{cap},{cap_bytes},{}", graph.name, engine.name());
                    runs.iter().for_each(|run| csv += &csv_line(&start, run));
                }
                // After each cell: a night's runs are not lost to the last one.
                if let Some(path) = &args.output {
                    std::fs::write(path, &csv).with_context(|| path.display().to_string())?;
                }
            }
        }
    }
    Ok(())
}

/// Threads that were asked for, or as many as there are processors.
pub fn threads(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The runs of each engine.
fn cell(
    args: &Args,
    controller: &Controller,
    engines: &[Engine],
    task: &Task<'_>,
) -> Result<Vec<Vec<Measured>>> {
    let mut measured = vec![Vec::<Measured>::new(); engines.len()];
    for round in 0..args.runs {
        for i in order(engines.len(), round) {
            if measured[i].iter().any(|run| run.outcome != Outcome::Done) {
                continue;
            }
            let group = Cgroup::new(controller, task.cap_bytes + ALLOWANCE_BYTES)?;
            drop_caches(&args.dir)?;
            let run = measure(&engines[i].command(task), Some(&group), args.timeout)?;
            let (name, graph, algorithm) = (engines[i].name(), &task.graph.name, task.algorithm);
            eprintln!("{graph} {algorithm} {name}: {:.3} s, {:?}", run.seconds, run.outcome);
            measured[i].push(run);
        }
    }
    Ok(measured)
}

fn csv_line(start: &str, run: &Measured) -> String {
    let outcome = match run.outcome {
        Outcome::Done => "done",
        Outcome::Killed => "killed",
        Outcome::TimedOut => "timed out",
        Outcome::Failed(_) => "failed",
    };
    format!("{start},{:.6},{},{},{outcome}\n", run.seconds, run.read_bytes, run.peak_rss_bytes)
}

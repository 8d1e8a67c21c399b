//! With memory for the whole graph, against engines that hold it in memory: seconds of the algorithm alone.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use leadline_benches::median;

use crate::engine::{Engine, Task, WALKERS, import, order};
use crate::graph::{Cap, load_meta};
use crate::measure::{Measured, Outcome, measure};
use crate::needs::Needs;
use crate::run::threads;
use crate::table::spread;

/// Leadline warm, with memory for twice the edges or, where that is more, for all that it keeps, against
/// engines that hold the graph in memory: what each says the algorithm alone took, without start and loading.
/// For Leadline that is the third of three runs in one process: the first has filled the cache, and the
/// second has decoded the lists.
///
/// A peer is called as in `run`; the last number it prints is its seconds. `benches/python/networkit_peer.py`
/// is one.
#[derive(Parser)]
pub struct Args {
    /// Folder that `generate` wrote
    dir: PathBuf,
    /// The program `leadline`
    #[arg(long)]
    leadline: PathBuf,
    /// Another engine, NAME=PROGRAM
    #[arg(long = "peer-prints-seconds", value_parser = Engine::parse_peer)]
    peers: Vec<Engine>,
    /// Which graphs
    #[arg(long, value_delimiter = ',', default_value = "rmat20,grid1k")]
    graphs: Vec<String>,
    /// Which algorithms
    #[arg(long, value_delimiter = ',', default_value = "bfs,wcc,pagerank")]
    algorithms: Vec<String>,
    /// Runs of each engine, after one that does not count
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seconds after which a run is ended
    #[arg(long, default_value_t = 600.0)]
    timeout: f64,
    /// Threads that compute; all processors where it is not given
    #[arg(long)]
    threads: Option<usize>,
}

/// Prints the table.
pub fn memory(args: &Args) -> Result<()> {
    let mut engines = vec![Engine::Leadline(args.leadline.clone())];
    engines.extend(args.peers.iter().cloned());
    println!("| graph, algorithm | engine | seconds of the algorithm | Leadline / this |");
    println!("| --- | --- | --- | --- |");
    for name in &args.graphs {
        let graph = load_meta(&args.dir, name)?;
        import(&args.leadline, &args.dir, name, true)?;
        for algorithm in &args.algorithms {
            let cap_bytes = Cap::Percent(200.0).bytes(&graph, algorithm)?;
            let threads = threads(args.threads);
            let (dir, graph, walkers) = (args.dir.as_path(), &graph, WALKERS);
            let task = Task { dir, graph, algorithm, cap_bytes, threads, depth: None, walkers };
            let task = Task { cap_bytes: cap_bytes.max(Needs::of(&args.leadline, &task)?.all), ..task };
            // The first round warms the page cache.
            let mut seconds = vec![Ok(Vec::new()); engines.len()];
            for round in 0..=args.runs {
                for i in order(engines.len(), round) {
                    let Ok(past) = &mut seconds[i] else { continue };
                    match one(&engines[i], &task, args.timeout) {
                        Ok(value) if round > 0 => past.push(value),
                        Ok(_) => {}
                        Err(error) => seconds[i] = Err(format!("{error:#}")),
                    }
                }
            }
            print(&format!("{name} {algorithm}"), &engines, &seconds);
        }
    }
    Ok(())
}

fn one(engine: &Engine, task: &Task<'_>, timeout: f64) -> Result<f64> {
    let mut command = engine.command(task);
    if matches!(engine, Engine::Leadline(_)) {
        // Of the last run, for which those before have read and decoded all: the peers begin with the graph
        // in memory.
        command.extend(["--runs", "3"].map(Into::into));
    }
    let run = measure(&command, None, timeout)?;
    let seconds = seconds_of(engine, &run)?;
    eprintln!("{} {} {}: {seconds:.4} s", task.graph.name, task.algorithm, engine.name());
    Ok(seconds)
}

fn seconds_of(engine: &Engine, run: &Measured) -> Result<f64> {
    if run.outcome != Outcome::Done {
        bail!("{:?}", run.outcome);
    }
    match engine {
        Engine::Leadline(_) => run.number("seconds"),
        Engine::Peer { .. } => last_number(&run.stdout).context("it printed no number"),
    }
}

fn last_number(text: &str) -> Option<f64> {
    text.split_whitespace().rev().find_map(|word| word.parse().ok())
}

fn print(cell: &str, engines: &[Engine], seconds: &[Result<Vec<f64>, String>]) {
    let medians: Vec<_> =
        seconds.iter().map(|all| all.as_ref().map_err(Clone::clone).map(|all| median(all))).collect();
    for (engine, result) in engines.iter().zip(&medians) {
        match result {
            Ok(own) => {
                let ratio =
                    medians[0].as_ref().map_or(String::new(), |ours| format!("{:.2}", ours[0] / own[0]));
                println!("| {cell} | {} | {} | {ratio} |", engine.name(), spread(own));
            }
            Err(why) => println!("| {cell} | {} | {why} | |", engine.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_is_the_seconds() {
        assert_eq!(last_number("Trial Time: 0.5\nAverage Time: 0.25 s\n"), Some(0.25));
        assert_eq!(last_number("nothing"), None);
    }

    #[test]
    fn a_run_that_failed_has_no_seconds_even_if_it_printed_some() {
        let run = |outcome| Measured {
            seconds: 9.0,
            cpu_seconds: 9.0,
            read_bytes: 0,
            peak_rss_bytes: 0,
            outcome,
            stdout: "{\"seconds\": 0.5}".into(),
        };
        let leadline = Engine::Leadline("leadline".into());
        assert_eq!(seconds_of(&leadline, &run(Outcome::Done)).unwrap(), 0.5);
        assert!(seconds_of(&leadline, &run(Outcome::Killed)).is_err());
    }
}

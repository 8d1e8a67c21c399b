//! Time over reads in flight: what the device's concurrency brings, from one read at a time to many.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use leadline_benches::median;

use crate::engine::{Engine, Task, WALKERS, order};
use crate::graph::{Cap, load_meta};
use crate::measure::{Outcome, drop_caches, measure};
use crate::run::threads;
use crate::table::spread;

/// The algorithm's own seconds with 1, 2, 4, ... reads in flight, cold, with little memory (the vertices'
/// state and 5 % of the edges), the depths in turn, there and back.
#[derive(Parser)]
pub struct Args {
    /// DIR/NAME.graph, made by `run`, with DIR/NAME.meta beside it
    store: PathBuf,
    /// The program `leadline`
    #[arg(long)]
    leadline: PathBuf,
    /// Which algorithms
    #[arg(long, value_delimiter = ',', default_value = "bfs,pagerank")]
    algorithms: Vec<String>,
    /// Reads in flight
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32,64,128")]
    depths: Vec<u32>,
    /// Memory beyond the vertices' state, percent of the edges
    #[arg(long, default_value_t = 5.0)]
    cap: f64,
    /// Runs at each depth
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Threads that compute; all processors where it is not given
    #[arg(long)]
    threads: Option<usize>,
    /// The table as CSV
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Prints a table of each algorithm.
pub fn depth(args: &Args) -> Result<()> {
    let dir = args.store.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(".".as_ref());
    let name = args.store.file_stem().and_then(|stem| stem.to_str()).context("the store has no name")?;
    let graph = load_meta(dir, name)?;
    let engine = Engine::Leadline(args.leadline.clone());
    let mut csv =
        String::from("graph,algorithm,depth,median_seconds,min_seconds,max_seconds,mean_depth,read_bytes\n");
    println!(
        "| {name} | reads in flight | seconds | speed-up over {} | mean in flight | read, MiB |",
        args.depths[0]
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for algorithm in &args.algorithms {
        let cap_bytes = Cap::Percent(args.cap).bytes(&graph, algorithm)?;
        let threads = threads(args.threads);
        // Seconds, mean depth and bytes read of every run, depth by depth.
        let mut runs = vec![[const { Vec::new() }; 3]; args.depths.len()];
        for round in 0..args.runs {
            for i in order(args.depths.len(), round) {
                let depth = Some(args.depths[i]);
                let task =
                    Task { dir, graph: &graph, algorithm, cap_bytes, threads, depth, walkers: WALKERS };
                drop_caches(dir)?;
                let run = measure(&engine.command(&task), None, 3600.0)?;
                if run.outcome != Outcome::Done {
                    bail!("{algorithm} with {} reads in flight: {:?}", args.depths[i], run.outcome);
                }
                for (values, key) in runs[i].iter_mut().zip(["seconds", "mean_depth", "bytes_read"]) {
                    values.push(run.number(key)?);
                }
                eprintln!("{algorithm} depth {}: {:.3} s", args.depths[i], run.number("seconds")?);
            }
        }
        let first = median(&runs[0][0])[0];
        for (depth, runs) in args.depths.iter().zip(&runs) {
            let [seconds, mean, read] = [0, 1, 2].map(|i| median(&runs[i]));
            println!(
                "| {algorithm} | {depth} | {} | {:.2} | {:.1} | {:.1} |",
                spread(&seconds),
                first / seconds[0],
                mean[0],
                read[0] / 1048576.0
            );
            let [middle, low, high] = seconds;
            csv += &format!("{name},{algorithm},{depth},{middle},{low},{high},{},{}\n", mean[0], read[0]);
        }
    }
    if let Some(path) = &args.output {
        std::fs::write(path, csv).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

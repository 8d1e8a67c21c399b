//! Imports next to the disk's bandwidth: how long the disk alone would take for the bytes that an import
//! moves.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::{Parser, ValueEnum};
use leadline_benches::{Load, leadline, median};

use crate::engine::order;
use crate::generate::make;
use crate::measure::{Outcome, drop_caches, measure};

/// Bytes of the file by which the bandwidth is measured.
const BANDWIDTH_BYTES: u64 = 1 << 30;

/// Seconds for which it is measured, in each direction.
const BANDWIDTH_SECONDS: f64 = 1.0;

/// Compares imports with the disk: seconds, million edges per second, and the share of the disk's sequential
/// bandwidth.
///
/// The share is the time that the disk takes for the bytes moved (the input, what is written to temporary
/// files and read again, the store), by its sequential bandwidth in the same round, over the time of the
/// import. The programs take turns on each input and number of threads, which `taskset` limits; the page
/// cache is dropped before each run.
#[derive(Parser)]
pub struct Args {
    /// Programs `leadline`: before a change and with it, or one
    #[arg(required = true)]
    programs: Vec<PathBuf>,
    /// Rounds
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// The graph; rmat20 has 2^24 pairs, about
    #[arg(long, default_value = "rmat20")]
    graph: String,
    /// How its edges are given
    #[arg(long, value_enum, value_delimiter = ',', default_value = "ordered,pairs,text,names")]
    inputs: Vec<Input>,
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// The cap on memory
    #[arg(long, default_value = "1G")]
    memory: String,
    /// Directory on the disk that is measured; a temporary one is made in it
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Further options of `leadline graph import`
    #[arg(last = true)]
    options: Vec<OsString>,
}

/// How edges are given.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Input {
    /// Binary pairs in the order of their sources and targets
    Ordered,
    /// Binary pairs in random order
    Pairs,
    /// Lines of two numbers, in random order
    Text,
    /// Lines of two names, in random order
    Names,
}

impl Input {
    fn file(self) -> &'static str {
        match self {
            Input::Ordered => "ordered.u32",
            Input::Pairs => "pairs.u32",
            Input::Text => "text.el",
            Input::Names => "names.csv",
        }
    }
}

/// A run of an import.
#[derive(Debug, Clone, Copy)]
struct Run {
    seconds: f64,
    cpu_seconds: f64,
    edges: f64,
    /// Of the disk's bandwidth.
    share: f64,
}

/// Prints the table.
pub fn import(args: &Args) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("import-").tempdir_in(&args.dir);
    let folder = folder.with_context(|| args.dir.display().to_string())?;
    let dir = folder.path();
    eprintln!("making {}", args.graph);
    make(dir, &args.graph, false)?;
    write_inputs(dir, &args.graph, &args.inputs)?;
    println!(
        "| input | threads | program | seconds | million edges/s | share of the disk | processor time, s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let cells = args.programs.len() * args.threads.len();
    for &input in &args.inputs {
        let mut runs = vec![Vec::new(); cells];
        for round in 0..args.rounds as usize {
            let [read, write] = bandwidth(dir)?;
            eprintln!("round {round}: the disk reads {:.2} and writes {:.2} GB/s", read / 1e9, write / 1e9);
            for cell in order(cells, round) {
                let (program, threads) =
                    (&args.programs[cell % args.programs.len()], args.threads[cell / args.programs.len()]);
                runs[cell].push(one(args, dir, program, input, threads, [read, write])?);
            }
        }
        for (cell, runs) in runs.iter().enumerate() {
            let (program, threads) =
                (&args.programs[cell % args.programs.len()], args.threads[cell / args.programs.len()]);
            println!("| {} | {threads} | {} | {} |", input.file(), program.display(), columns(runs));
        }
    }
    Ok(())
}

/// A row's figures: medians with the least and the most.
fn columns(runs: &[Run]) -> String {
    let column = |of: fn(&Run) -> f64| {
        let [median, low, high] = median(&runs.iter().map(of).collect::<Vec<_>>());
        format!("{median:.2} ({low:.2}–{high:.2})")
    };
    [
        column(|run| run.seconds),
        column(|run| run.edges / run.seconds / 1e6),
        column(|run| run.share),
        column(|run| run.cpu_seconds),
    ]
    .join(" | ")
}

fn one(
    args: &Args,
    dir: &Path,
    program: &Path,
    input: Input,
    threads: usize,
    [read, write]: [f64; 2],
) -> Result<Run> {
    let store = dir.join("store");
    let processors = format!("0-{}", threads.max(1) - 1);
    let mut command: Vec<OsString> = ["taskset", "-c", &processors].map(Into::into).into();
    command.push(program.into());
    command.extend(["graph", "import", "--json", "--memory", &args.memory].map(Into::into));
    command.extend(args.options.iter().cloned());
    command.extend([dir.join(input.file()).into(), store.clone().into()]);
    drop_caches(dir)?;
    let run = measure(&command, None, 3600.0)?;
    ensure!(run.outcome == Outcome::Done, "{}: {:?}", program.display(), run.outcome);
    let [seconds, edges, input, spilled, stored] =
        ["seconds", "edges_read", "input_bytes", "bytes_spilled", "store_bytes"].map(|key| run.number(key));
    let (seconds, edges, spilled) = (seconds?, edges?, spilled?);
    let share = ((input? + spilled) / read + (spilled + stored?) / write) / seconds;
    std::fs::remove_file(&store)?;
    Ok(Run { seconds, cpu_seconds: run.cpu_seconds, edges, share })
}

/// Bytes per second that the disk reads and writes, one block after the other, past the page cache.
fn bandwidth(dir: &Path) -> Result<[f64; 2]> {
    let path = dir.join("bandwidth");
    let file = File::create(&path).with_context(|| path.display().to_string())?;
    let piece: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(1 << 20).collect();
    (0..BANDWIDTH_BYTES >> 20).try_for_each(|_| (&file).write_all(&piece))?;
    file.sync_all()?;
    let load = |write| Load { write, sequential: true, durable: false, block_bytes: 1 << 20, depth: 8 };
    let run =
        |write| leadline(&path, load(write), BANDWIDTH_SECONDS).map(|run| run.iops * f64::from(1 << 20));
    let bandwidths = [run(false)?, run(true)?];
    std::fs::remove_file(&path)?;
    Ok(bandwidths)
}

/// Writes the generated pairs, which are in order, in every way asked for.
fn write_inputs(dir: &Path, graph: &str, inputs: &[Input]) -> Result<()> {
    let generated = dir.join(format!("{graph}.u32"));
    let ordered = std::fs::read(&generated).with_context(|| generated.display().to_string())?;
    let mut pairs: Vec<[u8; 8]> = ordered.as_chunks().0.to_vec();
    fastrand::Rng::with_seed(1).shuffle(&mut pairs);
    for &input in inputs {
        let path = dir.join(input.file());
        if input == Input::Ordered {
            std::fs::copy(&generated, &path)?;
            continue;
        }
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
        if input == Input::Names {
            writeln!(out, "source,target")?;
        }
        for pair in &pairs {
            let [source, target] =
                [0, 4].map(|at| u32::from_le_bytes([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]));
            match input {
                Input::Ordered | Input::Pairs => out.write_all(pair)?,
                Input::Text => writeln!(out, "{source} {target}")?,
                Input::Names => writeln!(out, "user_{:08x},user_{:08x}", name(source), name(target))?,
            }
        }
        out.into_inner().map_err(|error| error.into_error())?.sync_all()?;
    }
    Ok(std::fs::remove_file(&generated)?)
}

/// A different number for each vertex, in another order: names are in no order of the file.
fn name(vertex: u32) -> u32 {
    vertex.wrapping_mul(2_654_435_761)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_hold_the_same_edges() {
        let dir = tempfile::tempdir().unwrap();
        let pairs: Vec<u8> =
            [[1u32, 7], [2, 3]].as_flattened().iter().flat_map(|id| id.to_le_bytes()).collect();
        std::fs::write(dir.path().join("g.u32"), &pairs).unwrap();
        write_inputs(dir.path(), "g", &[Input::Ordered, Input::Text, Input::Names]).unwrap();
        let read = |input: Input| std::fs::read(dir.path().join(input.file())).unwrap();
        assert_eq!(read(Input::Ordered), pairs);
        let mut lines: Vec<String> =
            String::from_utf8(read(Input::Text)).unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        assert_eq!(lines, ["1 7", "2 3"]);
        assert!(String::from_utf8(read(Input::Names)).unwrap().contains("user_9e3779b1,user_538453d7"));
    }
}

//! Two builds of Leadline in all cells of small and large graphs, in memory and under a cap: what became
//! slower.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use leadline_benches::median;
use serde_json::Value;

use crate::cgroup::{Cgroup, Controller};
use crate::engine::{Engine, Task, WALKERS, import, order};
use crate::generate::{make, shape};
use crate::graph::{ALLOWANCE_BYTES, Cap, Graph, state_bytes};
use crate::measure::{Measured, Outcome, drop_caches, measure};
use crate::needs::Needs;
use crate::run::threads;

/// Times as long from which a cell counts as slower.
const SLOWER: f64 = 1.03;

/// Runs in one process in memory; all but the first count.
const RUNS: &str = "4";

/// Memory for the whole graph and more, percent of the edges.
const ALL: f64 = 200.0;

/// Compares two builds of `leadline`: seconds of each algorithm on each graph, and new / old of every pair of
/// runs.
///
/// In memory these are the second to fourth run in one process (their median), which find everything decoded
/// or cached. Under a cap it is the whole process, cold, with the least memory that both builds run with
/// where a share of the edges is less; as root in a memory cgroup, which counts the page cache too, else past
/// the page cache. The builds take turns, A B B A. Graphs are generated, imported by OLD and removed at the
/// end; a name that ends with -permuted is numbered at random. Ctrl-C ends it after the run that is under
/// way.
#[derive(Parser)]
pub struct Args {
    /// The program `leadline` before the change
    old: PathBuf,
    /// The program `leadline` with it
    new: PathBuf,
    /// Pairs of runs in each cell
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Which graphs
    #[arg(long, value_delimiter = ',', default_value = "grid1k,rmat18,rmat20,rmat22-permuted")]
    graphs: Vec<String>,
    /// Which algorithms
    #[arg(long, value_delimiter = ',', default_value = "bfs,wcc,pagerank")]
    algorithms: Vec<String>,
    /// Shares of the edges that the memory under a cap has room for, percent
    #[arg(long, value_delimiter = ',', default_value = "25")]
    caps: Vec<f64>,
    /// Directory on the disk that is read; a temporary one is made in it
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Threads that compute; all processors where it is not given
    #[arg(long)]
    threads: Option<usize>,
    /// Seconds after which a run is ended
    #[arg(long, default_value_t = 300.0)]
    timeout: f64,
}

/// Where a cell's runs find their memory.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Memory,
    Cap(f64),
}

impl Place {
    fn cap(self) -> Cap {
        Cap::Percent(match self {
            Place::Memory => ALL,
            Place::Cap(percent) => percent,
        })
    }

    /// What a build must have of memory there.
    fn needed(self, needs: Needs) -> u64 {
        match self {
            Place::Memory => needs.all,
            Place::Cap(_) => needs.least,
        }
    }
}

/// Prints the table, and which cells are slower.
pub fn regressions(args: &Args) -> Result<()> {
    // What is misspelt shows before an hour of runs, not after.
    args.algorithms.iter().try_for_each(|algorithm| state_bytes(algorithm).map(drop))?;
    args.graphs.iter().try_for_each(|name| shape(parts(name).0).map(drop))?;
    for program in [&args.old, &args.new] {
        let version = Command::new(program).arg("--version").output();
        let version = version.with_context(|| format!("{}: cannot be run", program.display()))?;
        ensure!(version.status.success(), "{}: `--version` fails", program.display());
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let controller = match Controller::find().and_then(|found| Cgroup::new(&found, 1 << 30).map(|_| found)) {
        Ok(controller) => Some(controller),
        Err(error) => {
            eprintln!("no memory cgroup ({error:#}): under a cap, runs are only past the page cache");
            None
        }
    };
    let folder = tempfile::Builder::new().prefix("regressions-").tempdir_in(&args.dir);
    let folder = folder.with_context(|| args.dir.display().to_string())?;
    let engines = [&args.old, &args.new].map(|program| Engine::Leadline(program.clone()));
    let mut bench = Bench { args, dir: folder.path(), engines, controller, stop, slower: Vec::new() };
    println!("| cell | old, s | new, s | new / old | processor time, new / old |");
    println!("| --- | --- | --- | --- | --- |");
    for name in &args.graphs {
        bench.graph(name)?;
    }
    let percent = 100.0 * (SLOWER - 1.0);
    match &bench.slower[..] {
        [] => println!("\nNo cell is more than {percent:.0} % slower."),
        cells => println!("\nSlower by more than {percent:.0} %: {}", cells.join("; ")),
    }
    Ok(())
}

/// The generated graph's name, and whether it is numbered at random.
fn parts(name: &str) -> (&str, bool) {
    name.strip_suffix("-permuted").map_or((name, false), |name| (name, true))
}

/// What runs are made with.
struct Bench<'a> {
    args: &'a Args,
    dir: &'a Path,
    /// Old and new.
    engines: [Engine; 2],
    controller: Option<Controller>,
    stop: Arc<AtomicBool>,
    slower: Vec<String>,
}

impl Bench<'_> {
    /// All cells of a graph, which is there only meanwhile.
    fn graph(&mut self, name: &str) -> Result<()> {
        eprintln!("making {name}");
        let (generated, permuted) = parts(name);
        let (graph, _) = make(self.dir, generated, permuted)?;
        // What an old build wrote, a new one reads.
        import(&self.args.old, self.dir, name, !permuted)?;
        std::fs::remove_file(self.dir.join(format!("{name}.u32")))?;
        let places: Vec<Place> =
            [Place::Memory].into_iter().chain(self.args.caps.iter().map(|cap| Place::Cap(*cap))).collect();
        for algorithm in &self.args.algorithms {
            for &place in &places {
                let cap_bytes = match self.cap_bytes(&graph, algorithm, place) {
                    Ok(cap_bytes) => cap_bytes,
                    Err(error) => {
                        println!("| {name} {algorithm} | {error:#} | | | |");
                        continue;
                    }
                };
                let place_name = match place {
                    Place::Memory => "in memory".to_owned(),
                    Place::Cap(_) => format!("{:.1} MiB, cold", cap_bytes as f64 / 1048576.0),
                };
                let cell = format!("{name} {algorithm}, {place_name}");
                match self.cell(&graph, algorithm, place, cap_bytes) {
                    Ok(pairs) => {
                        let (row, slower) = row(&cell, &pairs);
                        println!("{row}");
                        self.slower.extend(slower.map(|how| format!("{cell} ({how})")));
                    }
                    Err(error) if self.stop.load(Ordering::Relaxed) => return Err(error),
                    Err(error) => println!("| {cell} | {error:#} | | | |"),
                }
            }
        }
        drop(std::fs::remove_file(self.dir.join(format!("{name}.graph"))));
        Ok(())
    }

    /// What both builds are told: with it, none refuses to run.
    fn cap_bytes(&self, graph: &Graph, algorithm: &str, place: Place) -> Result<u64> {
        let cap_bytes = place.cap().bytes(graph, algorithm)?;
        let task = self.task(graph, algorithm, cap_bytes);
        [&self.args.old, &self.args.new]
            .into_iter()
            .try_fold(cap_bytes, |cap, program| Ok(cap.max(place.needed(Needs::of(program, &task)?))))
    }

    fn task<'t>(&'t self, graph: &'t Graph, algorithm: &'t str, cap_bytes: u64) -> Task<'t> {
        let (dir, threads) = (self.dir, threads(self.args.threads));
        Task { dir, graph, algorithm, cap_bytes, threads, depth: None, walkers: WALKERS }
    }

    /// Wall and processor seconds of old and new, round by round.
    fn cell(
        &self,
        graph: &Graph,
        algorithm: &str,
        place: Place,
        cap_bytes: u64,
    ) -> Result<Vec<[[f64; 2]; 2]>> {
        let task = self.task(graph, algorithm, cap_bytes);
        let mut pairs = Vec::new();
        for round in 0..self.args.rounds as usize {
            let mut pair = [[0.0; 2]; 2];
            for i in order(2, round) {
                if self.stop.load(Ordering::Relaxed) {
                    bail!("interrupted");
                }
                pair[i] = self.one(&task, place, i)?;
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }

    fn one(&self, task: &Task<'_>, place: Place, engine: usize) -> Result<[f64; 2]> {
        let mut command = self.engines[engine].command(task);
        let mut group = None;
        match (place, &self.controller) {
            (Place::Memory, _) => command.extend(["--runs", RUNS].map(Into::into)),
            (Place::Cap(_), Some(controller)) => {
                group = Some(Cgroup::new(controller, task.cap_bytes + ALLOWANCE_BYTES)?);
                drop_caches(self.dir)?;
            }
            (Place::Cap(_), None) => drop_caches(self.dir)?,
        }
        let run = measure(&command, group.as_ref(), self.args.timeout)?;
        ensure!(run.outcome == Outcome::Done, "{}: {:?}", ["old", "new"][engine], run.outcome);
        let seconds = seconds(&run, place)?;
        eprintln!("{} {} {}: {seconds:.4} s", task.graph.name, task.algorithm, ["old", "new"][engine]);
        Ok([seconds, run.cpu_seconds])
    }
}

/// Of the runs in the process for which the first has read all; or of the whole process.
fn seconds(run: &Measured, place: Place) -> Result<f64> {
    if place != Place::Memory {
        return Ok(run.seconds);
    }
    let document: Value = serde_json::from_str(&run.stdout)?;
    let runs = document["runs"].as_array().context("no runs in the JSON document")?;
    let seconds: Option<Vec<f64>> = runs.iter().skip(1).map(|run| run["seconds"].as_f64()).collect();
    let seconds = seconds.filter(|seconds| !seconds.is_empty()).context("no seconds in a run")?;
    Ok(median(&seconds)[0])
}

/// A line of the table; where new is slower than old, whether it was so every time.
fn row(cell: &str, pairs: &[[[f64; 2]; 2]]) -> (String, Option<&'static str>) {
    let of = |engine: usize| median(&pairs.iter().map(|pair| pair[engine][0]).collect::<Vec<_>>());
    let ratio =
        |which: usize| median(&pairs.iter().map(|[old, new]| new[which] / old[which]).collect::<Vec<_>>());
    let text = |digits: usize, [median, low, high]: [f64; 3]| {
        format!("{median:.digits$} ({low:.digits$}–{high:.digits$})")
    };
    let (wall, processor) = (ratio(0), ratio(1));
    let line = [text(4, of(0)), text(4, of(1)), text(2, wall), text(2, processor)].join(" | ");
    let how = if wall[1] > 1.0 { "in every round" } else { "not in every round" };
    (format!("| {cell} | {line} |"), (wall[0] > SLOWER).then_some(how))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_compares_the_runs_of_each_round_and_says_what_is_slower() {
        let pairs = [[[1.0, 2.0], [1.1, 2.0]], [[2.0, 4.0], [2.4, 2.0]], [[1.0, 1.0], [1.0, 1.0]]];
        let expected = "\
            | c | 1.0000 (1.0000–2.0000) | 1.1000 (1.0000–2.4000) | 1.10 (1.00–1.20) | 1.00 (0.50–1.00) |";
        assert_eq!(row("c", &pairs), (expected.to_owned(), Some("not in every round")));
        assert_eq!(row("c", &pairs[..2]).1, Some("in every round"));
        assert_eq!(row("c", &pairs[2..]).1, None);
    }

    #[test]
    fn in_memory_all_runs_but_the_first_count() {
        let run = |stdout: &str| Measured {
            seconds: 9.0,
            cpu_seconds: 9.0,
            read_bytes: 0,
            peak_rss_bytes: 0,
            outcome: Outcome::Done,
            stdout: stdout.into(),
        };
        let runs = r#"{"runs": [{"seconds": 7}, {"seconds": 0.5}, {"seconds": 0.25}, {"seconds": 2}]}"#;
        assert_eq!(seconds(&run(runs), Place::Memory).unwrap(), 0.5);
        assert_eq!(seconds(&run(runs), Place::Cap(25.0)).unwrap(), 9.0);
        assert!(seconds(&run(r#"{"runs": [{"seconds": 7}]}"#), Place::Memory).is_err());
    }

    #[test]
    fn a_permuted_graph_is_named_by_its_end() {
        assert_eq!(parts("rmat22-permuted"), ("rmat22", true));
        assert_eq!(parts("grid1k"), ("grid1k", false));
    }
}

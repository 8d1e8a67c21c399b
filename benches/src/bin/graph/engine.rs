//! The engines: Leadline, which is told everything by its own options, and peers, which are programs of one
//! shape.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::graph::Graph;

/// Iterations of pagerank and cdlp.
pub const ITERATIONS: u32 = 10;

/// Random walks, where nothing else is said.
pub const WALKERS: u32 = 10_000;

/// Steps of each.
const WALK_STEPS: u32 = 10;

/// Something that runs algorithms.
#[derive(Debug, Clone, PartialEq)]
pub enum Engine {
    /// The program `leadline`.
    Leadline(PathBuf),
    /// Any program called as `PROGRAM GRAPH DIR ALGORITHM CAP_BYTES THREADS`.
    Peer {
        /// For the table.
        name: String,
        /// What to run.
        program: PathBuf,
    },
}

/// What an engine is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Where the graph's files are.
    pub dir: &'a Path,
    /// Which graph.
    pub graph: &'a Graph,
    /// Which algorithm.
    pub algorithm: &'a str,
    /// Memory it may use, bytes.
    pub cap_bytes: u64,
    /// Threads that compute.
    pub threads: usize,
    /// Reads in flight, for Leadline only; without it, its own choice.
    pub depth: Option<u32>,
    /// Random walks, for Leadline only.
    pub walkers: u32,
}

impl Engine {
    /// From `NAME=PROGRAM`.
    ///
    /// # Errors
    /// Where the equals sign or either side is missing.
    pub fn parse_peer(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, program)) if !name.is_empty() && !program.is_empty() => {
                Ok(Engine::Peer { name: name.to_owned(), program: program.into() })
            }
            _ => Err(format!("{text:?} is not NAME=PROGRAM")),
        }
    }

    /// For tables.
    pub fn name(&self) -> &str {
        match self {
            Engine::Leadline(_) => "Leadline",
            Engine::Peer { name, .. } => name,
        }
    }

    /// The program and its arguments.
    pub fn command(&self, task: &Task<'_>) -> Vec<OsString> {
        match self {
            Engine::Leadline(program) => {
                let mut words = vec![program.into(), "graph".into(), task.algorithm.into()];
                words.push(store(task.dir, &task.graph.name).into());
                words.extend(options(task).into_iter().map(OsString::from));
                words
            }
            Engine::Peer { program, .. } => vec![
                program.into(),
                OsString::from(&task.graph.name),
                task.dir.into(),
                task.algorithm.into(),
                task.cap_bytes.to_string().into(),
                task.threads.to_string().into(),
            ],
        }
    }
}

fn options(task: &Task<'_>) -> Vec<String> {
    let own = match task.algorithm {
        "bfs" | "dfs" => format!("--source {}", task.graph.source),
        "pagerank" | "cdlp" => format!("--iterations {ITERATIONS}"),
        "walk" => format!("--walkers {} --length {WALK_STEPS}", task.walkers),
        _ => String::new(),
    };
    let depth = task.depth.map(|depth| format!(" --depth {depth}")).unwrap_or_default();
    let all = format!("{own} --memory {} --threads {}{depth} --json", task.cap_bytes, task.threads);
    all.split_whitespace().map(str::to_owned).collect()
}

/// Where Leadline keeps a graph.
pub fn store(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.graph"))
}

/// Makes Leadline's store of a graph where there is none, its vertices numbered by degree or as they are.
///
/// # Errors
/// Where Leadline cannot be run or fails.
pub fn import(leadline: &Path, dir: &Path, name: &str, renumber: bool) -> Result<()> {
    let store = store(dir, name);
    if store.exists() {
        return Ok(());
    }
    eprintln!("importing {name}");
    let mut command = Command::new(leadline);
    command.args(["graph", "import"]).arg(dir.join(format!("{name}.u32"))).arg(&store);
    command.args(["--undirected", "--dedupe"]).args(renumber.then_some("--renumber"));
    // What it says of itself is not part of a table.
    let status = command.stdout(std::process::Stdio::null()).status();
    if !status.with_context(|| leadline.display().to_string())?.success() {
        bail!("`{} graph import` of {name} failed", leadline.display());
    }
    Ok(())
}

/// Which engine goes when in a round: there and back, so that none always finds the disk as the same other
/// left it.
pub fn order(engines: usize, round: usize) -> Vec<usize> {
    let there = 0..engines;
    if round.is_multiple_of(2) { there.collect() } else { there.rev().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_told_graph_algorithm_cap_and_threads() {
        let graph = Graph { name: "g".into(), vertices: 10, edges: 20, source: 7 };
        let dir = Path::new("/d");
        let (graph, depth) = (&graph, Some(8));
        let task = Task { dir, graph, algorithm: "bfs", cap_bytes: 123, threads: 2, depth, walkers: 9 };
        let line = |engine: &Engine| {
            engine
                .command(&task)
                .iter()
                .map(|w| w.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            line(&Engine::Leadline("leadline".into())),
            "leadline graph bfs /d/g.graph --source 7 --memory 123 --threads 2 --depth 8 --json"
        );
        assert_eq!(line(&Engine::parse_peer("cave=/p/run").unwrap()), "/p/run g /d bfs 123 2");
        assert!(Engine::parse_peer("cave").is_err() && Engine::parse_peer("=x").is_err());
    }

    #[test]
    fn every_other_round_goes_backwards() {
        assert_eq!([order(3, 0), order(3, 1)], [vec![0, 1, 2], vec![2, 1, 0]]);
    }
}

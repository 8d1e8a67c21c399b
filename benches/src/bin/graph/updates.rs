//! A store that is changed: how fast changes go in, beside a bare `fdatasync` where commits are small, and
//! how much longer algorithms take on it than on a store that was imported whole.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use leadline_benches::median;
use serde_json::Value;

use crate::engine::order;
use crate::table::spread;

/// Imports a part of a graph's edges, adds the rest in one commit, and runs algorithms on that store and on
/// one that was imported whole, in turns; each run is a process of its own. Then additions in commits of 1000
/// edges, each beside an `fdatasync` of as many bytes at the end of a file: to that store, and to one in
/// which they are looked up because it was imported with `--dedupe`.
#[derive(Parser)]
pub struct Args {
    /// Folder that `generate` wrote
    dir: PathBuf,
    /// The program `leadline`
    #[arg(long)]
    leadline: PathBuf,
    /// Which graph
    #[arg(long, default_value = "rmat20")]
    graph: String,
    /// Percents of the edges that are added to the store
    #[arg(long, value_delimiter = ',', default_value = "1,10,50")]
    shares: Vec<u64>,
    /// Which algorithms
    #[arg(long, value_delimiter = ',', default_value = "bfs,pagerank")]
    algorithms: Vec<String>,
    /// Memory for everything
    #[arg(long, default_value = "256M")]
    memory: String,
    /// Runs on each store
    #[arg(long, default_value_t = 5)]
    runs: usize,
}

/// Bytes of an edge in a file of pairs.
const EDGE: usize = 8;

/// Edges of a small commit, and how many commits.
const SMALL: (usize, usize) = (1000, 200);

/// Bytes of a commit's record for each edge that is added: what the `fdatasync` beside it writes.
const OF_AN_EDGE: usize = 9;

/// Prints the tables.
pub fn updates(args: &Args) -> Result<()> {
    let edges = fs::read(args.dir.join(format!("{}.u32", args.graph))).context(args.graph.clone())?;
    // An undirected edge that stands there from both ends is added once, in no order.
    let pairs = edges.chunks_exact(EDGE).filter(|edge| edge[..4] <= edge[4..]);
    let mut pairs: Vec<&[u8]> = pairs.collect();
    fastrand::Rng::with_seed(1).shuffle(&mut pairs);
    let edges = pairs.concat();
    let folder = tempfile::tempdir_in(&args.dir)?;
    let whole = folder.path().join("whole.graph");
    import(args, &edges, folder.path(), &whole, &[])?;
    let source = u32::from_le_bytes(*edges.first_chunk().context("no edges")?).to_string();
    println!("| added | edges | million edges/s | algorithm | seconds | imported whole | ratio |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for share in &args.shares {
        let cut = edges.len() / EDGE * (100 - *share as usize) / 100 * EDGE;
        let (base, rest) = edges.split_at(cut);
        let store = folder.path().join("changed.graph");
        import(args, base, folder.path(), &store, &[])?;
        let list = folder.path().join("rest.u32");
        fs::write(&list, rest)?;
        let added = run(args, &["update", text(&store)?, text(&list)?, "--commit-every", "1000000000"])?;
        for algorithm in &args.algorithms {
            let stores = [&store, &whole];
            let mut seconds = [Vec::new(), Vec::new()];
            for round in 0..args.runs {
                for at in order(2, round) {
                    let mut words = vec![algorithm.as_str(), text(stores[at])?];
                    words.extend(if algorithm == "bfs" { vec!["--source", &source] } else { Vec::new() });
                    seconds[at].push(number(&run(args, &words)?, "seconds")?);
                }
            }
            let [changed, fresh] = seconds.map(|seconds| median(&seconds));
            println!(
                "| {share} % | {} | {:.2} | {algorithm} | {} | {} | {:.2} |",
                rest.len() / EDGE,
                number(&added, "changes_per_second")? / 1e6,
                spread(&changed),
                spread(&fresh),
                changed[0] / fresh[0]
            );
        }
    }
    println!();
    println!("| commits of {} edges | ms, first half | ms, second half | fdatasync, ms | ratios |", SMALL.0);
    println!("| --- | --- | --- | --- | --- |");
    small_commits(args, "added", &whole, &edges, folder.path())?;
    import(args, &edges, folder.path(), &whole, &["--dedupe"])?;
    small_commits(args, "looked up and added", &whole, &edges, folder.path())
}

/// Edges in commits of some, each beside an `fdatasync`. A writer looks up less on the device the longer it
/// runs, so both halves are told.
fn small_commits(args: &Args, what: &str, store: &Path, edges: &[u8], folder: &Path) -> Result<()> {
    let (of_a_commit, commits) = SMALL;
    let mut child = command(args, &["update", text(store)?, "-", "--commit-every", &of_a_commit.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut input, output) = (child.stdin.take().context("stdin")?, child.stdout.take().context("stdout")?);
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    let bare = File::create(folder.join("bare"))?;
    let record = vec![7; of_a_commit * OF_AN_EDGE];
    let mut random = fastrand::Rng::with_seed(5);
    let end = |random: &mut fastrand::Rng| {
        let at = random.usize(..edges.len() / 4) * 4;
        u32::from_le_bytes(*edges[at..].first_chunk().unwrap_or(&[0; 4]))
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for commit in 0..commits {
        let text: String =
            (0..of_a_commit).map(|_| format!("+ {} {}\n", end(&mut random), end(&mut random))).collect();
        let began = Instant::now();
        input.write_all(text.as_bytes())?;
        let line = lines.next().context("it ended")??;
        ours.push(began.elapsed().as_secs_f64());
        if line != format!("committed {}", (commit + 1) * of_a_commit) {
            bail!("{line}");
        }
        let began = Instant::now();
        bare.write_all_at(&record, (commit * record.len()) as u64)?;
        bare.sync_data()?;
        theirs.push(began.elapsed().as_secs_f64());
    }
    drop(input);
    child.wait()?;
    let of = |seconds: &[f64]| median(seconds).map(|seconds| 1e3 * seconds);
    let (first, second) = ours.split_at(commits / 2);
    let [first, second, theirs] = [of(first), of(second), of(&theirs)];
    println!(
        "| {what} | {} | {} | {} | {:.2}, {:.2} |",
        spread(&first),
        spread(&second),
        spread(&theirs),
        first[0] / theirs[0],
        second[0] / theirs[0]
    );
    Ok(())
}

fn import(args: &Args, edges: &[u8], folder: &Path, store: &Path, words: &[&str]) -> Result<()> {
    let list = folder.join("edges.u32");
    fs::write(&list, edges)?;
    if store.is_dir() {
        fs::remove_dir_all(store)?;
    }
    let mut all = vec!["import", text(&list)?, text(store)?, "--undirected"];
    all.extend(words);
    run(args, &all).map(|_| ())
}

fn command(args: &Args, words: &[&str]) -> Command {
    let mut command = Command::new(&args.leadline);
    command.arg("graph").args(words).args(["--memory", &args.memory]);
    command
}

/// What it says in JSON.
fn run(args: &Args, words: &[&str]) -> Result<Value> {
    let output = command(args, words).arg("--json").output()?;
    if !output.status.success() {
        bail!("{words:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn number(document: &Value, key: &str) -> Result<f64> {
    document[key].as_f64().with_context(|| format!("no number {key:?} in the JSON document"))
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is not UTF-8")
}

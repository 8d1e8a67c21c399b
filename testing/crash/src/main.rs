//! The program that the crash tests start and kill: a store that commits the numbers it is asked to, and says
//! which number was committed last.
//!
//! `leadline-crash STORE FOLDER write` reads numbers from stdin, one per line, commits each, and prints
//! `commit N` once it is durable. `leadline-crash STORE FOLDER check` recovers, checks all that is in the
//! store, and prints the number of the last commit, 0 if there is none. STORE is `redb`, `pool`, `index`,
//! `loads`, `graph`, `updates`, `compaction` or `turns`.

mod compaction;
mod graph;
mod index;
mod loads;
mod pool;
mod redb;
mod turns;
mod updates;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

/// A store whose commits are numbered from 1, without gaps.
trait Ledger: Sized {
    /// Opens the store in a folder, or makes it, recovering from whatever happened to it before.
    fn open(folder: &Path) -> Result<Self, Failure>;

    /// Makes commit `number` durable. The one before it is durable already.
    fn commit(&mut self, number: u64) -> Result<(), Failure>;

    /// The last commit up to which everything is there, or what is damaged.
    fn check(self) -> Result<u64, Failure>;
}

fn run<L: Ledger>(folder: &str, task: &str) -> Result<(), Failure> {
    let mut ledger = L::open(Path::new(folder))?;
    let mut out = std::io::stdout();
    match task {
        "check" => writeln!(out, "{}", ledger.check()?)?,
        "write" => {
            for line in std::io::stdin().lines() {
                let number = line?.parse()?;
                ledger.commit(number)?;
                writeln!(out, "commit {number}")?;
            }
        }
        _ => return Err(format!("`{task}` is not a task; use `write` or `check`").into()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["redb", folder, task] => run::<redb::RedbLedger>(folder, task),
        ["pool", folder, task] => run::<pool::PoolLedger>(folder, task),
        ["index", folder, task] => run::<index::IndexLedger>(folder, task),
        ["loads", folder, task] => run::<loads::LoadLedger>(folder, task),
        ["graph", folder, task] => run::<graph::GraphLedger>(folder, task),
        ["updates", folder, task] => run::<updates::UpdateLedger>(folder, task),
        ["compaction", folder, task] => run::<compaction::CompactionLedger>(folder, task),
        ["turns", folder, task] => run::<turns::TurnLedger>(folder, task),
        _ => {
            eprintln!(
                "leadline-crash: use it as `leadline-crash redb|pool|index|loads|graph|updates|compaction|turns FOLDER write|check`"
            );
            return ExitCode::from(2);
        }
    };
    if let Err(error) = done {
        eprintln!("leadline-crash: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

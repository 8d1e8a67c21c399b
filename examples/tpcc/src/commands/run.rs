//! `tpcc run`: transactions, on a database in a directory or in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_index::{Durability, IndexStats, Options};
use leadline_tpcc::database::Database;
use leadline_tpcc::transaction::Kind;
use leadline_tpcc::{
    Mix, Report, RunConfig, Stop, TraceFile, bytes_needed, check, load, place, run as run_terminals,
};
use serde_json::{Value, json};

use super::failure::{Failure, say};
use super::shared::{IndexArgs, ScaleArgs, durability, json, open, print};

/// Transactions run where nothing says how many.
const DEFAULT_TRANSACTIONS: u64 = 10_000;

/// Runs transactions and prints how many a minute, how long they took, and what was written
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the database is
    #[arg(long, required_unless_present = "memory")]
    dir: Option<PathBuf>,
    /// Loads a database in memory first and runs on that; nothing is durable
    #[arg(long, conflicts_with_all = ["dir", "durability"])]
    memory: bool,
    #[command(flatten)]
    scale: ScaleArgs,
    #[command(flatten)]
    index: IndexArgs,
    /// When commits are durable: every-commit, never, or a number of milliseconds later
    #[arg(long, default_value = "every-commit", value_name = "WHEN", value_parser = durability)]
    durability: Durability,
    /// Threads, each with one transaction at a time
    #[arg(long, default_value_t = 1, value_name = "T")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    terminals: u32,
    /// Ends after so many transactions [default: 10000]
    #[arg(long, value_name = "N", conflicts_with_all = ["seconds", "accesses"])]
    transactions: Option<u64>,
    /// Ends after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "accesses")]
    seconds: Option<Duration>,
    /// Ends after so many page accesses
    #[arg(long, value_name = "N")]
    accesses: Option<u64>,
    /// Percentages of new-order, payment, order-status, delivery, stock-level
    #[arg(long, default_value = "45,43,4,4,4", value_parser = Mix::parse, conflicts_with = "only")]
    mix: Mix,
    /// One transaction alone: new-order, payment, order-status, delivery or stock-level
    #[arg(long, value_name = "KIND", value_parser = kind)]
    only: Option<Kind>,
    /// Seed of all that is random; with --memory, of the database too
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the page accesses to a new file, `R 15` or `W 17` a line
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match &args.dir {
        Some(dir) => run_on_disk(args, dir),
        None => run_in_memory(args),
    }
}

fn run_in_memory(args: &Args) -> Result<(), Failure> {
    let scale = args.scale.scale()?;
    let cannot = |error| Failure::Operation(format!("making a temporary directory: {error}"));
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).map_err(cannot)?;
    // All nodes are in memory, with room for what runs add.
    let cache = bytes_needed(scale) * 5 / 4 + (64 << 20);
    let options = Options::default().cache_bytes(cache).durability(Durability::Never);
    let index = Arc::new(place::create(folder.path(), 0, false, &options).map_err(Failure::Operation)?);
    let db = load(index.clone(), scale, args.seed, |warehouses| {
        say(&format!("loaded {warehouses} of {} warehouses", scale.warehouses));
    })?;
    let before = index.stats();
    let report = measure(args, &db)?;
    if let Some(first) = check(&db)?.first() {
        return Err(Failure::Operation(format!("the run left the database inconsistent: {first}")));
    }
    show(args, &db, &report, [&before, &index.stats()])
}

fn run_on_disk(args: &Args, dir: &Path) -> Result<(), Failure> {
    let (db, index) = open(dir, &args.index.options().durability(args.durability))?;
    if let Some(warehouses) = args.scale.warehouses
        && warehouses != db.scale.warehouses
    {
        let has = db.scale.warehouses;
        return Err(Failure::Input(format!(
            "--warehouses {warehouses}: the database in {} has {has}; leave it out, or load again",
            dir.display()
        )));
    }
    let before = index.stats();
    let report = measure(args, &db)?;
    show(args, &db, &report, [&before, &index.stats()])
}

fn measure(args: &Args, db: &Database) -> Result<Report, Failure> {
    let config = RunConfig {
        terminals: args.terminals,
        stop: match (args.seconds, args.accesses) {
            (Some(seconds), _) => Stop::Time(seconds),
            (None, Some(accesses)) => Stop::Accesses(accesses),
            (None, None) => Stop::Transactions(args.transactions.unwrap_or(DEFAULT_TRANSACTIONS)),
        },
        mix: args.only.map_or(args.mix, Mix::only),
        seed: args.seed,
    };
    let cannot =
        |path: &Path, what: &str, error| format!("{}: {what} the trace failed: {error}", path.display());
    let trace = match &args.trace {
        Some(path) => Some(TraceFile::create(path).map_err(|error| {
            Failure::Input(format!("{}; name a new file", cannot(path, "making", error)))
        })?),
        None => None,
    };
    let report = run_terminals(db, &config, trace.as_ref(), &*cancel_flag()?)?;
    if let (Some(trace), Some(path)) = (trace, &args.trace) {
        trace.finish().map_err(|error| Failure::Operation(cannot(path, "writing", error)))?;
    }
    Ok(report)
}

/// Set by Ctrl-C, SIGTERM or a closed terminal: the run ends early, and the database is whole.
fn cancel_flag() -> Result<Arc<AtomicBool>, Failure> {
    leadline_examples::interrupted().map_err(|error| Failure::Operation(format!("signal handler: {error}")))
}

fn show(
    args: &Args,
    db: &Database,
    report: &Report,
    [before, after]: [&IndexStats; 2],
) -> Result<(), Failure> {
    if args.json {
        return json(&document(args, db, report, before, after));
    }
    print(&format!(
        "{:.0} New-Order a minute (not an official tpmC); {:.0} transactions a second, {} in {:.1} s with {} \
         terminals",
        report.tpmc, report.transactions_per_s, report.transactions, report.seconds, args.terminals
    ))?;
    print(&format!(
        "{} commits, p50 {:.1} us, p99 {:.1} us; {:.0} bytes written per transaction",
        report.commits, report.commit_p50_us, report.commit_p99_us, report.bytes_written_per_transaction
    ))?;
    print(&format!(
        "database: {} warehouses{}, {} pages before, {} after",
        db.scale.warehouses,
        if db.scale.is_full() { "" } else { " of reduced scale" },
        before.pages,
        after.pages
    ))?;
    print("                count rolled back  reads/tx writes/tx  written      p50 us      p99 us")?;
    for kind in &report.kinds {
        let each = |count: u64| count as f64 / kind.transactions.max(1) as f64;
        print(&format!(
            "{:<12} {:>8} {:>11} {:>9.1} {:>9.1} {:>7.1}% {:>11.1} {:>11.1}",
            kind.kind,
            kind.transactions,
            kind.rolled_back,
            each(kind.accesses.reads),
            each(kind.accesses.writes),
            100.0 * kind.accesses.write_share(),
            kind.p50_us,
            kind.p99_us
        ))?;
    }
    let all = report.accesses;
    print(&format!(
        "page accesses: {} ({} R, {} W, {:.1} % W)",
        all.total(),
        all.reads,
        all.writes,
        100.0 * all.write_share()
    ))?;
    let [hits, misses, ahead, written, moved] = counts(before, after);
    let share = 100.0 * misses as f64 / (hits + misses).max(1) as f64;
    print(&format!(
        "pool: {hits} hits, {misses} misses ({share:.2} %), {ahead} pages read ahead, {written} pages written, \
         {moved} moved by cleaning"
    ))
}

/// Hits, misses, pages read ahead, pages written and pages that cleaning moved.
fn counts(before: &IndexStats, after: &IndexStats) -> [u64; 5] {
    let of = |stats: &IndexStats| {
        let pool = &stats.pool;
        [pool.hits, pool.misses, pool.prefetches, pool.writes, pool.moves]
    };
    let (before, after) = (of(before), of(after));
    std::array::from_fn(|at| after[at] - before[at])
}

fn document(args: &Args, db: &Database, report: &Report, before: &IndexStats, after: &IndexStats) -> Value {
    let [hits, misses, prefetches, writes, moves] = counts(before, after);
    json!({
        "terminals": args.terminals,
        "seed": args.seed,
        "scale": db.scale,
        "pages_before": before.pages,
        "pages_after": after.pages,
        "run": report,
        "pool": {
            "hits": hits,
            "misses": misses,
            "prefetches": prefetches,
            "writes": writes,
            "moves": moves,
        },
    })
}

fn kind(text: &str) -> Result<Kind, String> {
    Kind::parse(text).ok_or_else(|| format!("must be one of {}", Kind::ALL.map(Kind::name).join(", ")))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| (0.1..=86_400.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "must be from 0.1 to 86400".to_owned())
}

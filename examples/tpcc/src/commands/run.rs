//! `tpcc run`: transactions, on a database file or in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_tpcc::database::Database;
use leadline_tpcc::pages::{Memory, Pages, PoolCounts, PoolOptions, TraceFile};
use leadline_tpcc::transaction::Kind;
use leadline_tpcc::{Mix, Report, RunConfig, Stop, check, load, run as run_terminals};
use serde_json::{Value, json};

use super::failure::{Failure, say};
use super::shared::{PoolArgs, ScaleArgs, json, open, print};

/// Transactions run where nothing says how many.
const DEFAULT_TRANSACTIONS: u64 = 10_000;
/// Page of a database in memory.
const MEMORY_PAGE: usize = 4096;

/// Runs transactions and prints how many a minute, how long they took, and what the pool did
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the database is
    #[arg(long, required_unless_present = "memory")]
    dir: Option<PathBuf>,
    /// Loads a database in memory first and runs on that, without pool and device
    #[arg(long, conflicts_with_all = ["dir", "frames", "pool"])]
    memory: bool,
    #[command(flatten)]
    scale: ScaleArgs,
    #[command(flatten)]
    pool: PoolArgs,
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
        Some(dir) => run_on_file(args, dir),
        None => run_in_memory(args),
    }
}

fn run_in_memory(args: &Args) -> Result<(), Failure> {
    let scale = args.scale.scale()?;
    let pages = Memory::new(MEMORY_PAGE);
    let db = load(&pages, scale, args.seed, |warehouses| {
        say(&format!("loaded {warehouses} of {} warehouses", scale.warehouses));
    })?;
    let loaded = pages.page_count();
    let report = measure(args, &db, &pages)?;
    refuse_inconsistent(&db, &pages)?;
    show(args, &db, &report, loaded, pages.page_count(), None)
}

fn run_on_file(args: &Args, dir: &Path) -> Result<(), Failure> {
    let (file, pages) = open(dir, &args.pool)?;
    let db = Database::open(&pages)?;
    if let Some(warehouses) = args.scale.warehouses
        && warehouses != db.scale.warehouses
    {
        let has = db.scale.warehouses;
        return Err(Failure::Input(format!(
            "--warehouses {warehouses}: the database in {} has {has}; leave it out, or load again",
            dir.display()
        )));
    }
    let enough = PoolOptions::LEAST_FRAMES + PoolOptions::A_TERMINAL * args.terminals;
    if args.pool.options(file.page_bytes())?.frames < enough {
        let terminals = args.terminals;
        return Err(Failure::Input(format!(
            "--terminals {terminals}: needs a pool of {enough} pages or more"
        )));
    }
    let loaded = pages.page_count();
    // From here on a killed run leaves a database that says so.
    db.catalogue(&pages, false).write(&pages)?;
    pages.flush_catalogue()?;
    let before = pages.stats();
    let report = measure(args, &db, &pages)?;
    let stats = pages.stats();
    db.save(&pages)?;
    show(args, &db, &report, loaded, pages.page_count(), Some(&stats.since(&before)))
}

fn measure<P: Pages + Sync>(args: &Args, db: &Database, pages: &P) -> Result<Report, Failure> {
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
    let report = run_terminals(db, pages, &config, trace.as_ref(), &*cancel_flag()?)?;
    if let (Some(trace), Some(path)) = (trace, &args.trace) {
        trace.finish().map_err(|error| Failure::Operation(cannot(path, "writing", error)))?;
    }
    if report.full {
        say("ended early: the database has no room left; load it again with a larger --room");
    }
    Ok(report)
}

/// Set by Ctrl-C, SIGTERM or a closed terminal: the run ends early, and the database is whole.
fn cancel_flag() -> Result<Arc<AtomicBool>, Failure> {
    leadline_examples::interrupted().map_err(|error| Failure::Operation(format!("signal handler: {error}")))
}

fn refuse_inconsistent<P: Pages>(db: &Database, pages: &P) -> Result<(), Failure> {
    match check(db, pages)?.first() {
        None => Ok(()),
        Some(first) => Err(Failure::Operation(format!("the run left the database inconsistent: {first}"))),
    }
}

fn show(
    args: &Args,
    db: &Database,
    report: &Report,
    loaded: u64,
    pages: u64,
    pool: Option<&PoolCounts>,
) -> Result<(), Failure> {
    if args.json {
        return json(&document(args, db, report, loaded, pages, pool));
    }
    print(&format!(
        "{:.0} New-Order a minute (not an official tpmC), {} transactions in {:.1} s with {} terminals",
        report.tpmc, report.transactions, report.seconds, args.terminals
    ))?;
    print(&format!(
        "database: {} warehouses{}, {loaded} pages before, {pages} after",
        db.scale.warehouses,
        if db.scale.is_full() { "" } else { " of reduced scale" },
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
    match pool {
        Some(pool) => print(&pool.to_string()),
        None => Ok(()),
    }
}

fn document(
    args: &Args,
    db: &Database,
    report: &Report,
    loaded: u64,
    pages: u64,
    pool: Option<&PoolCounts>,
) -> Value {
    json!({
        "terminals": args.terminals,
        "seed": args.seed,
        "scale": db.scale,
        "pages_before": loaded,
        "pages_after": pages,
        "run": report,
        "pool": pool,
    })
}

fn kind(text: &str) -> Result<Kind, String> {
    Kind::parse(text).ok_or_else(|| format!("must be one of {}", Kind::ALL.map(Kind::name).join(", ")))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| (0.1..=86_400.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "must be from 0.1 to 86400".to_owned())
}

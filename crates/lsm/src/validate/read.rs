//! Point queries and scans of a database that does not change.

use std::sync::atomic::AtomicBool;

use leadline_process::Seen;
use serde::{Deserialize, Serialize};

use super::counters::Usage;
use super::db_bench::{BenchRun, Database};
use super::error::ValidateError;
use super::output::{self, Latency, Outcome};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Query {
    /// A key that is there: db_bench's `readrandom`.
    Point,
    /// Pairs from a random key on: db_bench's `seekrandom`.
    Scan,
}

impl Query {
    /// Both.
    pub const ALL: [Query; 2] = [Query::Point, Query::Scan];

    /// In words, of several.
    pub fn words(self) -> &'static str {
        match self {
            Query::Point => "point queries",
            Query::Scan => "scans",
        }
    }

    fn benchmark(self) -> &'static str {
        match self {
            Query::Point => "readrandom",
            Query::Scan => "seekrandom",
        }
    }
}

/// How a database is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Queries {
    pub(super) operation: Query,
    /// Clients, each with one operation at a time.
    pub(super) clients: u32,
    /// Pairs that a scan returns.
    pub(super) scan_pairs: u32,
    /// Seconds, after as many seconds of warm-up.
    pub(super) seconds: u32,
    /// Whether all data is read into the block cache first, which must be large enough.
    pub(super) cached: bool,
    pub(super) seed: u64,
}

/// What reading a database came to. What is per operation is of the operations after the warm-up, except for
/// the block cache's counts, which db_bench has of both together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Read {
    /// Operations of all clients.
    pub operations: u64,
    /// Time they took together, seconds.
    pub seconds: f64,
    /// Operations of all clients per second.
    pub ops_per_second: f64,
    /// Time of one operation of one client on average, microseconds.
    pub wall_us: f64,
    /// Processor time, user and system, per operation, microseconds.
    pub processor_us: f64,
    /// System calls that read, per operation.
    pub device_reads: f64,
    /// Bytes read from the device per operation.
    pub device_bytes: f64,
    /// Data blocks per operation that were not in the block cache.
    pub cache_misses: f64,
    /// Data blocks per operation that were in the block cache.
    pub cache_hits: f64,
    /// Latency of an operation.
    pub latency: Latency,
}

/// Reads `db` with its compactions switched off.
///
/// # Errors
/// Where db_bench fails, does not find a key, or does not print what it should.
pub(super) fn run(
    db: &Database,
    during: &str,
    queries: &Queries,
    cancel: &AtomicBool,
) -> Result<Read, ValidateError> {
    let name = queries.operation.benchmark();
    // In one process, so that what is warm stays warm.
    let benchmarks = format!("{}{name},{name}", if queries.cached { "readtocache," } else { "" });
    let run = BenchRun {
        during,
        benchmarks: &benchmarks,
        compactions: false,
        options: queries.options(),
        seed: queries.seed,
    };
    let mut passes: Vec<(Outcome, Option<Usage>)> = Vec::new();
    let text = db.run(&run, cancel, &mut |pid, seen| {
        if let Seen::Line(line) = seen
            && let Some(outcome) = output::outcome(name, line)
        {
            passes.push((outcome, Usage::of(pid)));
        }
    })?;
    read(queries, &text, &passes).map_err(|missing| ValidateError::Missing { during: during.into(), missing })
}

impl Queries {
    fn options(&self) -> Vec<String> {
        vec![
            "--use_existing_db=true".into(),
            format!("--threads={}", self.clients),
            format!("--duration={}", self.seconds),
            // It looks at the time only every 1000 operations otherwise, which may take long.
            "--ops_between_duration_checks=10".into(),
            format!("--seek_nexts={}", self.scan_pairs),
            "--histogram".into(),
            "--statistics".into(),
            // Tickers only: timers would cost more than some operations.
            "--stats_level=1".into(),
        ]
    }
}

/// Puts together what was printed and watched; in words what is missing.
fn read(queries: &Queries, text: &str, passes: &[(Outcome, Option<Usage>)]) -> Result<Read, String> {
    let missing = |what: &str| format!("{what} is missing in its output");
    let [(warm_up, before), (timed, after)] = passes else {
        return Err(missing("the result of a pass"));
    };
    let untold = "the kernel did not report its I/O (/proc/PID/io)";
    let used = after.ok_or(untold)?.since(before.ok_or(untold)?);
    for Outcome { found, .. } in [warm_up, timed] {
        if let Some([found, of]) = found
            && found != of
        {
            return Err(format!("{} of {of} keys were not found", of - found));
        }
    }
    let ticker = |name: &str| {
        let count = output::ticker(text, &format!("rocksdb.block.cache.data.{name}"));
        count.ok_or_else(|| missing("a count of the block cache"))
    };
    let operations = timed.operations as f64;
    let both = operations + warm_up.operations as f64;
    if operations == 0.0 || timed.seconds <= 0.0 {
        return Err("no operation was done in the time given; give it more".to_owned());
    }
    // To read everything into the cache misses each block once, and then no operation misses any.
    let misses = if queries.cached { 0 } else { ticker("miss")? };
    Ok(Read {
        operations: timed.operations,
        seconds: timed.seconds,
        ops_per_second: operations / timed.seconds,
        wall_us: timed.seconds * 1e6 * f64::from(queries.clients) / operations,
        processor_us: used.processor_seconds * 1e6 / operations,
        device_reads: used.read_calls as f64 / operations,
        device_bytes: used.read_bytes as f64 / operations,
        cache_misses: misses as f64 / both,
        cache_hits: ticker("hit")? as f64 / both,
        latency: output::latency(text).ok_or_else(|| missing("the histogram"))?,
    })
}

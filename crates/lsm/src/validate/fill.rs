//! Filling a database in random order, and waiting until its tree is settled.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use leadline_process::Seen;
use serde::{Deserialize, Serialize};

use super::counters::{Threads, Usage};
use super::db_bench::{BenchRun, Database};
use super::error::ValidateError;
use super::events::{self, Background};
use super::output::{self, Level, Outcome};

/// The benchmark: every key once, in random order, by one client, with a log that is not synced.
const BENCHMARK: &str = "filluniquerandom";
/// RocksDB's threads for flushes, and for compactions.
const FLUSHES: &str = "rocksdb:high";
const COMPACTIONS: &str = "rocksdb:low";

/// What filling a database came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// From the first insert to the end of the last compaction, seconds.
    pub fill_seconds: f64,
    /// From the first insert to the last, seconds.
    pub insert_seconds: f64,
    /// Processor time of db_bench until the tree was settled, user and system, seconds.
    pub processor_seconds: f64,
    /// Bytes that db_bench read from the device, as the kernel counts them.
    pub device_read_bytes: u64,
    /// Bytes that it wrote, its logs included, as the kernel counts them.
    pub device_written_bytes: u64,
    /// What flushes and compactions wrote over the bytes of all pairs. Logs are not part of it.
    pub write_amplification: f64,
    /// Time in which the client was slowed down or stopped, seconds.
    pub stall_seconds: f64,
    /// How often, by RocksDB's name of the reason.
    pub stalls: BTreeMap<String, u64>,
    /// What flushes and compactions did.
    pub background: Background,
    /// The tree afterwards, level 0 first.
    pub levels: Vec<Level>,
}

/// Processor time of a fill by what it was for, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shares {
    pub(super) insert_seconds: f64,
    pub(super) flush_seconds: f64,
    pub(super) compaction_seconds: f64,
}

/// What was seen of db_bench while it ran.
#[derive(Default)]
struct Watched {
    /// The result of the inserts, and when its line came, in seconds since 1970.
    inserted: Option<(Outcome, f64)>,
    /// What had been used when the program was last seen.
    last: Option<Usage>,
    /// The same with the threads that were alive, as long as RocksDB's were.
    with_threads: Option<(Usage, Threads)>,
}

/// Fills `db`, which is removed first. `done` is told the share of pairs that are in.
///
/// # Errors
/// Where db_bench fails, or RocksDB's LOG does not have all events.
pub(super) fn run(
    db: &Database,
    during: &str,
    seed: u64,
    cancel: &AtomicBool,
    done: &mut dyn FnMut(f64),
) -> Result<Fill, ValidateError> {
    Ok(watched(db, during, seed, cancel, done, false)?.0)
}

/// The same, and what the processor time was for. The layout must be one without subcompactions, whose
/// threads end before they can be asked.
///
/// # Errors
/// As [`run`], and where the kernel does not tell the processor time of threads.
pub(super) fn run_with_shares(
    db: &Database,
    during: &str,
    seed: u64,
    cancel: &AtomicBool,
) -> Result<(Fill, Shares), ValidateError> {
    let (fill, watched) = watched(db, during, seed, cancel, &mut |_| (), true)?;
    let shares = || {
        let (used, threads) = watched.with_threads.as_ref()?;
        Some(Shares {
            // By then all has settled, and of the threads that had ended only the client's had work to do.
            insert_seconds: used.processor_seconds - threads.seconds(),
            flush_seconds: threads.seconds_of(FLUSHES)?,
            compaction_seconds: threads.seconds_of(COMPACTIONS)?,
        })
    };
    let missing = || ValidateError::Missing {
        during: during.into(),
        missing: "the processor time of RocksDB's threads (/proc/PID/task/TID/schedstat) is not available"
            .into(),
    };
    Ok((fill, shares().ok_or_else(missing)?))
}

impl Database<'_> {
    /// Fills it again in random order, and waits until its tree is settled. `done` is told the share of pairs
    /// that are in.
    ///
    /// # Errors
    /// Where db_bench fails, or RocksDB's LOG does not have all events.
    pub fn fill(
        &self,
        during: &str,
        seed: u64,
        cancel: &AtomicBool,
        done: &mut dyn FnMut(f64),
    ) -> Result<Fill, ValidateError> {
        run(self, during, seed, cancel, done)
    }
}

fn watched(
    db: &Database,
    during: &str,
    seed: u64,
    cancel: &AtomicBool,
    done: &mut dyn FnMut(f64),
    with_threads: bool,
) -> Result<(Fill, Watched), ValidateError> {
    db.remove()?;
    let benchmarks = format!("{BENCHMARK},flush,waitforcompaction,stats");
    let run = BenchRun { during, benchmarks: &benchmarks, compactions: true, options: Vec::new(), seed };
    let mut watched = Watched::default();
    let text =
        db.run(&run, cancel, &mut |pid, seen| watched.see(pid, &seen, db.data.pairs, with_threads, done))?;
    let fill = fill(db, &text, &watched)
        .map_err(|missing| ValidateError::Missing { during: during.into(), missing })?;
    Ok((fill, watched))
}

/// Merges what is left in level 0 into the next level, and waits until the tree is settled: how many files
/// a fill leaves there is chance, and each is one more run for every query. The levels afterwards.
///
/// # Errors
/// Where db_bench fails, or does not print the levels.
pub(super) fn settle(db: &Database, during: &str, cancel: &AtomicBool) -> Result<Vec<Level>, ValidateError> {
    let run = BenchRun {
        during,
        benchmarks: "compact0,waitforcompaction,stats",
        compactions: true,
        options: vec!["--use_existing_db=true".into()],
        seed: 1,
    };
    let text = db.run(&run, cancel, &mut |_, _| ())?;
    output::levels(&text).ok_or_else(|| ValidateError::Missing {
        during: during.into(),
        missing: "the levels are missing in its output".into(),
    })
}

impl Watched {
    fn see(&mut self, pid: u32, seen: &Seen, pairs: f64, with_threads: bool, done: &mut dyn FnMut(f64)) {
        match seen {
            Seen::Line(line) => {
                if let Some(outcome) = output::outcome(BENCHMARK, line) {
                    let now =
                        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |now| now.as_secs_f64());
                    self.inserted = Some((outcome, now));
                } else if let Some(count) = finished(line) {
                    done((count / pairs).min(1.0));
                }
            }
            // RocksDB's threads are seen when all is done: waitforcompaction sleeps for seconds at the end.
            Seen::Running => {
                self.last = Usage::of(pid).or(self.last);
                if with_threads {
                    let threads = Threads::of(pid);
                    let are_there = threads.seconds_of(COMPACTIONS).is_some();
                    self.with_threads = self
                        .last
                        .filter(|_| are_there)
                        .map(|used| (used, threads))
                        .or(self.with_threads.take());
                }
            }
        }
    }
}

/// `... finished 5000 ops`.
fn finished(line: &str) -> Option<f64> {
    line.strip_prefix("... finished ")?.split(' ').next()?.parse().ok()
}

/// Puts together what was printed, watched and logged; in words what is missing.
fn fill(db: &Database, text: &str, watched: &Watched) -> Result<Fill, String> {
    let missing = |what: &str| format!("{what} is missing in its output");
    let (outcome, end) = watched.inserted.as_ref().ok_or_else(|| missing("the result"))?;
    let used = watched.last.ok_or("the kernel did not report its I/O (/proc/PID/io)")?;
    let log = fs_read(db)?;
    let log =
        events::read(&log).map_err(|(line, problem)| format!("line {line} of RocksDB's LOG: {problem}"))?;
    let Background { flushed_pairs, flushed_bytes, compaction_written_bytes, .. } = log.background;
    if log.unfinished > 0 {
        return Err(format!("{} flushes or compactions did not end", log.unfinished));
    }
    // Each pair is flushed exactly once, or the LOG is not of the whole fill.
    if flushed_pairs as f64 != db.data.pairs {
        return Err(format!("RocksDB's LOG tells of {flushed_pairs} of {:.0} pairs", db.data.pairs));
    }
    let begin = end - outcome.seconds;
    Ok(Fill {
        fill_seconds: (log.last_end_us as f64 / 1e6).max(*end) - begin,
        insert_seconds: outcome.seconds,
        processor_seconds: used.processor_seconds,
        device_read_bytes: used.read_bytes,
        device_written_bytes: used.written_bytes,
        write_amplification: (flushed_bytes + compaction_written_bytes) as f64 / db.data.bytes(),
        stall_seconds: output::stall_seconds(text).ok_or_else(|| missing("the time of stalls"))?,
        stalls: output::stalls(text).ok_or_else(|| missing("the count of stalls"))?,
        levels: output::levels(text).ok_or_else(|| missing("RocksDB's table of compactions"))?,
        background: log.background,
    })
}

fn fs_read(db: &Database) -> Result<String, String> {
    let path = db.path().join("LOG");
    std::fs::read_to_string(&path).map_err(|error| format!("RocksDB's LOG cannot be read ({error})"))
}

//! pgbench while checkpoints are written, under one variant after the other.

use std::fs;
use std::path::{Path, PathBuf};

use super::cluster::{Cluster, LOADING, words};
use super::files;
use crate::cold;
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant};

/// Keys that change when and how the server writes.
pub(super) const KEYS: [&str; 20] = [
    "backend_flush_after",
    "bgwriter_delay",
    "bgwriter_flush_after",
    "bgwriter_lru_maxpages",
    "bgwriter_lru_multiplier",
    "checkpoint_completion_target",
    "checkpoint_flush_after",
    "commit_delay",
    "commit_siblings",
    "full_page_writes",
    "io_combine_limit",
    "io_method",
    "io_workers",
    "max_wal_size",
    "min_wal_size",
    "wal_buffers",
    "wal_compression",
    "wal_sync_method",
    "wal_writer_delay",
    "wal_writer_flush_after",
];

/// What is compared.
pub(super) struct Checkpoints {
    pub(super) variants: Vec<(Role, Variant)>,
    pub(super) scale: u32,
    pub(super) clients: u32,
    pub(super) seconds: u32,
    /// As of [`Rounds`].
    pub(super) rounds: [u32; 2],
    pub(super) seed: u64,
}

/// One transaction of the log on average, and the slow ones, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Latencies {
    transactions: usize,
    mean_ms: f64,
    p99_ms: f64,
    max_ms: f64,
}

impl Checkpoints {
    /// Loads pgbench's tables and runs them all: by the mean latency, which is the number of clients over the
    /// rate, and by its 99th percentile.
    pub(super) fn run(
        self,
        cluster: &Cluster,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Comparison>, ProveError> {
        let phase = "checkpoints";
        progress(Progress { phase, done: 0.0, detail: "loading pgbench's tables".into() });
        self.load(cluster)?;
        let work = format!(
            "pgbench -N of scale {} by {} clients for {} s, a checkpoint every 30 s",
            self.scale, self.clients, self.seconds
        );
        let measures = [["mean latency", "milliseconds"], ["99th percentile of the latency", "milliseconds"]];
        let rounds = Rounds {
            phase,
            name: "pgbench",
            work: &work,
            measures: &measures,
            variants: &self.variants,
            rounds: self.rounds,
            seed: self.seed,
        };
        rounds.run(progress, &mut |variant, round, during| {
            let found = self.measure(cluster, variant, round, during)?;
            let rate = found.transactions as f64 / f64::from(self.seconds);
            let counts = [("transactions_per_second", rate), ("max_ms", found.max_ms)];
            let counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
            Ok(Some(Measured { times: vec![found.mean_ms, found.p99_ms], counts }))
        })
    }

    fn load(&self, cluster: &Cluster) -> Result<(), ProveError> {
        let variant = Variant { name: "loading".into(), settings: Vec::new() };
        let server = cluster.start(&variant, &LOADING)?;
        let further = ["-s".to_owned(), self.scale.to_string(), "postgres".to_owned()];
        server.pgbench("-i -q -F 90", &further, "loading its tables")?;
        server.sql("postgres", &["CHECKPOINT"], "a checkpoint")?;
        let paths = "SELECT pg_relation_filepath(oid) FROM pg_class \
                     WHERE relname LIKE 'pgbench%' AND relkind IN ('r', 'i')";
        let paths = server.sql("postgres", &[paths], "asking for files")?;
        server.stop()?;
        let paths: Vec<PathBuf> = paths.lines().map(PathBuf::from).collect();
        cold::sync(&files::of_relations(cluster.data(), &paths)?)
    }

    fn measure(
        &self,
        cluster: &Cluster,
        variant: &Variant,
        round: u32,
        during: &str,
    ) -> Result<Latencies, ProveError> {
        let server = cluster.start(variant, &[])?;
        // Each begins with the same: no history, nothing dirty, and the tables in the page cache.
        let before = ["TRUNCATE pgbench_history", "CHECKPOINT", "SELECT count(filler) FROM pgbench_accounts"];
        server.sql("postgres", &before, during)?;
        let log = cluster.aside().join("pgbench");
        let mut further = words(&format!(
            "-c {} -j {} -T {} --random-seed={}",
            self.clients,
            self.clients.min(2),
            self.seconds,
            self.seed.wrapping_add(u64::from(round)) % (1 << 31)
        ));
        further.extend([format!("--log-prefix={}", log.display()), "postgres".to_owned()]);
        server.pgbench("-N -n -M prepared -l", &further, during)?;
        server.stop()?;
        let text = take_logs(cluster.aside())?;
        latencies(&text)
            .ok_or_else(|| ProveError::unexpected("pgbench", during, "its log has no transactions", &text))
    }
}

/// The logs of a run, one of each thread, which are removed.
fn take_logs(folder: &Path) -> Result<String, ProveError> {
    let list = |source| ProveError::io(folder, "listing it", source);
    let mut text = String::new();
    for entry in fs::read_dir(folder).map_err(list)? {
        let path = entry.map_err(list)?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pgbench.")) {
            let read = |source| ProveError::io(&path, "reading a log", source);
            text.push_str(&fs::read_to_string(&path).map_err(read)?);
            fs::remove_file(&path).map_err(read)?;
        }
    }
    Ok(text)
}

/// A line is `client transaction microseconds script seconds microseconds`; a transaction that was skipped or
/// failed has a word instead of its time.
fn latencies(log: &str) -> Option<Latencies> {
    let us = |line: &str| line.split(' ').nth(2)?.parse::<f64>().ok();
    let mut all: Vec<f64> = log.lines().filter_map(us).collect();
    all.sort_unstable_by(f64::total_cmp);
    let transactions = all.len();
    let p99 = *all.get((transactions * 99).div_ceil(100).checked_sub(1)?)?;
    let mean = all.iter().sum::<f64>() / transactions as f64;
    Some(Latencies { transactions, mean_ms: mean / 1e3, p99_ms: p99 / 1e3, max_ms: all.last()? / 1e3 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_read_from_pgbenchs_log() {
        let mut log = String::from("0 1 skipped 0 1700000000 5\n");
        for number in 1..=200 {
            log.push_str(&format!("3 {number} {} 0 1700000000 {number}\n", number * 1000));
        }
        let found = latencies(&log).unwrap();
        assert_eq!(
            (found.transactions, found.mean_ms, found.p99_ms, found.max_ms),
            (200, 100.5, 198.0, 200.0)
        );
        assert_eq!(latencies(""), None);
    }

    #[test]
    fn logs_of_all_threads_are_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pgbench.12", "pgbench.12.1", "log"] {
            fs::write(folder.path().join(name), "x\n").unwrap();
        }
        assert_eq!(take_logs(folder.path()).unwrap(), "x\nx\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

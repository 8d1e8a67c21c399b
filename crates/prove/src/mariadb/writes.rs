//! sysbench against one variant after the other, each once flushing is in a steady state.

use std::collections::BTreeMap;
use std::time::Instant;

use super::instance::Running;
use super::instance::{Instance, LOADING};
use super::plan::{Plan, Workload};
use super::status::Status;
use super::sysbench::Outcome;
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant};

/// Keys that change when and how InnoDB writes and reads.
pub(super) const KEYS: [&str; 18] = [
    "innodb_adaptive_flushing",
    "innodb_adaptive_flushing_lwm",
    "innodb_doublewrite",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_flush_sync",
    "innodb_flushing_avg_loops",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_write_ahead_size",
    "innodb_lru_flush_size",
    "innodb_lru_scan_depth",
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
    "innodb_page_cleaners",
    "innodb_read_io_threads",
    "innodb_use_native_aio",
    "innodb_write_io_threads",
];

/// sysbench's tables.
const TABLES: u32 = 4;

/// Bytes of a row with its part of the secondary index, as MariaDB 10.11 stores half a million of them.
const ROW_BYTES: u64 = 250;

/// Seconds over which the rate of flushing is looked at before a run.
const LOOK_SECONDS: u32 = 5;

/// Two such rates, one after the other, that differ by no more than this are a steady state.
const STEADY: f64 = 0.15;

/// What is compared.
pub(super) struct Writes<'a> {
    pub(super) plan: &'a Plan,
    pub(super) variants: &'a [(Role, Variant)],
}

/// What came before a run.
struct WarmUp {
    seconds: f64,
    is_steady: bool,
}

impl Workload {
    fn script(self) -> &'static str {
        match self {
            Workload::WriteOnly => "oltp_write_only",
            Workload::ReadWrite => "oltp_read_write",
        }
    }
}

impl Writes<'_> {
    /// Loads the tables.
    pub(super) fn load(&self, instance: &Instance) -> Result<(), ProveError> {
        let variant = Variant { name: "loading".into(), settings: Vec::new() };
        let server = instance.start(&variant, &LOADING)?;
        server.create_database()?;
        let mut options = self.options(0);
        options.push(format!("--threads={TABLES}"));
        server.sysbench(Workload::WriteOnly.script(), options, "prepare", "loading its tables")?;
        server.stop()?;
        instance.sync()
    }

    /// Runs every variant in every round, by its mean latency, which is the number of clients over the rate,
    /// and by the 99th percentile.
    pub(super) fn run(
        &self,
        workload: Workload,
        instance: &Instance,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Comparison>, ProveError> {
        let Plan { clients, seconds, data_bytes, buffer_pool_bytes, seed, .. } = *self.plan;
        let rounds = self.plan.rounds_of(self.plan.rounds);
        let work = format!(
            "sysbench {} by {clients} clients for {seconds} s, on {} MiB with a buffer pool of {} MiB",
            workload.script(),
            data_bytes >> 20,
            buffer_pool_bytes >> 20
        );
        let measures = [["mean latency", "milliseconds"], ["99th percentile of the latency", "milliseconds"]];
        let (variants, measures, work) = (self.variants, &measures, work.as_str());
        let rounds =
            Rounds { phase: "writes", name: workload.script(), work, measures, variants, rounds, seed };
        rounds.run(progress, &mut |variant, round, during| {
            self.measure(workload, instance, variant, round, during).map(Some)
        })
    }

    fn measure(
        &self,
        workload: Workload,
        instance: &Instance,
        variant: &Variant,
        round: u32,
        during: &str,
    ) -> Result<Measured, ProveError> {
        let server = instance.start(variant, &[])?;
        // All of a round change the same rows, in the same order.
        let seed = u64::from(round) << 16;
        let warm_up = self.warm_up(workload, &server, seed, during)?;
        let before = server.status(during)?;
        let outcome = self.sysbench(workload, &server, seed, self.plan.seconds, during)?;
        let after = server.status(during)?;
        server.stop()?;
        let times = vec![outcome.mean_ms, outcome.p99_ms];
        Ok(Measured { times, counts: counts(&outcome, &before, &after, &warm_up) })
    }

    /// Until the pool is full and pages are flushed at a steady rate, or as long as it may take.
    fn warm_up(
        &self,
        workload: Workload,
        server: &Running,
        seed: u64,
        during: &str,
    ) -> Result<WarmUp, ProveError> {
        let began = Instant::now();
        let (mut left, mut part) = (self.plan.warm_up_seconds, 0);
        let (mut flushed, mut last_rate) = (server.status(during)?.flushed(), None);
        let warm_up = |is_steady| WarmUp { seconds: began.elapsed().as_secs_f64(), is_steady };
        while left > 0 {
            let seconds = LOOK_SECONDS.min(left);
            left -= seconds;
            part += 1;
            let outcome = self.sysbench(workload, server, seed + part, seconds, during)?;
            let status = server.status(during)?;
            let rate = (status.flushed() - flushed) / outcome.seconds;
            flushed = status.flushed();
            if status.is_pool_full() && last_rate.is_some_and(|last| is_steady(last, rate)) {
                return Ok(warm_up(true));
            }
            last_rate = Some(rate);
        }
        Ok(warm_up(false))
    }

    fn sysbench(
        &self,
        workload: Workload,
        server: &Running,
        seed: u64,
        seconds: u32,
        during: &str,
    ) -> Result<Outcome, ProveError> {
        let mut options = self.options(seed);
        options.extend([format!("--threads={}", self.plan.clients), format!("--time={seconds}")]);
        options.push("--histogram=on".into());
        if workload == Workload::ReadWrite {
            // They would keep processors busy with sorting.
            options.push("--range-selects=off".into());
        }
        let printed = server.sysbench(workload.script(), options, "run", during)?;
        let problem = "no transaction ended, or its latency cannot be read";
        Outcome::of(&printed).ok_or_else(|| ProveError::unexpected("sysbench", during, problem, &printed))
    }

    fn options(&self, seed: u64) -> Vec<String> {
        let rows = (self.plan.data_bytes / u64::from(TABLES) / ROW_BYTES).max(1);
        // 0 would stand for the time of day.
        let seed = self.plan.seed.wrapping_add(seed) % (1 << 31) + 1;
        vec![
            format!("--tables={TABLES}"),
            format!("--table-size={rows}"),
            format!("--rand-seed={seed}"),
            // By default most requests are for few rows, which the pool would hold.
            "--rand-type=uniform".into(),
        ]
    }
}

/// Where next to nothing is flushed, nothing changes.
fn is_steady(last: f64, rate: f64) -> bool {
    (rate - last).abs() <= STEADY * last.max(rate).max(1.0)
}

fn counts(outcome: &Outcome, before: &Status, after: &Status, warm_up: &WarmUp) -> BTreeMap<String, f64> {
    let per_second = |of: fn(&Status) -> f64| (of(after) - of(before)) / outcome.seconds;
    [
        ("transactions_per_second", outcome.transactions / outcome.seconds),
        ("p95_ms", outcome.p95_ms),
        ("max_ms", outcome.max_ms),
        ("flushed_pages_per_second", per_second(Status::flushed)),
        ("read_pages_per_second", per_second(Status::reads)),
        ("free_waits_per_second", per_second(Status::free_waits)),
        ("dirty_share", after.dirty_share()),
        ("log_share", after.log_share()),
        ("warm_up_seconds", warm_up.seconds),
        ("was_steady", f64::from(u8::from(warm_up.is_steady))),
    ]
    .map(|(name, count)| (name.to_owned(), count))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_that_hardly_differ_are_steady() {
        assert!(is_steady(1000.0, 1100.0) && is_steady(1100.0, 1000.0) && is_steady(0.0, 0.0));
        assert!(!is_steady(1000.0, 1300.0) && !is_steady(0.0, 50.0));
    }
}

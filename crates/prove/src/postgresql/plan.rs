//! What is to be proven, and at what size.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::rounds::extended;
use crate::{ProveError, Variant};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// A kind of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Experiment {
    /// Cold bitmap heap scans over effective_io_concurrency.
    Scans,
    /// Which plans the planner chooses, and which are truly cheaper.
    Plans,
    /// pgbench with many checkpoints, for flush settings.
    Checkpoints,
    /// Scans over io_method and io_workers: PostgreSQL 18 or later.
    Methods,
}

impl Experiment {
    /// As it is chosen on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Scans => "scans",
            Experiment::Plans => "plans",
            Experiment::Checkpoints => "checkpoints",
            Experiment::Methods => "methods",
        }
    }
}

/// What is run, where, and how much of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// A directory on the device.
    pub target: PathBuf,
    /// The directory with the server's programs; `None` for the newest that is installed.
    pub bin: Option<PathBuf>,
    /// The settings that are to be proven.
    pub advice: Vec<(String, String)>,
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Size of the table that is scanned.
    pub table_bytes: u64,
    /// The server's own cache, much smaller than the table.
    pub shared_buffers_bytes: u64,
    /// Rounds of scans: each variant runs once in each of them.
    pub rounds: u32,
    /// How long a bitmap scan is to take under the default, seconds: it reads as many pages as take so long.
    pub scan_seconds: f64,
    /// The grid of effective_io_concurrency.
    pub concurrencies: Vec<u32>,
    /// Queries whose plans are judged, on each of two columns.
    pub queries: u32,
    /// How often each plan of each query runs.
    pub plan_rounds: u32,
    /// The sweep of random_page_cost.
    pub random_page_costs: Vec<f64>,
    /// Settings with which pgbench runs in addition to the default and the advice.
    pub flush_grid: Vec<Variant>,
    /// pgbench's scale: about 15 MiB for each.
    pub scale: u32,
    /// pgbench's clients.
    pub clients: u32,
    /// How long pgbench runs, seconds. A checkpoint begins every 30.
    pub pgbench_seconds: u32,
    /// Rounds of pgbench.
    pub pgbench_rounds: u32,
    /// How many times as many rounds there may be while the advice cannot be told from the default; 0 and 1
    /// for none beyond those planned.
    #[serde(default)]
    pub extension: u32,
    /// Whether keys of the advice run alone as well, where several matter.
    pub with_single_keys: bool,
    /// Of all orders, ranges and intervals.
    pub seed: u64,
}

impl Plan {
    /// What takes half an hour to an hour on an SSD.
    pub fn new(target: PathBuf, advice: Vec<(String, String)>) -> Plan {
        Plan {
            target,
            bin: None,
            advice,
            experiments: vec![Experiment::Scans, Experiment::Plans, Experiment::Checkpoints],
            table_bytes: GIB,
            shared_buffers_bytes: 64 * MIB,
            rounds: 6,
            scan_seconds: 1.0,
            concurrencies: vec![0, 1, 2, 4, 8, 16, 32, 64, 128, 256],
            queries: 20,
            plan_rounds: 2,
            random_page_costs: vec![1.0, 1.1, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0],
            flush_grid: flush_grid(),
            scale: 50,
            clients: 8,
            pgbench_seconds: 70,
            pgbench_rounds: 3,
            extension: 2,
            with_single_keys: true,
            seed: 1,
        }
    }

    /// The same in about a fifth of the time: fewer rounds, a smaller table and fewer values.
    pub fn quick(mut self) -> Plan {
        self.table_bytes = 256 * MIB;
        self.shared_buffers_bytes = 16 * MIB;
        self.rounds = 3;
        self.scan_seconds = 0.5;
        self.concurrencies = vec![1, 4, 16, 64, 256];
        self.plan_rounds = 1;
        self.scale = 20;
        self.pgbench_seconds = 35;
        self.pgbench_rounds = 3;
        self.flush_grid.truncate(2);
        self.with_single_keys = false;
        self
    }

    /// Whether this is one of the experiments.
    pub(super) fn has(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }

    /// Whether a table is scanned.
    pub(super) fn has_table(&self) -> bool {
        self.has(Experiment::Scans) || self.has(Experiment::Plans) || self.has(Experiment::Methods)
    }

    /// That many rounds, and how many there may be.
    pub(super) fn rounds_of(&self, rounds: u32) -> [u32; 2] {
        extended(rounds, self.extension)
    }

    /// The most that is on disk at a time, bytes.
    pub(super) fn space_bytes(&self) -> u64 {
        // An empty cluster with the log that it keeps, two to three segments of it.
        let mut bytes = 128 * MIB;
        if self.has_table() {
            // With its indexes; one of them is sorted on disk at a time.
            bytes += self.table_bytes * 3 / 2;
        }
        if self.has(Experiment::Checkpoints) {
            // With indexes, a fill factor of 90 %, and twice the default of max_wal_size.
            bytes += u64::from(self.scale) * 20 * MIB + 2 * GIB;
        }
        bytes
    }

    /// Checks that it makes sense.
    ///
    /// # Errors
    /// [`ProveError::Plan`].
    pub(super) fn check(&self) -> Result<(), ProveError> {
        let wrong = |what, problem: &str| Err(ProveError::Plan { what, problem: problem.into() });
        if self.experiments.is_empty() {
            return wrong("the experiments", "there must be one at least");
        }
        if self.table_bytes < MIB || self.table_bytes > 1 << 42 {
            return wrong("the size of the table", "it must be 1 MiB to 4 TiB");
        }
        if self.shared_buffers_bytes < MIB || self.shared_buffers_bytes > self.table_bytes {
            return wrong("shared_buffers", "it must be 1 MiB at least, and not more than the table");
        }
        if [self.rounds, self.plan_rounds, self.pgbench_rounds, self.queries].contains(&0) {
            return wrong("the number of rounds and queries", "it must be 1 at least");
        }
        if self.scale == 0 || self.clients == 0 || self.pgbench_seconds == 0 {
            return wrong("pgbench's scale, clients and seconds", "each must be 1 at least");
        }
        if !(self.scan_seconds > 0.0 && self.scan_seconds.is_finite()) {
            return wrong("the time of a scan", "it must be above 0");
        }
        if self.random_page_costs.iter().any(|cost| !(*cost >= 0.0 && cost.is_finite())) {
            return wrong("random_page_cost", "all values must be 0 or more");
        }
        Ok(())
    }
}

/// Values that write earlier or later than the defaults.
fn flush_grid() -> Vec<Variant> {
    [
        ("checkpoint_flush_after", "0"),
        ("checkpoint_flush_after", "1MB"),
        ("backend_flush_after", "512kB"),
        ("bgwriter_lru_maxpages", "1000"),
        ("checkpoint_completion_target", "0.5"),
    ]
    .map(|(key, value)| Variant::single(key, value))
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_make_no_sense_are_refused() {
        let plan = Plan::new("/".into(), Vec::new());
        plan.check().unwrap();
        plan.clone().quick().check().unwrap();
        let refused = |change: &dyn Fn(&mut Plan)| {
            let mut plan = plan.clone();
            change(&mut plan);
            let error = plan.check().unwrap_err();
            assert!(error.is_input(), "{error}");
        };
        refused(&|plan| plan.experiments.clear());
        refused(&|plan| plan.table_bytes = 0);
        refused(&|plan| plan.shared_buffers_bytes = 2 * plan.table_bytes);
        refused(&|plan| plan.rounds = 0);
        refused(&|plan| plan.clients = 0);
        refused(&|plan| plan.scan_seconds = f64::NAN);
        refused(&|plan| plan.random_page_costs.push(f64::INFINITY));
    }

    #[test]
    fn only_what_is_run_needs_space() {
        let mut plan = Plan::new("/".into(), Vec::new());
        let all = plan.space_bytes();
        plan.experiments = vec![Experiment::Checkpoints];
        assert_eq!(all - plan.space_bytes(), plan.table_bytes * 3 / 2);
    }
}

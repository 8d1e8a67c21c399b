//! What is to be proven, and at what size.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::rounds::extended;
use crate::{ProveError, Variant};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// The smallest pool with which the server starts and has room for 16 clients.
const LEAST_POOL: u64 = 8 * MIB;

/// What clients do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// sysbench's `oltp_write_only`: two updates, a delete and an insert per transaction.
    WriteOnly,
    /// `oltp_read_write` without its ranges: the same, after ten rows that are read.
    ReadWrite,
}

/// What is run, where, and how much of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// A directory on the device.
    pub target: PathBuf,
    /// The settings that are to be proven.
    pub advice: Vec<(String, String)>,
    /// Each is compared on its own.
    pub workloads: Vec<Workload>,
    /// Size of all tables when they are loaded.
    pub data_bytes: u64,
    /// `innodb_buffer_pool_size`, much smaller than the tables.
    pub buffer_pool_bytes: u64,
    /// `innodb_log_file_size`: how far flushing may be behind.
    pub log_bytes: u64,
    /// Clients, each with one transaction at a time.
    pub clients: u32,
    /// How long a run is measured, seconds.
    pub seconds: u32,
    /// How long it runs at most before that, until flushing is in a steady state, seconds.
    pub warm_up_seconds: u32,
    /// Rounds: each variant runs once in each of them.
    pub rounds: u32,
    /// The grid of `innodb_io_capacity`, each with twice as much of `innodb_io_capacity_max`.
    pub io_capacities: Vec<u32>,
    /// Further settings that run in addition to the default and the advice.
    pub grid: Vec<Variant>,
    /// How many times as many rounds there may be while the advice cannot be told from the default; 0 and 1
    /// for none beyond those planned.
    #[serde(default)]
    pub extension: u32,
    /// Whether keys of the advice run alone as well, where several matter.
    pub with_single_keys: bool,
    /// Of all orders, rows and intervals.
    pub seed: u64,
}

impl Workload {
    /// As it is chosen on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Workload::WriteOnly => "write-only",
            Workload::ReadWrite => "read-write",
        }
    }
}

impl Plan {
    /// What takes one to two hours, of which a minute is for loading.
    pub fn new(target: PathBuf, advice: Vec<(String, String)>) -> Plan {
        let grid = [
            ("innodb_flush_neighbors", "0"),
            ("innodb_lru_scan_depth", "256"),
            ("innodb_lru_scan_depth", "4096"),
        ];
        Plan {
            target,
            advice,
            workloads: vec![Workload::WriteOnly, Workload::ReadWrite],
            data_bytes: GIB,
            buffer_pool_bytes: 128 * MIB,
            log_bytes: 96 * MIB,
            clients: 16,
            seconds: 30,
            warm_up_seconds: 60,
            rounds: 4,
            io_capacities: vec![200, 1000, 2000, 5000, 20_000],
            grid: grid.map(|(key, value)| Variant::single(key, value)).to_vec(),
            extension: 2,
            with_single_keys: true,
            seed: 1,
        }
    }

    /// The same in about a tenth of the time: one workload, fewer rounds, less data and fewer values.
    pub fn quick(mut self) -> Plan {
        self.workloads = vec![Workload::WriteOnly];
        self.data_bytes = 384 * MIB;
        self.buffer_pool_bytes = 64 * MIB;
        self.seconds = 15;
        self.warm_up_seconds = 20;
        self.rounds = 3;
        self.io_capacities = vec![200, 2000, 20_000];
        self.grid.clear();
        self.with_single_keys = false;
        self
    }

    /// That many rounds, and how many there may be.
    pub(super) fn rounds_of(&self, rounds: u32) -> [u32; 2] {
        extended(rounds, self.extension)
    }

    /// The most that is on disk at a time, bytes.
    pub(super) fn space_bytes(&self) -> u64 {
        // Pages of the secondary index are split until they are half full. An empty server has about 100 MiB,
        // and undo logs grow by what is not purged yet.
        2 * self.data_bytes + 2 * self.log_bytes + 512 * MIB
    }

    /// Checks that it makes sense.
    ///
    /// # Errors
    /// [`ProveError::Plan`].
    pub(super) fn check(&self) -> Result<(), ProveError> {
        let wrong = |what, problem: &str| Err(ProveError::Plan { what, problem: problem.into() });
        if self.workloads.is_empty() {
            return wrong("the workloads", "there must be one at least");
        }
        if self.buffer_pool_bytes < LEAST_POOL {
            return wrong("the buffer pool", "it must be 8 MiB at least");
        }
        if self.data_bytes < self.buffer_pool_bytes || self.data_bytes > 1 << 42 {
            return wrong(
                "the size of the tables",
                "it must be at least the buffer pool's, and at most 4 TiB",
            );
        }
        // The server has the same limits.
        if !(4 * MIB..=512 * GIB).contains(&self.log_bytes) {
            return wrong("the size of the log", "it must be 4 MiB to 512 GiB");
        }
        if [self.clients, self.seconds, self.rounds].contains(&0) {
            return wrong("the number of clients, seconds and rounds", "each must be 1 at least");
        }
        Ok(())
    }

    /// The whole grid.
    pub(super) fn all_of_grid(&self) -> Vec<Variant> {
        let capacity = |value: &u32| {
            let mut variant = Variant::single("innodb_io_capacity", &value.to_string());
            // Else a value above the default's maximum would be cut down to it.
            let most = (u64::from(*value) * 2).to_string();
            variant.settings.push(("innodb_io_capacity_max".into(), most));
            variant
        };
        self.io_capacities.iter().map(capacity).chain(self.grid.iter().cloned()).collect()
    }
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
        refused(&|plan| plan.workloads.clear());
        refused(&|plan| plan.buffer_pool_bytes = MIB);
        refused(&|plan| plan.data_bytes = plan.buffer_pool_bytes - 1);
        refused(&|plan| plan.log_bytes = 0);
        refused(&|plan| plan.clients = 0);
        refused(&|plan| plan.rounds = 0);
    }

    #[test]
    fn each_io_capacity_has_room_above_it() {
        let mut plan = Plan::new("/".into(), Vec::new());
        plan.io_capacities = vec![u32::MAX];
        let settings = &plan.all_of_grid()[0].settings;
        assert_eq!(settings[0], ("innodb_io_capacity".into(), "4294967295".into()));
        assert_eq!(settings[1], ("innodb_io_capacity_max".into(), "8589934590".into()));
        assert_eq!(plan.all_of_grid().len(), 4);
    }
}

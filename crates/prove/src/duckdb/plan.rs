//! What is to be proven, and at what size.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::rounds::extended;
use crate::{ProveError, Variant};

const MIB: u64 = 1 << 20;

/// Bytes of a row in a database of DuckDB's, which compresses what can be compressed.
pub(super) const ROW_BYTES: u64 = 28;

/// A kind of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Experiment {
    /// Cold scans of a table, of all of it and of a few rows.
    Scans,
    /// The same of a Parquet file.
    Parquet,
    /// A sort, an aggregation and a join that do not fit in memory.
    Spills,
    /// Durable transactions, with the checkpoints that they need.
    Inserts,
}

impl Experiment {
    /// All of them.
    pub const ALL: [Experiment; 4] =
        [Experiment::Scans, Experiment::Parquet, Experiment::Spills, Experiment::Inserts];

    /// As it is chosen on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Scans => "scans",
            Experiment::Parquet => "parquet",
            Experiment::Spills => "spills",
            Experiment::Inserts => "inserts",
        }
    }
}

/// What is run, where, and how much of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// A directory on the device.
    pub target: PathBuf,
    /// The directory with duckdb; `None` for PATH.
    pub bin: Option<PathBuf>,
    /// The settings that are to be proven.
    pub advice: Vec<(String, String)>,
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Size of the table in its database; as a Parquet file it has about twice, in memory three times as
    /// much.
    pub data_bytes: u64,
    /// `memory_limit`, smaller than the table.
    pub memory_bytes: u64,
    /// Rounds of queries: each variant runs once in each of them.
    pub rounds: u32,
    /// Rows that a selective query looks for, anywhere in the table.
    pub selected: u32,
    /// Settings with which tables are scanned in addition to the default and the advice.
    pub scan_grid: Vec<Variant>,
    /// The same for Parquet files.
    pub parquet_grid: Vec<Variant>,
    /// The same for what spills.
    pub spill_grid: Vec<Variant>,
    /// Transactions of a run of inserts.
    pub transactions: u32,
    /// Rows that each of them inserts.
    pub rows_per_transaction: u32,
    /// Settings for inserts in addition to the default and the advice.
    pub insert_grid: Vec<Variant>,
    /// How many times as many rounds there may be while the advice cannot be told from the default; 0 and 1
    /// for none beyond those planned.
    pub extension: u32,
    /// Whether keys of the advice run alone as well, where several matter.
    pub with_single_keys: bool,
    /// Of all orders, rows and intervals.
    pub seed: u64,
}

impl Plan {
    /// What takes ten to twenty minutes on an SSD.
    pub fn new(target: PathBuf, advice: Vec<(String, String)>) -> Plan {
        let singles = |all: &[(&str, &str)]| -> Vec<Variant> {
            all.iter().map(|(key, value)| Variant::single(key, value)).collect()
        };
        Plan {
            target,
            bin: None,
            advice,
            experiments: Experiment::ALL.to_vec(),
            data_bytes: 512 * MIB,
            memory_bytes: 256 * MIB,
            rounds: 4,
            selected: 20,
            scan_grid: singles(&[
                ("threads", "1"),
                ("threads", "8"),
                ("storage_block_prefetch", "ALWAYS_PREFETCH"),
                ("default_block_size", "16384"),
            ]),
            parquet_grid: singles(&[
                ("threads", "1"),
                ("threads", "8"),
                ("prefetch_all_parquet_files", "true"),
                ("disable_parquet_prefetching", "true"),
            ]),
            spill_grid: singles(&[("threads", "1"), ("threads", "4"), ("preserve_insertion_order", "false")]),
            transactions: 400,
            rows_per_transaction: 2000,
            insert_grid: singles(&[("checkpoint_threshold", "1MiB"), ("checkpoint_threshold", "1GiB")]),
            extension: 2,
            with_single_keys: true,
            seed: 1,
        }
    }

    /// The same in about a fifth of the time: less data, fewer rounds and fewer values.
    pub fn quick(mut self) -> Plan {
        self.data_bytes = 256 * MIB;
        self.memory_bytes = 192 * MIB;
        self.rounds = 3;
        for grid in [&mut self.scan_grid, &mut self.parquet_grid, &mut self.spill_grid] {
            grid.retain(|variant| variant.name != "threads=1");
        }
        self.transactions = 200;
        self.with_single_keys = false;
        self
    }

    /// Whether this is one of the experiments.
    pub(super) fn has(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }

    /// Rows of the table.
    pub(super) fn rows(&self) -> u64 {
        (self.data_bytes / ROW_BYTES).max(1)
    }

    /// That many rounds, and how many there may be.
    pub(super) fn all_rounds(&self) -> [u32; 2] {
        extended(self.rounds, self.extension)
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
        if !(MIB..=1 << 42).contains(&self.data_bytes) {
            return wrong("the size of the table", "it must be 1 MiB to 4 TiB");
        }
        if !(32 * MIB..=1 << 42).contains(&self.memory_bytes) {
            return wrong("memory_limit", "it must be 32 MiB to 4 TiB");
        }
        if [self.rounds, self.selected, self.transactions, self.rows_per_transaction].contains(&0) {
            return wrong("the number of rounds, rows and transactions", "each must be 1 at least");
        }
        let is_name =
            |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        match self.advice.iter().find(|(key, _)| !is_name(key)) {
            Some((key, _)) => {
                let problem = format!("{key:?} is no name of a setting");
                Err(ProveError::Plan { what: "the settings", problem })
            }
            None => Ok(()),
        }
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
        refused(&|plan| plan.experiments.clear());
        refused(&|plan| plan.data_bytes = 0);
        refused(&|plan| plan.memory_bytes = MIB);
        refused(&|plan| plan.rounds = 0);
        refused(&|plan| plan.transactions = 0);
        refused(&|plan| plan.advice = vec![("threads = 3; SET x".into(), "1".into())]);
    }

    #[test]
    fn what_is_scanned_and_sorted_is_larger_than_memory() {
        let plan = Plan::new("/".into(), Vec::new());
        for plan in [plan.clone(), plan.quick()] {
            assert!(plan.data_bytes > plan.memory_bytes);
        }
    }
}

//! What is to be proven, and at what size.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::rounds::extended;
use crate::{ProveError, Variant};

const MIB: u64 = 1 << 20;

/// Bytes of a row: its value and what SQLite needs for it.
pub(super) const ROW_BYTES: u64 = 410;

/// A kind of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Experiment {
    /// Cold reads of one row each, anywhere in the table.
    Points,
    /// Cold scans of the whole table.
    Scans,
    /// Durable commits in WAL mode, with the checkpoints that they need.
    Commits,
}

impl Experiment {
    /// All of them.
    pub const ALL: [Experiment; 3] = [Experiment::Points, Experiment::Scans, Experiment::Commits];

    /// As it is chosen on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Points => "points",
            Experiment::Scans => "scans",
            Experiment::Commits => "commits",
        }
    }
}

/// What is run, where, and how much of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// A directory on the device.
    pub target: PathBuf,
    /// The directory with sqlite3; `None` for PATH.
    pub bin: Option<PathBuf>,
    /// The settings that are to be proven: pragmas and their values.
    pub advice: Vec<(String, String)>,
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Size of the table that is read: several times SQLite's cache.
    pub table_bytes: u64,
    /// Rounds of reads: each variant runs once in each of them.
    pub rounds: u32,
    /// How long reads of single rows are to take under the default, seconds: as many rows are read as take so
    /// long.
    pub point_seconds: f64,
    /// Settings for reads in addition to the default and the advice.
    pub read_grid: Vec<Variant>,
    /// Size of the table that commits change, which the page cache holds.
    pub commit_table_bytes: u64,
    /// Commits of a run.
    pub commits: u32,
    /// Rows that each of them changes.
    pub rows_per_commit: u32,
    /// Rounds of commits.
    pub commit_rounds: u32,
    /// Settings for commits in addition to the default and the advice.
    pub commit_grid: Vec<Variant>,
    /// How many times as many rounds there may be while the advice cannot be told from the default; 0 and 1
    /// for none beyond those planned.
    pub extension: u32,
    /// Whether keys of the advice run alone as well, where several matter.
    pub with_single_keys: bool,
    /// Of all orders, rows and intervals.
    pub seed: u64,
}

impl Plan {
    /// What takes five to ten minutes on an SSD.
    pub fn new(target: PathBuf, advice: Vec<(String, String)>) -> Plan {
        let singles = |all: &[(&str, &str)]| -> Vec<Variant> {
            all.iter().map(|(key, value)| Variant::single(key, value)).collect()
        };
        Plan {
            target,
            bin: None,
            advice,
            experiments: Experiment::ALL.to_vec(),
            table_bytes: 1024 * MIB,
            rounds: 6,
            point_seconds: 1.0,
            read_grid: singles(&[
                ("page_size", "8192"),
                ("page_size", "16384"),
                ("page_size", "65536"),
                ("mmap_size", "1073741824"),
                ("cache_size", "-32768"),
            ]),
            commit_table_bytes: 64 * MIB,
            commits: 2000,
            rows_per_commit: 10,
            commit_rounds: 6,
            commit_grid: singles(&[
                ("wal_autocheckpoint", "100"),
                ("wal_autocheckpoint", "10000"),
                ("page_size", "16384"),
            ]),
            extension: 2,
            with_single_keys: true,
            seed: 1,
        }
    }

    /// The same in about a fifth of the time: less data, fewer rounds and fewer values.
    pub fn quick(mut self) -> Plan {
        self.table_bytes = 512 * MIB;
        self.rounds = 3;
        self.point_seconds = 0.5;
        self.read_grid
            .retain(|variant| !["page_size=8192", "page_size=65536"].contains(&variant.name.as_str()));
        self.commits = 1000;
        self.commit_rounds = 3;
        self.with_single_keys = false;
        self
    }

    /// Whether this is one of the experiments.
    pub(super) fn has(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }

    /// Whether the table is read.
    pub(super) fn has_reads(&self) -> bool {
        self.has(Experiment::Points) || self.has(Experiment::Scans)
    }

    /// That many rounds, and how many there may be.
    pub(super) fn rounds_of(&self, rounds: u32) -> [u32; 2] {
        extended(rounds, self.extension)
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
        let sizes = MIB..=1 << 42;
        if !sizes.contains(&self.table_bytes) || !sizes.contains(&self.commit_table_bytes) {
            return wrong("the size of a table", "it must be 1 MiB to 4 TiB");
        }
        if [self.rounds, self.commit_rounds, self.commits, self.rows_per_commit].contains(&0) {
            return wrong("the number of rounds, commits and their rows", "each must be 1 at least");
        }
        if !(self.point_seconds > 0.0 && self.point_seconds.is_finite()) {
            return wrong("the time of reads", "it must be above 0");
        }
        let grids = self.read_grid.iter().chain(&self.commit_grid);
        let settings = grids.flat_map(|variant| &variant.settings).chain(&self.advice);
        for (key, value) in settings {
            if !is_word(key, "_-") || !is_word(value, "_-+.") {
                let problem = format!("{key}={value} is no pragma with a number or a word");
                return Err(ProveError::Plan { what: "the settings", problem });
            }
        }
        Ok(())
    }
}

/// What can be in a statement as it is.
fn is_word(text: &str, more: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
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
        refused(&|plan| plan.commit_table_bytes = 0);
        refused(&|plan| plan.rounds = 0);
        refused(&|plan| plan.commits = 0);
        refused(&|plan| plan.point_seconds = f64::NAN);
        refused(&|plan| plan.advice = vec![("cache_size".into(), "1; DROP TABLE t".into())]);
        refused(&|plan| plan.advice = vec![("cache size".into(), "1".into())]);
        refused(&|plan| plan.advice = vec![("cache_size".into(), String::new())]);
    }
}

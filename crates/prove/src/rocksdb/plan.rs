//! What is to be proven, and at what size.

use std::path::PathBuf;

use leadline_lsm::{Data, Layout};
use serde::{Deserialize, Serialize};

use crate::rounds::extended;
use crate::{ProveError, Variant};

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// Bytes of a key, RocksDB's own default in db_bench.
const KEY_BYTES: u32 = 16;

/// A kind of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Experiment {
    /// Every key once, in random order, until the last compaction has ended.
    Fills,
    /// Point queries together with one client that writes at a steady rate.
    Reads,
}

impl Experiment {
    /// As it is chosen on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::Fills => "fills",
            Experiment::Reads => "reads",
        }
    }
}

/// Whether the kernel's page cache is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Io {
    /// By nobody: every read of a block that is not in the block cache is one of the device.
    Direct,
    /// By reads, flushes and compactions, RocksDB's default. What fits in memory is not read from the device.
    Buffered,
}

impl Io {
    /// In words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Io::Direct => "direct I/O",
            Io::Buffered => "I/O through the page cache",
        }
    }
}

/// What is run, where, and how much of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// A directory on the device.
    pub target: PathBuf,
    /// The program; `None` for the one in PATH.
    pub db_bench: Option<PathBuf>,
    /// The settings that are to be proven.
    pub advice: Vec<(String, String)>,
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Each experiment is compared with each of them.
    pub io: Vec<Io>,
    /// Size of a database.
    pub data_bytes: u64,
    /// Size of a value; a key has 16 bytes.
    pub value_bytes: u32,
    /// `write_buffer_size` and `target_file_size_base`; level 1 has four of them.
    pub memtable_bytes: u64,
    /// The block cache, much smaller than a database.
    pub cache_bytes: u64,
    /// Rounds of fills: each variant runs once in each of them.
    pub rounds: u32,
    /// Settings with which databases are filled in addition to the default and the advice.
    pub grid: Vec<Variant>,
    /// Clients that read.
    pub readers: u32,
    /// Rate of the writing client, bytes.
    pub write_bytes_per_second: u64,
    /// How long they read, seconds, after as long a warm-up.
    pub read_seconds: u32,
    /// Rounds of reads.
    pub read_rounds: u32,
    /// The grid of the rate limiter for reads, bytes per second; the default has none.
    pub rate_limits: Vec<u64>,
    /// How many times as many rounds there may be while the advice cannot be told from the default; 0 and 1
    /// for none beyond those planned.
    #[serde(default)]
    pub extension: u32,
    /// Whether keys of the advice run alone as well, where several matter.
    pub with_single_keys: bool,
    /// Of all orders, keys and intervals.
    pub seed: u64,
}

impl Plan {
    /// What takes one to two hours on an SSD.
    pub fn new(target: PathBuf, advice: Vec<(String, String)>) -> Plan {
        Plan {
            target,
            db_bench: None,
            advice,
            experiments: vec![Experiment::Fills, Experiment::Reads],
            io: vec![Io::Direct, Io::Buffered],
            data_bytes: GIB,
            value_bytes: 1024,
            memtable_bytes: 8 * MIB,
            cache_bytes: 32 * MIB,
            rounds: 3,
            grid: grid(),
            readers: 4,
            write_bytes_per_second: 8 * MIB,
            read_seconds: 20,
            read_rounds: 4,
            rate_limits: [16, 32, 64, 128].map(|mib| mib * MIB).to_vec(),
            extension: 2,
            with_single_keys: true,
            seed: 1,
        }
    }

    /// The same in about a tenth of the time: direct I/O only, fewer rounds, less data and fewer values.
    pub fn quick(mut self) -> Plan {
        self.io = vec![Io::Direct];
        self.data_bytes = 256 * MIB;
        self.memtable_bytes = 4 * MIB;
        self.cache_bytes = 8 * MIB;
        self.rounds = 3;
        let is_quick = |(_, value): &(String, String)| QUICK.contains(&value.as_str());
        self.grid.retain(|variant| variant.settings.iter().all(is_quick));
        self.read_seconds = 8;
        self.read_rounds = 3;
        self.rate_limits = [32, 128].map(|mib| mib * MIB).to_vec();
        self.with_single_keys = false;
        self
    }

    /// Whether this is one of the experiments.
    pub(super) fn has(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }

    /// The pairs of a database.
    pub(super) fn data(&self) -> Data {
        Data::of_bytes(self.data_bytes as f64, KEY_BYTES, self.value_bytes)
    }

    /// RocksDB's tree, with smaller files so that there are several levels.
    pub(super) fn layout(&self) -> Layout {
        Layout {
            file_bytes: self.memtable_bytes,
            memtable_bytes: self.memtable_bytes,
            base_bytes: 4 * self.memtable_bytes,
            cache_bytes: self.cache_bytes,
            ..Layout::default()
        }
    }

    /// That many rounds, and how many there may be.
    pub(super) fn rounds_of(&self, rounds: u32) -> [u32; 2] {
        extended(rounds, self.extension)
    }

    /// The most that is on disk at a time, bytes.
    pub(super) fn space_bytes(&self) -> u64 {
        // Inputs and outputs of compactions, and logs.
        let one = 2 * self.data_bytes + 64 * self.memtable_bytes + 64 * MIB;
        let written = self.write_bytes_per_second * u64::from(self.read_seconds) * 2;
        // What is read is a copy that shares its files with the one that was filled, until they are
        // compacted.
        if self.has(Experiment::Reads) { one + self.data_bytes + 2 * written } else { one }
    }

    /// Checks that it makes sense.
    ///
    /// # Errors
    /// [`ProveError::Plan`].
    pub(super) fn check(&self) -> Result<(), ProveError> {
        let wrong = |what, problem: &str| Err(ProveError::Plan { what, problem: problem.into() });
        if self.experiments.is_empty() || self.io.is_empty() {
            return wrong("the experiments, and their ways of I/O", "there must be one of each at least");
        }
        if !(64 << 10..=GIB).contains(&self.memtable_bytes) {
            return wrong("the size of the memtable", "it must be 64 KiB to 1 GiB");
        }
        if self.data_bytes < 4 * self.memtable_bytes || self.data_bytes > 1 << 42 {
            return wrong("the size of a database", "it must be from four memtables to 4 TiB");
        }
        if !(1..=1 << 20).contains(&self.value_bytes) {
            return wrong("the size of a value", "it must be 1 byte to 1 MiB");
        }
        if [self.rounds, self.read_rounds, self.read_seconds, self.readers].contains(&0) {
            return wrong("the number of rounds, seconds and readers", "each must be 1 at least");
        }
        // db_bench takes 0 for a client that writes as fast as it can.
        if self.write_bytes_per_second == 0 || self.write_bytes_per_second > 1 << 40 {
            return wrong("the write rate during reads", "it must be 1 byte to 1 TiB per second");
        }
        if self.rate_limits.contains(&0) {
            return wrong("the rate limits", "each must be 1 byte per second at least; the default has none");
        }
        Ok(())
    }
}

/// Values of the grid that quick runs have as well.
const QUICK: [&str; 4] = ["4", "8", "262144", "8388608"];

/// Values on either side of RocksDB's defaults, which are 2, 1, 0 (2 MiB with direct I/O) and 0.
fn grid() -> Vec<Variant> {
    [
        ("max_background_jobs", "4"),
        ("max_background_jobs", "8"),
        ("max_background_jobs", "16"),
        ("max_subcompactions", "2"),
        ("max_subcompactions", "4"),
        ("compaction_readahead_size", "262144"),
        ("compaction_readahead_size", "1048576"),
        ("compaction_readahead_size", "8388608"),
        ("bytes_per_sync", "524288"),
        ("bytes_per_sync", "1048576"),
        ("bytes_per_sync", "8388608"),
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
        refused(&|plan| plan.io.clear());
        refused(&|plan| plan.memtable_bytes = 0);
        refused(&|plan| plan.data_bytes = plan.memtable_bytes);
        refused(&|plan| plan.value_bytes = 0);
        refused(&|plan| plan.readers = 0);
        refused(&|plan| plan.write_bytes_per_second = 0);
        refused(&|plan| plan.rate_limits.push(0));
    }

    #[test]
    fn a_quick_plan_has_some_of_each_key() {
        let quick = Plan::new("/".into(), Vec::new()).quick();
        let keys: Vec<&str> = quick.grid.iter().map(|variant| variant.settings[0].0.as_str()).collect();
        let expected =
            [("max_background_jobs", 2), ("max_subcompactions", 1), ("compaction_readahead_size", 2)];
        for (key, count) in expected {
            assert_eq!(keys.iter().filter(|other| **other == key).count(), count, "{key}");
        }
        assert!(quick.space_bytes() < Plan::new("/".into(), Vec::new()).space_bytes());
    }
}

//! RocksDB's db_bench: writes that are each synced, and direct reads past its block cache.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::program::{Program, output};

/// Keys to read: about 200 MB with values of [`VALUE_BYTES`].
const KEYS: u64 = 500_000;

const VALUE_BYTES: u32 = 400;

/// 1 in 25 of the data.
const CACHE_BYTES: u64 = 8 << 20;

/// Options of all runs.
fn db_bench(folder: &Path, benchmark: &str) -> Command {
    let mut command = Command::new("db_bench");
    command.arg(format!("--benchmarks={benchmark}")).arg(format!("--db={}", folder.join("db").display()));
    command.arg(format!("--num={KEYS}")).arg(format!("--value_size={VALUE_BYTES}"));
    command.arg("--compression_type=none");
    command
}

/// `fillsync`: one thread, every write synced, in a new database each time.
pub struct FillSync;

impl Program for FillSync {
    fn run(&self, folder: &Path, each: u64) -> Result<()> {
        output(db_bench(folder, "fillsync").arg(format!("--writes={each}"))).map(drop)
    }
}

/// `readrandom` with O_DIRECT.
pub struct ReadRandom {
    /// Each has one read under way.
    pub threads: u32,
}

impl Program for ReadRandom {
    fn prepare(&mut self, folder: &Path) -> Result<()> {
        output(&mut db_bench(folder, "fillseq,compact")).map(drop)
    }

    fn run(&self, folder: &Path, each: u64) -> Result<()> {
        let mut command = db_bench(folder, "readrandom");
        command.args(["--use_existing_db", "--use_direct_reads"]);
        command.arg(format!("--cache_size={CACHE_BYTES}")).arg(format!("--threads={}", self.threads));
        output(command.arg(format!("--reads={each}"))).map(drop)
    }
}

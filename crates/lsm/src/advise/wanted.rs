//! What a layout is to be found for.

use crate::{Data, Demands, LsmError};

/// How much may be written to a drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Endurance {
    /// Bytes that may be written over its life, as its data sheet rates it.
    pub rated_bytes: f64,
    /// Bytes that it writes to its flash for each that it is given.
    pub write_amplification: f64,
}

impl Endurance {
    /// Years that a drive lasts at this many bytes per second from its host.
    pub fn years(&self, bytes_per_second: f64) -> f64 {
        self.rated_bytes / (bytes_per_second * self.write_amplification).max(1e-9) / (365.25 * 86400.0)
    }
}

/// What a layout is to be found for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// The data.
    pub data: Data,
    /// The workload.
    pub demands: Demands,
    /// Memory for block cache, filters, indexes and memtables, bytes.
    pub memory_bytes: f64,
    /// Compactions at a time; `None` for as many as serve best.
    pub jobs: Option<u32>,
    /// What a compaction reads at a time, bytes; 0 for RocksDB's own.
    pub compaction_readahead_bytes: u64,
    /// Stored bytes over bytes of pairs.
    pub compressed_share: f64,
    /// The 99th percentile of a point query may take this long at most, microseconds.
    pub p99_us: Option<f64>,
    /// What the drive may write, where that is known.
    pub endurance: Option<Endurance>,
    /// Operations per second that will be asked, for the life of the drive; `None` for all that the tree
    /// can do.
    pub rate: Option<f64>,
    /// Years that the drive must last; takes `endurance`.
    pub life_years: Option<f64>,
}

impl Wanted {
    /// That the numbers make sense.
    pub(super) fn check(&self) -> Result<(), LsmError> {
        self.data.check()?;
        let out = |name, value: String, range| Err(LsmError::OutOfRange { name, value, range });
        if !(1.0..=1e15).contains(&self.memory_bytes) {
            return out("the memory", format!("{:.0} bytes", self.memory_bytes), "1 byte to 1 PB");
        }
        if !(1..=4096).contains(&self.demands.clients) {
            return out("the number of clients", self.demands.clients.to_string(), "1 to 4096");
        }
        if self.jobs.is_some_and(|jobs| !(1..=256).contains(&jobs)) {
            return out("the number of jobs", self.jobs.unwrap_or(0).to_string(), "1 to 256");
        }
        if !(0.01..=1.0).contains(&self.compressed_share) {
            return out("the compressed share", self.compressed_share.to_string(), "0.01 to 1");
        }
        Ok(())
    }

    /// Years that the drive lasts at this rate of operations; `None` where its rating is not known.
    pub(super) fn life(&self, per_second: f64, write_amplification: f64) -> Option<f64> {
        let inserted = self.rate.unwrap_or(per_second) * self.demands.mix.writes() * self.data.pair_bytes();
        // The log is written besides what flushes and compactions write.
        Some(self.endurance?.years(inserted * (1.0 + write_amplification)))
    }
}

//! What a key-value store costs the processor.

use serde::{Deserialize, Serialize};

/// Processor time of one core, user and kernel, that RocksDB spends on each piece of work on one machine.
/// Every field is in microseconds and at least 0. Time in which a core waits for the device is not part of
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorCosts {
    /// A point query, without the data blocks it looks at: memtable, files, index, the client's own loop.
    pub point_us: f64,
    /// A data block that a query reads from the device: the system call, the checksum, the search in it.
    pub block_us: f64,
    /// A data block that a query finds in the block cache: looking it up, and the search in it.
    pub cached_block_us: f64,
    /// A scan, without the sorted runs that it merges, their blocks, and the pairs it returns.
    pub seek_us: f64,
    /// Each sorted run that a scan merges: finding its position in the index. The block there is not part.
    pub seek_run_us: f64,
    /// A pair that a scan returns, without reading its bytes.
    pub pair_us: f64,
    /// A MiB that a scan reads from the device beyond the first block of each run.
    pub read_mib_us: f64,
    /// A pair that a client inserts: the log and the memtable.
    pub insert_us: f64,
    /// A pair that a flush writes from the memtable to a file of level 0, without writing its bytes.
    pub flush_pair_us: f64,
    /// A pair that goes into a compaction, without reading and writing its bytes.
    pub merge_pair_us: f64,
    /// A MiB that a flush or a compaction reads or writes: system calls, checksums, copies.
    pub compaction_mib_us: f64,
    /// A file of the tree, at each flush, compaction or move: RocksDB builds its list of all files again.
    #[serde(default)]
    pub edit_file_us: f64,
}

impl ProcessorCosts {
    /// Each cost and the name of its field.
    pub(crate) fn named(&self) -> [(&'static str, f64); 12] {
        [
            ("point_us", self.point_us),
            ("block_us", self.block_us),
            ("cached_block_us", self.cached_block_us),
            ("seek_us", self.seek_us),
            ("seek_run_us", self.seek_run_us),
            ("pair_us", self.pair_us),
            ("read_mib_us", self.read_mib_us),
            ("insert_us", self.insert_us),
            ("flush_pair_us", self.flush_pair_us),
            ("merge_pair_us", self.merge_pair_us),
            ("compaction_mib_us", self.compaction_mib_us),
            ("edit_file_us", self.edit_file_us),
        ]
    }
}

impl Default for ProcessorCosts {
    /// As RocksDB 7.8.3 took on a virtual machine with two cores in November 2026, with pairs of 2,064
    /// bytes and without compression: enough to compare layouts. What it takes on a machine is measured by
    /// `validate`. The cost per MiB of compactions is extrapolated to files of 64 MiB, from 3,600 us with
    /// files of 132 KiB and 1,600 us with files of 532 KiB: what a file costs is in it.
    fn default() -> Self {
        ProcessorCosts {
            point_us: 0.5,
            block_us: 17.0,
            cached_block_us: 1.8,
            seek_us: 1.0,
            seek_run_us: 0.2,
            pair_us: 0.4,
            read_mib_us: 990.0,
            insert_us: 6.8,
            flush_pair_us: 1.7,
            merge_pair_us: 0.3,
            compaction_mib_us: 940.0,
            edit_file_us: 1.1,
        }
    }
}

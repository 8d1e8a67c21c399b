//! What RocksDB costs a processor, in words.

use crate::ProcessorCosts;

/// Each cost with what it is for, microseconds.
pub fn processor_costs(costs: &ProcessorCosts) -> [(&'static str, f64); 12] {
    [
        ("per point query", costs.point_us),
        ("per block read", costs.block_us),
        ("per block in the cache", costs.cached_block_us),
        ("per scan", costs.seek_us),
        ("per sorted run of a scan", costs.seek_run_us),
        ("per pair of a scan", costs.pair_us),
        ("per MiB that a scan reads on", costs.read_mib_us),
        ("per pair inserted", costs.insert_us),
        ("per pair flushed", costs.flush_pair_us),
        ("per pair merged", costs.merge_pair_us),
        ("per MiB of flushes and compactions", costs.compaction_mib_us),
        ("per file of the tree and change", costs.edit_file_us),
    ]
}

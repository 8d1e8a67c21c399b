//! The layouts that are searched.

use super::memory::largest_memtable;
use super::wanted::Wanted;
use crate::{Layout, Mix, Operation};

const FANOUTS: [f64; 4] = [2.5, 5.0, 10.0, 20.0];
const L0_FILES: [u32; 3] = [2, 4, 8];
const BLOCKS: [u32; 5] = [4096, 8192, 16384, 32768, 65536];
const BLOOM_BITS: [f64; 2] = [0.0, 10.0];

/// The memtable sizes tried: the largest that the memory allows, and halves of it.
const MEMTABLES: u32 = 3;

/// Compactions at a time, in multiples of the cores, with which shapes are compared.
const JOBS_PER_CORE: u32 = 2;

/// The shapes: fanout, files of level 0, sizes, or a single level. Level 1 is as large as level 0 when it is
/// compacted, and a file as a memtable, as RocksDB's guide advises.
pub(super) fn first(wanted: &Wanted, cores: u32) -> Vec<Layout> {
    let jobs = wanted.jobs.unwrap_or(JOBS_PER_CORE * cores.max(1));
    let largest = largest_memtable(wanted.memory_bytes);
    let mut layouts = Vec::new();
    for halves in 0..MEMTABLES {
        let memtable_bytes = (largest >> halves).max(65536);
        let of = |l0_files: u32| Layout {
            memtable_bytes,
            file_bytes: memtable_bytes,
            base_bytes: memtable_bytes * u64::from(l0_files),
            l0_files,
            jobs,
            subcompactions: jobs,
            compaction_readahead_bytes: wanted.compaction_readahead_bytes,
            compressed_share: wanted.compressed_share,
            ..Layout::default()
        };
        for fanout in FANOUTS {
            layouts.extend(L0_FILES.map(|files| Layout { fanout, ..of(files) }));
        }
        layouts.push(of(1).single_level(jobs));
    }
    layouts
}

/// This shape with other numbers of compactions at a time.
pub(super) fn other_jobs(shape: &Layout, cores: u32) -> Vec<Layout> {
    let cores = cores.max(1);
    let mut counts = vec![1, cores, 4 * cores];
    counts.dedup();
    let others = counts.into_iter().filter(|jobs| *jobs != shape.jobs);
    others.map(|jobs| Layout { jobs, subcompactions: jobs, ..*shape }).collect()
}

/// The block sizes and filters of a shape. Filters serve point queries alone.
pub(super) fn queries(shape: &Layout, mix: &Mix) -> Vec<Layout> {
    let points = mix.share(Operation::Point) + mix.share(Operation::Absent) > 0.0;
    let filters = if points { &BLOOM_BITS[..] } else { &BLOOM_BITS[..1] };
    let with = |block_bytes, bloom_bits| Layout { block_bytes, bloom_bits, ..*shape };
    BLOCKS.iter().flat_map(|&block| filters.iter().map(move |&bits| with(block, bits))).collect()
}

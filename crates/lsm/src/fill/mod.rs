//! Loading a tree, in simulated time: one client inserts, memtables are flushed, compactions run.
//!
//! The tree decides what is compacted; this decides how long that takes. A compaction is one thread that
//! reads, merges and writes in turn, as in RocksDB; threads share the cores and the device (`queue.rs`).
//! Writes stop while all memtables are full or level 0 is, and slow down before that.

mod filled;
mod load;
mod work;

use crate::block::Blocks;
use crate::costs::DeviceCosts;
use crate::tree::{Tree, file_pairs, memtable_pairs};
use crate::{Data, Layout, ProcessorCosts};
use load::Load;
use work::{Work, speeds};

pub(crate) use filled::{Fill, Filled};
pub(crate) use load::COARSE;

/// Files in a simulated tree at most; a larger one is simulated with larger files.
const MOST_FILES: f64 = 3000.0;

/// Loads `data` into an empty tree.
pub(crate) fn fill(
    data: &Data,
    layout: &Layout,
    device: &DeviceCosts,
    processor: &ProcessorCosts,
    how: &Fill,
) -> Filled {
    let blocks = Blocks::of(data, layout, device.unit_bytes());
    let stored = blocks.stored_pair_bytes();
    // A large tree is simulated with fewer, larger pairs: what counts is how many files there are.
    let files = data.pairs / file_pairs(layout, stored);
    let coarse = (files / MOST_FILES).max(1.0);
    let in_file = file_pairs(layout, stored) * coarse;
    let base_pairs = layout.base_bytes as f64 / stored;
    let memtable = memtable_pairs(layout, data);
    let work = Work::new(layout, device, processor, stored, coarse);
    let speeds = speeds(&work, layout, how.cores, (files / coarse / 2.0) as usize);
    let tree = Tree::new(layout, data.pairs, in_file, base_pairs);
    Load::new(layout, work, speeds, tree, base_pairs).run(data, memtable, how)
}

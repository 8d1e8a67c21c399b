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

/// Sizes of the data of several loads, from the smallest to the largest, in doublings: 93 to 107 %.
const SIZES: f64 = 0.2;

/// Loads whose trees queries see.
const LOADS_SEEN: u32 = 3;

/// The golden section: multiples of it, without their whole part, are spread evenly however many there are.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Files in a simulated tree at most; a larger one is simulated with larger files.
const MOST_FILES: f64 = 3000.0;

/// Loads about as much as `data` several times, each time as chance has it, and takes the mean. The first
/// load is of `data` itself, and what is said of the load from empty is its.
pub(crate) fn fills(
    data: &Data,
    layout: &Layout,
    device: &DeviceCosts,
    processor: &ProcessorCosts,
    how: &Fill,
    loads: u32,
) -> Filled {
    let one = |draw: u32| {
        let size = (0.5 + f64::from(draw) * GOLDEN).fract() - 0.5;
        let about = Data { pairs: (data.pairs * (SIZES * size).exp2()).round().max(1.0), ..*data };
        let how = Fill { draw: Some(draw), from_empty: how.from_empty && draw == 0, ..*how };
        let mut filled = fill(&about, layout, device, processor, &how);
        // Queries see the states of a few: more do not change what they cost.
        if draw >= LOADS_SEEN {
            filled.states.clear();
        }
        (about.pairs, filled)
    };
    let all: Vec<(f64, Filled)> = (0..loads.max(1)).map(one).collect();
    Filled { load: all[0].1.load.clone(), ..Filled::mean(&all, data.pairs) }
}

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

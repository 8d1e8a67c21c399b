//! Files, levels, and the sorted runs that queries see.

use super::limits::Limits;
use crate::{Data, Layout};

/// A file: its first and last key, and what is in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct File {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) pairs: f64,
    pub(super) id: u32,
    /// An input of a running compaction.
    pub(super) busy: bool,
    /// Pairs of the files of the next level that it overlaps with, over its own; below 0 where that must be
    /// counted again.
    pub(super) overlap: f64,
}

/// Of a file whose overlap was not counted since something changed.
pub(super) const UNCOUNTED: f64 = -1.0;

/// A tree in pairs.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// Level 0 in the order of age, oldest first; the others in the order of keys.
    pub(super) levels: Vec<Vec<File>>,
    /// Pairs per level.
    pub(super) totals: Vec<f64>,
    /// Of these, those of files that are being compacted.
    pub(super) busy_pairs: Vec<f64>,
    /// Files of level 0 that are being compacted.
    pub(super) busy_l0: usize,
    pub(super) limits: Limits,
    /// Pairs of a file that is full.
    pub(super) file_pairs: f64,
    /// Distinct keys; with as many pairs as this in a range, every key of it is there.
    pub(super) keys: f64,
    /// Whether a pair may replace an older one with the same key.
    pub(super) replaces: bool,
    pub(super) l0_files: usize,
    pub(super) next_id: u32,
    /// Whether nothing can be picked before something changes.
    pub(super) idle: bool,
    /// Ranges that running compactions write: output level, first and last key.
    pub(super) writing: Vec<(u32, usize, f64, f64)>,
}

/// One sorted run of a tree: a file of level 0, or a level below it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// Its level.
    pub(crate) level: usize,
    /// Pairs in it.
    pub(crate) pairs: f64,
    /// Share of the keys that are in the range of one of its files.
    pub(crate) coverage: f64,
    /// Files.
    pub(crate) files: usize,
}

impl Tree {
    /// An empty tree for `keys` distinct keys whose files hold `file_pairs` each and whose level 1 holds
    /// `base_pairs`.
    pub(crate) fn new(layout: &Layout, keys: f64, file_pairs: f64, base_pairs: f64) -> Self {
        Tree {
            levels: vec![Vec::new(); layout.levels.max(2) as usize],
            totals: vec![0.0; layout.levels.max(2) as usize],
            busy_pairs: vec![0.0; layout.levels.max(2) as usize],
            busy_l0: 0,
            limits: Limits::new(layout, base_pairs),
            file_pairs: file_pairs.max(1.0),
            keys,
            replaces: false,
            l0_files: layout.l0_files.max(1) as usize,
            next_id: 0,
            idle: false,
            writing: Vec::new(),
        }
    }

    /// From now on, pairs with keys that are there already replace these where they meet.
    pub(crate) fn replace_from_now_on(&mut self) {
        self.replaces = true;
    }

    /// A flushed memtable: a file of level 0 over all keys.
    pub(crate) fn flush(&mut self, pairs: f64) {
        let file = self.file(0.0, 1.0, pairs);
        self.levels[0].push(file);
        self.totals[0] += pairs;
        self.idle = false;
    }

    pub(super) fn file(&mut self, low: f64, high: f64, pairs: f64) -> File {
        self.next_id += 1;
        File { low, high, pairs, id: self.next_id, busy: false, overlap: UNCOUNTED }
    }

    /// Files in level 0.
    pub(crate) fn l0_count(&self) -> usize {
        self.levels[0].len()
    }

    /// Files of all levels.
    pub(crate) fn file_count(&self) -> usize {
        self.levels.iter().map(Vec::len).sum()
    }

    /// Pairs per level.
    pub(crate) fn pairs_by_level(&self) -> &[f64] {
        &self.totals
    }

    /// Files and pairs per level.
    pub(crate) fn files_by_level(&self) -> Vec<(usize, f64)> {
        self.levels.iter().map(Vec::len).zip(self.totals.iter().copied()).collect()
    }

    /// Pairs that must still be compacted until every level is within its limit, as RocksDB estimates them
    /// for its limits on pending compaction bytes.
    pub(crate) fn pending_pairs(&self) -> f64 {
        self.limits.pending(&self.totals, self.l0_count() >= self.l0_files)
    }

    /// The sorted runs, newest first.
    pub(crate) fn runs(&self) -> Vec<Run> {
        let l0 = self.levels[0].iter().rev();
        let mut runs: Vec<Run> =
            l0.map(|f| Run { level: 0, pairs: f.pairs, coverage: f.high - f.low, files: 1 }).collect();
        for (level, files) in self.levels.iter().enumerate().skip(1).filter(|(_, files)| !files.is_empty()) {
            let coverage = files.iter().map(|f| f.high - f.low).sum::<f64>().min(1.0);
            runs.push(Run { level, pairs: pairs(files), coverage, files: files.len() });
        }
        runs
    }
}

/// Pairs of a number of files.
pub(super) fn pairs(files: &[File]) -> f64 {
    files.iter().map(|f| f.pairs).sum()
}

/// Pairs that a file of `layout` holds whose pairs take `stored` bytes each.
pub(crate) fn file_pairs(layout: &Layout, stored: f64) -> f64 {
    (layout.file_bytes as f64 / stored).ceil().max(1.0)
}

/// Bytes that a pair takes in a memtable besides key and value: a node of the skip list, and its tag.
const MEMTABLE_PAIR_BYTES: f64 = 24.0;

/// Pairs that a memtable holds when it is flushed: its arena may exceed the size by about six tenths of a
/// block of the arena, which is an eighth of the memtable and at most 1 MiB.
pub(crate) fn memtable_pairs(layout: &Layout, data: &Data) -> f64 {
    let size = layout.memtable_bytes as f64;
    let arena_block = (size / 8.0).min(1048576.0);
    ((size + 0.6 * arena_block) / (data.pair_bytes() + MEMTABLE_PAIR_BYTES)).floor().max(1.0)
}

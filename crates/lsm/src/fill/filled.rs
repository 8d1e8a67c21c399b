//! How a tree is loaded, and what that came to.

use crate::tree::{Run, Tree};

/// How a tree is loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fill {
    /// Of the pairs inserted after the load of distinct keys, this share replaces keys that are there.
    pub(crate) replacing: f64,
    /// Cores of the machine.
    pub(crate) cores: f64,
}

/// What loading a tree came to.
#[derive(Debug, Clone)]
pub(crate) struct Filled {
    /// The tree, all compactions done.
    pub(crate) tree: Tree,
    /// Its sorted runs, then and after each of the next memtables: level 0 and level 1 are fuller at some
    /// times than at others.
    pub(crate) states: Vec<Vec<Run>>,
    /// From the first insert to the end of the last compaction, seconds.
    pub(crate) seconds: f64,
    /// Until the last insert.
    pub(crate) insert_seconds: f64,
    /// In which the client was stopped or slowed down.
    pub(crate) stalled_seconds: f64,
    /// Bytes that flushes and compactions wrote / bytes inserted.
    pub(crate) write_amplification: f64,
    /// The same for the last inserts, in a tree of nearly its full size.
    pub(crate) tail_write_amplification: f64,
    /// Pairs per second that a tree of its full size takes, compactions keeping up.
    pub(crate) tail_pairs_per_second: f64,
    /// Seconds of processor time of flushes and compactions per pair inserted into a tree of its full size.
    pub(crate) tail_processor: f64,
    /// Seconds of device time, one request at a time, of the same.
    pub(crate) tail_device: f64,
    /// Processor time of all of it, seconds.
    pub(crate) processor_seconds: f64,
    /// Compactions running on average while any was, subcompactions counted.
    pub(crate) concurrency: f64,
    /// Pairs in all files / distinct pairs, at the end.
    pub(crate) space_amplification: f64,
    /// One simulated pair stands for so many.
    pub(crate) scale: f64,
}

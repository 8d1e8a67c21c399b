//! How a tree is loaded, and what that came to.

use crate::tree::{Run, Tree};

/// How a tree is loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fill {
    /// Of the pairs inserted after the load of distinct keys, this share replaces keys that are there.
    pub(crate) replacing: f64,
    /// Cores of the machine.
    pub(crate) cores: f64,
    /// Which of many loads that differ by chance, as loads of one machine do; `None` for one without chance.
    pub(crate) draw: Option<u32>,
    /// Whether it begins with an empty tree; otherwise shortly before what is asked of a tree in service.
    pub(crate) from_empty: bool,
}

/// What loading a tree came to.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    /// The tree, all compactions done.
    pub(crate) tree: Tree,
    /// From the first insert to the end of the last compaction, seconds.
    pub(crate) seconds: f64,
    /// Until the last insert.
    pub(crate) insert_seconds: f64,
    /// In which the client was stopped or slowed down.
    pub(crate) stalled_seconds: f64,
    /// Bytes that flushes and compactions wrote / bytes inserted.
    pub(crate) write_amplification: f64,
    /// Processor time of all of it, seconds.
    pub(crate) processor_seconds: f64,
    /// Compactions running on average while any was, subcompactions counted.
    pub(crate) concurrency: f64,
    /// One simulated pair stands for that many.
    pub(crate) scale: f64,
}

/// The load, and what a tree of about its size takes.
#[derive(Debug, Clone)]
pub(crate) struct Filled {
    pub(crate) load: Loaded,
    /// Its sorted runs at rest at several moments: level 0 and level 1 are fuller at some times than at
    /// others.
    pub(crate) states: Vec<Vec<Run>>,
    /// Bytes that flushes and compactions wrote / bytes inserted.
    pub(crate) tail_write_amplification: f64,
    /// Pairs per second that it takes, compactions keeping up.
    pub(crate) tail_pairs_per_second: f64,
    /// Seconds of processor time of flushes and compactions per pair inserted.
    pub(crate) tail_processor: f64,
    /// Seconds of device time, one request at a time, of the same.
    pub(crate) tail_device: f64,
    /// Seconds of device time of the same, with as many requests at a time as serve the device best.
    pub(crate) tail_used: f64,
    /// Standard error of the time per pair by chance of the loads, a share of it; 0 of a single one.
    pub(crate) tail_error: f64,
    /// Pairs in all files / distinct pairs.
    pub(crate) space_amplification: f64,
}

impl Filled {
    /// The mean of loads of different sizes, as if each had been of `pairs`; the tree is the one of the
    /// first.
    ///
    /// # Panics
    /// There is no load.
    pub(crate) fn mean(loads: &[(f64, Filled)], pairs: f64) -> Filled {
        let n = loads.len() as f64;
        let mean = |of: &dyn Fn(&Filled) -> f64| loads.iter().map(|(_, load)| of(load)).sum::<f64>() / n;
        // Of what grows with the pairs.
        let whole = |of: fn(&Loaded) -> f64| {
            loads.iter().map(|(loaded, filled)| pairs / loaded * of(&filled.load)).sum::<f64>() / n
        };
        // Times add up, rates do not.
        let seconds = mean(&|filled| 1.0 / filled.tail_pairs_per_second);
        let squares = n * mean(&|filled| (1.0 / filled.tail_pairs_per_second - seconds).powi(2));
        Filled {
            load: Loaded {
                tree: loads[0].1.load.tree.clone(),
                seconds: whole(|load| load.seconds),
                insert_seconds: whole(|load| load.insert_seconds),
                stalled_seconds: whole(|load| load.stalled_seconds),
                processor_seconds: whole(|load| load.processor_seconds),
                write_amplification: mean(&|filled| filled.load.write_amplification),
                concurrency: mean(&|filled| filled.load.concurrency),
                scale: loads[0].1.load.scale,
            },
            states: loads.iter().flat_map(|(_, filled)| filled.states.clone()).collect(),
            tail_write_amplification: mean(&|filled| filled.tail_write_amplification),
            tail_pairs_per_second: 1.0 / seconds,
            tail_processor: mean(&|filled| filled.tail_processor),
            tail_device: mean(&|filled| filled.tail_device),
            tail_used: mean(&|filled| filled.tail_used),
            tail_error: if n > 1.0 { (squares / (n - 1.0) / n).sqrt() / seconds } else { 0.0 },
            space_amplification: mean(&|filled| filled.space_amplification),
        }
    }
}

//! One index, loaded, with its nodes on a device.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::{Device, DeviceError};
use leadline_index::{Durability, Index, Options};

use crate::ValidateError;
use crate::pairs::{KEY_BYTES, VALUE_BYTES, key, value};

/// Pairs between two looks at whether to stop.
const LOOK_EVERY: u32 = 1 << 14;

/// What an entry takes in a leaf besides its key and value.
const PER_PAIR: u32 = 10;

/// An index of the pairs 0, 1, 2, ..., whose nodes are full.
pub struct Grown {
    /// The index.
    pub index: Index,
    /// Bytes of a node.
    pub node_bytes: u32,
    /// Pairs in it.
    pub pairs: u32,
}

impl Grown {
    /// Nodes in memory, at least; an index has no fewer.
    pub const LEAST_FRAMES: u32 = 64;

    /// Bytes of device that `pairs` pairs take, and what the pool needs to write out of place.
    pub fn device_bytes(pairs: u32, node_bytes: u32) -> u64 {
        let nodes = u64::from(pairs) * u64::from(KEY_BYTES + VALUE_BYTES + PER_PAIR);
        (nodes * 5 / 4 + 64 * u64::from(node_bytes) + (96 << 20)).next_multiple_of(u64::from(node_bytes))
    }

    /// Loads `pairs` pairs on a device that is large enough, with `frames` nodes in memory, and makes them
    /// durable. `progress` hears the share loaded, 0 to 1, now and then.
    ///
    /// # Errors
    /// [`ValidateError::Interrupted`] once `cancel` is set, or the index's reason.
    pub fn load(
        device: Arc<dyn Device>,
        node_bytes: u32,
        frames: u32,
        pairs: u32,
        cancel: &AtomicBool,
        mut progress: impl FnMut(f64),
    ) -> Result<Grown, ValidateError> {
        // The log stays empty: nothing is committed. Its directory is gone once the tree is loaded.
        let log = tempfile::tempdir().map_err(|error| DeviceError::io("making a directory", error))?;
        let options = Options::default()
            .node_bytes(node_bytes)
            .cache_bytes(u64::from(frames) * u64::from(node_bytes))
            .durability(Durability::Never)
            .fill(1.0)
            // The model reads the leaves of a range one after the other.
            .reads(1);
        let index = Index::open_on(log.path(), device, &options)?;
        let entries = (0..pairs).take_while(|number| {
            if number % LOOK_EVERY > 0 {
                return true;
            }
            progress(f64::from(*number) / f64::from(pairs));
            !cancel.load(Ordering::Relaxed)
        });
        index.bulk_load(entries.map(|number| (key(number), value(number))))?;
        if cancel.load(Ordering::Relaxed) {
            return Err(ValidateError::Interrupted);
        }
        Ok(Grown { index, node_bytes, pairs })
    }

    /// Levels, the root and the leaves included.
    pub fn height(&self) -> u64 {
        self.index.stats().levels.into()
    }

    /// Nodes read from the device so far.
    pub fn node_reads(&self) -> u64 {
        self.index.stats().pool.misses
    }

    /// How full the nodes are, 0 to 1: bytes of pairs over bytes of nodes.
    pub fn fill(&self) -> f64 {
        let nodes = self.index.stats().pages.saturating_sub(1).max(1) as f64;
        f64::from(self.pairs) * f64::from(KEY_BYTES + VALUE_BYTES) / (nodes * f64::from(self.node_bytes))
    }

    /// Pairs in a leaf.
    pub fn pairs_per_leaf(&self) -> f64 {
        self.fill() * f64::from(self.node_bytes) / f64::from(KEY_BYTES + VALUE_BYTES)
    }

    /// Looks up pair `number`.
    ///
    /// # Errors
    /// [`ValidateError::Lost`] where it is not there, or the index's reason.
    pub fn point(&self, number: u32) -> Result<(), ValidateError> {
        match self.index.get(key(number))? {
            Some(found) if found == value(number) => Ok(()),
            _ => Err(self.lost(number)),
        }
    }

    /// Reads `count` pairs from pair `first` on, which the tree has.
    ///
    /// # Errors
    /// As [`Grown::point`].
    pub fn range(&self, first: u32, count: u32) -> Result<(), ValidateError> {
        let mut found = self.index.range(key(first)..);
        for number in first..first + count {
            match found.next().transpose()? {
                Some((_, found)) if found == value(number) => {}
                _ => return Err(self.lost(first)),
            }
        }
        Ok(())
    }

    fn lost(&self, number: u32) -> ValidateError {
        ValidateError::Lost { node_bytes: self.node_bytes, number }
    }
}

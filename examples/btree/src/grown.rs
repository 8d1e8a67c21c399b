//! One tree, loaded, on a device behind a pool.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::Device;
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_tpcc::heap::RowId;
use leadline_tpcc::pages::{Pages as _, PoolOptions, PoolPages};
use leadline_tpcc::tree::{Tree, TreeState};

use crate::ValidateError;
use crate::pairs::{KEY_BYTES, VALUE_BYTES, key};

/// Dirty nodes that the load writes at once.
const WRITTEN_AT_ONCE: u32 = 32;

/// Pairs between two looks at whether to stop.
const LOOK_EVERY: u32 = 1 << 14;

/// A tree of the pairs 0, 1, 2, ..., inserted in ascending order, so that its nodes are full.
pub struct Grown {
    /// The tree.
    pub tree: Tree,
    /// Its nodes.
    pub pages: PoolPages,
    /// Bytes of a node.
    pub node_bytes: u32,
    /// Pairs in it.
    pub pairs: u32,
}

impl Grown {
    /// Bytes of device that `pairs` pairs take, and some to spare.
    pub fn device_bytes(pairs: u32, node_bytes: u32) -> u64 {
        // The pool's checksum and the node's header take less than one pair; an inner node that is split
        // passes one key up.
        let per_node = u64::from(node_bytes / (KEY_BYTES + VALUE_BYTES)) - 2;
        let leaves = u64::from(pairs).div_ceil(per_node);
        let nodes = leaves + leaves.div_ceil(per_node - 1) + 16;
        (nodes + leaves / 64) * u64::from(node_bytes) + (2 << 20)
    }

    /// Loads `pairs` pairs on a device that is large enough, with `frames` nodes in memory, and makes them
    /// durable. `progress` hears the share loaded, 0 to 1, now and then.
    ///
    /// # Errors
    /// [`ValidateError::Interrupted`] once `cancel` is set, or the pool's reason.
    pub fn load(
        device: Arc<dyn Device>,
        node_bytes: u32,
        frames: u32,
        pairs: u32,
        cancel: &AtomicBool,
        mut progress: impl FnMut(f64),
    ) -> Result<Grown, ValidateError> {
        let options = PoolOptions {
            frames,
            policy: PolicyKind::Lru,
            ace: Ace::CowX,
            n: WRITTEN_AT_ONCE.min(frames / 2).max(1),
            cleaner: Cleaner::Off,
        };
        let pages = PoolPages::create(device, node_bytes, options)?;
        let tree = Tree::open(KEY_BYTES as usize, TreeState::default());
        for number in 0..pairs {
            if number % LOOK_EVERY == 0 {
                if cancel.load(Ordering::Relaxed) {
                    return Err(ValidateError::Interrupted);
                }
                progress(f64::from(number) / f64::from(pairs));
            }
            tree.insert(&pages, &key(number), RowId(number.into()))?;
        }
        pages.checkpoint()?;
        Ok(Grown { tree, pages, node_bytes, pairs })
    }

    /// Levels, the root and the leaves included.
    pub fn height(&self) -> u64 {
        self.tree.state().height + 1
    }

    /// How full the leaves are, 0 to 1: bytes of pairs over bytes of leaves.
    pub fn fill(&self) -> f64 {
        let leaves = (f64::from(self.pairs) / self.pairs_per_leaf()).ceil();
        f64::from(self.pairs) * f64::from(KEY_BYTES + VALUE_BYTES) / (leaves * f64::from(self.node_bytes))
    }

    /// Pairs in a full leaf.
    pub fn pairs_per_leaf(&self) -> f64 {
        self.tree.capacity(self.pages.page_len()) as f64
    }

    /// Looks up pair `number`.
    ///
    /// # Errors
    /// [`ValidateError::Lost`] where it is not there, or the pool's reason.
    pub fn point(&self, number: u32) -> Result<(), ValidateError> {
        match self.tree.get(&self.pages, &key(number))? {
            Some(RowId(row)) if row == u64::from(number) => Ok(()),
            _ => Err(self.lost(number)),
        }
    }

    /// Reads `count` pairs from pair `first` on, which the tree has.
    ///
    /// # Errors
    /// As [`Grown::point`].
    pub fn range(&self, first: u32, count: u32) -> Result<(), ValidateError> {
        let last = key(u32::MAX);
        let found = self.tree.range(&self.pages, &key(first), &last, count as usize)?;
        let rows = found.iter().map(|(_, row)| row.0);
        let expected = u64::from(first)..u64::from(first) + u64::from(count);
        if rows.eq(expected) { Ok(()) } else { Err(self.lost(first)) }
    }

    fn lost(&self, number: u32) -> ValidateError {
        ValidateError::Lost { node_bytes: self.node_bytes, number }
    }
}

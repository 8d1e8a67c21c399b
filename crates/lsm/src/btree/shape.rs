//! The shape of a B-tree: how many nodes each of its levels has.

use super::BTreeError;
use crate::{Data, LsmError};

/// Bytes of a pointer to a child, next to its key.
pub const POINTER_BYTES: u32 = 8;

/// How full nodes are, on average, after inserts in random order: ln 2 (Yao, Acta Informatica 1978).
pub const RANDOM_FILL: f64 = std::f64::consts::LN_2;

/// A B+-tree: pairs in the leaves, keys and pointers in the nodes above them, all nodes of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Bytes of a node.
    pub node_bytes: u32,
    /// Pairs in a leaf, on average.
    pub pairs_per_leaf: f64,
    /// Children of a node above the leaves, on average.
    pub children_per_node: f64,
    /// Nodes of each level, the root first, the leaves last.
    pub levels: Vec<f64>,
}

impl Shape {
    /// The tree of `data` with nodes of `node_bytes`, which are full to the share `fill` (0.5 to 1).
    ///
    /// # Errors
    /// [`BTreeError::OutOfRange`], or [`BTreeError::NodeTooSmall`] where a node takes fewer than two pairs or
    /// two children.
    pub fn new(data: &Data, node_bytes: u32, fill: f64) -> Result<Self, BTreeError> {
        data.check()?;
        check_fill(fill)?;
        let pairs = (f64::from(node_bytes) / data.pair_bytes()).floor();
        let children = fill * (f64::from(node_bytes) / f64::from(data.key_bytes + POINTER_BYTES)).floor();
        if pairs < 2.0 || children < 2.0 {
            return Err(BTreeError::NodeTooSmall {
                node_bytes,
                pair_bytes: data.pair_bytes(),
                key_bytes: data.key_bytes,
                pairs: pairs as u64,
                children: children as u64,
            });
        }
        let pairs_per_leaf = fill * pairs;
        let mut levels = vec![(data.pairs / pairs_per_leaf).ceil()];
        while levels[levels.len() - 1] > 1.0 {
            levels.push((levels[levels.len() - 1] / children).ceil());
        }
        levels.reverse();
        Ok(Shape { node_bytes, pairs_per_leaf, children_per_node: children, levels })
    }

    /// Levels, the root and the leaves included.
    pub fn height(&self) -> usize {
        self.levels.len()
    }

    /// Nodes of all levels.
    pub fn nodes(&self) -> f64 {
        self.levels.iter().sum()
    }

    /// Bytes of all nodes.
    pub fn bytes(&self) -> f64 {
        self.nodes() * f64::from(self.node_bytes)
    }

    /// Leaves that a range of `pairs` pairs touches, on average over where it begins.
    pub fn leaves_touched(&self, pairs: f64) -> f64 {
        let leaves = self.levels[self.levels.len() - 1];
        (1.0 + (pairs - 1.0).max(0.0) / self.pairs_per_leaf).min(leaves)
    }
}

/// That a fill factor is one.
pub(super) fn check_fill(fill: f64) -> Result<(), LsmError> {
    if (0.5..=1.0).contains(&fill) {
        return Ok(());
    }
    let value = format!("{} %", 100.0 * fill);
    Err(LsmError::OutOfRange { name: "the fill factor of nodes", value, range: "from 50 to 100 %" })
}

//! What each operation asks of the device: nodes read and nodes written.

use super::{BTreeError, Mix, Operation, Shape, resident};
use crate::{Data, LsmError};

/// A B-tree and how it is used, except for the size of its nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// The data in the tree.
    pub data: Data,
    /// How full nodes are, 0.5 to 1; [`super::RANDOM_FILL`] after random inserts.
    pub fill: f64,
    /// Memory for nodes, bytes; 0 for none.
    pub memory_bytes: u64,
    /// Operations.
    pub mix: Mix,
    /// Bytes of pairs that a range operation reads.
    pub range_bytes: u64,
}

impl Usage {
    /// That every number makes sense.
    ///
    /// # Errors
    /// [`LsmError::OutOfRange`].
    pub fn check(&self) -> Result<(), LsmError> {
        self.data.check()?;
        super::shape::check_fill(self.fill)?;
        if self.range_bytes == 0 || self.range_bytes > 1 << 50 {
            let value = format!("{} bytes", self.range_bytes);
            return Err(LsmError::OutOfRange {
                name: "the size of a range",
                value,
                range: "1 byte to 1 PiB",
            });
        }
        Ok(())
    }

    /// Pairs that a range operation reads, at least 1.
    pub fn range_pairs(&self) -> f64 {
        (self.range_bytes as f64 / self.data.pair_bytes()).clamp(1.0, self.data.pairs.max(1.0))
    }
}

/// Nodes that an operation reads from the device and writes to it, on average.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Accesses {
    /// Nodes read.
    pub reads: f64,
    /// Nodes written.
    pub writes: f64,
}

/// The accesses of every operation on a tree of one node size.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeAccesses {
    /// The tree.
    pub shape: Shape,
    /// The share of accesses to each level that find their node in memory, the root first.
    pub resident: Vec<f64>,
    of: [Accesses; 4],
}

impl TreeAccesses {
    /// What operations cost with nodes of `node_bytes`.
    ///
    /// A descent reads the nodes on its way that are not in memory, one of each level; a range goes on along
    /// the leaves, one random access each. An insert or update changes a leaf, which is written when memory
    /// needs its place: once for all changes since it was read. With h the share of leaves found in memory
    /// and w the share of leaf accesses that change the leaf, that is (1 - h) / (1 - h (1 - w)) writes per
    /// change: 1 where nothing is in memory, 1 - h where all accesses are changes. An insert also splits:
    /// each level gets one node per that many pairs, and the new node and its parent are written.
    ///
    /// # Errors
    /// [`BTreeError`] as [`Usage::check`] and [`Shape::new`].
    pub fn new(usage: &Usage, node_bytes: u32) -> Result<Self, BTreeError> {
        usage.check()?;
        let shape = Shape::new(&usage.data, node_bytes, usage.fill)?;
        let touched = shape.leaves_touched(usage.range_pairs());
        let leaves_used = 1.0 + usage.mix.share(Operation::Range) * (touched - 1.0);
        let resident = resident(&shape, usage.memory_bytes, leaves_used);
        let descent: f64 = resident.iter().map(|share| 1.0 - share).sum();
        let leaf_resident = resident[resident.len() - 1];
        let written = writes_per_change(leaf_resident, usage.mix.changes() / leaves_used);
        let splits = shape.nodes() / usage.data.pairs;
        let of = Operation::ALL.map(|operation| match operation {
            Operation::Point => Accesses { reads: descent, writes: 0.0 },
            Operation::Range => {
                Accesses { reads: descent + (touched - 1.0) * (1.0 - leaf_resident), writes: 0.0 }
            }
            Operation::Insert => Accesses { reads: descent, writes: written * (1.0 + 2.0 * splits) },
            Operation::Update => Accesses { reads: descent, writes: written },
        });
        Ok(TreeAccesses { shape, resident, of })
    }

    /// Accesses of one operation.
    pub fn of(&self, operation: Operation) -> Accesses {
        self.of[operation as usize]
    }

    /// Accesses of one operation of the mix, on average.
    pub fn of_mix(&self, mix: &Mix) -> Accesses {
        let parts = self.of.iter().zip(mix.shares());
        parts.fold(Accesses::default(), |sum, (one, share)| Accesses {
            reads: sum.reads + share * one.reads,
            writes: sum.writes + share * one.writes,
        })
    }

    /// Bytes written per byte of pairs inserted or updated; of updates where the mix has neither.
    pub fn write_amplification(&self, usage: &Usage) -> f64 {
        let changes = usage.mix.changes();
        let writes = if changes > 0.0 {
            self.of_mix(&usage.mix).writes / changes
        } else {
            self.of(Operation::Update).writes
        };
        writes * f64::from(self.shape.node_bytes) / usage.data.pair_bytes()
    }
}

/// Writes of a leaf per change of it, with the share `h` of leaf accesses found in memory and the share `w`
/// of them that change the leaf. A leaf that is read in stays for a geometrically distributed number of
/// accesses, 1 / (1 - h) on average; it is written if one of them was a change.
fn writes_per_change(h: f64, w: f64) -> f64 {
    if h >= 1.0 { 0.0 } else { (1.0 - h) / (1.0 - h * (1.0 - w.clamp(0.0, 1.0))) }
}

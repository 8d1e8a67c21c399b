//! How far a store is written that is not whole: enough to go on from there, in another process.

use serde::{Deserialize, Serialize};

use super::header::HEADER_BYTES;
use super::packer::{Opening, Totals};
use super::{ALIGNMENT, Direction, Layout, PAYLOAD, Section, Vertex};

/// Where a block begins with a whole list: all before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Of the forward lists before it: of all of them, where it is in the reverse ones.
    pub(crate) forward: Totals,
    /// Of the reverse lists before it; none in the forward ones.
    pub(crate) reverse: Option<Totals>,
    /// Whose list is next.
    pub(crate) vertex: Vertex,
}

impl Mark {
    pub(crate) fn side(&self) -> Direction {
        if self.reverse.is_some() { Direction::Reverse } else { Direction::Forward }
    }

    pub(crate) fn opening(&self) -> Opening {
        Opening { first: self.vertex, totals: self.reverse.unwrap_or(self.forward) }
    }

    /// Blocks of the forward lists that are written.
    pub(crate) fn forward_blocks(&self) -> Section {
        Section { offset: HEADER_BYTES as u64, bytes: self.forward.block_bytes }
    }

    /// The directory of these, once they are all.
    pub(crate) fn forward_directory(&self, layout: Layout) -> Section {
        let Section { offset, bytes } = self.forward_blocks();
        let blocks = bytes / u64::from(layout.block_bytes);
        Section { offset: offset + bytes, bytes: blocks * 4 + blocks.div_ceil(64) * 8 }
    }

    /// Where the blocks of its direction begin.
    pub(crate) fn begin(&self, layout: Layout) -> u64 {
        match self.reverse {
            None => HEADER_BYTES as u64,
            Some(_) => {
                let Section { offset, bytes } = self.forward_directory(layout);
                offset + bytes.div_ceil(PAYLOAD as u64) * ALIGNMENT
            }
        }
    }

    /// Where it is in the file.
    pub(crate) fn end(&self, layout: Layout) -> u64 {
        self.begin(layout) + self.opening().totals.block_bytes
    }
}

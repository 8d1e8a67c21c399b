//! The store: one file that holds a graph, in blocks that are read straight from the device
//! (docs/graph-format.md).

pub(crate) mod block;
pub(crate) mod block_layout;
pub(crate) mod code;
mod directory;
pub(crate) mod header;
mod ids;
mod layout;
pub(crate) mod list_code;
pub(crate) mod mark;
pub(crate) mod packer;
pub(crate) mod paged;
mod rules;
mod writer;

pub use block::GroupWeights;
pub use block::{Block, List, Scratch};
pub use code::Decoder;
pub use code::{Group, Groups};
pub use directory::Directory;
pub use header::{Header, Section, Weights};
pub use ids::Ids;
pub use layout::Layout;
pub use rules::ChangeRules;
pub use writer::{FinishedStore, StoreWriter};

/// Index of a vertex in the store: 0 to vertices - 1, in ascending order of the user's ids unless renumbered.
pub type Vertex = u32;

/// Most vertices of a store: indices are 32 bits wide and the last one is kept free as "none".
pub const MAX_VERTICES: u64 = u32::MAX as u64;

/// Most blocks of a store, of both directions together: they are numbered with 32 bits, with room for blocks
/// of vertices that only changes have, and for threads that count on behind the last.
pub(crate) const MOST_BLOCKS: u64 = u32::MAX as u64 - (1 << 26);

/// No vertex.
pub const NO_VERTEX: Vertex = u32::MAX;

/// Every section begins at a multiple of this, and so do blocks: what direct I/O asks for.
pub const ALIGNMENT: u64 = 4096;

/// Bytes of a page of a section that are payload; the checksum follows them.
pub(crate) const PAYLOAD: usize = ALIGNMENT as usize - 8;

/// The smallest block.
pub const MIN_BLOCK_BYTES: u32 = 4096;

/// The largest block: places within a block are 16 bits wide.
pub const MAX_BLOCK_BYTES: u32 = 65536;

/// Which lists: where edges lead to, or where they come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A vertex's list holds the targets of its edges.
    Forward,
    /// A vertex's list holds the sources of the edges that lead to it.
    Reverse,
}

/// The checksum of a block, of the header and of every other section: XXH3, 64 bits, with a seed that says
/// what it is of, so that a block in another's place is found out.
pub(crate) fn checksum(bytes: &[u8], seed: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed)
}

/// The seed of a block's checksum.
pub(crate) fn block_seed(direction: Direction, block: u32) -> u64 {
    let side = match direction {
        Direction::Forward => 1,
        Direction::Reverse => 2,
    };
    side << 32 | u64::from(block)
}

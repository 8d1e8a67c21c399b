//! What a reader keeps of changes for its next sweep.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

use super::block_lists::Place;
use super::block_rows::BlockRows;
use crate::format::{Block, Decoder, Weights};

/// A block's bytes, and what decodes its lists and says how weights are kept.
type Kept = (Box<[u8]>, Option<Decoder>, Weights);

/// By block, its changes, and the block as they made it, until the memory for both is used up. Nothing is let
/// go for another: of blocks that are visited in turn, what is kept serves as well as anything.
#[derive(Debug)]
pub struct Merged {
    rows: Vec<OnceLock<Option<Box<BlockRows>>>>,
    blocks: Vec<OnceLock<Kept>>,
    room: AtomicI64,
    used: AtomicI64,
}

impl Merged {
    /// Bytes in memory for each block of the graph, kept or not.
    pub const BYTES_PER_BLOCK: u64 =
        (size_of::<OnceLock<Kept>>() + size_of::<OnceLock<Option<Box<BlockRows>>>>()) as u64;

    /// For a graph of that many blocks, of both directions together; none may be kept yet.
    pub fn new(blocks: u32) -> Merged {
        let blocks = blocks as usize;
        Merged {
            rows: std::iter::repeat_with(OnceLock::new).take(blocks).collect(),
            blocks: std::iter::repeat_with(OnceLock::new).take(blocks).collect(),
            room: AtomicI64::new(0),
            used: AtomicI64::new(0),
        }
    }

    /// Bytes in memory of what is kept.
    pub fn bytes(&self) -> u64 {
        self.used.load(Ordering::Relaxed) as u64
    }

    /// Lets that many bytes be kept in all. Nobody may be keeping anything meanwhile.
    pub fn allow(&self, bytes: u64) {
        self.room.store(bytes as i64 - self.used.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether there is room for anything.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.room.load(Ordering::Relaxed) > 0
    }

    /// The changes of a block, if they are kept, by its number among the blocks of both directions. None of
    /// them, if it has none.
    #[inline]
    pub fn rows(&self, at: u32) -> Option<Option<&BlockRows>> {
        self.rows[at as usize].get().map(Option::as_deref)
    }

    /// Keeps the changes of a block, if there is room; whoever asked for them has them else.
    pub fn keep_rows(&self, at: u32, rows: BlockRows) -> Option<BlockRows> {
        let bytes = if rows.is_empty() { 0 } else { rows.bytes() };
        if !self.take(bytes) {
            return Some(rows);
        }
        let rows = (!rows.is_empty()).then(|| Box::new(rows));
        if self.rows[at as usize].set(rows).is_ok() {
            self.used.fetch_add(bytes as i64, Ordering::Relaxed);
        }
        None
    }

    /// A block that is kept, by its number among the blocks of both directions.
    #[inline]
    pub fn get(&self, at: u32, place: impl FnOnce() -> Place) -> Option<Block<'_>> {
        let (bytes, decoder, weights) = self.blocks[at as usize].get()?;
        Some(place().block(bytes, *decoder, *weights))
    }

    /// Keeps a block, if there is room.
    pub fn keep(&self, at: u32, block: &Block<'_>) {
        let bytes = block.bytes().len() as u64;
        if self.take(bytes)
            && self.blocks[at as usize].set((block.bytes().into(), block.decoder(), block.weights())).is_ok()
        {
            self.used.fetch_add(bytes as i64, Ordering::Relaxed);
        }
    }

    /// Takes a part of the room, if there is as much.
    fn take(&self, bytes: u64) -> bool {
        let bytes = bytes as i64;
        let has_room = self.room.fetch_sub(bytes, Ordering::Relaxed) >= bytes;
        if !has_room {
            self.room.fetch_add(bytes, Ordering::Relaxed);
        }
        has_room
    }
}

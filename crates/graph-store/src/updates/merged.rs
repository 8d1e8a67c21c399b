//! What a reader keeps of changes for its next sweep.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

use super::block_lists::Place;
use super::block_rows::GroupRows;
use super::changes::Changes;
use crate::format::{Block, Decoder, Weights};

/// A block's bytes, and what decodes its lists and says how weights are kept.
type Kept = (Box<[u8]>, Option<Decoder>, Weights);

/// The changes of groups of blocks, and blocks as these made them, until the memory for both is used up.
/// Nothing is let go for another: of what is visited in turn, what is kept serves as well as anything. A
/// block is kept only where there is room for the changes of all, which take less and serve every visitor.
#[derive(Debug)]
pub struct Merged {
    groups: Vec<OnceLock<GroupRows>>,
    blocks: Vec<OnceLock<Kept>>,
    room: AtomicI64,
    used: AtomicI64,
    /// About how many bytes the changes take that are not kept yet.
    lacking: AtomicI64,
}

impl Merged {
    /// Bytes in memory of an index of a graph's changes and of that many blocks, of both directions together.
    pub fn index_bytes(changes: &Changes, blocks: u32) -> u64 {
        let groups = u64::from(changes.groups().0);
        u64::from(blocks) * size_of::<OnceLock<Kept>>() as u64
            + groups * size_of::<OnceLock<GroupRows>>() as u64
    }

    /// For that many blocks, of both directions together, of a graph with changes; none may be kept yet.
    pub fn new(changes: Option<&Changes>, blocks: u32) -> Merged {
        let (groups, bytes) = changes.map(Changes::groups).unwrap_or_default();
        let blocks = if changes.is_some() { blocks } else { 0 };
        Merged {
            groups: std::iter::repeat_with(OnceLock::new).take(groups as usize).collect(),
            blocks: std::iter::repeat_with(OnceLock::new).take(blocks as usize).collect(),
            room: AtomicI64::new(0),
            used: AtomicI64::new(0),
            lacking: AtomicI64::new(bytes as i64),
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

    /// The changes of a group, if they are kept, by its number among the groups of both directions.
    #[inline]
    pub fn rows(&self, group: u32) -> Option<&GroupRows> {
        self.groups[group as usize].get()
    }

    /// Keeps the changes of a group, if there is room; whether they are kept now.
    pub fn keep_rows(&self, group: u32, rows: &GroupRows) -> bool {
        let bytes = rows.bytes();
        if !self.take(bytes) {
            return false;
        }
        if self.groups[group as usize].set(rows.clone()).is_ok() {
            self.used.fetch_add(bytes as i64, Ordering::Relaxed);
            self.lacking.fetch_sub(bytes as i64, Ordering::Relaxed);
        } else {
            // Another thread decoded them too.
            self.room.fetch_add(bytes as i64, Ordering::Relaxed);
        }
        true
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
        let for_rows = self.lacking.load(Ordering::Relaxed).max(0);
        if self.room.load(Ordering::Relaxed) < for_rows + bytes as i64 || !self.take(bytes) {
            return;
        }
        let kept = (block.bytes().into(), block.decoder(), block.weights());
        match self.blocks[at as usize].set(kept) {
            Ok(()) => self.used.fetch_add(bytes as i64, Ordering::Relaxed),
            Err(_) => self.room.fetch_add(bytes as i64, Ordering::Relaxed),
        };
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

//! What the engine stands on: pages with numbers, each read or written through a guard.

mod memory;
mod pooled;

mod recorded;

use std::ops::{Deref, DerefMut};

pub use memory::Memory;
pub use pooled::{PoolCounts, PoolOptions, PoolPages};

pub use recorded::{Counts, RecordingPages, TraceFile};

use crate::StoreError;

/// The first page that is handed out. Page 0 is the file's header, which the engine never touches.
pub const FIRST_PAGE: u64 = 1;

/// A store of pages of one size.
///
/// A guard is a latch: a page has any number of readers or one writer. The engine holds one guard a thread,
/// and more only where it has a structure for itself, so latches never wait for each other in a circle.
pub trait Pages {
    /// A page that may be read as long as this lives.
    type Read<'a>: Deref<Target = [u8]>
    where
        Self: 'a;
    /// A page that may be changed as long as this lives.
    type Write<'a>: DerefMut<Target = [u8]>
    where
        Self: 'a;

    /// Bytes of a page that are the engine's; the pool may keep a few for itself.
    fn page_len(&self) -> usize;

    /// Pages handed out so far, with the header: the number of the next one.
    fn page_count(&self) -> u64;

    /// Pages that may still be made.
    fn pages_left(&self) -> u64;

    /// The page, to be read.
    ///
    /// # Errors
    /// [`StoreError::NoPage`] beyond the last one, or the pool's reason.
    fn read(&self, page: u64) -> Result<Self::Read<'_>, StoreError>;

    /// The page, to be changed; it is dirty from then on.
    ///
    /// # Errors
    /// [`StoreError::NoPage`] beyond the last one, or the pool's reason.
    fn write(&self, page: u64) -> Result<Self::Write<'_>, StoreError>;

    /// A page after the last one, zeroed, to be changed.
    ///
    /// # Errors
    /// [`StoreError::Full`], or the pool's reason.
    fn new_page(&self) -> Result<(u64, Self::Write<'_>), StoreError>;
}

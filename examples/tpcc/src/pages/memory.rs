//! Pages in memory: for tests, and for traces, which need no device.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{FIRST_PAGE, Pages};
use crate::StoreError;

/// Pages are made in segments of so many, so that growing never moves a page that somebody holds.
const SEGMENT_PAGES: usize = 4096;
/// 64 GiB of pages of 4 KiB.
const SEGMENTS: usize = 4096;

type Segment = Box<[RwLock<Vec<u8>>]>;

/// A store of pages that lives as long as the process.
pub struct Memory {
    page_bytes: usize,
    next: AtomicU64,
    segments: Vec<OnceLock<Segment>>,
}

impl Memory {
    /// An empty store. `page_bytes` is from 256 to 65,536.
    ///
    /// # Panics
    /// With pages of another size.
    pub fn new(page_bytes: usize) -> Memory {
        assert!((256..=65_536).contains(&page_bytes), "pages of {page_bytes} bytes");
        let segments = (0..SEGMENTS).map(|_| OnceLock::new()).collect();
        Memory { page_bytes, next: AtomicU64::new(FIRST_PAGE), segments }
    }

    fn frame(&self, page: u64) -> Result<&RwLock<Vec<u8>>, StoreError> {
        if page < FIRST_PAGE || page >= self.page_count() {
            return Err(StoreError::NoPage { page });
        }
        let segment = &self.segments[page as usize / SEGMENT_PAGES];
        let empty = || (0..SEGMENT_PAGES).map(|_| RwLock::default()).collect();
        Ok(&segment.get_or_init(empty)[page as usize % SEGMENT_PAGES])
    }
}

impl Pages for Memory {
    type Read<'a> = MemoryRead<'a>;
    type Write<'a> = MemoryWrite<'a>;

    fn page_len(&self) -> usize {
        self.page_bytes
    }

    fn page_count(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    fn pages_left(&self) -> u64 {
        (SEGMENTS * SEGMENT_PAGES) as u64 - self.page_count()
    }

    fn read(&self, page: u64) -> Result<MemoryRead<'_>, StoreError> {
        Ok(MemoryRead(self.frame(page)?.read().unwrap_or_else(PoisonError::into_inner)))
    }

    fn write(&self, page: u64) -> Result<MemoryWrite<'_>, StoreError> {
        Ok(MemoryWrite(self.frame(page)?.write().unwrap_or_else(PoisonError::into_inner)))
    }

    fn new_page(&self) -> Result<(u64, MemoryWrite<'_>), StoreError> {
        let full = (SEGMENTS * SEGMENT_PAGES) as u64;
        let next = |next| (next < full).then_some(next + 1);
        let page = self
            .next
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, next)
            .map_err(|pages| StoreError::Full { pages })?;
        let mut guard = self.write(page)?;
        guard.0.resize(self.page_bytes, 0);
        Ok((page, guard))
    }
}

/// A page of a [`Memory`], to be read.
pub struct MemoryRead<'a>(RwLockReadGuard<'a, Vec<u8>>);

impl Deref for MemoryRead<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A page of a [`Memory`], to be changed.
pub struct MemoryWrite<'a>(RwLockWriteGuard<'a, Vec<u8>>);

impl Deref for MemoryWrite<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for MemoryWrite<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

//! Guards: a page in use.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::frames::{ExclusiveLatch, SharedLatch};

/// A page that may be read while this guard lives. Others may read it too; nobody changes it.
pub struct ReadGuard<'a> {
    hold: SharedLatch<'a>,
    page_len: usize,
}

/// A page that may be changed while this guard lives; no other guard has it.
pub struct WriteGuard<'a> {
    hold: ExclusiveLatch<'a>,
    page_len: usize,
}

impl<'a> ReadGuard<'a> {
    #[inline]
    pub(super) fn new(hold: SharedLatch<'a>, page_len: usize) -> Self {
        ReadGuard { hold, page_len }
    }
}

impl<'a> WriteGuard<'a> {
    #[inline]
    pub(super) fn new(hold: ExclusiveLatch<'a>, page_len: usize) -> Self {
        WriteGuard { hold, page_len }
    }

    /// Notes the log record of the change, from 1: the page is not written before the log is durable up to
    /// it.
    #[inline]
    pub fn set_lsn(&mut self, lsn: u64) {
        self.hold.set_lsn(lsn);
    }
}

impl fmt::Debug for ReadGuard<'_> {
    /// Frame and length, not the page's bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadGuard").field("frame", &self.hold.frame()).field("len", &self.page_len).finish()
    }
}

impl fmt::Debug for WriteGuard<'_> {
    /// Frame and length, not the page's bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteGuard").field("frame", &self.hold.frame()).field("len", &self.page_len).finish()
    }
}

impl Deref for ReadGuard<'_> {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.hold.as_ref()[..self.page_len]
    }
}

impl Deref for WriteGuard<'_> {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.hold.as_ref()[..self.page_len]
    }
}

impl DerefMut for WriteGuard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.hold.as_mut()[..self.page_len]
    }
}

//! Guards: a page in use.

use std::ops::{Deref, DerefMut};

use super::frames::{Exclusive, Shared};

/// A page that may be read as long as this lives. Others may read it too; nobody changes it.
#[derive(Debug)]
pub struct ReadGuard<'a> {
    hold: Shared<'a>,
    page_len: usize,
}

/// A page that may be changed as long as this lives; nobody else has it.
#[derive(Debug)]
pub struct WriteGuard<'a> {
    hold: Exclusive<'a>,
    page_len: usize,
}

impl<'a> ReadGuard<'a> {
    #[inline]
    pub(super) fn new(hold: Shared<'a>, page_len: usize) -> Self {
        ReadGuard { hold, page_len }
    }
}

impl<'a> WriteGuard<'a> {
    #[inline]
    pub(super) fn new(hold: Exclusive<'a>, page_len: usize) -> Self {
        WriteGuard { hold, page_len }
    }

    /// Notes the log record of the change, from 1: the page is not written before the log is durable up to it.
    #[inline]
    pub fn set_lsn(&mut self, lsn: u64) {
        self.hold.set_lsn(lsn);
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

//! Values that are too long for a leaf: in pages of their own, which follow one another.

use std::ops::Range;

use super::Tree;
use crate::IndexError;
use crate::node::{LongValue, Page, Value};

/// Bytes of the longest value: 1 GiB.
pub(crate) const MOST_VALUE_BYTES: usize = 1 << 30;

impl Tree {
    fn pages_of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.pool.page_len() as u64)
    }

    /// The value as it goes into a leaf: with pages of its own if it does not fit. `held` is the leaf's page.
    pub(super) fn store<'v>(
        &self,
        key: &[u8],
        value: &'v [u8],
        held: Option<Page>,
    ) -> Result<Value<'v>, IndexError> {
        if key.len() + value.len() <= self.limits.entry {
            return Ok(Value::Inline(value));
        }
        let pages = self.pages_of(value.len() as u64);
        let first = self.take(pages, held.as_slice())?;
        let long = LongValue { first, bytes: value.len() as u64 };
        let write = || {
            for (page, part) in (long.first..).zip(value.chunks(self.pool.page_len())) {
                self.pool.create(page)?[..part.len()].copy_from_slice(part);
            }
            Ok(())
        };
        match write() {
            Ok(()) => Ok(Value::Long(long)),
            Err(error) => {
                self.space.give_back(long.first, pages);
                Err(IndexError::Pool(error))
            }
        }
    }

    /// A value that was stored turned out not to be needed.
    pub(super) fn take_back(&self, value: Value<'_>) {
        if let Some(long) = value.long() {
            self.space.give_back(long.first, self.pages_of(long.bytes));
        }
    }

    /// The pages of a value that no leaf refers to any more.
    pub(super) fn release_long(&self, long: LongValue) {
        self.space.release(self.versions.current(), long.first, self.pages_of(long.bytes));
    }

    /// The pages of a value that the leaf in `page` refers to.
    pub(crate) fn long_pages(&self, page: Page, long: LongValue) -> Result<Range<Page>, IndexError> {
        let pages = self.pages_of(long.bytes);
        let is_possible = long.first > 0
            && long.bytes <= MOST_VALUE_BYTES as u64
            && long.first.checked_add(pages).is_some_and(|end| end <= self.pool.pages());
        let what = "a value is said to be in pages that do not exist";
        if is_possible { Ok(long.first..long.first + pages) } else { Err(IndexError::Damaged { page, what }) }
    }

    /// A value that the leaf in `page` refers to. Whoever is in the tree may read it, since pages are used
    /// again only when nobody is.
    pub(super) fn read_long(&self, page: Page, long: LongValue) -> Result<Vec<u8>, IndexError> {
        let pages: Vec<Page> = self.long_pages(page, long)?.collect();
        let (page_len, mut value) = (self.pool.page_len(), vec![0; long.bytes as usize]);
        self.read_many(&pages, |at, bytes| {
            let part = &mut value[at * page_len..];
            let len = part.len().min(page_len);
            part[..len].copy_from_slice(&bytes[..len]);
            Ok(())
        })?;
        Ok(value)
    }
}

//! When a pool is opened, pages that a crash tore are put right from the double-write area.
//!
//! A page in place can be torn by the last batch that went to the places and by no other, since the flush of
//! a batch makes those before it durable in place. That batch is in the area, whole: its flush came before
//! the first page went to its place. It is the newest one of the area, or the one before: then the newest one
//! is itself torn, and none of its pages have gone to their places. So for each torn page the newest copy
//! that is whole is the right one. A copy of the newest batch that happens to be whole is right too: a later
//! version, whose log is durable.

use std::cmp::Reverse;

use super::checksum;
use super::core::Core;
use super::double_write::{DoubleWrite, List};
use super::error::PoolError;
use super::io_queue::IoQueueGuard;
use crate::config_error::ConfigError;
use crate::policy::Page;

impl DoubleWrite {
    /// Puts pages right that a crash tore.
    ///
    /// # Errors
    /// [`ConfigError::DoubleWriteBatch`] where the area was made for batches of another size; what a read or
    /// a write came to. A list that cannot be read is an error too: it may be the only one that knows of a
    /// torn page, and the next batch would write over it.
    pub(crate) fn repair(&self, core: &Core, io: &mut IoQueueGuard<'_>) -> Result<(), PoolError> {
        let mut lists = Vec::new();
        for half in 0..2 {
            let at = self.layout.list(half);
            let bytes = core.read_page(io, at)?;
            let Some((list, made_for)) = List::parse(&bytes, at, core.config.page_bytes) else { continue };
            if made_for != self.layout.batch {
                return Err(ConfigError::DoubleWriteBatch { made_for, asked: self.layout.batch }.into());
            }
            lists.push((half, list));
        }
        lists.sort_unstable_by_key(|(_, list)| Reverse(list.number));
        for (half, list) in &lists {
            for (i, copy) in list.copies.iter().enumerate() {
                if copy.page < self.layout.first && !is_whole(core, io, copy.page)? {
                    core.put_back(io, self.layout.copy(*half, i), *copy)?;
                }
            }
        }
        let Some((_, newest)) = lists.first() else { return Ok(()) };
        self.lock().resume(newest.number);
        // What was put right; and what a process that ended wrote to the places, which the device may hold in
        // a cache: the next batch may take the half that has the copies of it.
        core.sync(io)
    }
}

/// Whether a page in place is whole. One that cannot be read is not: a write that a crash interrupted may
/// leave a sector that the device refuses to read until it is written again.
fn is_whole(core: &Core, io: &mut IoQueueGuard<'_>, page: Page) -> Result<bool, PoolError> {
    match core.read_page(io, page) {
        Ok(bytes) => Ok(checksum::verify(&bytes, page).is_ok()),
        Err(PoolError::Io { .. } | PoolError::Short { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

//! What is written but not yet durable, and what a failed flush means for it.
//!
//! A device that could not flush may have dropped any write since the last good flush, and says so once: the
//! next flush may well succeed without them. So these pages are remembered. After a failed flush those still
//! in memory are dirty again; if one has left, its last version may be lost, and the pool says so from then
//! on (what PostgreSQL learnt in 2018 as "fsyncgate": Rebello et al., "Can Applications Recover from fsync
//! Failures?", USENIX ATC 2020).

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::PoolError;
use super::frames::Frames;
use crate::policy::{Frame, Page};

/// Pages written since the last good flush.
#[derive(Debug, Default)]
pub(crate) struct Durability {
    unflushed: Mutex<UnflushedPages>,
    /// One flush at a time.
    flushing: Mutex<()>,
    /// Flushes that failed. Changes under the lock of `unflushed` only, and there decides whether a write
    /// counts; who reads it without, before a write is sent, can only see too few: the write then counts as
    /// lost.
    failures: AtomicU64,
}

#[derive(Debug, Default)]
struct UnflushedPages {
    pages: Vec<(Frame, Page)>,
    /// Pages of `pages` that have left the pool and were forgotten, and one of them.
    left: (u64, Page),
    /// Pages whose last write may be lost for good, and one of them.
    lost: (u64, Page),
}

/// The lock of data that is whole whenever it is free.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Durability {
    /// Flushes of the device that failed so far.
    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Acquire)
    }

    /// A page was written, by a request sent after `epoch` flushes had failed. False where one has failed
    /// since: the write may be lost.
    pub(crate) fn written(&self, frame: Frame, page: Page, epoch: u64) -> bool {
        let mut unflushed = lock(&self.unflushed);
        assert!(epoch <= self.failures(), "flush {epoch} failed before it was made");
        if self.failures() != epoch {
            return false;
        }
        unflushed.pages.push((frame, page));
        true
    }

    /// Keeps the list of unflushed pages short: of those that have left the pool only their number is kept.
    pub(crate) fn forget_absent(&self, frames: &Frames) {
        let mut unflushed = lock(&self.unflushed);
        if unflushed.pages.len() < 2 * frames.count() as usize + 1024 {
            return;
        }
        let mut pages = std::mem::take(&mut unflushed.pages);
        pages.sort_unstable();
        pages.dedup();
        pages.retain(|&(frame, page)| {
            let here = frames.snapshot(frame).holds(page);
            if !here {
                unflushed.left = (unflushed.left.0 + 1, page);
            }
            here
        });
        unflushed.pages = pages;
    }

    /// Makes durable by `flush`, one at a time, what was written before.
    ///
    /// # Errors
    /// That of `flush`: `redirty` has then been asked to make each page dirty again that was written since
    /// the last good flush. Those for which it says no are lost, which every later call says:
    /// [`PoolError::NotDurable`].
    pub(crate) fn flush(
        &self,
        flush: impl FnOnce() -> Result<(), PoolError>,
        redirty: impl Fn(Frame, Page) -> bool,
    ) -> Result<(), PoolError> {
        let _one = lock(&self.flushing);
        self.check()?;
        let (taken, left) = {
            let mut unflushed = lock(&self.unflushed);
            (std::mem::take(&mut unflushed.pages), std::mem::take(&mut unflushed.left))
        };
        let flushed = flush();
        if flushed.is_err() {
            let mut unflushed = lock(&self.unflushed);
            self.failures.fetch_add(1, AcqRel);
            // Those written while the flush was under way may have been part of it.
            let since = std::mem::take(&mut unflushed.pages);
            let mut lost = std::mem::take(&mut unflushed.left);
            lost = (lost.0 + left.0, if left.0 > 0 { left.1 } else { lost.1 });
            for (frame, page) in taken.into_iter().chain(since) {
                if !redirty(frame, page) {
                    lost = (lost.0 + 1, page);
                }
            }
            unflushed.lost = lost;
        }
        flushed
    }

    /// Whether writes are lost for good.
    pub(crate) fn check(&self) -> Result<(), PoolError> {
        match lock(&self.unflushed).lost {
            (0, _) => Ok(()),
            (lost, page) => Err(PoolError::NotDurable { lost, page }),
        }
    }
}

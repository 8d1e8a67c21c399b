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

use leadline_device::Request;

use super::core::Core;
use super::error::PoolError;
use super::frames::Frames;
use super::io_queue::{IoQueueGuard, Job};
use super::reap::IoResults;
use crate::policy::{Frame, Page};

/// Pages written since the last good flush.
#[derive(Debug, Default)]
pub(crate) struct Durability {
    unflushed: Mutex<UnflushedPages>,
    /// One flush at a time.
    flushing: Mutex<()>,
    /// Flushes that failed.
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

    /// Whether writes are lost for good.
    pub(crate) fn check(&self) -> Result<(), PoolError> {
        match lock(&self.unflushed).lost {
            (0, _) => Ok(()),
            (lost, page) => Err(PoolError::NotDurable { lost, page }),
        }
    }
}

impl Core {
    /// Makes durable all that was written before.
    ///
    /// # Errors
    /// [`PoolError::Flush`]; what may be lost is dirty again, or [`PoolError::NotDurable`] from now on.
    pub(crate) fn sync(&self, io: &mut IoQueueGuard<'_>) -> Result<(), PoolError> {
        let _one = lock(&self.durability.flushing);
        self.durability.check()?;
        let (taken, left) = {
            let mut unflushed = lock(&self.durability.unflushed);
            (std::mem::take(&mut unflushed.pages), std::mem::take(&mut unflushed.left))
        };
        let flushed = self.flush_device(io);
        self.counters.flushes.add(1);
        if flushed.is_err() {
            self.counters.flush_errors.add(1);
            let mut unflushed = lock(&self.durability.unflushed);
            self.durability.failures.fetch_add(1, AcqRel);
            // Those written while the flush was under way may have been part of it.
            let since = std::mem::take(&mut unflushed.pages);
            let mut lost = std::mem::take(&mut unflushed.left);
            lost = (lost.0 + left.0, if left.0 > 0 { left.1 } else { lost.1 });
            for (frame, page) in taken.into_iter().chain(since) {
                if !self.frames.redirty(frame, page) {
                    lost = (lost.0 + 1, page);
                }
            }
            unflushed.lost = lost;
        }
        flushed
    }

    fn flush_device(&self, io: &mut IoQueueGuard<'_>) -> Result<(), PoolError> {
        let failed = |source| PoolError::Flush { source };
        let mut outcome = IoResults::default();
        let Some(slot) = io.slot() else {
            return Err(failed(std::io::Error::other("no slot is free")));
        };
        io.submit(Request::flush(slot), Job::Other)
            .map_err(|(_, error)| failed(std::io::Error::other(error)))?;
        outcome.others = 1;
        while outcome.others > 0 {
            self.reap(io, 1, &mut outcome)?;
        }
        match outcome.results.first() {
            Some(result) if *result < 0 => Err(failed(std::io::Error::from_raw_os_error(-result))),
            _ => Ok(()),
        }
    }

    /// Fails if a flush has failed since there had been `before`: it may have covered what the caller wrote.
    fn no_flush_failed_since(&self, before: u64) -> Result<(), PoolError> {
        if self.durability.failures() == before {
            return Ok(());
        }
        let source = std::io::Error::other("another flush failed at the same time");
        self.durability.check().and(Err(PoolError::Flush { source }))
    }

    /// Writes one page if it is dirty, and makes it durable.
    pub(crate) fn flush_page(&self, page: Page) -> Result<(), PoolError> {
        self.check(page)?;
        self.durability.check()?;
        let failures = self.durability.failures();
        loop {
            let mut io = self.io()?;
            let frame = {
                let replacer = self.replacer();
                let frame = self.table.find(page);
                drop(replacer);
                frame
            };
            let now = frame.map(|frame| (frame, self.frames.snapshot(frame)));
            let Some((frame, now)) = now.filter(|(_, now)| now.holds(page)) else { break };
            if now.is_dirty()
                && let Some(write) = self.begin_write_back(frame)
            {
                self.write_out(&mut io, vec![write])?;
            } else if now.is_dirty() || now.is_writing() {
                drop(io);
                self.wait_writable(frame, page);
            } else {
                break;
            }
        }
        self.sync(&mut self.io()?)?;
        self.no_flush_failed_since(failures)
    }

    /// Waits until a dirty page is not being changed, and its write is over.
    fn wait_writable(&self, frame: Frame, page: Page) {
        self.frames.wait_while(frame, |now| {
            now.holds(page) && (now.is_writing() || now.is_dirty() && now.is_exclusive())
        });
    }

    /// Writes all that is dirty now, and makes it durable.
    pub(crate) fn checkpoint(&self) -> Result<(), PoolError> {
        self.durability.check()?;
        let failures = self.durability.failures();
        let mut dirty: Vec<(Page, Frame)> = (0..self.frames.count())
            .filter_map(|frame| {
                let now = self.frames.snapshot(frame);
                let page = now.page().filter(|_| now.is_dirty() || now.is_writing())?;
                Some((page, frame))
            })
            .collect();
        // In the order of the device, which some devices like better.
        dirty.sort_unstable();
        let mut later = Vec::new();
        let mut written = self.write_all(&dirty, &mut later);
        for (page, frame) in later {
            written = written.and(self.write_later(page, frame));
        }
        written?;
        self.sync(&mut self.io()?)?;
        self.no_flush_failed_since(failures)
    }

    /// Writes pages, always as many in flight as are written at once. Those that could not be begun go to
    /// `later`.
    ///
    /// # Errors
    /// The first one; the other pages are written all the same.
    fn write_all(&self, dirty: &[(Page, Frame)], later: &mut Vec<(Page, Frame)>) -> Result<(), PoolError> {
        let mut io = self.io()?;
        let mut error = None;
        let mut outcome = IoResults::default();
        let mut next = dirty.iter().copied();
        loop {
            let room = self.batch_size.n().saturating_sub(outcome.writing) as usize;
            let mut begin = |(page, frame): (Page, Frame)| {
                let begun = self.begin_write_back(frame);
                if begun.is_none() {
                    later.push((page, frame));
                }
                begun
            };
            let batch: Vec<_> = next.by_ref().filter_map(&mut begin).take(room).collect();
            let failed = if batch.is_empty() {
                None
            } else if self.double_write.is_some() {
                // The area takes one batch at a time.
                self.write_out(&mut io, batch).err()
            } else {
                let staged = self.stage(&mut io, batch);
                staged.map(|staged| self.send(&mut io, staged, &mut outcome)).err()
            };
            let reaped = if outcome.writing > 0 { self.reap(&mut io, 1, &mut outcome) } else { Ok(()) };
            error = error.or(failed).or(outcome.error.take()).or(reaped.err());
            if outcome.writing == 0 && next.len() == 0 {
                break;
            }
        }
        self.replacer().written(self, &outcome.written);
        error.map_or(Ok(()), Err)
    }

    /// Writes a page that was in use or being written before.
    fn write_later(&self, page: Page, frame: Frame) -> Result<(), PoolError> {
        loop {
            self.wait_writable(frame, page);
            let now = self.frames.snapshot(frame);
            if !now.holds(page) || !(now.is_dirty() || now.is_writing()) {
                return Ok(());
            }
            let mut io = self.io()?;
            if let Some(write) = self.begin_write_back(frame) {
                return self.write_out(&mut io, vec![write]);
            }
        }
    }
}

//! Frames that are kept for readers: where a page could not be written, every frame may be dirty, and only
//! a write could free one.
//!
//! When the first write fails, the kept frames are given to readers, and no clean page becomes dirty any
//! more: whoever wants to change one first writes what is dirty, and hears why that fails. Once it does not,
//! the frames are kept again, and changes go on.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::core::Core;
use super::error::PoolError;
use super::frames::WriteBack;
use super::miss::{Miss, Room};
use super::replacer::Replacer;
use crate::evict::Eviction;
use crate::policy::Page;

impl Core {
    /// Whether pages may be changed at all, if only in memory.
    pub(crate) fn changeable(&self) -> bool {
        self.writable || self.config.changes_in_memory
    }

    /// Whether changes are made in memory, and never written.
    pub(crate) fn changes_stay(&self) -> bool {
        !self.writable && self.config.changes_in_memory
    }

    /// Whether clean pages stay clean, because a write failed.
    pub(crate) fn refuses_changes(&self) -> bool {
        self.changeable() && !self.may_change.load(Acquire)
    }

    /// Whether no dirty page is evicted.
    pub(super) fn keeps_dirty(&self) -> bool {
        self.changes_stay() || self.refuses_changes()
    }

    /// A page could not be written.
    pub(crate) fn write_failed(&self) {
        if self.config.kept_frames() == 0 {
            return;
        }
        let mut replacer = self.replacer();
        if self.changeable() {
            self.may_change.store(false, Release);
        }
        let replacer = &mut *replacer;
        replacer.free.append(&mut replacer.readers.kept);
    }

    /// Makes sure that clean pages may become dirty.
    ///
    /// # Errors
    /// [`PoolError::ReadOnly`]; what writing a few dirty pages came to.
    pub(crate) fn check_changeable(&self, page: Page) -> Result<(), PoolError> {
        if self.may_change.load(Acquire) {
            return Ok(());
        }
        if !self.changeable() {
            return Err(PoolError::ReadOnly { page });
        }
        let _one = self.regaining.lock().unwrap_or_else(PoisonError::into_inner);
        if self.refuses_changes() { self.regain(page) } else { Ok(()) }
    }

    /// Writes some dirty pages, and then takes back the frames that are kept.
    fn regain(&self, page: Page) -> Result<(), PoolError> {
        let mut io = self.io()?;
        let batch = (0..self.frames.count()).filter_map(|frame| self.begin_write_back(frame));
        let batch: Vec<WriteBack> = batch.take(self.batch_size.n() as usize).collect();
        if !batch.is_empty() {
            self.write_out(&mut io, batch)?;
        }
        drop(io);
        let mut miss = Miss::new(page);
        loop {
            let io = self.io()?;
            let mut replacer = self.replacer();
            replacer.drain(self);
            if replacer.readers.kept.len() == self.config.kept_frames() as usize {
                replacer.readers.loaded.clear();
                self.may_change.store(true, Release);
                return Ok(());
            }
            match replacer.evict(self, false) {
                (Eviction::Frame(free), _) => replacer.readers.kept.push(free),
                room => {
                    drop(replacer);
                    miss.resolve(self, io, room)?;
                    if let Some(error) = miss.error.take() {
                        return Err(error);
                    }
                }
            }
        }
    }
}

impl Replacer {
    /// A frame for a page where no dirty one is evicted.
    pub(super) fn room_to_read(&mut self, core: &Core) -> Room {
        if let Some(free) = self.room_ahead(core) {
            return (Eviction::Frame(free), Vec::new());
        }
        let mut in_flight = None;
        for _ in 0..self.readers.loaded.len() {
            let Some((frame, page)) = self.readers.loaded.pop_front() else { break };
            let now = core.frames.snapshot(frame);
            // A dirty page does not leave.
            if !now.holds(page) || now.is_dirty() {
                continue;
            }
            if let Some(free) = self.take_out(core, frame) {
                return (Eviction::Frame(free), Vec::new());
            }
            if now.is_in_flight() {
                in_flight = in_flight.or(Some(frame));
            }
            self.readers.loaded.push_back((frame, page));
        }
        (Eviction::NoneEvictable { in_flight }, Vec::new())
    }
}

//! Reading pages: a frame for each, requests in flight, and threads that wait for them.

use leadline_device::Request;

use super::core::Core;
use super::error::{Fault, PageOp, PoolError};
use super::frames::{FreeFrame, Load, LoadStatus, PendingLatch, SharedLatch};
use super::io_queue::{IoQueueGuard, Job};
use super::miss::Miss;
use super::reap::{EIO, IoResults};
use super::replacer::Replacer;
use crate::evict::Eviction;
use crate::policy::{Frame, Page};

/// Where a page that was not found at first is.
pub(super) enum Lookup<'a> {
    /// In this frame after all.
    At(Frame),
    /// Read, and held.
    Read(SharedLatch<'a>),
}

impl Core {
    /// The page is not where it was looked for: finds it, or makes room and reads it.
    pub(super) fn fault(&self, page: Page, write: bool) -> Result<Lookup<'_>, PoolError> {
        let mut miss = Miss::new(page);
        loop {
            let mut io = self.io()?;
            let mut replacer = self.replacer();
            replacer.drain(self);
            if let Some(frame) = self.table.find(page) {
                return Ok(Lookup::At(frame));
            }
            if write && self.refuses_changes() {
                drop((replacer, io));
                self.check_changeable(page)?;
                continue;
            }
            let room = miss.make_room(self, &mut replacer);
            if let (Eviction::Frame(free), _) = room {
                let (load, pending) = self.frames.begin_load(free, page, io.index);
                replacer.enter(self, load.frame, page, write);
                let ahead = if miss.wrote { self.choose_ahead(&mut replacer, &mut io, page) } else { vec![] };
                drop(replacer);
                self.counters.misses.add(1);
                self.cleaning.evicted(self.reserve());
                self.send_read(&mut io, load);
                ahead.into_iter().for_each(|load| self.send_read(&mut io, load));
                return self.reap_loaded(&mut io, pending, page).map(Lookup::Read);
            }
            drop(replacer);
            miss.resolve(self, io, room)?;
        }
    }

    /// What the prefetchers propose in addition to `page`, with frames for it.
    fn choose_ahead(&self, replacer: &mut Replacer, io: &mut IoQueueGuard<'_>, page: Page) -> Vec<Load> {
        let most = self.batch_size.n().saturating_sub(1);
        let most = most.min(self.config.most_ahead().saturating_sub(*io.ahead()));
        replacer.read_ahead(self, page, most, |free, ahead| self.begin_ahead(io, free, ahead))
    }

    fn begin_ahead(&self, io: &mut IoQueueGuard<'_>, free: FreeFrame, page: Page) -> Load {
        assert!(*io.ahead() < self.config.most_ahead(), "more reads ahead than the queue has slots for");
        let load = self.frames.begin_load_ahead(free, page, io.index);
        *io.ahead() += 1;
        self.counters.prefetches.add(1);
        load
    }

    /// Reads pages ahead, none beyond `last`, as far as there are frames without a write and room on an I/O
    /// queue.
    pub(crate) fn prefetch(
        &self,
        last: Page,
        pages: impl IntoIterator<Item = Page>,
    ) -> Result<(), PoolError> {
        self.check(last)?;
        let mut io = self.io()?;
        if *io.ahead() >= self.config.most_ahead() {
            // Some may be there by now.
            self.reap(&mut io, 0, &mut IoResults::default())?;
        }
        let mut replacer = self.replacer();
        replacer.drain(self);
        let mut loads = Vec::new();
        for page in pages {
            if *io.ahead() >= self.config.most_ahead() {
                break;
            }
            if self.table.find(page).is_some() {
                continue;
            }
            let Some(free) = replacer.room_ahead(self) else { break };
            let load = self.begin_ahead(&mut io, free, page);
            replacer.enter(self, load.frame, page, false);
            loads.push(load);
        }
        drop(replacer);
        loads.into_iter().for_each(|load| self.send_read(&mut io, load));
        self.reap(&mut io, 0, &mut IoResults::default())
    }

    /// Sends the read of a frame that loads; a page that was never written is there at once.
    pub(super) fn send_read(&self, io: &mut IoQueueGuard<'_>, mut load: Load) {
        let page_bytes = self.config.page_bytes;
        let ahead = load.ahead;
        let offset = match (self.offset(load.page), &self.places) {
            (None, Some(places)) => {
                *io.ahead() -= u32::from(ahead);
                return self.frames.loaded(load, &places.zeros);
            }
            (offset, _) => offset.unwrap_or_default(),
        };
        load.offset = offset;
        let slot = io.slot();
        if let Err((Job::Read(load), _)) = io.submit(Request::read(slot, offset, page_bytes), Job::Read(load))
        {
            *io.ahead() -= u32::from(ahead);
            self.load_failed(load, Fault::Errno(EIO));
        }
    }

    /// The page could not be read: it is gone before anybody sees it.
    pub(super) fn load_failed(&self, load: Load, fault: Fault) {
        self.counters.read_errors.add(1);
        self.counters.corrupt.add(u64::from(matches!(fault, Fault::Damaged(_))));
        let mut replacer = self.replacer();
        replacer.remove(self, load.frame, load.page);
        match self.frames.failed(load, fault.pack()) {
            Some(free) => replacer.free.push(free),
            None => replacer.failed_loads += 1,
        }
    }

    /// Reaps the I/O queue until the page is there.
    fn reap_loaded(
        &self,
        io: &mut IoQueueGuard<'_>,
        mut pending: PendingLatch,
        page: Page,
    ) -> Result<SharedLatch<'_>, PoolError> {
        loop {
            match self.settle(pending, page)? {
                Ok(hold) => return Ok(hold),
                Err(still) => pending = still,
            }
            // A queue that broke has failed the load: the error is found there.
            let _ = self.reap(io, 1, &mut IoResults::default());
        }
    }

    /// Waits for a page that another thread's request reads.
    pub(super) fn wait_loaded(
        &self,
        mut pending: PendingLatch,
        page: Page,
    ) -> Result<SharedLatch<'_>, PoolError> {
        loop {
            match self.settle(pending, page)? {
                Ok(hold) => return Ok(hold),
                Err(still) => pending = still,
            }
            self.wait_in_flight(pending.frame);
        }
    }

    /// Whether the load is over; the error is the load's own.
    fn settle(
        &self,
        pending: PendingLatch,
        page: Page,
    ) -> Result<Result<SharedLatch<'_>, PendingLatch>, PoolError> {
        match self.frames.settle(pending) {
            LoadStatus::Ready(hold) => Ok(Ok(hold)),
            LoadStatus::Loading(pending) => Ok(Err(pending)),
            LoadStatus::Failed { fault, free } => {
                if let Some(free) = free {
                    let mut replacer = self.replacer();
                    assert!(
                        replacer.failed_loads > 0,
                        "more frames of failed loads were left than there were"
                    );
                    replacer.failed_loads -= 1;
                    replacer.free.push(free);
                }
                Err(Fault::unpack(fault).error(PageOp::Read, page, self.config.page_bytes))
            }
        }
    }

    /// Waits for a frame's I/O, or does some of it.
    pub(crate) fn wait_in_flight(&self, frame: Frame) {
        if self.frames.snapshot(frame).is_loading() {
            let index = self.frames.io(frame);
            if let Some(mut io) = self.io_queues.try_take(index, &self.frames) {
                if self.frames.snapshot(frame).is_loading() && self.frames.io(frame) == index {
                    // A queue that broke has failed its loads: that is seen there.
                    let _ = self.reap(&mut io, 1, &mut IoResults::default());
                }
                return;
            }
            self.io_queues.wait_for_load(index, &self.frames, frame);
        } else {
            self.frames.wait_while(frame, |now| now.is_writing());
        }
    }
}

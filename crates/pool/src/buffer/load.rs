//! Reading pages: a frame for each, requests on their way, and those who wait for them.

use leadline_device::Request;

use super::core::Core;
use super::directory::{Directory, Room};
use super::error::{Fault, PoolError};
use super::frames::{FreeFrame, Load, Pending, Settled, Shared};
use super::lane::{HeldLane, Job};
use super::reap::{EIO, Outcome};
use super::room::RoomMaker;
use crate::policy::{Frame, Page};

/// Where a page that was not found at first is.
pub(super) enum Found<'a> {
    /// In this frame after all.
    At(Frame),
    /// Read, and held.
    Read(Shared<'a>),
}

impl Core {
    /// The page is not where it was looked for: finds it, or makes room and reads it.
    pub(super) fn fault(&self, page: Page, write: bool) -> Result<Found<'_>, PoolError> {
        let mut room = RoomMaker::new(page);
        loop {
            let mut lane = self.lane()?;
            let mut directory = self.directory();
            directory.drain(self);
            if let Some(frame) = self.table.find(page) {
                return Ok(Found::At(frame));
            }
            room.missed(&mut directory);
            let found = directory.make_room(self, room.clean_only());
            if let Room::Frame(free) = found {
                let (load, pending) = self.frames.begin_load(free, page, lane.index);
                directory.enter(self, load.frame, page, write);
                let ahead =
                    if room.wrote { self.choose_ahead(&mut directory, &mut lane, page) } else { vec![] };
                drop(directory);
                self.counters.misses.add(1);
                self.cleaning.evicted(self.reserve());
                self.send_read(&mut lane, load);
                ahead.into_iter().for_each(|load| self.send_read(&mut lane, load));
                return self.reap_loaded(&mut lane, pending, page).map(Found::Read);
            }
            drop(directory);
            room.make(self, lane, found)?;
        }
    }

    /// What the prefetcher proposes beside `page`, with frames for it.
    fn choose_ahead(&self, directory: &mut Directory, lane: &mut HeldLane<'_>, page: Page) -> Vec<Load> {
        let most = self.sizing.n().saturating_sub(1);
        let most = most.min(self.config.reads_ahead.saturating_sub(*lane.ahead()));
        let mut loads = Vec::new();
        for ahead in directory.propose(self, page, most as usize) {
            if self.table.find(ahead).is_some() {
                continue; // proposed twice
            }
            let Some(free) = directory.spare(self) else { break };
            if let Some(prefetching) = &mut directory.prefetching {
                prefetching.issued(ahead);
            }
            loads.push(self.begin_ahead(directory, lane, free, ahead));
        }
        loads
    }

    fn begin_ahead(
        &self,
        directory: &mut Directory,
        lane: &mut HeldLane<'_>,
        free: FreeFrame,
        page: Page,
    ) -> Load {
        let load = self.frames.begin_load_ahead(free, page, lane.index);
        directory.enter(self, load.frame, page, false);
        *lane.ahead() += 1;
        self.counters.prefetches.add(1);
        load
    }

    /// Reads pages ahead, none beyond `last`, as far as there are frames without a write and room on a lane.
    pub(crate) fn prefetch(
        &self,
        last: Page,
        pages: impl IntoIterator<Item = Page>,
    ) -> Result<(), PoolError> {
        self.check(last)?;
        let mut lane = self.lane()?;
        if *lane.ahead() >= self.config.reads_ahead {
            // Some may be there by now.
            self.reap(&mut lane, 0, &mut Outcome::default())?;
        }
        let mut directory = self.directory();
        directory.drain(self);
        let mut loads = Vec::new();
        for page in pages {
            if *lane.ahead() >= self.config.reads_ahead {
                break;
            }
            if self.table.find(page).is_some() {
                continue;
            }
            let Some(free) = directory.spare(self) else { break };
            loads.push(self.begin_ahead(&mut directory, &mut lane, free, page));
        }
        drop(directory);
        loads.into_iter().for_each(|load| self.send_read(&mut lane, load));
        self.reap(&mut lane, 0, &mut Outcome::default())
    }

    /// Sends the read of a frame that loads.
    fn send_read(&self, lane: &mut HeldLane<'_>, load: Load) {
        let page_bytes = self.config.page_bytes;
        let offset = load.page * u64::from(page_bytes);
        let ahead = load.ahead;
        let refused = match lane.slot() {
            Some(slot) => match lane.submit(Request::read(slot, offset, page_bytes), Job::Read(load)) {
                Ok(()) => return,
                Err((Job::Read(load), _)) => Some(load),
                Err(_) => None,
            },
            None => Some(load),
        };
        if let Some(load) = refused {
            *lane.ahead() -= u32::from(ahead);
            self.load_failed(load, Fault::Errno(EIO));
        }
    }

    /// The page could not be read: it is gone before anybody sees it.
    pub(super) fn load_failed(&self, load: Load, fault: Fault) {
        self.counters.read_errors.add(1);
        self.counters.corrupt.add(u64::from(matches!(fault, Fault::Damaged(_))));
        let mut directory = self.directory();
        directory.leave(self, load.frame, load.page);
        match self.frames.failed(load, fault.pack()) {
            Some(free) => directory.free.push(free),
            None => directory.limbo += 1,
        }
    }

    /// Reaps the lane until the page is there.
    fn reap_loaded(
        &self,
        lane: &mut HeldLane<'_>,
        mut pending: Pending,
        page: Page,
    ) -> Result<Shared<'_>, PoolError> {
        loop {
            match self.settle(pending, page)? {
                Ok(hold) => return Ok(hold),
                Err(still) => pending = still,
            }
            // A queue that broke has failed the load: the error is found there.
            let _ = self.reap(lane, 1, &mut Outcome::default());
        }
    }

    /// Waits until a page that somebody else's request reads is there.
    pub(super) fn wait_loaded(&self, mut pending: Pending, page: Page) -> Result<Shared<'_>, PoolError> {
        loop {
            match self.settle(pending, page)? {
                Ok(hold) => return Ok(hold),
                Err(still) => pending = still,
            }
            self.wait_in_flight(pending.frame);
        }
    }

    /// Whether the load is over; the error is the load's own.
    fn settle(&self, pending: Pending, page: Page) -> Result<Result<Shared<'_>, Pending>, PoolError> {
        match self.frames.settle(pending) {
            Settled::Ready(hold) => Ok(Ok(hold)),
            Settled::Loading(pending) => Ok(Err(pending)),
            Settled::Failed { fault, free } => {
                if let Some(free) = free {
                    let mut directory = self.directory();
                    directory.limbo -= 1;
                    directory.free.push(free);
                }
                Err(Fault::unpack(fault).error("read", page, self.config.page_bytes))
            }
        }
    }

    /// Waits for a frame's I/O, or does some of it.
    pub(crate) fn wait_in_flight(&self, frame: Frame) {
        if self.frames.snapshot(frame).is_loading() {
            let index = self.frames.lane(frame);
            if let Some(mut lane) = self.lanes.try_take(index, &self.frames) {
                if self.frames.snapshot(frame).is_loading() && self.frames.lane(frame) == index {
                    // A queue that broke has failed its loads: that is seen there.
                    let _ = self.reap(&mut lane, 1, &mut Outcome::default());
                }
                return;
            }
            self.lanes.wait_for_load(index, &self.frames, frame);
        } else {
            self.frames.wait_while(frame, |now| now.is_writing());
        }
    }
}

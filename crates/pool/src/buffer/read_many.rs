//! Many pages for one thread: the processor's cache misses overlap, and so do the device's reads.
//!
//! Pages in memory are looked up in groups, in three passes: words of the table, headers and first lines of
//! pages, pages. Pages that are absent are read with a window of requests in flight, which is filled up
//! whenever some are over. The thread pins the pages of the window, and thus waits for nothing that may need
//! them: as long as it has any, it takes a page only if that is possible at once. What is not, it tries again
//! when it holds nothing.

use std::collections::VecDeque;

use super::core::Core;
use super::error::PoolError;
use super::frames::{Latch, PendingLatch, SharedLatch};
use super::hit_log::Hit;
use super::io_queue::IoQueueGuard;
use super::miss::{Miss, Room};
use super::reap::IoResults;
use crate::evict::Eviction;
use crate::policy::Page;

/// Pages looked up together: about as many cache lines as a core can wait for at once.
const GROUP: usize = 16;

/// A page in the window.
struct Awaited {
    /// Its place in the request.
    place: usize,
    pending: PendingLatch,
    /// It is read for us; otherwise it was asked for before, and finding it counts as a hit.
    missed: bool,
}

/// A request for many pages under way.
struct ReadMany<'a> {
    core: &'a Core,
    pages: &'a [Page],
    /// Places of pages that were not in memory.
    absent: VecDeque<usize>,
    /// Places of pages that another thread changes.
    busy: Vec<usize>,
    /// Pages that are being read.
    window: Vec<Awaited>,
    /// Pages to be visited.
    ready: Vec<(usize, SharedLatch<'a>)>,
    /// The first absent page's way to a frame, where there was none at first.
    miss: Option<Miss>,
    done: IoResults,
}

impl Core {
    /// Visits pages as they come, with their places in `pages`.
    pub(crate) fn read_many(
        &self,
        pages: &[Page],
        mut visit: impl FnMut(usize, &[u8]),
    ) -> Result<(), PoolError> {
        let Some(&last) = pages.iter().max() else { return Ok(()) };
        self.check(last)?;
        let mut visit = |place: usize, hold: &SharedLatch<'_>| {
            visit(place, &hold.as_ref()[..self.config.page_len()]);
        };
        let mut request = ReadMany {
            core: self,
            pages,
            absent: VecDeque::new(),
            busy: Vec::new(),
            window: Vec::new(),
            ready: Vec::new(),
            miss: None,
            done: IoResults::default(),
        };
        for (i, group) in pages.chunks(GROUP).enumerate() {
            request.visit_present(i * GROUP, group, &mut visit);
            if !(request.absent.is_empty() && request.window.is_empty()) {
                request.step(false, &mut visit)?;
            }
        }
        while !(request.absent.is_empty() && request.window.is_empty() && request.ready.is_empty()) {
            request.step(true, &mut visit)?;
        }
        while let Some(place) = request.busy.pop() {
            visit(place, &self.read(pages[place])?);
        }
        Ok(())
    }
}

impl<'a> ReadMany<'a> {
    /// Visits those of a group that are in memory.
    fn visit_present(
        &mut self,
        first: usize,
        group: &[Page],
        visit: &mut impl FnMut(usize, &SharedLatch<'_>),
    ) {
        let core = self.core;
        group.iter().for_each(|&page| core.table.prefetch(page));
        let mut frames = [None; GROUP];
        for (frame, &page) in frames.iter_mut().zip(group) {
            *frame = core.table.find(page);
            frame.iter().for_each(|&frame| core.frames.prefetch(frame));
        }
        for (i, (&page, frame)) in group.iter().zip(frames).enumerate() {
            let place = first + i;
            let Some(frame) = frame else {
                self.absent.push_back(place);
                continue;
            };
            match core.frames.share(frame, page) {
                Latch::Held { hold, ahead } => {
                    visit(place, &hold);
                    drop(hold);
                    core.note(Hit { page, frame, write: false, ahead });
                }
                Latch::Pending(pending) => self.window.push(Awaited { place, pending, missed: false }),
                Latch::Busy => self.busy.push(place),
                Latch::Gone => self.absent.push_back(place),
            }
        }
    }

    /// Sends reads as far as there is room, and visits what is there by now. `wait`: for at least one page,
    /// where none is there.
    fn step(&mut self, wait: bool, visit: &mut impl FnMut(usize, &SharedLatch<'_>)) -> Result<(), PoolError> {
        let core = self.core;
        self.settle()?;
        let mut io = core.io()?;
        if let Some(room) = self.fill(&mut io) {
            // Writes depend on nobody. Whatever else is in the way may depend on pages that we hold.
            let alone = self.window.is_empty() && self.ready.is_empty();
            if alone || matches!(room.0, Eviction::WriteBack) {
                return self.miss.as_mut().map_or(Ok(()), |miss| miss.resolve(core, io, room));
            }
        }
        let index = io.index;
        let sent_here = |awaited: &Awaited| {
            let frame = awaited.pending.frame;
            core.frames.snapshot(frame).is_loading() && core.frames.io(frame) == index
        };
        let wait = wait && self.ready.is_empty();
        // What keeps us from filling an empty window is what others read ahead on this queue.
        let waits_for_others = self.window.is_empty() && !self.absent.is_empty() && *io.ahead() > 0;
        let here = wait && (self.window.iter().any(sent_here) || waits_for_others);
        // A queue that broke has failed its loads: that is seen there.
        let _ = core.reap(&mut io, u32::from(here), &mut self.done);
        drop(io);
        if wait
            && !here
            && let Some(awaited) = self.window.first()
        {
            core.wait_in_flight(awaited.pending.frame);
        }
        self.ready.drain(..).for_each(|(place, hold)| visit(place, &hold));
        Ok(())
    }

    /// Pages whose reads are over.
    fn settle(&mut self) -> Result<(), PoolError> {
        let mut i = 0;
        while i < self.window.len() {
            if self.core.frames.snapshot(self.window[i].pending.frame).is_loading() {
                i += 1;
                continue;
            }
            let Awaited { place, pending, missed } = self.window.swap_remove(i);
            let (page, frame, ahead) = (self.pages[place], pending.frame, pending.ahead);
            let hold = self.core.wait_loaded(pending, page)?;
            if !missed {
                self.core.counters.waits.add(1);
                self.core.note(Hit { page, frame, write: false, ahead });
            }
            self.ready.push((place, hold));
        }
        Ok(())
    }

    /// Whether one more page may be read. A quarter of the frames at most is pinned: others need some too.
    fn has_room(&self, io: &mut IoQueueGuard<'_>) -> bool {
        let frames = match self.core.refuses_changes() {
            true => self.core.config.kept_frames(),
            false => self.core.frames.count(),
        };
        let most = (frames as usize / 4).max(1);
        *io.ahead() < self.core.config.most_ahead() && self.window.len() + self.ready.len() < most
    }

    /// Sends reads of absent pages as far as there is room; what is in the way where there is no frame.
    fn fill(&mut self, io: &mut IoQueueGuard<'_>) -> Option<Room> {
        if self.absent.is_empty() || !self.has_room(io) {
            return None;
        }
        let core = self.core;
        let (mut loads, mut stop) = (Vec::new(), None);
        let mut replacer = core.replacer();
        replacer.drain(core);
        while self.has_room(io)
            && let Some(&place) = self.absent.front()
        {
            let page = self.pages[place];
            if let Some(frame) = core.table.find(page) {
                // It came meanwhile, or is in the request twice.
                self.miss = None;
                self.absent.pop_front();
                match core.frames.share(frame, page) {
                    Latch::Held { hold, ahead } => {
                        core.note(Hit { page, frame, write: false, ahead });
                        self.ready.push((place, hold));
                    }
                    Latch::Pending(pending) => self.window.push(Awaited { place, pending, missed: false }),
                    Latch::Busy | Latch::Gone => self.busy.push(place),
                }
                continue;
            }
            let mut miss = self.miss.take().unwrap_or_else(|| Miss::new(page));
            let room = miss.make_room(core, &mut replacer);
            let (Eviction::Frame(free), _) = room else {
                (self.miss, stop) = (Some(miss), Some(room));
                break;
            };
            self.absent.pop_front();
            let (mut load, pending) = core.frames.begin_load(free, page, io.index);
            load.ahead = true;
            replacer.enter(core, load.frame, page, false);
            *io.ahead() += 1;
            self.window.push(Awaited { place, pending, missed: true });
            loads.push(load);
        }
        drop(replacer);
        core.counters.misses.add(loads.len() as u64);
        for load in loads {
            core.cleaning.evicted(core.reserve());
            core.send_read(io, load);
        }
        stop
    }
}

impl Drop for ReadMany<'_> {
    /// After an error, or a panic of the visitor, nothing stays pinned.
    fn drop(&mut self) {
        for Awaited { place, pending, .. } in self.window.drain(..) {
            let _ = self.core.wait_loaded(pending, self.pages[place]);
        }
    }
}

//! The directory: replacement policy, free frames, and which pages are in which frames. One lock guards it, which is
//! never held over I/O.

use super::core::Core;
use super::frames::{FreeFrame, WriteBack};
use crate::ace::{Ace, Cleaner};
use crate::policy::{Frame, Page, Policy};
use crate::prefetch::Prefetching;
use crate::writer::{State, Writer};

/// What the lock guards; the table's words and the pages of frames change under it too.
pub(crate) struct Directory {
    pub(crate) policy: Box<dyn Policy>,
    pub(crate) free: Vec<FreeFrame>,
    pub(crate) writer: Writer,
    /// What to read ahead, where dirty victims are followed by evictions.
    pub(crate) prefetching: Option<Prefetching>,
    /// Frames of failed loads that those who waited for them have yet to leave.
    pub(crate) limbo: u32,
    proposed: Vec<Page>,
}

/// A frame for a page, or what must happen first.
pub(crate) enum Room {
    Frame(FreeFrame),
    /// These dirty pages go out.
    Write(Vec<WriteBack>),
    /// Nothing can be given up before this frame's I/O is over.
    InFlight(Frame),
    /// The cleaner is at it.
    Cleaner,
    /// Every frame was in use when it was looked at.
    Nothing,
}

impl Directory {
    pub(crate) fn new(config: &super::PoolConfig, free: Vec<FreeFrame>) -> Self {
        Directory {
            policy: config.policy.build(config.frames),
            free,
            writer: Writer::default(),
            prefetching: matches!(config.ace, Ace::CowE | Ace::CowXE)
                .then(|| Prefetching::new(config.frames)),
            limbo: 0,
            proposed: Vec::new(),
        }
    }

    /// Tells the policy what the threads noted.
    pub(crate) fn drain(&mut self, core: &Core) {
        let Directory { policy, prefetching, .. } = self;
        core.notes.drain(|note| {
            if !core.frames.snapshot(note.frame).holds(note.page) {
                return; // it has left since
            }
            policy.hit(note.frame, note.write);
            if let Some(prefetching) = prefetching {
                if note.ahead {
                    prefetching.used(note.page);
                }
                prefetching.accessed(note.page, false);
            }
        });
    }

    /// A page comes into a frame.
    pub(crate) fn enter(&mut self, core: &Core, frame: Frame, page: Page, dirty: bool) {
        self.policy.insert(frame, page, dirty);
        core.table.insert(page, frame);
    }

    /// A page leaves its frame.
    pub(crate) fn leave(&mut self, core: &Core, frame: Frame, page: Page) {
        self.policy.evict(frame, page);
        core.table.remove(page);
    }

    /// Takes a clean page out of its frame; `None` where somebody was faster.
    fn evict(&mut self, core: &Core, frame: Frame) -> Option<FreeFrame> {
        let (free, page, unused) = core.frames.claim(frame)?;
        self.leave(core, frame, page);
        core.counters.evictions.add(1);
        if unused && let Some(prefetching) = &mut self.prefetching {
            prefetching.evicted_unused(page);
        }
        Some(free)
    }

    /// A frame for a page, or what must happen first. `clean_only`: nothing is to be written for it.
    pub(crate) fn make_room(&mut self, core: &Core, clean_only: bool) -> Room {
        if let Some(free) = self.free.pop() {
            return Room::Frame(free);
        }
        let state = |frame| core.usable(frame);
        loop {
            let Some(victim) = self.writer.victim(&mut *self.policy, state) else {
                return self.nothing_idle(core);
            };
            if !victim.dirty {
                match self.evict(core, victim.frame) {
                    Some(free) => return Room::Frame(free),
                    None => continue,
                }
            }
            let window = match (clean_only, core.config.cleaner) {
                (true, _) => u32::MAX,
                (false, Cleaner::Auto) => core.reserve(),
                (false, _) => 0,
            };
            if window > 0
                && let Some(clean) = self.writer.clean(&*self.policy, window, state)
            {
                match self.evict(core, clean) {
                    Some(free) => return Room::Frame(free),
                    None => continue,
                }
            }
            if clean_only {
                return Room::Nothing;
            }
            if core.config.cleaner == Cleaner::Auto && core.cleaning.is_working() {
                return Room::Cleaner;
            }
            let batch = self.dirty_victims(core, victim.frame);
            if !batch.is_empty() {
                return Room::Write(batch);
            }
        }
    }

    /// The dirty pages that go out with the victim, the first in the virtual order.
    fn dirty_victims(&mut self, core: &Core, victim: Frame) -> Vec<WriteBack> {
        let rule = (core.config.ace, core.sizing.n());
        let chosen = self.writer.with_victim(&mut *self.policy, victim, rule, |frame| core.usable(frame));
        chosen.iter().filter_map(|&frame| core.begin_write_back(frame)).collect()
    }

    /// Dirty pages among the next `window` of the virtual order (and of the policy's other queue), at most `most`.
    pub(crate) fn dirty_ahead(&mut self, core: &Core, window: u32, most: u32) -> Vec<WriteBack> {
        let chosen =
            self.writer.dirty_everywhere(&mut *self.policy, window, most, |frame| core.usable(frame));
        chosen.iter().filter_map(|&frame| core.begin_write_back(frame)).collect()
    }

    /// No page can be given up: whether one under I/O can be waited for.
    fn nothing_idle(&self, core: &Core) -> Room {
        let mut in_flight = None;
        self.policy.walk(&mut |frame, _| {
            if core.frames.snapshot(frame).is_in_flight() {
                in_flight = Some(frame);
                return std::ops::ControlFlow::Break(());
            }
            std::ops::ControlFlow::Continue(())
        });
        in_flight.map_or(Room::Nothing, Room::InFlight)
    }

    /// A frame for a page that is read ahead: not worth a write.
    pub(crate) fn spare(&mut self, core: &Core) -> Option<FreeFrame> {
        if let Some(free) = self.free.pop() {
            return Some(free);
        }
        let victim = self.writer.victim(&mut *self.policy, |frame| core.usable(frame))?;
        if victim.dirty { None } else { self.evict(core, victim.frame) }
    }

    /// Pages that are likely to be asked for after `page`, at most `most`, in no frame yet.
    pub(crate) fn propose(&mut self, core: &Core, page: Page, most: usize) -> Vec<Page> {
        let Some(prefetching) = &mut self.prefetching else { return Vec::new() };
        self.proposed.clear();
        prefetching.propose(page, most, &mut self.proposed);
        let absent = |page: &Page| *page < core.pages && core.table.find(*page).is_none();
        self.proposed.iter().copied().filter(absent).collect()
    }

    /// Pages were written. Those that were not changed meanwhile are clean.
    pub(crate) fn written(&mut self, core: &Core, written: &[(Frame, Page)]) {
        self.drain(core);
        for &(frame, page) in written {
            let now = core.frames.snapshot(frame);
            if now.holds(page) && !now.is_dirty() {
                self.policy.cleaned(frame);
            }
        }
    }
}

impl Core {
    /// What can be done with a frame just now.
    #[inline]
    pub(crate) fn usable(&self, frame: Frame) -> State {
        let now = self.frames.snapshot(frame);
        if now.is_used() || now.is_in_flight() || now.page().is_none() {
            State::Busy
        } else if now.is_dirty() {
            State::Dirty
        } else {
            State::Clean
        }
    }
}

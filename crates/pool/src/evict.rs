//! The eviction decision: which page goes, which dirty pages are written back together, what is read ahead
//! next to a miss, and when a miss has to wait.
//!
//! The simulation and the real pool make every one of these decisions here. They differ only in how their
//! frames change hands, which is what [`Buffers`] stands for: in virtual time nothing interferes, in the real
//! pool a page may be pinned between being chosen and being taken.

use crate::ace::{Ace, Cleaner};
use crate::policy::{Frame, Page, Policy};
use crate::prefetch::Prefetching;
use crate::select::{FrameState, Selector, Victim};

/// The frames of a pool and the pages in them.
pub(crate) trait Buffers {
    /// The right to a frame that holds no page.
    type Free;

    /// A frame that holds no page, if there is one.
    fn take_free(&mut self) -> Option<Self::Free>;

    /// What can be done with a frame just now.
    fn state(&self, frame: Frame) -> FrameState;

    /// Whether the page is in memory or being read.
    fn is_resident(&self, page: Page) -> bool;

    /// Pages that exist: 0 to this one, exclusive.
    fn pages(&self) -> Page;

    /// Takes a clean page out of its frame; `None` where another thread pinned or changed it first.
    fn take_out(&mut self, frame: Frame) -> Option<Evicted<Self::Free>>;

    /// Adds a dirty page to the batch that is written next; false where another thread pinned or changed it
    /// first.
    fn begin_write_back(&mut self, frame: Frame) -> bool;
}

/// A page that has just left its frame.
#[derive(Debug)]
pub(crate) struct Evicted<F> {
    pub(crate) free: F,
    pub(crate) page: Page,
    /// It was read ahead and never used.
    pub(crate) unused: bool,
}

/// How a miss gets its frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Eviction<F> {
    /// This one is free now.
    Frame(F),
    /// The victim is dirty: the batch that [`Buffers::begin_write_back`] collected has to be written first.
    WriteBack,
    /// The cleaner is about to provide clean pages.
    AwaitCleaner,
    /// No page can leave. `in_flight`: the first frame in the virtual order whose I/O will change that.
    NoneEvictable {
        /// `None` where all are pinned, or where only clean pages would do and there are none.
        in_flight: Option<Frame>,
    },
}

/// What the decision depends on, in addition to the frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions {
    /// Pages to write at once now.
    pub(crate) n: u32,
    /// The cleaner has writes under way, or will have.
    pub(crate) cleaner_works: bool,
    /// Writing has failed: only a clean page helps.
    pub(crate) clean_only: bool,
}

/// A replacement policy, the write-back rule and the prefetchers of one pool.
pub(crate) struct Evictor<P> {
    policy: P,
    selector: Selector,
    /// Only where dirty victims are followed by reading ahead.
    prefetching: Option<Prefetching>,
    proposed: Vec<Page>,
    ace: Ace,
    cleaner: Cleaner,
    frames: u32,
}

impl<P: Policy> Evictor<P> {
    pub(crate) fn new(policy: P, frames: u32, ace: Ace, cleaner: Cleaner) -> Self {
        Evictor {
            policy,
            selector: Selector::default(),
            prefetching: ace.reads_ahead().then(|| Prefetching::new(frames)),
            proposed: Vec::new(),
            ace,
            cleaner,
            frames,
        }
    }

    /// Pages in these frames were used: [`hit`](Evictor::hit) follows for each of them.
    pub(crate) fn expect_hits(&self, frames: &[Frame]) {
        self.policy.expect_hits(frames);
    }

    /// A page was used that is in memory. `first_use`: it had been read ahead.
    #[inline]
    pub(crate) fn hit(&mut self, frame: Frame, page: Page, write: bool, first_use: bool) {
        self.policy.hit(frame, write);
        if let Some(prefetching) = &mut self.prefetching {
            if first_use {
                prefetching.used(page);
            }
            prefetching.accessed(page, false);
        }
    }

    /// A page was asked for that is not in memory; once per miss, before room is made.
    pub(crate) fn missed(&mut self, page: Page) {
        self.policy.missed(page);
        if let Some(prefetching) = &mut self.prefetching {
            prefetching.accessed(page, true);
        }
    }

    /// A page comes into a frame. `dirty`: by a write.
    #[inline]
    pub(crate) fn insert(&mut self, frame: Frame, page: Page, dirty: bool) {
        self.policy.insert(frame, page, dirty);
    }

    /// A page leaves its frame for another reason than its turn: it could not be read.
    pub(crate) fn remove(&mut self, frame: Frame, page: Page) {
        self.policy.evict(frame, page);
    }

    /// A page was written and not changed meanwhile.
    #[inline]
    pub(crate) fn cleaned(&mut self, frame: Frame) {
        self.policy.cleaned(frame);
    }

    /// A frame for a page that missed, or what has to happen first.
    #[inline]
    pub(crate) fn make_room<B: Buffers>(&mut self, buffers: &mut B, now: Conditions) -> Eviction<B::Free> {
        if let Some(free) = buffers.take_free() {
            return Eviction::Frame(free);
        }
        loop {
            let victim = match self.selector.victim(&mut self.policy, |frame| buffers.state(frame)) {
                Victim::Dirty(frame) => frame,
                Victim::None { in_flight } => return Eviction::NoneEvictable { in_flight },
                Victim::Clean(frame) => match self.evict(buffers, frame) {
                    Some(free) => return Eviction::Frame(free),
                    None => continue,
                },
            };
            if let Some(clean) = self.clean_instead(buffers, now) {
                match self.evict(buffers, clean) {
                    Some(free) => return Eviction::Frame(free),
                    None => continue,
                }
            }
            if now.clean_only {
                return Eviction::NoneEvictable { in_flight: None };
            }
            if self.cleaner == Cleaner::Auto && now.cleaner_works {
                return Eviction::AwaitCleaner;
            }
            let rule = (self.ace, now.n);
            let chosen =
                self.selector.with_victim(&mut self.policy, victim, rule, |frame| buffers.state(frame));
            let begun = chosen.iter().filter(|&&frame| buffers.begin_write_back(frame)).count();
            if begun > 0 {
                return Eviction::WriteBack;
            }
        }
    }

    /// A clean page to evict instead of a dirty victim: in the reserve that an automatic cleaner keeps clean,
    /// or anywhere where nothing can be written.
    #[inline(always)]
    fn clean_instead<B: Buffers>(&mut self, buffers: &B, now: Conditions) -> Option<Frame> {
        let window = match (now.clean_only, self.cleaner) {
            (true, _) => u32::MAX,
            (false, Cleaner::Auto) => reserve(self.frames, now.n),
            (false, _) => return None,
        };
        self.selector.clean(&self.policy, window, |frame| buffers.state(frame))
    }

    /// Takes a clean page out of its frame; `None` where another thread pinned or changed it first.
    #[inline(always)]
    pub(crate) fn evict<B: Buffers>(&mut self, buffers: &mut B, frame: Frame) -> Option<B::Free> {
        let Evicted { free, page, unused } = buffers.take_out(frame)?;
        self.policy.evict(frame, page);
        if unused && let Some(prefetching) = &mut self.prefetching {
            prefetching.evicted_unused(page);
        }
        Some(free)
    }

    /// A frame for a page that is read ahead: none where that would take a write.
    pub(crate) fn room_ahead<B: Buffers>(&mut self, buffers: &mut B) -> Option<B::Free> {
        if let Some(free) = buffers.take_free() {
            return Some(free);
        }
        match self.selector.victim(&mut self.policy, |frame| buffers.state(frame)) {
            Victim::Clean(frame) => self.evict(buffers, frame),
            Victim::Dirty(_) | Victim::None { .. } => None,
        }
    }

    /// After a miss on `page` that had to write back: chooses up to `most` pages that are likely to be asked
    /// for next, evicts clean ones for them, and hands each with its frame to `load`, which says where it
    /// went.
    ///
    /// # Errors
    /// The first error of `load`; nothing further is read ahead then.
    #[inline]
    pub(crate) fn read_ahead<B: Buffers, E>(
        &mut self,
        buffers: &mut B,
        page: Page,
        most: u32,
        mut load: impl FnMut(&mut B, B::Free, Page) -> Result<Frame, E>,
    ) -> Result<(), E> {
        let Some(prefetching) = &mut self.prefetching else { return Ok(()) };
        let mut proposed = std::mem::take(&mut self.proposed);
        proposed.clear();
        prefetching.propose(page, most as usize, &mut proposed);
        proposed.retain(|&page| page < buffers.pages() && !buffers.is_resident(page));
        for &ahead in &proposed {
            let Some(free) = self.room_ahead(buffers) else { break };
            if let Some(prefetching) = &mut self.prefetching {
                prefetching.issued(ahead);
            }
            let frame = load(buffers, free, ahead)?;
            self.policy.insert(frame, ahead, false);
        }
        self.proposed = proposed;
        Ok(())
    }

    /// For the cleaner: begins to write up to `most` dirty pages of its reserve. How many were found.
    #[inline]
    pub(crate) fn clean<B: Buffers>(&mut self, buffers: &mut B, n: u32, most: u32) -> u32 {
        let window = reserve(self.frames, n);
        let chosen =
            self.selector.dirty_everywhere(&mut self.policy, window, most, |frame| buffers.state(frame));
        chosen.iter().filter(|&&frame| buffers.begin_write_back(frame)).count() as u32
    }
}

/// Pages at the head of the virtual order that a cleaner keeps clean: enough that misses find one while
/// writes are under way, few enough that most of them leave before they are changed again.
pub(crate) fn reserve(frames: u32, n: u32) -> u32 {
    n.saturating_mul(8).clamp(1, (frames / 8).max(1))
}

#[cfg(all(test, feature = "simulate"))]
mod tests;

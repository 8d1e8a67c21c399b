//! The pool's frames and where each page is.

use crate::evict::{Buffers, Evicted};
use crate::policy::{Frame, Page};
use crate::select::FrameState;

/// No client.
pub(super) const NOBODY: u32 = u32::MAX;

/// No frame.
const NONE: Frame = Frame::MAX;

/// Changed since it was read or last sent on its way to the device.
pub(super) const DIRTY: u8 = 1;
/// On its way to the device.
pub(super) const WRITING: u8 = 2;
/// On its way from the device.
pub(super) const LOADING: u8 = 4;
/// Read ahead and not used since.
pub(super) const AHEAD: u8 = 8;

/// One frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameInfo {
    pub(super) page: Page,
    pub(super) flags: u8,
    /// First of the clients that wait for the page to be read.
    pub(super) waiters: u32,
    /// The next frame whose page hashes to the same chain.
    next: Frame,
}

/// All frames. The table of pages is chained through them: a lookup that finds its page has touched the
/// chain's head and the frame, which is wanted anyway.
pub(super) struct Frames {
    pub(super) info: Vec<FrameInfo>,
    /// First frame of each chain; a power of two of them.
    heads: Vec<Frame>,
    /// 64 less the logarithm of the number of chains.
    shift: u32,
    free: Vec<Frame>,
    /// Pages that exist.
    pages: u64,
    /// Dirty pages that are to be written now.
    pub(super) batch: Vec<Frame>,
    /// Pages evicted so far.
    pub(super) evictions: u64,
}

impl Frames {
    pub(super) fn new(frames: u32, pages: u64) -> Self {
        let empty = FrameInfo { page: 0, flags: 0, waiters: NOBODY, next: NONE };
        let chains = (frames as usize * 2).next_power_of_two().max(2);
        Frames {
            info: vec![empty; frames as usize],
            heads: vec![NONE; chains],
            shift: 64 - chains.trailing_zeros(),
            free: (0..frames).rev().collect(),
            pages,
            batch: Vec::new(),
            evictions: 0,
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.info.len() as u32
    }

    /// Frames up to `frames` - 1 from now on, which are more than before. All there were are in use, and keep
    /// their pages.
    pub(super) fn grow(&mut self, frames: u32) {
        let more = Frames::new(frames, self.pages);
        let before = std::mem::replace(self, more);
        for (frame, info) in (0..).zip(&before.info) {
            self.put(frame, info.page, info.flags);
        }
        self.free = (before.len()..frames).rev().collect();
        self.evictions = before.evictions;
    }

    /// Fibonacci hashing: neighbouring pages go to chains far apart.
    #[inline]
    fn chain(&self, page: Page) -> usize {
        (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// A frame that was taken out and not filled again.
    pub(super) fn give_back(&mut self, frame: Frame) {
        self.free.push(frame);
    }

    #[inline]
    pub(super) fn find(&self, page: Page) -> Option<Frame> {
        let mut frame = self.heads[self.chain(page)];
        while frame != NONE {
            let info = &self.info[frame as usize];
            if info.page == page {
                return Some(frame);
            }
            frame = info.next;
        }
        None
    }

    #[inline]
    pub(super) fn put(&mut self, frame: Frame, page: Page, flags: u8) {
        let chain = self.chain(page);
        let next = std::mem::replace(&mut self.heads[chain], frame);
        self.info[frame as usize] = FrameInfo { page, flags, waiters: NOBODY, next };
    }

    /// Takes the frame out of the chain of its page.
    #[inline]
    fn unchain(&mut self, frame: Frame) -> FrameInfo {
        let info = self.info[frame as usize];
        let chain = self.chain(info.page);
        let mut at = self.heads[chain];
        if at == frame {
            self.heads[chain] = info.next;
            return info;
        }
        while self.info[at as usize].next != frame {
            at = self.info[at as usize].next;
        }
        self.info[at as usize].next = info.next;
        info
    }
}

impl Buffers for Frames {
    type Free = Frame;

    #[inline]
    fn take_free(&mut self) -> Option<Frame> {
        self.free.pop()
    }

    #[inline]
    fn state(&self, frame: Frame) -> FrameState {
        match self.info[frame as usize].flags & (DIRTY | WRITING | LOADING) {
            0 => FrameState::Clean,
            DIRTY => FrameState::Dirty,
            _ => FrameState::InFlight,
        }
    }

    #[inline]
    fn is_resident(&self, page: Page) -> bool {
        self.find(page).is_some()
    }

    #[inline]
    fn pages(&self) -> Page {
        self.pages
    }

    #[inline]
    fn take_out(&mut self, frame: Frame) -> Option<Evicted<Frame>> {
        let FrameInfo { page, flags, .. } = self.unchain(frame);
        self.evictions += 1;
        Some(Evicted { free: frame, page, unused: flags & AHEAD != 0 })
    }

    #[inline]
    fn begin_write_back(&mut self, frame: Frame) -> bool {
        let flags = &mut self.info[frame as usize].flags;
        *flags = *flags & !DIRTY | WRITING;
        self.batch.push(frame);
        true
    }
}

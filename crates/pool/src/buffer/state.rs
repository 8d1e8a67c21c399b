//! The state of a frame: one atomic word, and every way it may change.
//!
//! ```text
//!          begin_load               loaded
//!   FREE ────────────> LOADING ───────────────> resident <──> shared by readers
//!    ^  ^                 │ failed                │  ^ │ <──> EXCLUSIVE, one writer (sets DIRTY)
//!    │  └──── bury ─── FAILED                     │  │ │
//!    └──────────────── try_claim ─────────────────┘  │ └ begin_write_back: DIRTY -> WRITING
//!                (clean, unused, not WRITING)        └── end_write_back (failed: DIRTY again)
//! ```
//!
//! The page's number is part of the word, so that one compare-and-exchange both finds that the frame still
//! holds the page and takes it. Shared holds may be taken while the page is LOADING: they count as soon as it
//! is there, and the frame cannot be given away in between. While WRITING, the page is read and changed as
//! usual, since its bytes were copied first: whoever changes it sets DIRTY, which the end of the write does
//! not clear.
//!
//! Orderings: whatever gives bytes up for others (`unshare`, `release`, `loaded`, `end_write_back`) releases,
//! whatever takes them (`try_share`, `try_exclusive`, `try_claim`, `begin_write_back`) acquires.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use super::word::Word;
use crate::policy::Page;

/// Pages from 0 to this one, exclusive, have a number that fits the word: 2^36 - 1.
pub(crate) const PAGES: Page = NO_PAGE;

const SHARED: u64 = (1 << 16) - 1;
/// A writer has the page alone.
const EXCLUSIVE: u64 = 1 << 16;
/// The page was changed since it was last copied to be written.
const DIRTY: u64 = 1 << 17;
/// A write of the page is in flight.
const WRITING: u64 = 1 << 18;
/// The page is being read from the device.
const LOADING: u64 = 1 << 19;
/// It could not be read; whoever waited for it still holds the frame.
const FAILED: u64 = 1 << 20;
/// A thread sleeps until this word changes.
const PARKED: u64 = 1 << 21;
/// Read ahead and not yet used.
const AHEAD: u64 = 1 << 22;
const PAGE_SHIFT: u32 = 28;
/// The page's number of a frame that holds none.
const NO_PAGE: Page = (1 << 36) - 1;
const FREE: u64 = NO_PAGE << PAGE_SHIFT;

/// What is true of every word, whatever the order in which threads change it.
fn is_sound(word: u64) -> bool {
    let all = |flags: u64| word & flags == flags;
    let none = |flags: u64| word & flags == 0;
    let has_page = word >> PAGE_SHIFT != NO_PAGE;
    // A writer has the page alone, and it is dirty from the moment he has it.
    let writer = none(EXCLUSIVE) || none(SHARED | LOADING | AHEAD) && all(DIRTY);
    // Nobody changes or writes a page that is not there yet.
    let load = none(LOADING) || none(DIRTY | WRITING);
    // A frame without a page is in use only by those who waited for one that could not be read.
    let page = match has_page {
        true => none(FAILED),
        false => none(EXCLUSIVE | DIRTY | WRITING | LOADING | AHEAD) && (all(FAILED) || none(SHARED)),
    };
    let unused_bits = (1 << PAGE_SHIFT) - 2 * AHEAD;
    writer && load && page && none(unused_bits)
}

/// A frame's word as it was at one moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshot(u64);

impl Snapshot {
    /// The page in the frame.
    #[inline]
    pub(crate) fn page(self) -> Option<Page> {
        let page = self.0 >> PAGE_SHIFT;
        (page != NO_PAGE).then_some(page)
    }

    #[inline]
    pub(crate) fn holds(self, page: Page) -> bool {
        self.0 >> PAGE_SHIFT == page
    }

    #[inline]
    pub(crate) fn is_exclusive(self) -> bool {
        self.0 & EXCLUSIVE != 0
    }

    #[inline]
    pub(crate) fn is_dirty(self) -> bool {
        self.0 & DIRTY != 0
    }

    #[inline]
    pub(crate) fn is_writing(self) -> bool {
        self.0 & WRITING != 0
    }

    #[inline]
    pub(crate) fn is_loading(self) -> bool {
        self.0 & LOADING != 0
    }

    #[inline]
    pub(crate) fn is_failed(self) -> bool {
        self.0 & FAILED != 0
    }

    /// Held by a reader or a writer.
    #[inline]
    pub(crate) fn is_used(self) -> bool {
        self.0 & (SHARED | EXCLUSIVE) != 0
    }

    /// Its read or write is under way.
    #[inline]
    pub(crate) fn is_in_flight(self) -> bool {
        self.0 & (LOADING | WRITING) != 0
    }
}

/// What came of an attempt to take a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LatchOutcome {
    /// It is held. `ahead`: it had been read ahead, and this is its first use.
    Held { ahead: bool },
    /// A shared hold that counts once the page is loaded.
    Pending { ahead: bool },
    /// Others have it.
    Busy,
    /// The frame does not hold the page.
    Gone,
}

/// The word, and every change of it. It is kept with the page's bits inverted, so that memory of zeros is a
/// free frame and is not touched before the frame is used.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct StateWord<W = AtomicU64>(W);

impl<W: Word> StateWord<W> {
    /// Over a word of the model checker; starts free.
    #[cfg(test)]
    pub(crate) fn over(word: impl FnOnce(u64) -> W) -> Self {
        StateWord(word(0))
    }

    #[inline]
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot(self.0.load(Acquire) ^ FREE)
    }

    /// Replaces the word by `next` of it until that succeeds or `next` gives up.
    #[inline]
    fn update(&self, order: Ordering, next: impl Fn(u64) -> Option<u64>) -> Result<u64, u64> {
        let mut word = self.0.load(Relaxed) ^ FREE;
        while let Some(new) = next(word) {
            debug_assert!(is_sound(new), "{word:#x} became {new:#x}");
            match self.0.compare_exchange(word ^ FREE, new ^ FREE, order, Relaxed) {
                Ok(_) => return Ok(word),
                Err(now) => word = now ^ FREE,
            }
        }
        Err(word)
    }

    /// A reader takes the page.
    #[inline]
    pub(crate) fn try_share(&self, page: Page) -> LatchOutcome {
        let taken = self.update(Acquire, |word| {
            let free = word >> PAGE_SHIFT == page && word & EXCLUSIVE == 0 && word & SHARED < SHARED;
            free.then_some((word + 1) & !AHEAD)
        });
        match taken {
            Ok(old) if old & LOADING != 0 => LatchOutcome::Pending { ahead: old & AHEAD != 0 },
            Ok(old) => LatchOutcome::Held { ahead: old & AHEAD != 0 },
            Err(word) if word >> PAGE_SHIFT == page => LatchOutcome::Busy,
            Err(_) => LatchOutcome::Gone,
        }
    }

    /// A reader gives the page back. True: parked threads may now go on.
    #[inline]
    pub(crate) fn unshare(&self) -> bool {
        let old = self.0.fetch_sub(1, Release);
        debug_assert!(
            old & SHARED > 0 && is_sound(old ^ FREE),
            "{old:#x}: a hold was given back that nobody had"
        );
        old & (PARKED | SHARED) == PARKED | 1
    }

    /// A writer takes the page, which is dirty from then on.
    #[inline]
    pub(crate) fn try_exclusive(&self, page: Page) -> LatchOutcome {
        let taken = self.update(Acquire, |word| {
            let free = word >> PAGE_SHIFT == page && word & (EXCLUSIVE | SHARED | LOADING) == 0;
            free.then_some((word | EXCLUSIVE | DIRTY) & !AHEAD)
        });
        match taken {
            Ok(old) => LatchOutcome::Held { ahead: old & AHEAD != 0 },
            Err(word) if word >> PAGE_SHIFT != page => LatchOutcome::Gone,
            Err(_) => LatchOutcome::Busy,
        }
    }

    /// The only reader becomes the writer; false where there are others.
    pub(crate) fn try_upgrade(&self) -> bool {
        let alone =
            |word| (word & (EXCLUSIVE | SHARED | LOADING) == 1).then_some((word - 1) | EXCLUSIVE | DIRTY);
        self.update(Acquire, alone).is_ok()
    }

    /// The writer gives the page back. True: a thread is parked.
    #[inline]
    pub(crate) fn release(&self) -> bool {
        let old = self.0.fetch_and(!EXCLUSIVE, Release);
        debug_assert!(old & EXCLUSIVE != 0 && is_sound(old ^ FREE), "{old:#x}: nobody had it alone");
        old & PARKED != 0
    }

    /// Takes the page out of the frame if that is clean, unused and not under I/O: the page, and whether it
    /// had been read ahead for nothing.
    pub(crate) fn try_claim(&self) -> Option<(Page, bool)> {
        let claimed = self.update(Acquire, |word| {
            let idle = word & (SHARED | EXCLUSIVE | DIRTY | WRITING | LOADING) == 0;
            (idle && word >> PAGE_SHIFT != NO_PAGE).then_some(FREE | word & PARKED)
        });
        claimed.ok().map(|old| (old >> PAGE_SHIFT, old & AHEAD != 0))
    }

    /// Takes the page out of the frame, dirty or not, if it is unused and not under I/O.
    pub(crate) fn try_discard(&self, page: Page) -> bool {
        let discarded = self.update(Acquire, |word| {
            let idle = word & (SHARED | EXCLUSIVE | WRITING | LOADING) == 0;
            (idle && word >> PAGE_SHIFT == page).then_some(FREE | word & PARKED)
        });
        discarded.is_ok()
    }

    /// A page is to be read into a free frame. `ahead`: nobody waits for it; else the caller holds it,
    /// shared.
    pub(crate) fn begin_load(&self, page: Page, ahead: bool) {
        let flags = LOADING | if ahead { AHEAD } else { 1 };
        self.begin(page, flags);
    }

    /// A page that is on no device yet begins in a free frame: its writer has it.
    pub(crate) fn begin_new(&self, page: Page) {
        self.begin(page, EXCLUSIVE | DIRTY);
    }

    /// A page comes into a free frame.
    fn begin(&self, page: Page, flags: u64) {
        assert!(page < NO_PAGE, "no word has room for page {page}");
        let begun = self.update(AcqRel, |word| {
            (word & !PARKED == FREE).then_some(page << PAGE_SHIFT | flags | word & PARKED)
        });
        assert!(begun.is_ok(), "page {page} was to come into a frame that is not free");
    }

    /// The page is there, and belongs to those who hold it. True: a thread is parked.
    pub(crate) fn loaded(&self) -> bool {
        let old = self.0.fetch_and(!LOADING, Release);
        assert!(old & LOADING != 0, "a page was loaded into a frame that loads none");
        old & PARKED != 0
    }

    /// The page could not be read. True: a thread is parked.
    pub(crate) fn failed(&self) -> bool {
        let failed = self
            .update(AcqRel, |word| (word & LOADING != 0).then_some(FREE | FAILED | word & (SHARED | PARKED)));
        let Ok(old) = failed else { panic!("a load failed in a frame that loads nothing") };
        old & PARKED != 0
    }

    /// The last one who waited for a page that could not be read makes the frame free; true for exactly one.
    pub(crate) fn try_bury(&self) -> bool {
        self.update(AcqRel, |word| (word & (FAILED | SHARED) == FAILED).then_some(FREE | word & PARKED))
            .is_ok()
    }

    /// A dirty page that nobody changes is going to be written: a shared hold for copying it, and no longer
    /// dirty.
    pub(crate) fn try_begin_write_back(&self) -> Option<Page> {
        let begun = self.update(Acquire, |word| {
            let ready = word & (DIRTY | EXCLUSIVE | WRITING | LOADING) == DIRTY && word & SHARED < SHARED;
            ready.then_some((word & !DIRTY | WRITING) + 1)
        });
        begun.ok().map(|old| old >> PAGE_SHIFT)
    }

    /// The write of the page is over; one that failed leaves it dirty. True: a thread is parked.
    pub(crate) fn end_write_back(&self, ok: bool) -> bool {
        let ended = self.update(AcqRel, |word| {
            (word & WRITING != 0).then_some(word & !WRITING | if ok { 0 } else { DIRTY })
        });
        let Ok(old) = ended else { panic!("a write ended in a frame that is not written") };
        old & PARKED != 0
    }

    /// The page must be written again though it was written; false where the frame no longer holds it.
    pub(crate) fn redirty(&self, page: Page) -> bool {
        self.update(AcqRel, |word| {
            (word >> PAGE_SHIFT == page && word & LOADING == 0).then_some(word | DIRTY)
        })
        .is_ok()
    }

    /// Notes that a thread is about to sleep; the word as it was.
    pub(crate) fn park(&self) -> Snapshot {
        Snapshot(self.0.fetch_or(PARKED, SeqCst) ^ FREE)
    }

    /// Whether a thread sleeps or is about to.
    pub(crate) fn is_parked(&self) -> bool {
        self.0.load(SeqCst) & PARKED != 0
    }

    /// The threads that slept have been woken.
    pub(crate) fn unpark(&self) {
        self.0.fetch_and(!PARKED, AcqRel);
    }
}

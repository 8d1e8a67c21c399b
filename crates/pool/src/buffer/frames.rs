//! The frames: the memory that holds pages, a header of 32 bytes before each, and who may touch what.
//!
//! The header and the first 32 bytes of its page share a cache line: a hit waits for one line, not two. The
//! distance of two frames is a page and one cache line. Were it the page alone, all headers and first lines
//! would compete for the same few sets of the processor's caches.
//!
//! The one file of the pool with `unsafe` in it, except the hint of [`crate::cache_line`]. What makes it
//! sound: a frame's bytes are reached only through a token ([`SharedLatch`], [`ExclusiveLatch`], [`Load`],
//! [`WriteBack`]), a token is made only by the change of the frame's state that grants it, and tokens cannot
//! be copied.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use leadline_files::{MapOptions, Mapping};

use super::park::Parking;
use super::places::stamp::Ticket;
use super::state::{LatchOutcome, Snapshot, StateWord};
use crate::cache_line::prefetch;
use crate::policy::{Frame, Page};

/// Bytes of a cache line.
const LINE: usize = 64;

/// All frames of a pool.
#[derive(Debug)]
pub(crate) struct Frames {
    memory: Mapping,
    count: u32,
    page_bytes: usize,
    parking: Parking,
}

/// State of a frame in addition to its page. All but the state is relaxed: it is written by whoever has the
/// frame to himself, before the change of the state that lets others read it.
#[derive(Debug)]
#[repr(C, align(32))]
pub(crate) struct Header {
    state: StateWord,
    /// Highest log sequence number that was set since the page came in; 0: none.
    lsn: AtomicU64,
    /// Why the load failed.
    fault: AtomicU64,
    /// On which I/O queue the page is being read.
    io: AtomicU32,
}

/// The right to a frame without a page.
#[derive(Debug)]
#[must_use]
pub(crate) struct FreeFrame(Frame);

/// The duty to load a frame.
#[derive(Debug)]
#[must_use]
pub(crate) struct Load {
    pub(crate) frame: Frame,
    pub(crate) page: Page,
    /// Counts among the reads ahead of its I/O queue: it stays in flight while no thread holds the queue.
    pub(crate) ahead: bool,
    /// The byte of the device that it is read from.
    pub(crate) offset: u64,
}

/// The duty to write a frame back.
#[derive(Debug)]
#[must_use]
pub(crate) struct WriteBack {
    pub(crate) frame: Frame,
    pub(crate) page: Page,
    /// Flushes of the device that had failed when it began.
    pub(crate) epoch: u64,
    /// Where it goes, if that is not where it was.
    pub(crate) ticket: Option<Ticket>,
    /// Whether the bytes are still to be copied, under the shared hold that came with it.
    holds: bool,
}

/// A shared hold on a page that may still be loading.
#[derive(Debug)]
#[must_use]
pub(crate) struct PendingLatch {
    pub(crate) frame: Frame,
    /// The page is being read ahead, and this is its first use.
    pub(crate) ahead: bool,
}

impl Drop for PendingLatch {
    /// Only [`Frames::settle`] may end a hold; dropped, it would pin the frame for good.
    fn drop(&mut self) {
        debug_assert!(std::thread::panicking(), "a pending hold on frame {} was dropped", self.frame);
    }
}

/// A shared hold on a page.
#[derive(Debug)]
pub(crate) struct SharedLatch<'a> {
    frames: &'a Frames,
    bytes: NonNull<u8>,
    frame: Frame,
}

/// The only hold on a page.
#[derive(Debug)]
pub(crate) struct ExclusiveLatch<'a> {
    frames: &'a Frames,
    bytes: NonNull<u8>,
    frame: Frame,
}

// SAFETY: a hold is not bound to the thread that took it; it gives out what `&[u8]` (`&mut [u8]`) would.
unsafe impl Send for SharedLatch<'_> {}
// SAFETY: as above.
unsafe impl Sync for SharedLatch<'_> {}
// SAFETY: as above.
unsafe impl Send for ExclusiveLatch<'_> {}
// SAFETY: as above.
unsafe impl Sync for ExclusiveLatch<'_> {}

/// What came of an attempt to take a page, with its token.
pub(crate) enum Latch<H> {
    /// Held. `ahead`: it had been read ahead, and this is its first use.
    Held { hold: H, ahead: bool },
    /// It is being loaded; the hold counts then.
    Pending(PendingLatch),
    /// Others have it.
    Busy,
    /// The frame does not hold the page.
    Gone,
}

/// What became of a load that somebody waited for.
pub(crate) enum LoadStatus<'a> {
    /// The page is there.
    Ready(SharedLatch<'a>),
    /// It could not be read: why, and the frame where the caller was the last to hold it.
    Failed { fault: u64, free: Option<FreeFrame> },
    /// It is not there yet.
    Loading(PendingLatch),
}

impl Frames {
    /// `count` frames of `page_bytes`, zeroed, and their tokens.
    ///
    /// # Errors
    /// The kernel's reason for not having that much memory.
    pub(crate) fn new(count: u32, page_bytes: u32) -> std::io::Result<(Frames, Vec<FreeFrame>)> {
        let page_bytes = page_bytes as usize;
        let too_many = || std::io::Error::from(std::io::ErrorKind::OutOfMemory);
        let bytes = (count as usize).checked_mul(page_bytes + LINE).ok_or_else(too_many)?;
        let memory = MapOptions::new().huge_pages(true).map(bytes)?;
        let frames = Frames { memory, count, page_bytes, parking: Parking::new() };
        // The lowest frames are used first.
        Ok((frames, (0..count).rev().map(FreeFrame).collect()))
    }

    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    #[inline]
    pub(crate) fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// Where a frame begins, with its header.
    #[inline]
    fn start(&self, frame: Frame) -> NonNull<u8> {
        assert!(frame < self.count, "frame {frame} of {}", self.count);
        // SAFETY: as many such distances are mapped as there are frames.
        unsafe { self.memory.base().add(frame as usize * (self.page_bytes + LINE)) }
    }

    /// First byte of a frame's page.
    #[inline]
    fn bytes(&self, frame: Frame) -> NonNull<u8> {
        // SAFETY: the mapping goes on for the header, the page and 32 bytes.
        unsafe { self.start(frame).add(size_of::<Header>()) }
    }

    #[inline]
    fn header(&self, frame: Frame) -> &Header {
        // SAFETY: the mapping begins at a page of the processor, so that every frame begins at a cache line,
        // and it began with zeros, which are a header: atomics all. No slice is made of these bytes.
        unsafe { self.start(frame).cast().as_ref() }
    }

    #[inline]
    pub(crate) fn snapshot(&self, frame: Frame) -> Snapshot {
        self.header(frame).state.snapshot()
    }

    /// Asks for what taking a page and looking at its first bytes needs.
    #[inline]
    pub(crate) fn prefetch(&self, frame: Frame) {
        prefetch(self.header(frame));
    }

    /// Takes `page` to read it, if `frame` holds it.
    #[inline]
    pub(crate) fn share(&self, frame: Frame, page: Page) -> Latch<SharedLatch<'_>> {
        match self.header(frame).state.try_share(page) {
            LatchOutcome::Held { ahead } => {
                Latch::Held { hold: SharedLatch { frames: self, bytes: self.bytes(frame), frame }, ahead }
            }
            LatchOutcome::Pending { ahead } => Latch::Pending(PendingLatch { frame, ahead }),
            LatchOutcome::Busy => Latch::Busy,
            LatchOutcome::Gone => Latch::Gone,
        }
    }

    /// Takes `page` to change it, if `frame` holds it.
    #[inline]
    pub(crate) fn exclusive(&self, frame: Frame, page: Page) -> Latch<ExclusiveLatch<'_>> {
        match self.header(frame).state.try_exclusive(page) {
            LatchOutcome::Held { ahead } => {
                Latch::Held { hold: ExclusiveLatch { frames: self, bytes: self.bytes(frame), frame }, ahead }
            }
            LatchOutcome::Pending { .. } | LatchOutcome::Busy => Latch::Busy,
            LatchOutcome::Gone => Latch::Gone,
        }
    }

    /// Returns when `wait` is no longer true of the frame.
    pub(crate) fn wait_while(&self, frame: Frame, wait: impl Fn(Snapshot) -> bool) {
        self.parking.wait_while(frame, &self.header(frame).state, wait);
    }

    /// Wakes all who wait for the frame.
    pub(crate) fn wake(&self, frame: Frame) {
        self.parking.wake(frame, &self.header(frame).state);
    }

    /// Wakes those who wait for something other than the frame's word, which has changed before the call.
    pub(crate) fn wake_parked(&self, frame: Frame) {
        self.wake_if(self.header(frame).state.is_parked(), frame);
    }

    #[inline]
    fn wake_if(&self, parked: bool, frame: Frame) {
        if parked {
            self.wake(frame);
        }
    }

    /// Takes a clean, unused page out of its frame; also whether it had been read ahead for nothing.
    pub(crate) fn claim(&self, frame: Frame) -> Option<(FreeFrame, Page, bool)> {
        let (page, ahead) = self.header(frame).state.try_claim()?;
        Some((FreeFrame(frame), page, ahead))
    }

    /// Takes an unused page out of its frame though it may be dirty.
    pub(crate) fn discard(&self, frame: Frame, page: Page) -> Option<FreeFrame> {
        self.header(frame).state.try_discard(page).then_some(FreeFrame(frame))
    }

    /// A page is to be read into the frame by `io_queue`; the caller holds it as soon as it is there.
    pub(crate) fn begin_load(&self, free: FreeFrame, page: Page, io: u32) -> (Load, PendingLatch) {
        (self.begin(free.0, page, io, false), PendingLatch { frame: free.0, ahead: false })
    }

    /// A page is to be read ahead into the frame by `io_queue`.
    pub(crate) fn begin_load_ahead(&self, free: FreeFrame, page: Page, io: u32) -> Load {
        self.begin(free.0, page, io, true)
    }

    fn begin(&self, frame: Frame, page: Page, io: u32, ahead: bool) -> Load {
        let header = self.header(frame);
        header.lsn.store(0, Ordering::Relaxed);
        header.io.store(io, Ordering::Relaxed);
        header.state.begin_load(page, ahead);
        Load { frame, page, ahead, offset: 0 }
    }

    /// A page that is on no device yet, zeroed.
    pub(crate) fn begin_new(&self, free: FreeFrame, page: Page) -> ExclusiveLatch<'_> {
        let header = self.header(free.0);
        header.lsn.store(0, Ordering::Relaxed);
        header.state.begin_new(page);
        let mut hold = ExclusiveLatch { frames: self, bytes: self.bytes(free.0), frame: free.0 };
        hold.as_mut().fill(0);
        hold
    }

    /// The I/O queue that reads the frame.
    pub(crate) fn io(&self, frame: Frame) -> u32 {
        self.header(frame).io.load(Ordering::Relaxed)
    }

    /// The page was read: `bytes`, a whole page.
    pub(crate) fn loaded(&self, load: Load, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.page_bytes);
        // SAFETY: the token says that the frame is LOADING and that nobody else loads it; holds do not count
        // yet, so nobody reads or writes these bytes. `bytes` is a slice from elsewhere: frames give out none
        // as long as they load.
        unsafe { self.bytes(load.frame).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        let parked = self.header(load.frame).state.loaded();
        self.wake_if(parked, load.frame);
    }

    /// The page could not be read. The caller has taken it out of the table. The frame where nobody waited
    /// for it.
    pub(crate) fn failed(&self, load: Load, fault: u64) -> Option<FreeFrame> {
        let header = self.header(load.frame);
        header.fault.store(fault, Ordering::Relaxed);
        let parked = header.state.failed();
        self.wake_if(parked, load.frame);
        header.state.try_bury().then_some(FreeFrame(load.frame))
    }

    /// Looks at a load again.
    pub(crate) fn settle(&self, pending: PendingLatch) -> LoadStatus<'_> {
        let frame = pending.frame;
        let header = self.header(frame);
        let now = header.state.snapshot();
        if now.is_loading() {
            return LoadStatus::Loading(pending);
        }
        std::mem::forget(pending);
        if !now.is_failed() {
            return LoadStatus::Ready(SharedLatch { frames: self, bytes: self.bytes(frame), frame });
        }
        let fault = header.fault.load(Ordering::Relaxed);
        let parked = header.state.unshare();
        self.wake_if(parked, frame);
        LoadStatus::Failed { fault, free: header.state.try_bury().then_some(FreeFrame(frame)) }
    }

    /// A dirty page that nobody changes goes out: it counts as clean from now on.
    pub(crate) fn begin_write_back(&self, frame: Frame, epoch: u64) -> Option<WriteBack> {
        let page = self.header(frame).state.try_begin_write_back()?;
        Some(WriteBack { frame, page, epoch, ticket: None, holds: true })
    }

    /// Copies the page that goes out; it may be changed again afterwards. The log it depends on.
    pub(crate) fn copy_out(&self, write: &mut WriteBack, to: &mut [u8]) -> u64 {
        assert!(write.holds && to.len() == self.page_bytes);
        // SAFETY: the token holds the page shared, so nobody writes these bytes; `to` is memory of somebody
        // else.
        unsafe { NonNull::from(&mut *to).cast().copy_from_nonoverlapping(self.bytes(write.frame), to.len()) };
        let lsn = self.header(write.frame).lsn.load(Ordering::Relaxed);
        self.let_go(write);
        lsn
    }

    fn let_go(&self, write: &mut WriteBack) {
        if std::mem::take(&mut write.holds) {
            let parked = self.header(write.frame).state.unshare();
            self.wake_if(parked, write.frame);
        }
    }

    /// The write is over; not `ok`, the page is dirty again.
    pub(crate) fn end_write_back(&self, mut write: WriteBack, ok: bool) {
        self.let_go(&mut write);
        let parked = self.header(write.frame).state.end_write_back(ok);
        self.wake_if(parked, write.frame);
    }

    /// The page must be written once more; false where the frame does not hold it any longer.
    pub(crate) fn redirty(&self, frame: Frame, page: Page) -> bool {
        self.header(frame).state.redirty(page)
    }
}

impl<'a> SharedLatch<'a> {
    #[inline]
    pub(crate) fn frame(&self) -> Frame {
        self.frame
    }

    #[inline]
    pub(crate) fn as_ref(&self) -> &[u8] {
        // SAFETY: the hold keeps writers out as long as `self` lives; the bytes are initialised, since the
        // mapping was zeroed.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.frames.page_bytes) }
    }

    /// Becomes the writer, where it is the only reader.
    pub(crate) fn upgrade(self) -> Result<ExclusiveLatch<'a>, SharedLatch<'a>> {
        if !self.frames.header(self.frame).state.try_upgrade() {
            return Err(self);
        }
        let hold = ExclusiveLatch { frames: self.frames, bytes: self.bytes, frame: self.frame };
        std::mem::forget(self);
        Ok(hold)
    }
}

impl Drop for SharedLatch<'_> {
    #[inline]
    fn drop(&mut self) {
        let parked = self.frames.header(self.frame).state.unshare();
        self.frames.wake_if(parked, self.frame);
    }
}

impl ExclusiveLatch<'_> {
    #[inline]
    pub(crate) fn frame(&self) -> Frame {
        self.frame
    }

    #[inline]
    pub(crate) fn as_ref(&self) -> &[u8] {
        // SAFETY: the hold keeps everybody else out as long as `self` lives; the bytes are initialised.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.frames.page_bytes) }
    }

    #[inline]
    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` makes this the only slice.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.as_ptr(), self.frames.page_bytes) }
    }

    /// Raises the log sequence number that must be durable before the page is written.
    #[inline]
    pub(crate) fn set_lsn(&mut self, lsn: u64) {
        self.frames.header(self.frame).lsn.fetch_max(lsn, Ordering::Relaxed);
    }
}

impl Drop for ExclusiveLatch<'_> {
    #[inline]
    fn drop(&mut self) {
        let parked = self.frames.header(self.frame).state.release();
        self.frames.wake_if(parked, self.frame);
    }
}

#[cfg(test)]
mod tests;

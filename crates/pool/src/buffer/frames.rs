//! The frames: the memory that holds pages, a header of 32 bytes beside each, and who may touch what.
//!
//! The one file of the pool with `unsafe` in it. What makes it sound: a frame's bytes are reached only through a token
//! ([`Shared`], [`Exclusive`], [`Load`], [`WriteBack`]), a token is made only by the change of the frame's state that
//! grants it, and tokens cannot be copied.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use super::park::Parking;
use super::state::{Snapshot, State, Taken};
use crate::policy::{Frame, Page};

/// Huge pages of the processor: the mapping is made of them where the kernel lets us.
const HUGE_BYTES: usize = 2 << 20;

/// All frames of a pool.
#[derive(Debug)]
pub(crate) struct Frames {
    base: NonNull<u8>,
    /// The mapping, which begins at or before `base`.
    mapping: (NonNull<u8>, usize),
    headers: Box<[Header]>,
    page_bytes: usize,
    parking: Parking,
}

/// What is known of a frame beside its page.
#[derive(Debug)]
#[repr(C, align(32))]
pub(crate) struct Header {
    state: State,
    /// Highest log sequence number that was set since the page came in; 0: none.
    lsn: AtomicU64,
    /// Why the load failed.
    fault: AtomicU64,
    /// On which lane the page is being read.
    lane: AtomicU32,
}

// SAFETY: the mapping is owned, and its bytes are only reached through tokens, which the atomic state of each frame
// hands out so that a writer is alone.
unsafe impl Send for Frames {}
// SAFETY: as above.
unsafe impl Sync for Frames {}

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
    /// Nobody asked for it yet.
    pub(crate) ahead: bool,
}

/// The duty to write a frame back.
#[derive(Debug)]
#[must_use]
pub(crate) struct WriteBack {
    pub(crate) frame: Frame,
    pub(crate) page: Page,
    /// Flushes of the device that had failed when it began.
    pub(crate) epoch: u64,
    /// Whether the bytes are still to be copied, under the shared hold that came with it.
    holds: bool,
}

/// A shared hold on a page that may still be loading.
#[derive(Debug)]
#[must_use]
pub(crate) struct Pending {
    pub(crate) frame: Frame,
    /// The page is being read ahead, and this is its first use.
    pub(crate) ahead: bool,
}

impl Drop for Pending {
    /// Only [`Frames::settle`] may end a hold; dropped, it would pin the frame for good.
    fn drop(&mut self) {
        debug_assert!(std::thread::panicking(), "a pending hold on frame {} was dropped", self.frame);
    }
}

/// A shared hold on a page.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    frames: &'a Frames,
    bytes: NonNull<u8>,
    frame: Frame,
}

/// The only hold on a page.
#[derive(Debug)]
pub(crate) struct Exclusive<'a> {
    frames: &'a Frames,
    bytes: NonNull<u8>,
    frame: Frame,
}

// SAFETY: a hold is not bound to the thread that took it; it gives out what `&[u8]` (`&mut [u8]`) would.
unsafe impl Send for Shared<'_> {}
// SAFETY: as above.
unsafe impl Sync for Shared<'_> {}
// SAFETY: as above.
unsafe impl Send for Exclusive<'_> {}
// SAFETY: as above.
unsafe impl Sync for Exclusive<'_> {}

/// What came of an attempt to take a page, with its token.
pub(crate) enum Take<H> {
    /// Held. `ahead`: it had been read ahead, and this is its first use.
    Held { hold: H, ahead: bool },
    /// It is being loaded; the hold counts then.
    Pending(Pending),
    /// Others have it.
    Busy,
    /// The frame does not hold the page.
    Gone,
}

/// What became of a load that somebody waited for.
pub(crate) enum Settled<'a> {
    /// The page is there.
    Ready(Shared<'a>),
    /// It could not be read: why, and the frame where the caller was the last to hold it.
    Failed { fault: u64, free: Option<FreeFrame> },
    /// It is not there yet.
    Loading(Pending),
}

impl Frames {
    /// `count` frames of `page_bytes`, zeroed, and their tokens.
    ///
    /// # Errors
    /// The kernel's reason for not having so much memory.
    pub(crate) fn new(count: u32, page_bytes: u32) -> std::io::Result<(Frames, Vec<FreeFrame>)> {
        let page_bytes = page_bytes as usize;
        let too_many = || std::io::Error::from(std::io::ErrorKind::OutOfMemory);
        let bytes = (count as usize).checked_mul(page_bytes).ok_or_else(too_many)?;
        let mapped =
            bytes.checked_add(HUGE_BYTES).filter(|&b| b <= isize::MAX as usize).ok_or_else(too_many)?;
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no memory that exists.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), mapped, access, flags) }?;
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(too_many)?;
        let skip = start.as_ptr().align_offset(HUGE_BYTES);
        // SAFETY: HUGE_BYTES more than needed were mapped and `skip` is less, so this and `bytes` after it are inside.
        let base = unsafe { start.add(skip) };
        // SAFETY: advice on our own mapping changes no bytes. Refused, pages are as small as anywhere else.
        let _ = unsafe { madvise(base.as_ptr().cast(), bytes, Advice::LinuxHugepage) };
        let header = || Header {
            state: State::free(),
            lsn: AtomicU64::new(0),
            fault: AtomicU64::new(0),
            lane: AtomicU32::new(0),
        };
        let headers = (0..count).map(|_| header()).collect();
        let frames = Frames { base, mapping: (start, mapped), headers, page_bytes, parking: Parking::new() };
        // The lowest frames are used first.
        Ok((frames, (0..count).rev().map(FreeFrame).collect()))
    }

    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.headers.len() as u32
    }

    #[inline]
    pub(crate) fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// First byte of a frame.
    #[inline]
    fn bytes(&self, frame: Frame) -> NonNull<u8> {
        debug_assert!((frame as usize) < self.headers.len());
        // SAFETY: tokens are made for frames below the count only, so this is inside the mapping.
        unsafe { self.base.add(frame as usize * self.page_bytes) }
    }

    #[inline]
    fn header(&self, frame: Frame) -> &Header {
        &self.headers[frame as usize]
    }

    #[inline]
    pub(crate) fn snapshot(&self, frame: Frame) -> Snapshot {
        self.header(frame).state.snapshot()
    }

    /// Asks for a page's first bytes and lets the processor go on. The atomic step that takes the page would otherwise
    /// hold back the first look at its bytes, and the two cache misses would come one after the other.
    #[inline]
    fn touch(&self, frame: Frame) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a hint, which reads nothing as far as the language is concerned; the address is the frame's.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.bytes(frame).as_ptr().cast_const().cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = frame;
    }

    /// Takes `page` to read it, if `frame` holds it.
    #[inline]
    pub(crate) fn share(&self, frame: Frame, page: Page) -> Take<Shared<'_>> {
        self.touch(frame);
        match self.header(frame).state.try_share(page) {
            Taken::Held { ahead } => {
                Take::Held { hold: Shared { frames: self, bytes: self.bytes(frame), frame }, ahead }
            }
            Taken::Pending { ahead } => Take::Pending(Pending { frame, ahead }),
            Taken::Busy => Take::Busy,
            Taken::Gone => Take::Gone,
        }
    }

    /// Takes `page` to change it, if `frame` holds it.
    #[inline]
    pub(crate) fn exclusive(&self, frame: Frame, page: Page) -> Take<Exclusive<'_>> {
        self.touch(frame);
        match self.header(frame).state.try_exclusive(page) {
            Taken::Held { ahead } => {
                Take::Held { hold: Exclusive { frames: self, bytes: self.bytes(frame), frame }, ahead }
            }
            Taken::Pending { .. } | Taken::Busy => Take::Busy,
            Taken::Gone => Take::Gone,
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

    /// A page is to be read into the frame by `lane`; the caller holds it as soon as it is there.
    pub(crate) fn begin_load(&self, free: FreeFrame, page: Page, lane: u32) -> (Load, Pending) {
        (self.begin(free.0, page, lane, false), Pending { frame: free.0, ahead: false })
    }

    /// A page is to be read ahead into the frame by `lane`.
    pub(crate) fn begin_load_ahead(&self, free: FreeFrame, page: Page, lane: u32) -> Load {
        self.begin(free.0, page, lane, true)
    }

    fn begin(&self, frame: Frame, page: Page, lane: u32, ahead: bool) -> Load {
        let header = self.header(frame);
        header.lsn.store(0, Ordering::Relaxed);
        header.lane.store(lane, Ordering::Relaxed);
        header.state.begin_load(page, ahead);
        Load { frame, page, ahead }
    }

    /// A page that is on no device yet, zeroed.
    pub(crate) fn begin_new(&self, free: FreeFrame, page: Page) -> Exclusive<'_> {
        let header = self.header(free.0);
        header.lsn.store(0, Ordering::Relaxed);
        header.state.begin_new(page);
        let mut hold = Exclusive { frames: self, bytes: self.bytes(free.0), frame: free.0 };
        hold.as_mut().fill(0);
        hold
    }

    /// The lane that reads the frame.
    pub(crate) fn lane(&self, frame: Frame) -> u32 {
        self.header(frame).lane.load(Ordering::Relaxed)
    }

    /// The page was read: `bytes`, a whole page.
    pub(crate) fn loaded(&self, load: Load, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.page_bytes);
        // SAFETY: the token says that the frame is LOADING and that nobody else loads it; holds do not count yet, so
        // nobody reads or writes these bytes. `bytes` is a slice from elsewhere: frames give out none as long as they
        // load.
        unsafe { self.bytes(load.frame).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        let parked = self.header(load.frame).state.loaded();
        self.wake_if(parked, load.frame);
    }

    /// The page could not be read. The caller has taken it out of the table. The frame where nobody waited for it.
    pub(crate) fn failed(&self, load: Load, fault: u64) -> Option<FreeFrame> {
        let header = self.header(load.frame);
        header.fault.store(fault, Ordering::Relaxed);
        let parked = header.state.failed();
        self.wake_if(parked, load.frame);
        header.state.try_bury().then_some(FreeFrame(load.frame))
    }

    /// Looks at a load again.
    pub(crate) fn settle(&self, pending: Pending) -> Settled<'_> {
        let frame = pending.frame;
        let header = self.header(frame);
        let now = header.state.snapshot();
        if now.is_loading() {
            return Settled::Loading(pending);
        }
        std::mem::forget(pending);
        if !now.is_failed() {
            return Settled::Ready(Shared { frames: self, bytes: self.bytes(frame), frame });
        }
        let fault = header.fault.load(Ordering::Relaxed);
        let parked = header.state.unshare();
        self.wake_if(parked, frame);
        Settled::Failed { fault, free: header.state.try_bury().then_some(FreeFrame(frame)) }
    }

    /// A dirty page that nobody changes goes out: it counts as clean from now on.
    pub(crate) fn begin_write_back(&self, frame: Frame, epoch: u64) -> Option<WriteBack> {
        let page = self.header(frame).state.try_begin_write_back()?;
        Some(WriteBack { frame, page, epoch, holds: true })
    }

    /// Copies the page that goes out; it may be changed again afterwards. The log it depends on.
    pub(crate) fn copy_out(&self, write: &mut WriteBack, to: &mut [u8]) -> u64 {
        assert!(write.holds && to.len() == self.page_bytes);
        // SAFETY: the token holds the page shared, so nobody writes these bytes; `to` is memory of somebody else.
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

impl Drop for Frames {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours alone, and tokens that give out bytes borrow `self`. Unmapping what was mapped
        // can only fail for want of map entries, and then nothing is unmapped.
        let _ = unsafe { munmap(self.mapping.0.as_ptr().cast(), self.mapping.1) };
    }
}

impl<'a> Shared<'a> {
    #[inline]
    pub(crate) fn frame(&self) -> Frame {
        self.frame
    }

    #[inline]
    pub(crate) fn as_ref(&self) -> &[u8] {
        // SAFETY: the hold keeps writers out as long as `self` lives; the bytes are initialised, since the mapping was
        // zeroed.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.frames.page_bytes) }
    }

    /// Becomes the writer, where it is the only reader.
    pub(crate) fn upgrade(self) -> Result<Exclusive<'a>, Shared<'a>> {
        if !self.frames.header(self.frame).state.try_upgrade() {
            return Err(self);
        }
        let hold = Exclusive { frames: self.frames, bytes: self.bytes, frame: self.frame };
        std::mem::forget(self);
        Ok(hold)
    }
}

impl Drop for Shared<'_> {
    #[inline]
    fn drop(&mut self) {
        let parked = self.frames.header(self.frame).state.unshare();
        self.frames.wake_if(parked, self.frame);
    }
}

impl Exclusive<'_> {
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

impl Drop for Exclusive<'_> {
    #[inline]
    fn drop(&mut self) {
        let parked = self.frames.header(self.frame).state.release();
        self.frames.wake_if(parked, self.frame);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_32_bytes() {
        assert_eq!(size_of::<Header>(), 32);
    }

    #[test]
    fn frames_are_aligned_disjoint_and_zeroed() {
        let (frames, mut free) = Frames::new(3, 4096).unwrap();
        for page in [7, 8, 9] {
            let mut hold = frames.begin_new(free.pop().unwrap(), page);
            assert_eq!(hold.as_ref().as_ptr() as usize % 4096, 0);
            assert!(hold.as_ref().iter().all(|byte| *byte == 0));
            hold.as_mut().fill(page as u8);
        }
        for (frame, page) in [(0, 7), (1, 8), (2, 9)] {
            let Take::Held { hold, .. } = frames.share(frame, page) else { panic!("page {page} is there") };
            assert!(hold.as_ref().iter().all(|byte| *byte == page as u8));
        }
    }
}

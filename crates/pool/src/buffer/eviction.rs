//! Pages come into frames and leave them, as [`crate::evict`] decides, under the replacer's lock.

use super::core::Core;
use super::frames::{FreeFrame, Load, WriteBack};
use super::replacer::Replacer;
use crate::evict::{Buffers, Conditions, Evicted, Eviction};
use crate::policy::{Frame, Page};
use crate::select::FrameState;

/// Hits that the policy is told of together.
const GROUP: usize = 16;

impl Replacer {
    /// Tells the policy of the hits that threads have logged.
    pub(crate) fn drain(&mut self, core: &Core) {
        core.hits.drain(|note| self.noted.push(note));
        for group in self.noted.chunks(GROUP) {
            let mut frames = [0; GROUP];
            frames.iter_mut().zip(group).for_each(|(frame, note)| *frame = note.frame);
            self.evictor.expect_hits(&frames[..group.len()]);
            for note in group {
                // A page that has left since is no longer the policy's concern.
                if core.frames.snapshot(note.frame).holds(note.page) {
                    self.evictor.hit(note.frame, note.page, note.write, note.ahead);
                }
            }
        }
        self.noted.clear();
    }

    /// A page comes into a frame.
    pub(crate) fn enter(&mut self, core: &Core, frame: Frame, page: Page, dirty: bool) {
        self.evictor.insert(frame, page, dirty);
        core.table.insert(page, frame);
        if core.keeps_dirty() {
            self.readers.loaded(&core.frames, frame, page);
        }
    }

    /// A page that could not be read leaves its frame.
    pub(crate) fn remove(&mut self, core: &Core, frame: Frame, page: Page) {
        self.evictor.remove(frame, page);
        core.table.remove(page, frame);
    }

    /// A frame for a page, or what has to happen first; the pages to write where that is
    /// [`Eviction::WriteBack`].
    pub(crate) fn make_room(
        &mut self,
        core: &Core,
        clean_only: bool,
    ) -> (Eviction<FreeFrame>, Vec<WriteBack>) {
        if core.keeps_dirty() { self.room_to_read(core) } else { self.evict(core, clean_only) }
    }

    /// The same, whatever failed before.
    pub(super) fn evict(&mut self, core: &Core, clean_only: bool) -> (Eviction<FreeFrame>, Vec<WriteBack>) {
        let cleaner_works = core.cleaning.is_working();
        let now = Conditions { n: core.batch_size.n(), cleaner_works, clean_only };
        let mut buffers = PoolBuffers { core, free: &mut self.free, batch: Vec::new() };
        let eviction = self.evictor.make_room(&mut buffers, now);
        (eviction, buffers.batch)
    }

    /// A frame for a page that is read ahead, where that takes no write.
    pub(crate) fn room_ahead(&mut self, core: &Core) -> Option<FreeFrame> {
        self.evictor.room_ahead(&mut PoolBuffers { core, free: &mut self.free, batch: Vec::new() })
    }

    /// Takes a clean page out of its frame, if nobody holds it.
    pub(super) fn take_out(&mut self, core: &Core, frame: Frame) -> Option<FreeFrame> {
        self.evictor.evict(&mut PoolBuffers { core, free: &mut self.free, batch: Vec::new() }, frame)
    }

    /// Reads to send with that of `page`, at most `most`; `begin` takes a frame's load up.
    pub(crate) fn read_ahead(
        &mut self,
        core: &Core,
        page: Page,
        most: u32,
        mut begin: impl FnMut(FreeFrame, Page) -> Load,
    ) -> Vec<Load> {
        let mut loads = Vec::new();
        let mut buffers = PoolBuffers { core, free: &mut self.free, batch: Vec::new() };
        let Ok(()) = self.evictor.read_ahead(&mut buffers, page, most, |_, free, ahead| {
            let load = begin(free, ahead);
            let frame = load.frame;
            core.table.insert(ahead, frame);
            loads.push(load);
            Ok::<_, std::convert::Infallible>(frame)
        });
        loads
    }

    /// Dirty pages for the cleaner to write, at most `most`.
    pub(crate) fn clean(&mut self, core: &Core, most: u32) -> Vec<WriteBack> {
        let mut buffers = PoolBuffers { core, free: &mut self.free, batch: Vec::new() };
        self.evictor.clean(&mut buffers, core.batch_size.n(), most);
        buffers.batch
    }

    /// Pages were written. Those that were not changed meanwhile are clean.
    pub(crate) fn written(&mut self, core: &Core, written: &[(Frame, Page)]) {
        self.drain(core);
        for &(frame, page) in written {
            let now = core.frames.snapshot(frame);
            if now.holds(page) && !now.is_dirty() {
                self.evictor.cleaned(frame);
            }
        }
    }
}

/// The pool's frames as the decision sees them, under the replacer's lock.
struct PoolBuffers<'a> {
    core: &'a Core,
    free: &'a mut Vec<FreeFrame>,
    batch: Vec<WriteBack>,
}

impl Buffers for PoolBuffers<'_> {
    type Free = FreeFrame;

    fn take_free(&mut self) -> Option<FreeFrame> {
        self.free.pop()
    }

    #[inline]
    fn state(&self, frame: Frame) -> FrameState {
        let now = self.core.frames.snapshot(frame);
        if now.is_in_flight() {
            FrameState::InFlight
        } else if now.is_used() || now.page().is_none() {
            FrameState::Pinned
        } else if now.is_dirty() {
            FrameState::Dirty
        } else {
            FrameState::Clean
        }
    }

    fn is_resident(&self, page: Page) -> bool {
        self.core.table.find(page).is_some()
    }

    fn pages(&self) -> Page {
        self.core.pages
    }

    fn take_out(&mut self, frame: Frame) -> Option<Evicted<FreeFrame>> {
        let (free, page, unused) = self.core.frames.claim(frame)?;
        self.core.table.remove(page, frame);
        self.core.counters.evictions.add(1);
        Some(Evicted { free, page, unused })
    }

    fn begin_write_back(&mut self, frame: Frame) -> bool {
        let write = self.core.begin_write_back(frame);
        let begun = write.is_some();
        self.batch.extend(write);
        begun
    }
}

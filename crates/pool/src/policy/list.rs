//! One doubly linked list of frames.

use super::Frame;
use super::lists::Lists;

/// Frames in an order. A frame is in the list at most once. 8 bytes per frame.
#[derive(Debug, Clone)]
pub(crate) struct List(Lists<1>);

impl List {
    /// Empty, for frames 0 to `frames` - 1.
    pub(crate) fn new(frames: u32) -> Self {
        List(Lists::new(frames))
    }

    /// Frames up to `frames` - 1 from now on, which are at least as many as before.
    pub(crate) fn grow(&mut self, frames: u32) {
        self.0.grow(frames);
    }

    #[inline]
    pub(crate) fn push_front(&mut self, frame: Frame) {
        self.0.push_front(0, frame);
    }

    /// Adds a frame that is not in the list behind one that is, towards the back.
    pub(crate) fn insert_behind(&mut self, frame: Frame, at: Frame) {
        self.0.insert_behind(0, frame, at);
    }

    /// Takes out a frame that is in the list.
    #[inline]
    pub(crate) fn remove(&mut self, frame: Frame) {
        self.0.remove(0, frame);
    }

    /// Asks the processor for all that taking these frames out needs.
    pub(crate) fn prefetch(&self, frames: &[Frame]) {
        self.0.prefetch(frames);
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<Frame> {
        self.0.front(0)
    }

    #[inline]
    pub(crate) fn back(&self) -> Option<Frame> {
        self.0.back(0)
    }

    /// The neighbour towards the front.
    #[inline]
    pub(crate) fn before(&self, frame: Frame) -> Option<Frame> {
        self.0.before(frame)
    }
}

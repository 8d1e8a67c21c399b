//! The frames that are kept for readers, and what has come into them.

use std::collections::VecDeque;

use super::frames::{Frames, FreeFrame};
use crate::policy::{Frame, Page};

/// Frames for readers.
#[derive(Debug)]
pub(crate) struct ReaderFrames {
    /// Frames that no page comes into as long as pages can be written.
    pub(super) kept: Vec<FreeFrame>,
    /// Frames that pages came into since, which are used again in this order.
    pub(super) loaded: VecDeque<(Frame, Page)>,
}

impl ReaderFrames {
    /// Keeps frames.
    pub(super) fn keep(frames: impl Iterator<Item = FreeFrame>) -> ReaderFrames {
        ReaderFrames { kept: frames.collect(), loaded: VecDeque::new() }
    }

    /// A page was loaded into a frame.
    pub(super) fn loaded(&mut self, frames: &Frames, frame: Frame, page: Page) {
        if self.loaded.len() > 2 * frames.count() as usize {
            self.loaded.retain(|(frame, page)| frames.snapshot(*frame).holds(*page));
        }
        self.loaded.push_back((frame, page));
    }
}
